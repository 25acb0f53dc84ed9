"""Which row of the tree an entry stands under. Told once for each entry, in order, from columns alone.

An exchange is a row; its answer is no row of its own, and what it caused stands under it: progress (one row,
however many there were), cancellation, late answers, what is asked about the task that it became, the server's own
requests and its log messages. The last two name no cause, so they are nested only if exactly one request of the
client's was open at their moment; a wrong nest would tell a wrong story, so in doubt they stand alone.
"""

from array import array
from itertools import repeat

from inspector.capture.journal import Journal
from inspector.capture.runs import METHOD
from inspector.capture.store import KIND_BITS, EntryKind, MessageKind, Store
from inspector.protocol.exchange_log import NEVER
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction
from inspector.viewmodels.log_errors import Errors, exit_before, is_acknowledgment, is_bad_end
from inspector.viewmodels.log_runs import IN_RUN, Runs

IN_TREE = 1
IN_TREE_PLAIN = 2
"""Without the facts."""
IN_WIRE = 4
IN_WIRE_PLAIN = 8
_EVERYWHERE = IN_TREE | IN_TREE_PLAIN | IN_WIRE | IN_WIRE_PLAIN

_FACT_FLAGS = {
    EntryKind.STDERR: _EVERYWHERE | IN_RUN,
    EntryKind.CONNECTION: IN_TREE | IN_WIRE,
    EntryKind.PROCESS: IN_TREE | IN_WIRE,
    EntryKind.HTTP: IN_WIRE,
    EntryKind.SSE: IN_WIRE,
}
_IN_WIRE_ALONE = IN_WIRE | IN_WIRE_PLAIN
_FRAME = int(EntryKind.FRAME)
_ENTRY_KINDS = (EntryKind.FRAME, *EntryKind)
_ANSWERS = (MessageKind.ANSWER, MessageKind.ERROR)
_WRONG = (MessageKind.GARBLED, MessageKind.ERROR)
_ENDINGS = (EntryKind.CONNECTION, EntryKind.PROCESS, EntryKind.HTTP)
_PROGRESS = "notifications/progress"
_NEVER_A_CAUSE = "subscriptions/listen"
"""It stays open for as long as the client listens, and causes nothing."""


class Tree:
    """The place of every entry that was taken in."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._store = journal.store
        self._exchanges = journal.conversation.exchanges
        self._open: dict[int, None] = {}
        """Numbers of the client's requests that may be open."""
        self._progress_rows = array("I", [0])
        """At an exchange's number: the entry of its first progress, or 0."""
        self.roots = array("I", [0])
        """At n: the entry whose row begins the block that entry n belongs to; n itself if that is its own."""
        self.flags = bytearray(1)
        """At n: in which views entry n has a row of its own, and what `log_runs` says of it."""
        self.runs = Runs(journal.store, self.flags, self.roots)
        self.errors = Errors(self.roots)
        self.failed = 0
        """How many exchanges that were taken in have failed."""

    @property
    def store(self) -> Store:
        """The entries."""
        return self._store

    def take(self, n: int) -> None:
        """Find the place of the next entry; `n` is the last one taken plus one."""
        self.take_many(n, n)

    def take_many(self, first: int, last: int) -> None:
        """Find the places of the entries `first` to `last`; `first` is the last one taken plus one."""
        columns = self._store.columns(first, last)
        progress, requests = self._store.method_number(_PROGRESS), self._exchanges.request_frames
        roots, flags, first_words = self.roots, self.flags, self._progress_rows
        failures = self._exchanges.failures
        wrong: list[int] = []
        rows = zip(
            range(first, last + 1), columns.kinds, columns.flags, columns.methods, columns.exchanges, strict=True
        )
        for n, kind, message, method, exchange in rows:
            if kind != _FRAME:
                root, views = n, _FACT_FLAGS[_ENTRY_KINDS[kind]]
                if kind in _ENDINGS:
                    wrong.append(n)
            elif method == progress and exchange < len(first_words) and first_words[exchange]:  # most of a flood
                request, views = requests[exchange], _IN_WIRE_ALONE
                root = roots[request] if request < n else n
            else:
                root, views = self._frame(n, message & KIND_BITS, exchange)
                if failures[exchange] or message & KIND_BITS in _WRONG:
                    wrong.append(n)
            roots.append(root)
            flags.append(views)
            if views & IN_RUN:
                self.runs.take(n)
            elif views & IN_TREE and self.runs.growing:
                self.runs.interrupt(n)
        if wrong:
            self._note_errors(wrong)

    def take_run(self, first: int, last: int) -> int:
        """Find the places of the entries `first` to `last` at once, if they are a run of log messages or of stderr.

        Returns the block that all of them stand in, 0 where each begins its own, and -1 if they are no run: nothing
        was taken then.
        """
        if self._store.is_stderr(first, last):
            return self._take_stderr(first, last)
        if not self._store.is_run(first, last) or (cause := self._cause_of_run(first)) is None:
            return -1
        count = last - first + 1
        self.roots.extend(repeat(cause, count) if cause else range(first, last + 1))
        self.flags.extend(bytes((_EVERYWHERE | IN_RUN,)) * count)
        self.runs.take_many(first, last)
        return cause

    def _take_stderr(self, first: int, last: int) -> int:
        """Lines of stderr, each of which begins its own block."""
        self.roots.extend(range(first, last + 1))
        self.flags.extend(bytes((_EVERYWHERE | IN_RUN,)) * (last - first + 1))
        self.runs.take_many(first, last)
        return 0

    def _cause_of_run(self, first: int) -> int | None:
        """The block of log messages that come now; 0 for one of their own; None if that differs or is unsure."""
        if not self._open:
            return 0
        ends = self._exchanges.ends
        causes = [number for number in self._open if ends[number] == NEVER]
        return self._root_of(causes[0], first) if len(causes) == len(self._open) == 1 else None

    def row_of(self, n: int) -> int:
        """The entry whose row in the tree shows entry n: itself, its request, or the progress it goes on with."""
        if self.flags[n] & IN_TREE_PLAIN:
            return n
        if self._store.message_kind(n) is MessageKind.NOTIFICATION:
            return self._first_progress(self._store.exchange(n)) or self.roots[n]
        return self.roots[n]

    def exchange(self, n: int) -> Exchange | None:
        """The exchange that entry n belongs to."""
        number = self._store.exchange(n)
        return self._exchanges[number - 1] if 0 < number <= len(self._exchanges) else None

    def _frame(self, n: int, kind: int, exchange: int) -> tuple[int, int]:
        if kind == MessageKind.NOTIFICATION:
            return self._notification(n, exchange)
        if kind == MessageKind.REQUEST:
            return self._request(n, exchange)
        if exchange and kind in _ANSWERS:
            return self._answer(n, exchange)
        return n, _EVERYWHERE

    def _request(self, n: int, exchange: int) -> tuple[int, int]:
        if self._store.direction(n) is Direction.FROM_SERVER:
            return self._task_root(exchange, n) or self._cause(n), _EVERYWHERE
        if exchange and self._store.method(n) != _NEVER_A_CAUSE:
            self._open[exchange] = None
        return self._task_root(exchange, n) or n, _EVERYWHERE

    def _task_root(self, number: int, n: int) -> int:
        """The block of the call that a task began with, for a request about that task; 0 for any other."""
        tasks = self._journal.conversation.tasks
        if not tasks.all or not number:
            return 0
        task = tasks.of_operation(self._exchanges[number - 1].operation)
        if task is None or task.exchange is None or task.exchange >= number:
            return 0
        return self._root_of(task.exchange, n)

    def _notification(self, n: int, exchange: int) -> tuple[int, int]:
        if not exchange:
            return (self._cause(n) if self._store.method(n) == METHOD else n), _EVERYWHERE | IN_RUN
        root = self._root_of(exchange, n)
        if self._store.method(n) != _PROGRESS:
            return root, _EVERYWHERE | IN_RUN
        if self._first_progress(exchange):
            return root, _IN_WIRE_ALONE
        missing = exchange + 1 - len(self._progress_rows)
        if missing > 0:
            self._progress_rows.extend(repeat(0, missing))
        self._progress_rows[exchange] = n
        return root, _EVERYWHERE

    def _first_progress(self, exchange: int) -> int:
        return self._progress_rows[exchange] if exchange < len(self._progress_rows) else 0

    def _answer(self, n: int, exchange: int) -> tuple[int, int]:
        self._open.pop(exchange, None)
        self.runs.close(self._exchanges.request_frames[exchange])
        in_time = self._exchanges.answer_frames[exchange] == n
        return self._root_of(exchange, n), _IN_WIRE_ALONE if in_time else _EVERYWHERE

    def _note_errors(self, suspects: list[int]) -> None:
        """Take in those entries that are errors, and what was lost with a connection."""
        kinds, exchanges = self._store.message_kind, self._exchanges
        for n in suspects:
            kind, number = kinds(n), self._store.exchange(n)
            if kind in _ANSWERS and number and not exchanges.failures[number]:
                continue  # a probe was refused
            if kind in (MessageKind.REQUEST, MessageKind.NOTIFICATION):
                continue  # what became of it is told by another entry
            if kind is not MessageKind.NONE:
                self.failed += number > 0
                if not is_acknowledgment(self._journal, n):
                    self.errors.add(n, self.row_of(n))
                continue
            if is_bad_end(self._store, n):
                self.errors.add(n, n)
            elif self._store.kind(n) is EntryKind.CONNECTION and (exited := exit_before(self._journal, n)):
                self.errors.take_back(exited, exited)
            for lost in [number for number in self._open if exchanges.failures[number]]:
                self.failed += 1
                del self._open[lost]
                self.errors.add(exchanges.request_frames[lost], exchanges.request_frames[lost])

    def _root_of(self, exchange: int, n: int) -> int:
        request = self._exchanges.request_frames[exchange]
        return self.roots[request] if 0 < request < n else n

    def _cause(self, n: int) -> int:
        """The block of the one client request that was open when entry n came; n if there was none or several."""
        if not self._open:
            return n
        now, ends = self._store.time_ns(n), self._exchanges.ends
        for number in [number for number in self._open if ends[number] <= now]:
            del self._open[number]
        if len(self._open) != 1 or self._store.direction(n) is not Direction.FROM_SERVER:
            return n
        return self._root_of(next(iter(self._open)), n)
