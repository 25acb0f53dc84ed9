"""What has changed in what a server offers since it was first met, or since a person approved it.

A change of a definition that was trusted may be an attack: text that models act by, put in where nobody looks again.
So it is told until it is approved, and what is new with it. What is gone harms nobody.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from typing import Any

import msgspec

from inspector.protocol.conversation import Conversation
from inspector.protocol.fingerprints import INSTRUCTIONS, Remembered, content_hash, known_of, known_text
from inspector.protocol.list_changes import ListChanges, key_of
from inspector.protocol.tracking.catalogue import Listing
from inspector.viewmodels import signs
from inspector.viewmodels.lines import Line, span
from inspector.viewmodels.list_changes import change_lines, word_differences

KINDS = ("tools", "prompts", "templates")
"""Lists whose texts models read. Resources come and go."""
_ONE = {"tools": "tool", "prompts": "prompt", "templates": "template"}


class SinceSeen(msgspec.Struct, frozen=True):
    """One list against what is remembered of it."""

    kind: str
    since: int
    """Seconds since 1970."""
    changes: ListChanges
    rewritten: tuple[str, ...] = ()
    """Keys of things that have changed, and whose words of before were too long to be kept."""

    @property
    def any(self) -> bool:
        """Whether there is something to approve."""
        return bool(self.changes.added or self.changes.changed or self.rewritten)

    @property
    def marks(self) -> dict[str, str]:
        """By key, "new" or "changed"."""
        return dict.fromkeys(self.rewritten, "changed") | self.changes.marks()

    @property
    def count_changed(self) -> int:
        """How many have changed."""
        return len(self.changes.changed) + len(self.rewritten)


class Memory(msgspec.Struct, frozen=True):
    """A server against what is remembered of it. Replaced, never changed."""

    lists: tuple[SinceSeen, ...] = ()
    """Those that were fetched and are remembered."""
    instructions: tuple[int, str, str] | None = None
    """Since when, what they were, and what they are; None if they are the same, or were not known."""
    first: Mapping[str, Remembered] = {}
    """What is met for the first time, and to be remembered."""
    listings: Mapping[str, Listing] = {}
    """The lists that were compared: an approval is one of these, not of what has come since."""
    said: str | None = None
    """The instructions that were compared; None where no conversation was opened."""

    def of(self, kind: str) -> SinceSeen | None:
        """One list, if something in it is to be approved."""
        return next((each for each in self.lists if each.kind == kind and each.any), None)

    @property
    def alarms(self) -> bool:
        """Whether there is anything to approve."""
        return self.instructions is not None or any(each.any for each in self.lists)


def against(known: Mapping[str, Remembered], conversation: Conversation, now: int) -> Memory:
    """Compare what a conversation shows now with what is remembered. `now` is in seconds since 1970.

    As costly as the lists are long: for a thread.
    """
    listings = {kind: conversation.catalogue.listings[kind] for kind in KINDS}
    first: dict[str, Remembered] = {}
    lists = []
    for kind in KINDS:
        if not listings[kind].asked:
            continue
        if kind in known:
            lists.append(_against(kind, known[kind], listings[kind]))
        elif listings[kind].whole:
            first[kind] = known_of(kind, listings[kind].items, now)
    opening = conversation.opening
    changed = None
    if opening is not None and INSTRUCTIONS not in known:
        first[INSTRUCTIONS] = known_text(opening.instructions, now)
    elif opening is not None:
        hash_, before = known[INSTRUCTIONS].things.get("", ("", ""))
        if hash_ != content_hash(opening.instructions):
            changed = known[INSTRUCTIONS].since, before if isinstance(before, str) else "", opening.instructions
    return Memory(tuple(lists), changed, first, listings, None if opening is None else opening.instructions)


def _against(kind: str, known: Remembered, listing: Listing) -> SinceSeen:
    added, changed, rewritten = [], [], []
    seen: set[str] = set()
    for raw in listing.items:
        key = key_of(kind, raw)
        seen.add(key)
        if key not in known.things:
            added.append(raw)
            continue
        hash_, before = known.things[key]
        if hash_ != content_hash(raw):
            if before is None:
                rewritten.append(key)
            else:
                changed.append((before, raw))
    gone = [value for key, (_, value) in known.things.items() if key not in seen and value is not None]
    changes = ListChanges(kind, tuple(added), tuple(gone) if listing.whole else (), tuple(changed))
    return SinceSeen(kind, known.since, changes, tuple(rewritten))


def approved(memory: Memory, kinds: Sequence[str], now: int) -> dict[str, Remembered]:
    """What is to be remembered once a person has approved these lists and the instructions, as they were compared."""
    whole = {kind: each for kind, each in memory.listings.items() if kind in kinds and each.whole}
    found = {kind: known_of(kind, each.items, now) for kind, each in whole.items()}
    return found if memory.said is None else found | {INSTRUCTIONS: known_text(memory.said, now)}


def day(seconds: int, zone: tzinfo | None = None) -> str:
    """The day of a moment, as it is written in the person's own zone: 2026-11-02."""
    try:
        return datetime.fromtimestamp(seconds, UTC).astimezone(zone).date().isoformat()
    except (OverflowError, ValueError, OSError):
        return date.min.isoformat()


def alarm(memory: Memory) -> str:
    """What has changed, in a sentence: "3 tools changed, 1 new since 2026-11-02"; "" for nothing."""
    said = [f"{in_short(each)} since {day(each.since)}" for each in memory.lists if each.any]
    if memory.instructions is not None:
        said.append(f"the instructions changed since {day(memory.instructions[0])}")
    return "; ".join(said)


def in_short(seen: SinceSeen) -> str:
    """How much has changed in one list: "3 tools changed, 1 new"."""
    one, changed, new = _ONE[seen.kind], seen.count_changed, len(seen.changes.added)
    said = f"{changed:,} {one}{'' if changed == 1 else 's'} changed" if changed else ""
    if new:
        said += f", {new:,} new" if said else f"{new:,} new {one}{'' if new == 1 else 's'}"
    return said


def first_met(memory: Memory) -> str:
    """What was met for the first time: "13 tools, 4 prompts"; "" for nothing that has a name."""
    counts = {kind: len(memory.first[kind].things) for kind in KINDS if kind in memory.first}
    return ", ".join(f"{count:,} {_ONE[kind]}{'' if count == 1 else 's'}" for kind, count in counts.items() if count)


def marks_since(memory: Memory, kinds: Sequence[str]) -> dict[str, Any]:
    """By key, "new" or "changed", of these lists."""
    found: dict[str, Any] = {}
    for each in memory.lists:
        if each.kind in kinds:
            found |= each.marks
    return found


def head_lines(memory: Memory | None, kinds: Sequence[str], *, changes_key: str) -> list[Line]:
    """What stands above lists in which something is to be approved."""
    found = [] if memory is None else [each for kind in kinds if (each := memory.of(kind)) is not None]
    return [
        (
            (f"{signs.WARNING} {in_short(each)} since {day(each.since)}", "warning"),
            (f": {changes_key} shows", "accent"),
        )
        for each in found
    ]


def since_lines(memory: Memory | None, kinds: Sequence[str]) -> list[Line]:
    """All that is to be approved in some lists and in the instructions, with both sides; [] for nothing."""
    if memory is None:
        return []
    found: list[Line] = []
    for each in memory.lists:
        if each.kind in kinds and each.any:
            found += [_title(f"{in_short(each)} since {day(each.since)}"), ()]
            found += [(("  ", "text"), *line) if line else () for line in change_lines(each.changes)]
            found += [
                ((f"  {signs.EVENT} ", "warning"), span(key, "method"), (_UNKEPT, "muted")) for key in each.rewritten
            ]
            found.append(())
    if memory.instructions is not None:
        since, before, after = memory.instructions
        old, new = word_differences(before, after)
        found += [_title(f"the instructions changed since {day(since)}"), ()]
        found += [(("    − ", "removed"), *old), (("    + ", "added"), *new), ()]
    return found


def can_approve(memory: Memory | None, kinds: Sequence[str]) -> bool:
    """Whether there is anything to approve in these lists, or in the instructions."""
    return memory is not None and (memory.instructions is not None or any(memory.of(kind) for kind in kinds))


def _title(said: str) -> Line:
    return ((f"{signs.WARNING} {said}", "warning"),)


_UNKEPT = "  changed; what it was is too long to be kept"
