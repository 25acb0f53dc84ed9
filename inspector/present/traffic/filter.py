"""The entries of a journal that match a filter, kept up to date for old, new and changed entries.

A thread reads messages from the file; `step` applies its results in small portions on the thread of the screen. The
outcome of an exchange can change whether earlier messages match: those are filtered again. Without a filter none of
its code is loaded.
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
"""Hits that one step applies: some milliseconds."""
_MOST_AGEING = 1000
"""Maximum open exchanges that are filtered again as time passes."""


class FilterUpdate(msgspec.Struct, frozen=True):
    """Changes of the matching entries."""

    first: int
    came: bytes
    """One byte per entry from `first` on: 1 if it matches now and did not before."""
    gone: tuple[int, ...] = ()
    """Entries that no longer match."""


class RowFilter:
    """A filter on the entries that a list has read; without a term it does nothing."""

    def __init__(
        self, journal: Journal, clock: Callable[[], int], *, threaded: bool = False, stretch_bytes: int | None = None
    ) -> None:
        self._journal = journal
        self._store = journal.store
        self._clock = clock
        self._threaded = threaded
        self._stretch_bytes = stretch_bytes
        self._exchanges: ExchangeColumns | None = None
        self.program: Program | None = None
        """Active filter; None without one."""
        self._scan: Scan | None = None
        self._open: dict[int, int] = {}
        """Entries of the requests of exchanges that may continue, by number."""
        self.findings: FindingSource | None = None
        """Source of findings."""
        self.hits = bytearray(1)
        """At n: 1 if entry n itself matches."""
        self.matches = 0
        """Number of matching entries."""
        self.changes = 0
        """Incremented whenever an entry begins to match or no longer matches."""

    @property
    def is_filtering(self) -> bool:
        """Whether existing entries are still being filtered."""
        return self._scan is not None and not self._scan.is_done

    @property
    def looked_through(self) -> float:
        """Fraction of the existing entries that were filtered, from 0 to 1."""
        return self._scan.scanned / max(1, self._scan.total) if self._scan is not None else 1.0

    def set(self, term: "Term | None", taken: int) -> None:
        """Set another filter for the entries 1 to `taken` and all later ones; None matches everything."""
        before, was_complete = self.program, not self.is_filtering
        self.cancel()
        within = bytes(self.hits) if before is not None and was_complete and implies(term, before.term) else None
        self.hits, self.matches, self.changes = bytearray(taken + 1), 0, self.changes + 1
        self.program = self._scan = None
        if term is None:
            return
        from inspector.filters.engine.program import Program, Scan

        self._exchanges = self._exchanges or ExchangeColumns(self._journal)
        self.program = Program(
            term, self._journal, clock=self._clock, say=_say, exchanges=self._exchanges, findings=self.findings
        )
        self._open = {each.number: each.request_frame for each in self._journal.conversation.pairs.pending}
        self._scan = Scan(
            self.program, taken, within=within, threaded=self._threaded, most_bytes=self._stretch_bytes or BYTES
        )

    def cancel(self) -> None:
        if self._scan is not None:
            self._scan.cancel()

    def take(self, first: int, last: int) -> list[FilterUpdate]:
        """Add entries; return those that match, and other changes. `step` returns the rest."""
        self.hits.extend(bytes(last - first + 1))
        program, scan = self.program, self._scan
        if program is None or scan is None:
            return []
        self._follow(first, last)
        if self._threaded and not (program.by_columns and scan.is_done):
            scan.add(first, last)
            return []
        parts = program.stretches(first, last)
        return [self._marked(low, program.mark(low, high)) for low, high in parts]

    def step(self) -> Iterator[FilterUpdate]:
        """Yield some of the changes that were found since the last call."""
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
        """Filter the entries of changed exchanges again, as far as the filter depends on them."""
        program = self.program
        if program is None:
            return []
        tried: list[int] = []
        for number in exchanges:
            if program.follows_exchanges:
                tried += self._of_exchange(number, deep=program.lifts or program.follows_progress)
        return self._tried(tried)

    def age(self) -> list[FilterUpdate]:
        """Filter open exchanges again as time passes, if the filter tests how long they take."""
        program = self.program
        if program is None or not program.follows_time or not self._journal.live:
            return []
        return self.again(list(self._open)[-_MOST_AGEING:])

    def judged(self, entries: Iterable[int]) -> list[FilterUpdate]:
        """Filter these entries again, because their findings were added, muted or unmuted."""
        program = self.program
        if program is None or not program.follows_findings:
            return []
        tried = set(entries)
        if program.lifts:
            for n in list(tried):
                if 0 < n < len(self.hits) and (number := self._store.exchange(n)):
                    tried.update(self._of_exchange(number, deep=True))
        return self._tried(sorted(tried))

    def _tried(self, entries: list[int]) -> list[FilterUpdate]:
        program, scan = self.program, self._scan
        if program is None or scan is None:
            return []
        entries = [n for n in entries if 0 < n < len(self.hits)]
        if not self._threaded or (program.by_columns and scan.is_done):
            return [self._marked(n, program.mark(n, n)) for n in entries]
        for n in entries:  # queued after the current work, otherwise an older verdict would arrive later
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
        """Remember new requests as open exchanges."""
        columns = self._store.columns(first, last)
        for n, number in enumerate(columns.exchanges, first):
            if number and self._store.message_kind(n) is MessageKind.REQUEST:
                self._open[number] = n

    def ended(self) -> list[int]:
        """Return exchanges that were open at the last call and are no longer open.

        They were ended by a message, the end of a connection or of an HTTP exchange, or another request with the
        same id.
        """
        program = self.program
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
    """Whether everything that matches `term` matches `other`, so that only matches of `other` need to be filtered."""
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
