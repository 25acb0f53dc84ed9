"""What is different between two JSON values, place by place.

A place is written as a path of member names: `inputSchema.properties.q.type`. Items of an array are identified by
their "name" where every one has a name of its own, else by position; an array of plain values is one value.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.things import ListedItem, Prompt, Resource, Template, Tool

ABSENT = msgspec.UNSET
"""The value on the side that has none."""
MOST = 200
"""The most places that are reported for one pair of values."""
_DEEPEST = 60
"""Below this depth, values are compared as wholes."""
_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*\Z")


class JsonChange(msgspec.Struct, frozen=True):
    """One place where two values differ."""

    path: str
    """Foreign text; "" for the values as wholes."""
    before: Any
    """ABSENT if there was nothing."""
    after: Any
    """ABSENT if there is nothing any more."""


def differences(before: Any, after: Any) -> tuple[JsonChange, ...]:
    """All places where they differ, in the order of `before`; at most `MOST` and one, which says that there are more.

    1 and 1.0 are the same number; 1 and true are not the same value.
    """
    return tuple(islice(_walk("", before, after, 0), MOST + 1))


def differ(before: Any, after: Any) -> bool:
    """Whether there is any such place."""
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
    """Whether there is anything in the arrays that can differ in part."""
    return any(isinstance(item, dict | list) for item in (*before, *after))


def _by_name(before: list[Any], after: list[Any], wanted: list[Any]) -> dict[Any, Any]:
    """The items by their names if both arrays can be read so, else by their positions."""
    for items in (before, after):
        names = {peek.text(item, "name") for item in items}
        if None in names or len(names) != len(items):
            return dict(enumerate(wanted))
    return {item["name"]: item for item in wanted}


def below(path: str, key: str | int) -> str:
    """The path of a member or an item of the value at `path`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _PLAIN.match(key):
        return f"{path}.{key}" if path else key
    quoted = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}["{quoted}"]'


# What has changed in a list between two times it was fetched: things added, removed, and changed.

THINGS: dict[str, type[ListedItem]] = {"tools": Tool, "resources": Resource, "templates": Template, "prompts": Prompt}
"""By kind, what an item is."""


class ListChanges(msgspec.Struct, frozen=True):
    """What is different, in the order of the list. Items are raw."""

    kind: str
    added: tuple[Any, ...] = ()
    removed: tuple[Any, ...] = ()
    changed: tuple[tuple[Any, Any], ...] = ()
    """Before and after."""
    reordered: bool = False
    """Nothing else has changed but the order."""

    @property
    def any(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.added or self.removed or self.changed or self.reordered)

    def marks(self) -> dict[str, str]:
        """By key, "new" or "changed": what a row of the list says."""
        thing = THINGS[self.kind]
        found = {thing(after).key: "changed" for _, after in self.changed}
        return found | {thing(raw).key: "new" for raw in self.added}

    def has_lost(self, key: str) -> bool:
        """Whether a thing of this key has gone."""
        return any(THINGS[self.kind](raw).key == key for raw in self.removed)


def key_of(kind: str, raw: Any) -> str:
    """The key of an item in its list; "" if it has none."""
    return THINGS[kind](raw).key


def list_changes(
    kind: str, before: Iterable[Any], after: Iterable[Any], *, before_whole: bool = True, after_whole: bool = True
) -> ListChanges:
    """Compare two states of a list of a kind: "tools", "resources", "templates" or "prompts"."""
    old, new = _by_place(kind, before), _by_place(kind, after)
    added = tuple(raw for place, raw in new.items() if place not in old) if before_whole else ()
    removed = tuple(raw for place, raw in old.items() if place not in new) if after_whole else ()
    changed = tuple((old[place], raw) for place, raw in new.items() if place in old and old[place] != raw)
    moved = before_whole and after_whole and not (added or removed or changed) and [*old] != [*new]
    return ListChanges(kind, added, removed, changed, moved)


def _by_place(kind: str, items: Iterable[Any]) -> dict[tuple[str, int], Any]:
    """Items by key, and by how many earlier items have the same key."""
    count: Counter[str] = Counter()
    found: dict[tuple[str, int], Any] = {}
    for raw in items:
        key = key_of(kind, raw)
        found[key, count[key]] = raw
        count[key] += 1
    return found
