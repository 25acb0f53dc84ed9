"""Which entries of a journal a filter lets through, as the traffic list follows it: old ones, new ones, changed ones.

What must be read from the file is looked at on a thread; `step` takes over what it has found, a bite at a time, on
the thread of the screen. The outcome of an exchange can decide about earlier messages: those are tried
again. Without a filter none of its machinery is loaded.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.store.columns import MessageKind
from inspector.filters.engine.nodes import BYTES, ExchangeColumns, without
from inspector.filters.language.fields import And, BareText, Term
from inspector.present import words
from inspector.protocol.exchange_log import NEVER
from inspector.protocol.facts import Fact

if TYPE_CHECKING:
    from inspector.filters.engine.findings import FindingSource
    from inspector.filters.engine.program import Program, Scan
_BITE = 5000
"""Hits that one step takes over: some milliseconds."""
_MOST_AGEING = 1000
"""Open exchanges that are tried again because time goes by."""


class FilterUpdate(msgspec.Struct, frozen=True):
    """What a look has changed."""

    first: int
    came: bytes
    """From `first` on a byte for each entry: 1 if it matches now and did not before."""
    gone: tuple[int, ...] = ()
    """Entries that do not match any more."""


class RowFilter:
    """A filter on the entries that a list has taken in; without a term it does nothing."""

    def __init__(
        self, journal: Journal, clock: Callable[[], int], *, threaded: bool = False, stretch_bytes: int | None = None
    ) -> None:
        self._journal = journal
        self._store = journal.store
        self._clock = clock
        self._threaded = threaded
        self._stretch_bytes = stretch_bytes
        self._exchanges: ExchangeColumns | None = None
        self._program: Program | None = None
        self._scan: Scan | None = None
        self._open: dict[int, int] = {}
        """Exchanges that may go on, by number: the entries of their requests."""
        self.findings: FindingSource | None = None
        """Who knows what checks have found."""
        self.hits = bytearray(1)
        """At n: 1 if entry n itself matches."""
        self.matches = 0
        """How many do."""
        self.changes = 0
        """Grows whenever another entry matches, or one does no more."""

    @property
    def program(self) -> "Program | None":
        """The filter that holds; None without one."""
        return self._program

    @property
    def is_filtering(self) -> bool:
        """Whether entries that were there at first are still to be looked through."""
        return self._scan is not None and not self._scan.is_done

    @property
    def looked_through(self) -> float:
        """How much of what was there at first has been looked through, from 0 to 1."""
        return self._scan.scanned / max(1, self._scan.total) if self._scan is not None else 1.0

    def set(self, term: "Term | None", taken: int) -> None:
        """Let another filter hold, for the entries 1 to `taken` and all that come; None lets all through."""
        before, was_complete = self._program, not self.is_filtering
        self.cancel()
        within = bytes(self.hits) if before is not None and was_complete and implies(term, before.term) else None
        self.hits, self.matches, self.changes = bytearray(taken + 1), 0, self.changes + 1
        self._program = self._scan = None
        if term is None:
            return
        from inspector.filters.engine.program import Program, Scan

        self._exchanges = self._exchanges or ExchangeColumns(self._journal)
        self._program = Program(
            term, self._journal, clock=self._clock, say=_say, exchanges=self._exchanges, findings=self.findings
        )
        self._open = {each.number: each.request_frame for each in self._journal.conversation.pairs.pending}
        self._scan = Scan(
            self._program, taken, within=within, threaded=self._threaded, most_bytes=self._stretch_bytes or BYTES
        )

    def cancel(self) -> None:
        """Look through nothing more."""
        if self._scan is not None:
            self._scan.cancel()

    def take(self, first: int, last: int) -> list[FilterUpdate]:
        """Entries have come: those among them that match, and what else they change. The rest comes by `step`."""
        self.hits.extend(bytes(last - first + 1))
        program, scan = self._program, self._scan
        if program is None or scan is None:
            return []
        self._follow(first, last)
        if self._threaded and not (program.by_columns and scan.is_done):
            scan.add(first, last)
            return []
        parts = program.stretches(first, last)
        return [self._marked(low, program.mark(low, high)) for low, high in parts]

    def step(self) -> Iterator[FilterUpdate]:
        """Take over some of what was found since."""
        scan, bite = self._scan, 0
        if scan is None:
            return
        if not self._threaded:
            scan.work()
        while bite < _BITE and (found := scan.take()) is not None:
            change = self._marked(*found)
            bite += change.came.count(1) + 50
            yield change

    def again(self, exchanges: Iterable[int]) -> list[FilterUpdate]:
        """Something has happened to exchanges of these numbers: try again what depends on that."""
        program = self._program
        if program is None:
            return []
        tried: list[int] = []
        for number in exchanges:
            if program.follows_exchanges:
                tried += self._of_exchange(number, deep=program.lifts or program.follows_progress)
        return self._tried(tried)

    def age(self) -> list[FilterUpdate]:
        """Time has gone by: try again what waits, if the filter asks how long."""
        program = self._program
        if program is None or not program.follows_time or not self._journal.live:
            return []
        return self.again(list(self._open)[-_MOST_AGEING:])

    def judged(self, entries: Iterable[int]) -> list[FilterUpdate]:
        """Checks have found something in these entries, or what they found is muted: try them again."""
        program = self._program
        if program is None or not program.follows_findings:
            return []
        tried = set(entries)
        if program.lifts:
            for n in list(tried):
                if 0 < n < len(self.hits) and (number := self._store.exchange(n)):
                    tried.update(self._of_exchange(number, deep=True))
        return self._tried(sorted(tried))

    def _tried(self, entries: list[int]) -> list[FilterUpdate]:
        program, scan = self._program, self._scan
        if program is None or scan is None:
            return []
        entries = [n for n in entries if 0 < n < len(self.hits)]
        if not self._threaded or (program.by_columns and scan.is_done):
            return [self._marked(n, program.mark(n, n)) for n in entries]
        for n in entries:  # behind what is being looked at now, or an older verdict would come later
            scan.add(n, n)
        return []

    def _of_exchange(self, number: int, *, deep: bool) -> list[int]:
        exchange = self._journal.conversation.exchanges[number - 1]
        if not exchange.is_open:
            self._open.pop(number, None)
        found = [exchange.request_frame, exchange.answer_frame or 0]
        if deep and exchange.progress is not None:
            last = len(self.hits) - 1
            column = self._store.columns(exchange.request_frame, last).exchanges if last > found[0] else ()
            found += [found[0] + at for at, each in enumerate(column) if each == number]
        return found

    def _follow(self, first: int, last: int) -> None:
        """Know what may go on, and notice what ended because a connection did."""
        columns = self._store.columns(first, last)
        for n, number in enumerate(columns.exchanges, first):
            if number and self._store.message_kind(n) is MessageKind.REQUEST:
                self._open[number] = n

    def ended(self) -> list[int]:
        """Exchanges that were open at the last look and are not any more.

        A message ended them, a connection, an HTTP exchange, or another request with the same id.
        """
        program = self._program
        if program is None or not program.follows_exchanges:
            return []
        ends = self._journal.conversation.exchanges.ends
        return [number for number in self._open if ends[number] != NEVER]

    def _marked(self, first: int, marks: bytes) -> FilterUpdate:
        part = slice(first, first + len(marks))
        before = bytes(self.hits[part])
        came, gone = without(marks, before), without(before, marks)
        self.hits[part] = marks
        self.matches += came.count(1) - gone.count(1)
        self.changes += 1 in came or 1 in gone
        return FilterUpdate(first, came, tuple(first + at for at, each in enumerate(gone) if each))


def implies(term: "Term | None", other: "Term") -> bool:
    """Whether whatever matches `term` matches `other`: then only that needs to be looked through."""
    if term is None:
        return False
    if term == other:
        return True
    if isinstance(term, BareText) and isinstance(other, BareText):
        return other.text.casefold() in term.text.casefold()
    if isinstance(other, And):
        return all(implies(term, each) for each in other.terms)
    return isinstance(term, And) and any(implies(each, other) for each in term.terms)


def _say(fact: Fact) -> str:
    return words.sentence(fact)[0]
