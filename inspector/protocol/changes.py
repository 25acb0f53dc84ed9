"""Structural differences between two JSON values, each with its path.

A path consists of member names: `inputSchema.properties.q.type`. Array items are matched by their "name" if all
names are unique, otherwise by position; an array of scalars is compared as a whole.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.listed_items import ListedItem, Prompt, Resource, Template, Tool
from inspector.text import lazy_pattern

ABSENT = msgspec.UNSET
"""The value on the side where the path does not exist."""
MOST = 200
"""Maximum number of differences reported for a pair of values."""
_DEEPEST = 60
"""Below this depth, values are compared as a whole."""
_PLAIN = lazy_pattern(r"[A-Za-z_$][A-Za-z0-9_$-]*\Z")

THINGS: dict[str, type[ListedItem]] = {"tools": Tool, "resources": Resource, "templates": Template, "prompts": Prompt}
"""Item class by kind."""


class JsonChange(msgspec.Struct, frozen=True):
    """A difference between two values at one path."""

    path: str
    """May contain server text; "" for the root."""
    before: Any
    """ABSENT if the path did not exist."""
    after: Any
    """ABSENT if the path no longer exists."""


def differences(before: Any, after: Any) -> tuple[JsonChange, ...]:
    """Return the differences in the order of `before`: at most `MOST`, plus one if there are more.

    1 and 1.0 are equal; 1 and true are not.
    """
    return tuple(islice(_walk("", before, after, 0), MOST + 1))


def differ(before: Any, after: Any) -> bool:
    """Return whether two values differ."""
    return next(_walk("", before, after, 0), None) is not None


def _walk(path: str, before: Any, after: Any, depth: int) -> Iterator[JsonChange]:
    if depth < _DEEPEST and isinstance(before, dict) and isinstance(after, dict):
        yield from _members(path, before, after, depth)
    elif depth < _DEEPEST and isinstance(before, list) and isinstance(after, list) and _has_parts(before, after):
        yield from _members(path, _by_name(before, after, before), _by_name(before, after, after), depth)
    elif isinstance(before, bool) is not isinstance(after, bool) or before != after:
        yield JsonChange(path, before, after)


def _members(path: str, before: dict[Any, Any], after: dict[Any, Any], depth: int) -> Iterator[JsonChange]:
    for key, value in before.items():
        if key in after:
            yield from _walk(below(path, key), value, after[key], depth + 1)
        else:
            yield JsonChange(below(path, key), value, ABSENT)
    for key in after:
        if key not in before:
            yield JsonChange(below(path, key), ABSENT, after[key])


def _has_parts(before: list[Any], after: list[Any]) -> bool:
    """Return whether any item is an object or array, so that differences can be located inside it."""
    return any(isinstance(item, dict | list) for item in (*before, *after))


def _by_name(before: list[Any], after: list[Any], wanted: list[Any]) -> dict[Any, Any]:
    """Index the items by name if all names in both arrays are unique, otherwise by position."""
    for items in (before, after):
        names = {peek.text(item, "name") for item in items}
        if None in names or len(names) != len(items):
            return dict(enumerate(wanted))
    return {item["name"]: item for item in wanted}


def below(path: str, key: str | int) -> str:
    """Return the path of a member or an item of the value at `path`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _PLAIN.match(key):
        return f"{path}.{key}" if path else key
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}["{quoted}"]'


# Changes of a list between two fetches: items added, removed and changed.


class ListChanges(msgspec.Struct, frozen=True):
    """Differences between two states of a list, in list order. Items are raw JSON."""

    kind: str
    added: tuple[Any, ...] = ()
    removed: tuple[Any, ...] = ()
    changed: tuple[tuple[Any, Any], ...] = ()
    """Pairs of before and after."""
    reordered: bool = False
    """Whether only the order has changed."""

    @property
    def any(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.reordered)

    def marks(self) -> dict[str, str]:
        """Return the mark of each row that has one, by key: "new" or "changed"."""
        item_of = THINGS[self.kind]
        found = {item_of(after).key: "changed" for _, after in self.changed}
        return found | {item_of(raw).key: "new" for raw in self.added}

    def has_lost(self, key: str) -> bool:
        """Return whether an item with this key was removed."""
        return any(THINGS[self.kind](raw).key == key for raw in self.removed)


def key_of(kind: str, raw: Any) -> str:
    """Return the key of a list item; "" if it has none."""
    return THINGS[kind](raw).key


def list_changes(
    kind: str, before: Iterable[Any], after: Iterable[Any], *, before_whole: bool = True, after_whole: bool = True
) -> ListChanges:
    """Compare two states of a list. `kind` is "tools", "resources", "templates" or "prompts"."""
    old, new = _by_place(kind, before), _by_place(kind, after)
    added = tuple(raw for place, raw in new.items() if place not in old) if before_whole else ()
    removed = tuple(raw for place, raw in old.items() if place not in new) if after_whole else ()
    changed = tuple((old[place], raw) for place, raw in new.items() if place in old and old[place] != raw)
    moved = before_whole and after_whole and not (added or removed or changed) and [*old] != [*new]
    return ListChanges(kind, added, removed, changed, moved)


def _by_place(kind: str, items: Iterable[Any]) -> dict[tuple[str, int], Any]:
    """Index items by key and occurrence, the number of earlier items with the same key."""
    count: Counter[str] = Counter()
    found: dict[tuple[str, int], Any] = {}
    for raw in items:
        key = key_of(kind, raw)
        found[key, count[key]] = raw
        count[key] += 1
    return found
