"""Which JSON Schema a schema is written in, and a copy of it that no library can mistake for another dialect.

A `$schema` inside a schema makes the library switch to that dialect's own rules, which have no budget and no time
limit on patterns; a reference back to the root is enough to get there. So validation works on a copy without it.
"""

from typing import Final

from inspector.forms.patterns import bounds

DEEPEST: Final = 200

DEFAULT: Final = "2020-12"

_NAMES: Final = {
    "json-schema.org/draft/2020-12/schema": "2020-12",
    "json-schema.org/draft/2019-09/schema": "2019-09",
    "json-schema.org/draft-07/schema": "draft-07",
    "json-schema.org/draft-06/schema": "draft-06",
    "json-schema.org/draft-04/schema": "draft-04",
    "json-schema.org/schema": DEFAULT,
}
_DATA: Final = frozenset(("const", "enum", "default", "examples", "example"))
"""Keywords with values, not schemas, in them."""


class TooLarge(Exception):
    """The schema is too large or too deep to be judged; the sentence says so."""


def dialect_of(schema: dict[str, object], hint: str = "") -> str | None:
    """The name of the dialect ("2020-12", "draft-07"), None if it is not known here.

    The schema's own declaration takes precedence; without one `hint` applies, else the default.
    """
    named = schema.get("$schema", hint or DEFAULT)
    if not isinstance(named, str):
        return None
    bare = named.strip().removeprefix("http://").removeprefix("https://").rstrip("#").rstrip("/")
    return bare if bare in _NAMES.values() else _NAMES.get(bare)


def without_dialects(schema: object) -> object:
    """A copy without `$schema`, except in data such as `const`.

    Raises: TooLarge.
    """
    left = [bounds().schema]
    return _copied(schema, left, 0)


def mentions(node: object, keyword: str) -> bool:
    """Whether the keyword is anywhere in a schema that is not too deep."""
    if isinstance(node, dict):
        return keyword in node or any(mentions(each, keyword) for each in node.values())
    return isinstance(node, list) and any(mentions(each, keyword) for each in node)


def _copied(node: object, left: list[int], depth: int) -> object:
    left[0] -= 1
    if left[0] < 0:
        raise TooLarge(f"the schema has more than {bounds().schema:,} parts (--max schema=N raises that)")
    if depth > DEEPEST:
        raise TooLarge(f"the schema is nested deeper than {DEEPEST} levels")
    if isinstance(node, list):
        return [_copied(each, left, depth + 1) for each in node]
    if not isinstance(node, dict):
        return node
    return {
        key: each if key in _DATA and not isinstance(each, dict) else _copied(each, left, depth + 1)
        for key, each in node.items()
        if not (key == "$schema" and isinstance(each, str))
    }
