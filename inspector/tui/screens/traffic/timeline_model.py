"""The merged timeline: what crossed the wires of several conversations, in one order of time.

Live conversations run by one monotonic clock and are ordered by it; a capture that was read is ordered by the wall
clock that it recorded. Within a conversation the order of its wire holds. Each row is the one that the traffic list
of its conversation would show in the order of the wire, with the conversation's name before it.
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

# Merging rows of several lists into one order of time. Numbers only; what a row looks like is no matter here.

Times = Callable[[Sequence[int]], Sequence[int]]
"""When entries crossed the wire, in nanoseconds of a clock that all lists share."""
FOREVER = 2**63 - 1
_SHIFT = 32
_ENTRY = (1 << _SHIFT) - 1


def code_of(number: int, n: int) -> int:
    """What stands for entry n of the list of that number."""
    return number << _SHIFT | n


def number_of(code: int) -> int:
    """The list."""
    return code >> _SHIFT


def entry_of(code: int) -> int:
    """The entry."""
    return code & _ENTRY


class Feed:
    """One list on its way into the merged one."""

    def __init__(self, number: int, times: Times) -> None:
        self.number = number
        self.times = times
        self.taken = 0
        """How many of its rows are in the merged one."""
        self.latest = 0
        """The moment of the last of them."""


class Merge:
    """The rows of the feeds, merged so far."""

    def __init__(self, feeds: Sequence[Feed]) -> None:
        self.feeds = feeds
        self.codes = array("Q")
        """The rows; see `code_of`."""
        self.times = array("q")
        """Their moments, ascending. Where a clock went back, the moment before it did."""
        self.moved = 0
        """How often rows that stood there had to make room."""

    def step(self, rows: Sequence[Sequence[int]], reached: Sequence[int], limit: int) -> bool:
        """Take in at most `limit` further rows of each list; whether there were any.

        `rows`: the entries of each list, in its order, those included that were taken already. `reached`: up to which
        moment each list is known; nothing later than the earliest of these is taken from any.
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
        """Where a row is; where it is none, the last one that is not later than `moment`; -1 for no such row."""
        at = bisect_right(self.times, moment) - 1
        same = at
        while same >= 0 and self.times[same] == moment:
            if self.codes[same] == code:
                return same
            same -= 1
        try:
            return self.codes.index(code)  # its clock went back
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
        order = sorted(range(len(times)), key=times.__getitem__)  # stable: what is equal stays in the order it came
        self.codes.extend(map(codes.__getitem__, order))
        self.times.extend(map(times.__getitem__, order))


_ROLES: tuple[Role, ...] = ("key", "accent", "number", "string", "literal")
"""In turn, for the names. A name says it all; its colour is for the eye that looks for one of them."""
_WIDEST, _NARROWEST = 14, 10
_ROOMY = 90
"""Cells from which the names have all the room that they need."""


class TimelineWire:
    """One conversation of the timeline, and the list of what crossed its wire."""

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
        """`number` stays the same for as long as the conversation is there; see LogModel for the rest."""
        self.number = number
        self.name = text.one_line(name, 60)
        self.names = 0
        """How often it got another name."""
        self.role: Role = _ROLES[number % len(_ROLES)]
        self.journal = journal
        self.clock = clock
        self.model = LogModel(journal, clock, tree=False, threaded=threaded, found=found)
        self.offset = 0
        """What makes its monotonic clock the wall clock of the timeline."""

    def rename(self, name: str) -> None:
        """Show it under another name; nearly free if it is the same."""
        if text.one_line(name, 60) != self.name:
            self.name = text.one_line(name, 60)
            self.names += 1

    @property
    def runs(self) -> bool:
        """Whether it continues by the clock that all live conversations share; a moment of a capture does not."""
        journal = self.journal.whole if isinstance(self.journal, PastJournal) else self.journal
        return journal.live

    def times(self, entries: Sequence[int]) -> list[int]:
        """When these entries crossed the wire, as the timeline counts."""
        store = self.journal.store
        if not self.runs:
            return [*map(store.wall_ns, entries)]
        offset, time_ns = self.offset, store.time_ns
        return [time_ns(n) + offset for n in entries]

    @property
    def axis_offset(self) -> int:
        """What makes its monotonic clock the wall clock of the timeline, of a capture as it was when it began."""
        return self.offset if self.runs else self.journal.started_wall_ns - self.journal.started_ns

    @property
    def reached(self) -> int:
        """Up to which moment its list is known."""
        taken = self.model.taken
        if taken >= self.journal.count:
            return FOREVER
        return self.times((taken,))[0] if taken else 0


class Timeline(RowSource):
    """Rows of all wires together. A row's key says whose it is and which entry; it is the same forever."""

    def __init__(self, wires: Sequence[TimelineWire], term: Term | None = None) -> None:
        """`term`: the filter that holds in the wires' lists already."""
        self.wires: Sequence[TimelineWire] = wires
        self._by_number = {wire.number: wire for wire in wires}
        _set_clocks(wires)
        self._merge = self._begun()
        self._anew: tuple[Merge, list[array[int]]] | None = None
        """Rows being merged from the beginning, and the lists that they are merged from."""
        self._seen = self._generations()
        self._stale = False
        """Whether another filter holds than when the rows were merged."""
        self._changes = 0
        self._term = term

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

    def entry(self, index: int) -> tuple[TimelineWire, int]:
        """Whose row it is, and the entry that it shows."""
        code = self._merge.codes[index]
        return self._by_number[number_of(code)], entry_of(code)

    def find(self, number: int, n: int) -> int | None:
        """The row that shows an entry of the wire of that number; None if none does."""
        index = self.index_of(code_of(number, n))
        return index if index >= 0 and self._merge.codes[index] == code_of(number, n) else None

    def row_at(self, number: int, n: int) -> int:
        """The row of an entry of the wire of that number, or the last one before its moment; -1 for none."""
        return self.index_of(code_of(number, n))

    def refresh(self, limit: int) -> bool:
        """Take in what has come since, at most `limit` entries of each conversation; whether there was anything."""
        came = [wire.model.refresh(limit) for wire in self.wires]
        self._notice_changes()
        if self._anew is not None:
            return self._renew(limit) or any(came)
        rows = [wire.model.entries for wire in self.wires]
        return self._merge.step(rows, [wire.reached for wire in self.wires], limit) or any(came)

    # --- the filter

    def set_filter(self, term: Term | None) -> None:
        """Show only what matches; None shows all. What is there already is looked through by `filter_step`."""
        self._term, self._stale, self._anew = term, True, None
        for wire in self.wires:
            wire.model.set_filter(term)

    @property
    def term(self) -> Term | None:
        """The filter that holds."""
        return self._term

    @property
    def is_behind(self) -> bool:
        """Whether there is still something to be looked through or to be put in its place."""
        return (
            self._anew is not None
            or any(wire.model.is_filtering for wire in self.wires)
            or any(wire.model.taken < wire.journal.count for wire in self.wires)
        )

    # --- rows that move

    def _begun(self) -> Merge:
        return Merge([Feed(wire.number, wire.times) for wire in self.wires])

    def _generations(self) -> list[int]:
        return [wire.model.generation for wire in self.wires]

    def _notice_changes(self) -> None:
        """Rows that were there look different, or with a filter have come or gone: then all are merged again."""
        now = self._generations()
        if now == self._seen or self._anew is not None:
            return
        self._seen = now
        if self._term is None and not self._stale:  # without a filter a list only grows
            self._changes += 1
        else:
            self._stale = False
            self._anew = self._begun(), [wire.model.entries[:] for wire in self.wires]

    def _renew(self, limit: int) -> bool:
        assert self._anew is not None
        merge, rows = self._anew
        if merge.step(rows, (), limit):
            return True
        self._changes += 1 + self._merge.moved - merge.moved  # the generation only grows
        self._merge, self._anew = merge, None
        return False

    def filter_step(self) -> bool:
        """Take over some of what the filter has found; whether there is more to come."""
        more = [wire.model.filter_step() for wire in self.wires]  # each is asked
        return any(more)

    def judge(self) -> None:
        """Take over what checks have found since."""
        for wire in self.wires:
            wire.model.marks.step()

    def age(self) -> None:
        """Time has gone by: a filter may ask how long something has been waiting."""
        for wire in self.wires:
            wire.model.age()

    def show_partners(self) -> bool:
        """Show with each match the request and the answer of its exchange, or no more; whether it does now."""
        shown = not any(wire.model.partners for wire in self.wires)
        for wire in self.wires:
            wire.model.show(partners=shown)
        return shown

    def cancel_filter(self) -> None:
        """Look through nothing more: nobody will look at this timeline again."""
        for wire in self.wires:
            wire.model.cancel_filter()

    @property
    def matches(self) -> int:
        """How many entries match so far; 0 without a filter."""
        return sum(wire.model.matches for wire in self.wires)

    @property
    def total(self) -> int:
        """How many entries there are."""
        return sum(wire.journal.count for wire in self.wires)

    @property
    def taken(self) -> int:
        """How many of them were taken in."""
        return sum(wire.model.taken for wire in self.wires)

    @property
    def trouble(self) -> str:
        """What is wrong with the filter at work, one sentence; "" if nothing is."""
        return next((wire.model.filter_trouble for wire in self.wires if wire.model.filter_trouble), "")


def _set_clocks(wires: Sequence[TimelineWire]) -> None:
    """Have all live conversations count from the first one's start: they share its monotonic clock."""
    first = next((wire.journal for wire in wires if wire.runs), None)
    for wire in wires:
        wire.offset = first.started_wall_ns - first.started_ns if first is not None else 0


def _room(wires: Sequence[TimelineWire], width: int) -> int:
    """Cells for the names."""
    widest = max((text.cell_width(wire.name) for wire in wires), default=0)
    return max(len("server"), min(widest, _WIDEST if width >= _ROOMY else _NARROWEST))


# Finding a text in the merged timeline: each conversation looks through its own, what is found is walked in one
# order.


class TimelineFind:
    """What is looked for in one timeline."""

    def __init__(self, timeline: Timeline, text: str = "") -> None:
        self._timeline = timeline
        self.text = ""
        if text:
            self.set(text)

    def set(self, text: str) -> None:
        """Look for another text; "" for none."""
        self.text = text
        for wire in self._timeline.wires:
            wire.model.finder.set(text)

    def step(self) -> None:
        """Take over what was found since, and look through what has come."""
        if self.text:
            for wire in self._timeline.wires:
                wire.model.finder.step()

    @property
    def matches(self) -> int:
        """How many entries hold the text, as far as was looked."""
        return sum(wire.model.finder.matches for wire in self._timeline.wires) if self.text else 0

    def next(self, cursor: int, *, back: bool = False) -> int | None:
        """The nearest row below (above with `back`) that holds the text, around the end if need be; None: no row."""
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
