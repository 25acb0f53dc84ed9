"""The merged timeline: entries of several conversations in chronological order.

Live conversations share one monotonic clock and are ordered by it; a loaded capture is ordered by its recorded wall
clock. Within a conversation, the wire order is kept. Each row looks like the row of its conversation's traffic list
in wire order, with the name of the conversation before it.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from inspector import text
from inspector.capture.journal import Journal
from inspector.capture.store.history import PastJournal
from inspector.filters.language.fields import Term
from inspector.present.live_checks import JournalFindings
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, lay
from inspector.present.traffic.log import LogModel

Times = Callable[[Sequence[int]], Sequence[int]]
"""Returns the times of entries, in nanoseconds of a clock that all lists share."""
FOREVER = 2**63 - 1
_SHIFT = 32
_ENTRY = (1 << _SHIFT) - 1

_ROLES: tuple[Role, ...] = ("key", "accent", "number", "string", "literal")
"""Colours of the names, in rotation. The name alone identifies a conversation; its colour only helps to find it."""

_WIDEST, _NARROWEST = 14, 10

_ROOMY = 90
"""Minimum width in cells for names in full width."""


def code_of(number: int, n: int) -> int:
    return number << _SHIFT | n


def number_of(code: int) -> int:
    """Return the number of the list of a code."""
    return code >> _SHIFT


def entry_of(code: int) -> int:
    return code & _ENTRY


class Feed:
    """One of the lists that are merged."""

    def __init__(self, number: int, times: Times) -> None:
        self.number = number
        self.times = times
        self.taken = 0
        """Number of its rows that have been merged."""
        self.latest = 0
        """Time of the last of them."""


class Merge:
    """Rows of all feeds, merged so far."""

    def __init__(self, feeds: Sequence[Feed]) -> None:
        self.feeds = feeds
        self.codes = array("Q")
        """Rows as codes; see `code_of`."""
        self.times = array("q")
        """Times of the rows, ascending. Where a clock went back, the time before that."""
        self.moved = 0
        """Number of times that existing rows were moved."""

    def step(self, rows: Sequence[Sequence[int]], reached: Sequence[int], limit: int) -> bool:
        """Merge at most `limit` more rows of each list; return whether there were any.

        `rows`: all entries of each list in order, including those already merged. `reached`: the time up to which
        each list is complete; nothing later than the earliest of these is merged.
        """
        horizon, parts = min(reached, default=FOREVER), []
        for feed, entries in zip(self.feeds, rows, strict=True):
            part = entries[feed.taken : feed.taken + limit]
            if not part:
                continue
            moments = [*accumulate(feed.times(part), max, initial=feed.latest)][1:]
            parts.append((feed, part, moments))
            if len(entries) > feed.taken + len(part):
                horizon = min(horizon, moments[-1])
        codes: list[int] = []
        times: list[int] = []
        for feed, part, moments in parts:
            count = bisect_right(moments, horizon)
            codes += [feed.number << _SHIFT | n for n in part[:count]]
            times += moments[:count]
            if count:
                feed.taken, feed.latest = feed.taken + count, moments[count - 1]
        self._add(codes, times)
        return bool(codes)

    def find(self, code: int, moment: int) -> int:
        """Return the index of a row, or else of the last row not later than `moment`; -1 if there is none."""
        at = bisect_right(self.times, moment) - 1
        same = at
        while same >= 0 and self.times[same] == moment:
            if self.codes[same] == code:
                return same
            same -= 1
        try:
            return self.codes.index(code)  # the clock of its list went back
        except ValueError:
            return at

    def _add(self, codes: list[int], times: list[int]) -> None:
        if not codes:
            return
        earliest = min(times)
        if self.times and earliest < self.times[-1]:
            cut = bisect_right(self.times, earliest)
            codes, times = [*self.codes[cut:], *codes], [*self.times[cut:], *times]
            del self.codes[cut:], self.times[cut:]
            self.moved += 1
        order = sorted(range(len(times)), key=times.__getitem__)  # stable: equal times keep their order
        self.codes.extend(map(codes.__getitem__, order))
        self.times.extend(map(times.__getitem__, order))


class TimelineConversation:
    def __init__(
        self,
        number: int,
        name: str,
        journal: Journal,
        clock: Callable[[], int],
        *,
        threaded: bool = False,
        found: Callable[[], JournalFindings | None] | None = None,
    ) -> None:
        """`number` identifies the conversation for as long as it exists; see LogModel for the rest."""
        self.number = number
        self.name = text.one_line(name, 60)
        self.names = 0
        """Number of times it has been renamed."""
        self.role: Role = _ROLES[number % len(_ROLES)]
        self.journal = journal
        self.clock = clock
        self.model = LogModel(journal, clock, tree=False, threaded=threaded, found=found)
        self.offset = 0
        """Offset from its monotonic clock to the wall clock of the timeline."""

    def rename(self, name: str) -> None:
        """Change the name; nearly free if it is the same."""
        if text.one_line(name, 60) != self.name:
            self.name = text.one_line(name, 60)
            self.names += 1

    @property
    def runs(self) -> bool:
        """Whether it uses the clock that all live conversations share; a capture at a replay position does not."""
        journal = self.journal.whole if isinstance(self.journal, PastJournal) else self.journal
        return journal.live

    def times(self, entries: Sequence[int]) -> list[int]:
        """Return the times of these entries, by the clock of the timeline."""
        store = self.journal.store
        if not self.runs:
            return [*map(store.wall_ns, entries)]
        offset, time_ns = self.offset, store.time_ns
        return [time_ns(n) + offset for n in entries]

    @property
    def axis_offset(self) -> int:
        """Offset from its monotonic clock to the wall clock of the axis; for a capture, as of its start."""
        return self.offset if self.runs else self.journal.started_wall_ns - self.journal.started_ns

    @property
    def reached(self) -> int:
        """Time up to which its list is complete."""
        taken = self.model.taken
        if taken >= self.journal.count:
            return FOREVER
        return self.times((taken,))[0] if taken else 0


class Timeline(RowSource):
    """Rows of all wires. A row's key identifies the wire and the entry, and never changes."""

    def __init__(self, wires: Sequence[TimelineConversation], term: Term | None = None) -> None:
        """`term`: the filter already applied to the lists of the wires."""
        self.wires: Sequence[TimelineConversation] = wires
        self._by_number = {wire.number: wire for wire in wires}
        _set_clocks(wires)
        self._merge = self._begun()
        self._anew: tuple[Merge, list[array[int]]] | None = None
        """Rows being merged again from the beginning, and their source lists."""
        self._seen = self._generations()
        self._stale = False
        """Whether the filter has changed since the rows were merged."""
        self._changes = 0
        self.term = term
        """Current filter."""

    @property
    def count(self) -> int:
        return len(self._merge.codes)

    @property
    def generation(self) -> int:
        return self._changes + self._merge.moved + sum(wire.names for wire in self.wires)

    def row(self, index: int, width: int) -> RowView:
        code = self._merge.codes[index]
        wire, room = self._by_number[number_of(code)], _room(self.wires, width)
        name: list[Span] = [(text.pad(text.one_line(wire.name, room), room), wire.role), (" ", "text")]
        at = wire.model.find(entry_of(code))
        if at is None:
            return RowView(lay([*name, ("no longer matches", "faint")], width), live=True)
        row = wire.model.row(at, max(1, width - room - 1))
        return RowView([*name, *row.spans], row.live)

    def header(self, width: int) -> Sequence[Span]:
        room = _room(self.wires, width)
        titles = self.wires[0].model.header(max(1, width - room - 1)) if self.wires else ()
        return [(text.pad("server", room), "muted"), (" ", "text"), *titles]

    def key(self, index: int) -> int:
        return self._merge.codes[index]

    def index_of(self, key: int) -> int:
        wire, n = self._by_number.get(number_of(key)), entry_of(key)
        if wire is None or not 0 < n <= wire.journal.count:
            return -1
        return self._merge.find(key, wire.times((n,))[0])

    def entry(self, index: int) -> tuple[TimelineConversation, int]:
        """Return the wire and the entry of a row."""
        code = self._merge.codes[index]
        return self._by_number[number_of(code)], entry_of(code)

    def find(self, number: int, n: int) -> int | None:
        """Return the row of an entry of the wire with this number; None if there is none."""
        index = self.index_of(code_of(number, n))
        return index if index >= 0 and self._merge.codes[index] == code_of(number, n) else None

    def row_at(self, number: int, n: int) -> int:
        """Return the row of an entry of the wire with this number, or the last row before its time; -1 for none."""
        return self.index_of(code_of(number, n))

    def refresh(self, limit: int) -> bool:
        """Add at most `limit` new entries of each conversation; return whether there were any."""
        came = [wire.model.refresh(limit) for wire in self.wires]
        self._notice_changes()
        if self._anew is not None:
            return self._renew(limit) or any(came)
        rows = [wire.model.entries for wire in self.wires]
        return self._merge.step(rows, [wire.reached for wire in self.wires], limit) or any(came)

    # --- the filter

    def set_filter(self, term: Term | None) -> None:
        """Show only matches; None shows all. Existing entries are tested by `filter_step`."""
        self.term, self._stale, self._anew = term, True, None
        for wire in self.wires:
            wire.model.set_filter(term)

    @property
    def is_behind(self) -> bool:
        """Whether entries are still to be filtered or merged."""
        return (
            self._anew is not None
            or any(wire.model.is_filtering for wire in self.wires)
            or any(wire.model.taken < wire.journal.count for wire in self.wires)
        )

    @property
    def is_filtering(self) -> bool:
        """Whether existing entries are still to be filtered, or the rows to be merged again."""
        return self._anew is not None or any(wire.model.is_filtering for wire in self.wires)

    # --- rows that move

    def _begun(self) -> Merge:
        return Merge([Feed(wire.number, wire.times) for wire in self.wires])

    def _generations(self) -> list[int]:
        return [wire.model.generation for wire in self.wires]

    def _notice_changes(self) -> None:
        """Merge all rows again if existing rows have changed, or if a filter has added or removed some."""
        now = self._generations()
        if now == self._seen or self._anew is not None:
            return
        self._seen = now
        if self.term is None and not self._stale:  # without a filter, a list only grows
            self._changes += 1
        else:
            self._stale = False
            self._anew = self._begun(), [wire.model.entries[:] for wire in self.wires]

    def _renew(self, limit: int) -> bool:
        assert self._anew is not None
        merge, rows = self._anew
        if merge.step(rows, (), limit):
            return True
        self._changes += 1 + self._merge.moved - merge.moved  # the generation must only grow
        self._merge, self._anew = merge, None
        return False

    def filter_step(self) -> bool:
        """Take over some results of the filter; return whether there are more to come."""
        more = [wire.model.filter_step() for wire in self.wires]  # a list, so that each wire is stepped
        return any(more)

    def judge(self) -> None:
        """Take over new findings of the checks."""
        for wire in self.wires:
            wire.model.marks.step()

    def age(self) -> None:
        """Update ages, which a filter may test."""
        for wire in self.wires:
            wire.model.age()

    def show_partners(self) -> bool:
        """Toggle whether matches are shown with the rest of their exchange; return the new setting."""
        shown = not any(wire.model.partners for wire in self.wires)
        for wire in self.wires:
            wire.model.show(partners=shown)
        return shown

    def cancel_filter(self) -> None:
        """Stop filtering: this timeline will not be shown again."""
        for wire in self.wires:
            wire.model.cancel_filter()

    @property
    def matches(self) -> int:
        """Number of matches so far; 0 without a filter."""
        return sum(wire.model.matches for wire in self.wires)

    @property
    def total(self) -> int:
        """Number of entries."""
        return sum(wire.journal.count for wire in self.wires)

    @property
    def taken(self) -> int:
        """Number of entries that have been processed."""
        return sum(wire.model.taken for wire in self.wires)

    @property
    def trouble(self) -> str:
        """Problem while filtering, as one sentence; "" if there is none."""
        return next((wire.model.filter_trouble for wire in self.wires if wire.model.filter_trouble), "")


def _set_clocks(wires: Sequence[TimelineConversation]) -> None:
    """Measure all live conversations from the start of the first one: they share its monotonic clock."""
    first = next((wire.journal for wire in wires if wire.runs), None)
    for wire in wires:
        wire.offset = first.started_wall_ns - first.started_ns if first is not None else 0


def _room(wires: Sequence[TimelineConversation], width: int) -> int:
    """Return the width of the names, in cells."""
    widest = max((text.cell_width(wire.name) for wire in wires), default=0)
    return max(len("server"), min(widest, _WIDEST if width >= _ROOMY else _NARROWEST))


# Searching the merged timeline: each conversation searches its own entries, and matches are visited in merged order.


class TimelineFind:
    def __init__(self, timeline: Timeline, text: str = "") -> None:
        self._timeline = timeline
        self.text = ""
        if text:
            self.set(text)

    def set(self, text: str) -> None:
        """Search for another text; "" for none."""
        self.text = text
        for wire in self._timeline.wires:
            wire.model.finder.set(text)

    def step(self) -> None:
        """Take over new matches, and search new entries."""
        if self.text:
            for wire in self._timeline.wires:
                wire.model.finder.step()

    @property
    def is_searching(self) -> bool:
        """Whether existing entries are still being searched."""
        return any(wire.model.finder.is_searching for wire in self._timeline.wires)

    @property
    def matches(self) -> int:
        """Number of matches so far."""
        return sum(wire.model.finder.matches for wire in self._timeline.wires) if self.text else 0

    def next(self, cursor: int, *, back: bool = False) -> int | None:
        """Return the nearest match below (above with `back`), wrapping around at the end; None if there is none."""
        count = self._timeline.count
        if not self.matches or not count:
            return None
        order = range(cursor - 1, -1, -1) if back else range(cursor + 1, count)
        around = range(count - 1, cursor - 1, -1) if back else range(min(cursor + 1, count))
        for part in (order, around):
            for index in part:
                wire, n = self._timeline.entry(index)
                if wire.model.finder.holds(n):
                    return index
        return None
