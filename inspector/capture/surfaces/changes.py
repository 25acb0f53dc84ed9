"""What is different between two surfaces, rated: what breaks callers, what they should know, what harms nobody.

Things are the same if they have the same key; of several with one key, the first is compared with the first. A list
that one of the two does not know is not compared, and one that is not whole proves nothing about what it lacks.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from inspector.capture.surfaces.members import account_changes, thing_changes
from inspector.capture.surfaces.ratings import Act, Rating, SurfaceChange
from inspector.capture.surfaces.surface import Surface, name_of
from inspector.protocol.differences import ABSENT
from inspector.protocol.jsonrpc import encode
from inspector.protocol.list_changes import key_of
from inspector.protocol.things import LISTS

ONE = {"tools": "tool", "resources": "resource", "templates": "template", "prompts": "prompt"}
_GONE = {
    "tools": Rating.BREAKING,
    "prompts": Rating.BREAKING,
    "templates": Rating.BREAKING,
    "resources": Rating.WARNING,
}
"""Resources come and go with what a server is about; the rest is its interface."""
_FEW = 5
"""Less than one in so many things in common is little."""


class SurfaceDiff(msgspec.Struct, frozen=True):
    """All of it: the server's account of itself first, then the lists, each in the order of its keys."""

    changes: tuple[SurfaceChange, ...] = ()
    notes: tuple[str, ...] = ()
    """What was not compared, a sentence each."""
    compared: int = 0
    """Things that both have."""

    def count(self, rating: Rating) -> int:
        """How many changes have it."""
        return sum(change.rating is rating for change in self.changes)

    @property
    def worst(self) -> Rating | None:
        """The gravest rating; None if nothing differs."""
        return min((change.rating for change in self.changes), key=lambda each: each.rank, default=None)


def compare_surfaces(before: Surface, after: Surface) -> SurfaceDiff:
    """Compare two surfaces. Nothing is raised, whatever is in them."""
    changes: list[SurfaceChange] = []
    notes: list[str] = []
    compared = 0
    if before.server is None or after.server is None:
        if before.server is not after.server:
            notes.append("only one of the two knows how the server introduces itself: that is not compared")
    else:
        changes += account_changes(before, after)
    for kind in LISTS:
        if kind not in before.lists or kind not in after.lists:
            if (kind in before.lists) is not (kind in after.lists):
                notes.append(f"only one of the two knows the {kind}: they are not compared")
            continue
        whole = kind not in before.partial, kind not in after.partial
        if not all(whole):
            notes.append(f"the {kind} were not fetched to the end: what seems missing there is not told")
        found, same = _list_changes(kind, before.lists[kind], after.lists[kind], *whole)
        changes += found
        compared += same
    return SurfaceDiff(tuple(changes), tuple(notes + _unlike(before, after, compared)), compared)


def _unlike(before: Surface, after: Surface, common: int) -> list[str]:
    """Whether these seem to be two servers, and not two versions of one."""
    names = name_of(before), name_of(after)
    fewest = min(sum(map(len, each.lists.values())) for each in (before, after))
    if names[0] == names[1] or not all(names) or common * _FEW > fewest:
        return []
    in_common = f"{common:,} of {fewest:,} things" if common else "no thing"
    return [f"{names[0][:60]!r} and {names[1][:60]!r} have {in_common} in common: are they versions of one server?"]


def _list_changes(
    kind: str, before: Sequence[Any], after: Sequence[Any], before_whole: bool, after_whole: bool
) -> tuple[list[SurfaceChange], int]:
    """The changes of one list, and how many things both sides have."""
    old, new = _by_place(kind, before), _by_place(kind, after)
    found: list[SurfaceChange] = []
    for place in sorted({*old, *new}):
        name = place[0]
        if place not in new:
            found += [_gone(kind, name, old[place])] if after_whole else []
        elif place not in old:
            found += [_came(kind, name, new[place])] if before_whole else []
        elif old[place] is not new[place] and encode(old[place]) != encode(new[place]):
            found += thing_changes(kind, name, old[place], new[place])
    return found, len(old.keys() & new.keys())


def _gone(kind: str, name: str, raw: Any) -> SurfaceChange:
    said = f"the {ONE[kind]} is gone"
    return SurfaceChange(kind, name, "", Act.REMOVED, _GONE[kind], f"{ONE[kind]}-removed", said, raw, ABSENT)


def _came(kind: str, name: str, raw: Any) -> SurfaceChange:
    said = f"a new {ONE[kind]}"
    return SurfaceChange(kind, name, "", Act.ADDED, Rating.INFO, f"{ONE[kind]}-added", said, ABSENT, raw)


def _by_place(kind: str, items: Sequence[Any]) -> dict[tuple[str, int], Any]:
    """Things by key, and by how many of that key came before."""
    count: Counter[str] = Counter()
    return dict(_placed(kind, items, count))


def _placed(kind: str, items: Sequence[Any], count: Counter[str]) -> Iterator[tuple[tuple[str, int], Any]]:
    for raw in items:
        key = key_of(kind, raw)
        yield (key, count[key]), raw
        count[key] += 1
