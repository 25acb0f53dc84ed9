"""The merged timeline: what crossed the wires of several conversations, in one order of time.

Live conversations run by one monotonic clock and are ordered by it; a capture that was read is ordered by the wall
clock that it recorded. Within a conversation the order of its wire holds. Each row is the one that the traffic list
of its conversation would show in the order of the wire, with the conversation's name before it.
"""

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from inspector.capture.journal import Journal
from inspector.capture.past import PastJournal
from inspector.viewmodels import text
from inspector.viewmodels.lines import lay
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.merging import FOREVER, Feed, Merge, code_of, entry_of, number_of
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.rows import RowSource, RowView

if TYPE_CHECKING:
    from inspector.capture.filters.terms import Term
    from inspector.viewmodels.found import Found

_ROLES: tuple[Role, ...] = ("key", "accent", "number", "string", "literal")
"""In turn, for the names. A name says it all; its colour is for the eye that looks for one of them."""
_WIDEST, _NARROWEST = 14, 10
_ROOMY = 90
"""Cells from which the names have all the room that they need."""


class Wire:
    """One conversation of the timeline, and the list of what crossed its wire."""

    def __init__(
        self,
        number: int,
        name: str,
        journal: Journal,
        clock: Callable[[], int],
        *,
        threaded: bool = False,
        found: "Callable[[], Found | None] | None" = None,
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
        """Whether it goes on by the clock that all live conversations share; a moment of a capture does not."""
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


class _Together:
    """What all wires have together."""

    wires: Sequence[Wire]

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


class Timeline(_Together, RowSource):
    """Rows of all wires together. A row's key says whose it is and which entry; it is the same for ever."""

    def __init__(self, wires: Sequence[Wire], term: "Term | None" = None) -> None:
        """`term`: the filter that holds in the wires' lists already."""
        self.wires: Sequence[Wire] = wires
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
            return RowView(lay([*name, ("does not match any more", "faint")], width), live=True)
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

    def entry(self, index: int) -> tuple[Wire, int]:
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

    def set_filter(self, term: "Term | None") -> None:
        """Show only what matches; None shows all. What is there already is looked through by `filter_step`."""
        self._term, self._stale, self._anew = term, True, None
        for wire in self.wires:
            wire.model.set_filter(term)

    @property
    def term(self) -> "Term | None":
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
        """Rows that were there look different, or with a filter have come or gone: then all are merged anew."""
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


def _set_clocks(wires: Sequence[Wire]) -> None:
    """Have all live conversations count from the first one's start: they share its monotonic clock."""
    first = next((wire.journal for wire in wires if wire.runs), None)
    for wire in wires:
        wire.offset = first.started_wall_ns - first.started_ns if first is not None else 0


def _room(wires: Sequence[Wire], width: int) -> int:
    """Cells for the names."""
    widest = max((text.cell_width(wire.name) for wire in wires), default=0)
    return max(len("server"), min(widest, _WIDEST if width >= _ROOMY else _NARROWEST))
