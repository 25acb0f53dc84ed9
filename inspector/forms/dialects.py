"""The JSON Schema dialect of a schema, and a copy of the schema without any `$schema`.

A nested `$schema` makes the library switch to the plain rules of that dialect, which have no budget and no time
limit for patterns. A reference back to the root is enough to trigger that, so validation uses the copy.
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
DATA_KEYWORDS: Final = frozenset(("const", "enum", "default", "examples", "example"))
"""Keywords that contain values, not schemas."""


class TooLarge(Exception):
    """The schema is too large or too deep to be validated."""


def dialect_of(schema: dict[str, object], hint: str = "") -> str | None:
    """Return the name of the dialect ("2020-12", "draft-07"); None if it is unknown.

    The schema's own declaration takes precedence, then `hint`, then the default.
    """
    named = schema.get("$schema", hint or DEFAULT)
    if not isinstance(named, str):
        return None
    bare = named.strip().removeprefix("http://").removeprefix("https://").rstrip("#").rstrip("/")
    return bare if bare in _NAMES.values() else _NAMES.get(bare)


def without_dialects(schema: object) -> object:
    """Return a copy without `$schema`, except in data such as `const`. Raises: TooLarge."""
    left = [bounds().schema]
    return _copied(schema, left, 0)


def mentions(node: object, keyword: str) -> bool:
    """Return whether a schema contains the keyword at any level. The schema must not be too deep for recursion."""
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
        key: each if key in DATA_KEYWORDS and not isinstance(each, dict) else _copied(each, left, depth + 1)
        for key, each in node.items()
        if not (key == "$schema" and isinstance(each, str))
    }
