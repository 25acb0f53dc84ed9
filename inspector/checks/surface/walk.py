"""Every schema within a JSON Schema, with its place. Without recursion, and never more than a budget allows.

It knows which keywords have schemas in them, so that data in `default` or `enum` is never mistaken for one.
"""

from collections.abc import Iterator
from typing import Any, Final

from inspector.forms.paths import Path

MOST_OF_ONE: Final = 10_000
"""Schemas within one schema that are looked at."""
MOST_OF_ALL: Final = 250_000
"""Those within all the schemas of one list: a second or two."""
DEEPEST: Final = 64
"""Keywords within one another; some clients read no deeper, and a person doesn't."""

_MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLES: Final = (
    *("items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"),
    *("not", "if", "then", "else", "contains", "propertyNames", "contentSchema"),
)
_BRANCHES: Final = frozenset(("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"))
"""Below these a schema is only a part of what its value must be."""
_KINDS: Final = {
    **dict.fromkeys(_MAPS, "map"),
    **dict.fromkeys(_LISTS, "list"),
    **dict.fromkeys(_SINGLES, "single"),
}


class Budget:
    """How many schemas may still be looked at, in one schema and in all of a list."""

    __slots__ = ("all_left", "left", "too_deep")

    def __init__(self, most: int = MOST_OF_ALL) -> None:
        self.all_left = most
        self.left = MOST_OF_ONE
        self.too_deep: Path | None = None
        """The first place of the present schema that was too deep."""

    def begin(self) -> bool:
        """Begin another schema; whether there is anything left for it."""
        self.left, self.too_deep = min(MOST_OF_ONE, self.all_left), None
        return self.left > 0

    @property
    def is_spent(self) -> bool:
        """Whether the present schema had more in it than could be looked at."""
        return self.left < 0

    def spend(self) -> bool:
        """Look at one more; False if there is none left."""
        if self.left <= 0:
            self.left = -1
            return False
        self.left -= 1
        self.all_left -= 1
        return True


def schemas_in(root: Any, budget: Budget) -> Iterator[tuple[Path, dict[str, Any], bool]]:
    """Every schema that is an object, outermost first: its place, itself, whether it is one branch of several."""
    waiting: list[tuple[Path, Any, bool]] = [((), root, False)]
    while waiting:
        path, node, is_branch = waiting.pop()
        if type(node) is not dict:
            continue
        if not budget.spend():
            return
        yield path, node, is_branch
        if len(path) >= DEEPEST * 2:
            budget.too_deep = budget.too_deep or path
            continue
        waiting.extend(reversed(list(_below(path, node, is_branch))))


def _below(path: Path, node: dict[str, Any], is_branch: bool) -> Iterator[tuple[Path, Any, bool]]:
    for key, value in node.items():
        kind = _KINDS.get(key)
        if kind is None:
            continue
        branch = is_branch or key in _BRANCHES
        if kind == "map" and type(value) is dict:
            for name, each in value.items():
                yield (*path, key, name), each, branch
        elif type(value) is list and (kind == "list" or key == "items"):
            for at, each in enumerate(value):
                yield (*path, key, at), each, branch
        elif kind == "single":
            yield (*path, key), value, branch
