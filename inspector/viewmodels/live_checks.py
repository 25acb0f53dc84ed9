"""The checks over one journal while it grows: a worker gives them time, in bites, and what they find is kept.

They go through the journal from its first entry on, as fast as they are let and no faster: traffic never waits for
them, so they may lag behind, and how far they have come is known. The checks themselves are loaded at the first bite.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from inspector.capture.journal import Journal
from inspector.capture.meaning import MessageKind
from inspector.capture.store import EntryKind
from inspector.protocol.cut import messages_of
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Message, read_around
from inspector.protocol.things import LISTS
from inspector.viewmodels.found import Found
from inspector.viewmodels.garbage import no_collection

if TYPE_CHECKING:
    from inspector.capture.entries import Entry
    from inspector.checks.inspection import Inspection
    from inspector.checks.set_aside import SetAside

LONGEST = 16 << 20
"""Bytes of an answer that is read: a longer one would hold all threads up for longer than a key may wait."""
LONG = 1 << 20
"""From here on a message is read alone, with the collector of garbage at rest: its objects are many, and all in use."""
_REST_S = 0.0001
"""Long enough for a waiting thread to take its turn: without it, each turn comes after Python's five milliseconds."""
_BATCH = 25
"""Entries between two looks at the clock: a quarter of a millisecond."""
_BLOCK, _LOOKED_AT, _ENOUGH = 500, 10, 2000
"""In a flood of log messages: so many at once, of which so many are looked at, once so many were."""
_PASSED_OVER = frozenset(("tools/call", "resources/read", "prompts/get", "sampling/createMessage"))
"""What may be so long and says nothing that later messages are judged by."""


MANY = 250_000
"""Entries of a recording from which on checking waits to be asked for: half a minute of a processor for a million."""


class LiveChecks(Found):
    """The checks of one journal."""

    def __init__(self, journal: Journal, over: Callable[[], bool] = lambda: False) -> None:
        """`over`: whether nothing more will come in a journal whose connection has not ended."""
        super().__init__(journal)
        self.checked = 0
        """Entries that the checks have taken in."""
        self.passed_over = 0
        """Messages that were too long to be read."""
        self.skimmed = 0
        """Log messages of a flood that were not looked at."""
        self._in_floods = 0
        self.paused = False
        """Whether they stand still until somebody wants them to go on."""
        self.considered = False
        """Whether it was settled that a recording of this length is checked without being asked."""
        self._over = over
        self._inspection: Inspection | None = None
        self._is_finished = False

    @property
    def total(self) -> int:
        """Entries that there are."""
        return self.journal.count

    @property
    def is_done(self) -> bool:
        """Whether all that has come was checked."""
        is_finished = self._is_finished or not self._over()
        return self.checked >= self.journal.count and not self.asks_further and is_finished

    @property
    def later(self) -> int:
        """How many findings came to light after the moment that these checks are about."""
        return 0

    @property
    def unasked(self) -> int:
        """Results for which there was no room to be held against their schemas."""
        return self._inspection.unasked if self._inspection is not None else 0

    @property
    def set_aside(self) -> "Sequence[SetAside]":
        """What has failed by a mistake of ours; the other checks have gone on."""
        return tuple(self._inspection.set_aside.values()) if self._inspection is not None else ()

    def times(self, check: str) -> int:
        """How often a check has found something, also what was not kept one by one."""
        return self._inspection.counts[check] if self._inspection is not None else 0

    def pause(self, paused: bool) -> None:
        """Let them stand still, or go on."""
        self.paused = paused

    @property
    def asks_further(self) -> bool:
        """Whether expensive questions about what was checked wait."""
        return bool(self._inspection is not None and self._inspection.waiting)

    def consider(self) -> None:
        """Of a recording that was read: wait to be asked where there is much to check."""
        if not self.considered:
            self.considered = True
            self.paused = self.paused or self.journal.count >= MANY

    def step(self, seconds: float, clock: Callable[[], float] = time.perf_counter) -> bool:
        """Work for about so long, or until all is done; whether there was something to do. One thread only."""
        if self.is_done:
            return False
        inspection, end = self._begun(), clock() + seconds
        while (first := self.checked + 1) <= self.journal.count:
            if not self._skim(inspection, first):
                self._take(inspection, first, min(first + _BATCH - 1, self.journal.count))
            if clock() >= end:
                return True
        self._linger(inspection, end, clock)
        return True

    def catch_up(self) -> None:
        """Check all there is. It takes as long as it takes."""
        while self.step(1.0):
            pass

    def _begun(self) -> "Inspection":
        if self._inspection is None:
            from inspector.checks.inspection import Inspection

            self._inspection = Inspection(rest=_rest, read=self._messages)
        return self._inspection

    def _messages(self, frame: Frame) -> tuple[Message, ...]:
        """The messages of a frame. A long page is made objects once, by the fold, and judged as what stands there."""
        if len(frame.payload) > LONG and not frame.cut:
            for kind, listing in self.journal.conversation.catalogue.listings.items():
                if (items := listing.items.of_frame(frame.n)) is not None:
                    return read_around(frame.payload, LISTS[kind].member, items) or messages_of(frame)
        return messages_of(frame)

    def _linger(self, inspection: "Inspection", end: float, clock: Callable[[], float]) -> None:
        """The expensive questions, and then what only the end can tell."""
        while inspection.waiting:
            self.add(inspection.linger(1))
            if clock() >= end:
                return
        if self._over() and self.checked >= self.journal.count:
            self._is_finished = True
            self.add(inspection.finish())
        self.forget_page()

    def _skim(self, inspection: "Inspection", first: int) -> bool:
        """Look at the beginning of a block of log messages alone, once many were looked at; False if it is none."""
        last, store = first + _BLOCK - 1, self.journal.store
        if last > self.journal.count or not store.is_run(first, last):
            return False
        if self._in_floods < _ENOUGH:
            self._in_floods += _BATCH
            return False
        self._take(inspection, first, first + _LOOKED_AT - 1)
        inspection.skim(_BLOCK - _LOOKED_AT, store.time_ns(last))
        self.skimmed += _BLOCK - _LOOKED_AT
        self.checked = last
        return True

    def _take(self, inspection: "Inspection", first: int, last: int) -> None:
        sizes = self.journal.store.columns(first, last).sizes
        if max(sizes) > LONG:
            for n in range(first, last + 1):
                self._take_one(inspection, n)
            return
        self.add(inspection.take(self._readable(first, last)))
        self.checked = last

    def _readable(self, first: int, last: int) -> "Iterator[Entry]":
        """Entries as they crossed; what can't be read back is left out, for it would be judged as it is not."""
        from inspector.capture.bulk import entries

        return (entry for entry in entries(self.journal.store, first, last) if not entry.missing)

    def _take_one(self, inspection: "Inspection", n: int) -> None:
        store, exchanges = self.journal.store, self.journal.conversation.exchanges
        number, kind = store.exchange(n), store.message_kind(n)
        exchange = exchanges[number - 1] if 0 < number <= len(exchanges) else None
        is_long = store.size(n) > LONGEST and store.kind(n) is EntryKind.FRAME
        theirs = store.direction(n) is Direction.FROM_SERVER
        if is_long and theirs and exchange is not None and exchange.method in _PASSED_OVER:
            self.passed_over += 1
            method = exchange.method if kind is MessageKind.REQUEST else ""
            self.add(inspection.pass_over(n, store.time_ns(n), store.size(n), exchange.id, method))
        elif store.size(n) <= LONG:
            self.add(inspection.take(self._readable(n, n)))
        else:
            with no_collection():
                self.add(inspection.take(self._readable(n, n)))
                self.add(inspection.linger(inspection.waiting))
        self.checked = n


def _rest() -> None:
    time.sleep(_REST_S)
