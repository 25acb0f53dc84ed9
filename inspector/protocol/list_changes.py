"""What has changed in a list between two times it was fetched: things added, removed, and changed.

Things are the same if they have the same key; of several with one key, the first is compared with the first. A list
that was not fetched to its end proves nothing about what it does not show.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from inspector.protocol.things import Prompt, Resource, Template, Thing, Tool

THINGS: dict[str, type[Thing]] = {"tools": Tool, "resources": Resource, "templates": Template, "prompts": Prompt}
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
    """What tells an item from the others of its list; "" for one that has nothing to be told by."""
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
    """Items by key, and by how many of that key came before."""
    count: Counter[str] = Counter()
    found: dict[tuple[str, int], Any] = {}
    for raw in items:
        key = key_of(kind, raw)
        found[key, count[key]] = raw
        count[key] += 1
    return found
