"""Earlier states of a journal: what was known at any of its entries, as a journal of its own.

A state is folded from the frames, starting at the nearest checkpoint before it, and shares the entries with the
original journal. It never depends on later entries.
"""

from collections.abc import Callable
from contextlib import suppress

from inspector.capture.connection_facts import TAIL_BYTES, TAIL_LINES, ConnectionFacts, HttpExchange
from inspector.capture.format.file import LOST
from inspector.capture.format.records import FrameRecord, from_line
from inspector.capture.journal import Journal, end_what_is_over
from inspector.capture.store.columns import EntryKind
from inspector.capture.store.fold_fast_path import LONGEST, FastFold
from inspector.capture.store.points import Point
from inspector.capture.store.snapshot import SnapshotError, checkpoint, conversation_at
from inspector.capture.store.store import Store
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Channel, Frame

NEAR = 4000
"""Number of entries that are folded in some hundredths of a second."""


def point_of(journal: Journal) -> Point:
    """Return a checkpoint of the journal as it is now. Raises: SnapshotError."""
    around = journal.connection_facts
    folded = checkpoint(journal.conversation)
    touched = dict(enumerate(around.http_in_order)) if around.touched is None else around.touched
    around.touched = {}
    return Point(
        journal.count,
        folded,
        around.connections,
        around.connection,
        around.ended,
        0 if around.unreachable is None else around.unreachable.n,
        len(around.http_in_order),
        [(place, each.http, each.request_n, each.response_n, each.end_n) for place, each in touched.items()],
    )


class PastJournal(Journal):
    """Earlier state of a journal: entries 1 to `count`, and what was known then. Entries are read from the original."""

    def __init__(self, whole: Journal) -> None:
        super().__init__(_NoSource(), whole.head, path=whole.capture_path)
        self.whole = whole
        """The original journal."""
        self.name, self.marks = whole.name, whole.marks
        self.store = _First(whole.store)
        self._surround(ConnectionFacts(self.store))
        self._plain = FastFold(self.conversation)

    @property
    def live(self) -> bool:
        """Whether entries may follow: pending requests may still be answered."""
        return self.whole.live or self.count < self.whole.count

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices of the original: they apply to each of its states."""
        return self.whole.notices

    def advance(self, n: int, stopped: Callable[[], bool] = lambda: False) -> None:
        """Advance to entry n, or to the newest one. `stopped` may end this early. One thread only."""
        n = min(n, self.whole.count)
        while self.store.count < n and not stopped():
            self._take_in(self.store.count + 1)

    def close(self) -> None:
        """Do nothing: the original owns all resources."""

    def begin_at(self, points: list[Point]) -> None:
        """Start at the last of these checkpoints instead of the first entry. Call it only on a new journal.

        Raises: SnapshotError if the checkpoint can't be restored; nothing is changed then.
        """
        point, whole = points[-1], self.whole
        self.conversation = conversation_at(point.conversation, whole.conversation)
        self._plain = FastFold(self.conversation)
        self.store.count = point.count
        around = self.connection_facts
        around.connections, around.connection, around.ended = point.connections, point.connection, point.ended
        around.unreachable = self.store.entry(point.unreachable) if point.unreachable else None
        vars(around)["_processes"] += [each for each in whole.processes if each.n <= point.count]
        around.stderr_tail.extend(_last_words(self.store))
        _restore_http(around, self.store, points)

    def _surround(self, around: ConnectionFacts) -> None:
        self.connection_facts = around
        self.stderr_tail, self.http_exchanges = around.stderr_tail, around.http_exchanges

    def _take_in(self, n: int) -> None:
        store = self.whole.store
        if store.kind(n) is not EntryKind.FRAME:
            entry = store.entry(n)
            self.store.count = n
            if not entry.missing and not isinstance(entry.what, Frame):
                self.connection_facts.take(entry, entry.what)
                end_what_is_over(self.conversation, self.connection_facts, entry.time_ns, entry.what)
            return
        if not self._take_plainly(n):
            frame = store.entry(n).what
            if isinstance(frame, Frame):
                self.conversation.observe(frame)
        self.store.count = n

    def _take_plainly(self, n: int) -> bool:
        """Process a frame if it is one plain message; return whether it was."""
        place, length = self.whole.store.line(n)
        if place == LOST or length > LONGEST:
            return False
        try:
            record = from_line(self.whole.store.read(place, length))
        except ValueError:
            return False
        if type(record) is not FrameRecord or record.raw is None or record.b64 is not None:
            return False
        if record.cut or record.ch is Channel.REPLY:
            return False
        http = record.ex is not None or record.probe
        return self._plain.take(record.raw, n, record.tm, record.dir, http=http) is not None


class History:
    """All states of one journal, which may grow meanwhile."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._last: PastJournal | None = None

    def known(self, n: int) -> PastJournal:
        """Return the state at entry n. The journal returned last may be advanced for this.

        If n is not far (see `is_far`), only one thread may call this.
        """
        last = self._last
        if last is None or last.count > n or n - last.count > max(NEAR, self.cost(n)):
            last = self._last = self.at(n)
        last.advance(n)
        return last

    def is_far(self, n: int) -> bool:
        """Return whether computing the state at entry n takes long and belongs on a separate thread."""
        last = self._last
        if last is not None and 0 <= n - last.count <= NEAR:
            return False
        return self.cost(n) > NEAR

    def at(self, n: int, stopped: Callable[[], bool] = lambda: False) -> PastJournal:
        """Return the state at entry n; an earlier one if stopped. Any thread."""
        points = self.journal.points.before(n) if self.journal.points is not None else []
        found = PastJournal(self.journal)
        while points:
            with suppress(SnapshotError):
                found.begin_at(points)
                break
            points, found = points[:-1], PastJournal(self.journal)
        found.advance(n, stopped)
        return found

    def cost(self, n: int) -> int:
        """Return how many entries `at` has to fold."""
        points = self.journal.points.before(n) if self.journal.points is not None else []
        return n - (points[-1].count if points else 0)


class _NoSource:
    """Empty source of an earlier state, whose entries are read from the original store."""

    def read(self, place: int, length: int) -> bytes:
        return b""

    def close(self) -> None:
        pass


class _First(Store):
    """The first entries of a store. Everything except the count is shared."""

    def __init__(self, store: Store) -> None:
        vars(self).update(vars(store))
        self.count = 0


def _last_words(store: Store) -> list[bytes]:
    found: list[bytes] = []
    for n in store.backwards(EntryKind.STDERR):
        what = store.entry(n).what
        if isinstance(what, Stderr):
            found.append(what.payload[:TAIL_BYTES])
        if len(found) == TAIL_LINES:
            break
    return found[::-1]


def _restore_http(around: ConnectionFacts, store: Store, points: list[Point]) -> None:
    known: dict[int, HttpExchange] = {}
    for point in points:
        for place, http, request, response, end in point.touched:
            exchange = known.setdefault(place, HttpExchange(store, http, place))
            exchange.request_n, exchange.response_n, exchange.end_n = request, response, end
    if sorted(known) != list(range(points[-1].http)):
        raise SnapshotError("an HTTP exchange is missing")
    for place in range(len(known)):
        around.http_in_order.append(known[place])
        around.http_exchanges[known[place].http] = known[place]
