"""Which row of the tree an entry stands under. Told once for each entry, in order, from columns alone.

An exchange is a row; its answer is no row of its own, and what it caused stands under it: progress (one row,
however many there were), cancellation, late answers, what is asked about the task that it became, the server's own
requests and its log messages. The last two name no cause, so they are nested only if exactly one request of the
client's was open at their moment; a wrong nest would tell a wrong story, so in doubt they stand alone.
"""

from array import array
from itertools import repeat

from inspector.capture.journal import Journal
from inspector.capture.store import EntryKind, MessageKind
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction

IN_TREE = 1
IN_TREE_PLAIN = 2
"""Without the facts."""
IN_WIRE = 4
IN_WIRE_PLAIN = 8
_EVERYWHERE = IN_TREE | IN_TREE_PLAIN | IN_WIRE | IN_WIRE_PLAIN

_FACT_FLAGS = {
    EntryKind.STDERR: _EVERYWHERE,
    EntryKind.CONNECTION: IN_TREE | IN_WIRE,
    EntryKind.PROCESS: IN_TREE | IN_WIRE,
    EntryKind.HTTP: IN_WIRE,
    EntryKind.SSE: IN_WIRE,
}
_NEVER_A_CAUSE = "subscriptions/listen"
"""It stays open for as long as the client listens, and causes nothing."""


class Tree:
    """The place of every entry that was taken in."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._store = journal.store
        self._exchanges = journal.conversation.exchanges
        self._open: dict[int, Exchange] = {}
        self._progress_rows: dict[int, int] = {}
        self.roots = array("I", [0])
        """At n: the entry whose row begins the block that entry n belongs to; n itself if that is its own."""
        self.flags = bytearray(1)
        """At n: in which views entry n has a row of its own."""

    def take(self, n: int) -> None:
        """Find the place of the next entry; `n` is the last one taken plus one."""
        kind = self._store.kind(n)
        if kind is EntryKind.FRAME:
            root, flags = self._frame(n)
        else:
            root, flags = n, _FACT_FLAGS[kind]
        self.roots.append(root)
        self.flags.append(flags)

    def take_run(self, first: int, last: int) -> int:
        """Find the places of the entries `first` to `last` at once, if they are a run of log messages.

        Returns the block that all of them stand in, 0 where each begins its own, and -1 if they are no run: nothing
        was taken then.
        """
        if not self._store.is_run(first, last) or (cause := self._cause_of_run()) is None:
            return -1
        count = last - first + 1
        self.roots.extend(repeat(cause, count) if cause else range(first, last + 1))
        self.flags.extend(bytes((_EVERYWHERE,)) * count)
        return cause

    def _cause_of_run(self) -> int | None:
        """The block of log messages that come now; 0 for one of their own; None if that differs or is unsure."""
        if not self._open:
            return 0
        causes = [each.request_frame for each in self._open.values() if each.is_open]
        return causes[0] if len(causes) == len(self._open) == 1 else None

    def row_of(self, n: int) -> int:
        """The entry whose row in the tree shows entry n: itself, its request, or the progress it goes on with."""
        if self.flags[n] & IN_TREE_PLAIN:
            return n
        if self._store.message_kind(n) is MessageKind.NOTIFICATION:
            return self._progress_rows.get(self._store.exchange(n), self.roots[n])
        return self.roots[n]

    def exchange(self, n: int) -> Exchange | None:
        """The exchange that entry n belongs to."""
        number = self._store.exchange(n)
        return self._exchanges[number - 1] if 0 < number <= len(self._exchanges) else None

    def _frame(self, n: int) -> tuple[int, int]:
        match self._store.message_kind(n):
            case MessageKind.REQUEST:
                return self._request(n)
            case MessageKind.NOTIFICATION:
                return self._notification(n)
            case MessageKind.ANSWER | MessageKind.ERROR:
                return self._answer(n)
            case _:
                return n, _EVERYWHERE

    def _request(self, n: int) -> tuple[int, int]:
        if self._store.direction(n) is Direction.FROM_SERVER:
            return self._task_root(self.exchange(n), n) or self._cause(n), _EVERYWHERE
        exchange = self.exchange(n)
        if exchange is not None and exchange.method != _NEVER_A_CAUSE:
            self._open[exchange.number] = exchange
        return self._task_root(exchange, n) or n, _EVERYWHERE

    def _task_root(self, exchange: Exchange | None, n: int) -> int:
        """The block of the call that a task began with, for a request about that task; 0 for any other."""
        tasks = self._journal.conversation.tasks
        task = None if exchange is None else tasks.of_operation(exchange.operation)
        if exchange is None or task is None or task.exchange is None or task.exchange >= exchange.number:
            return 0
        return self._root_of(self._exchanges[task.exchange - 1], n)

    def _notification(self, n: int) -> tuple[int, int]:
        method, exchange = self._store.method(n), self.exchange(n)
        if exchange is None:
            return (self._cause(n) if method == "notifications/message" else n), _EVERYWHERE
        root = self._root_of(exchange, n)
        if method == "notifications/progress" and self._progress_rows.setdefault(exchange.number, n) != n:
            return root, IN_WIRE | IN_WIRE_PLAIN
        return root, _EVERYWHERE

    def _answer(self, n: int) -> tuple[int, int]:
        exchange = self.exchange(n)
        if exchange is None:
            return n, _EVERYWHERE
        self._open.pop(exchange.number, None)
        in_time = exchange.answer_frame == n and exchange.state is not ExchangeState.LATE
        return self._root_of(exchange, n), IN_WIRE | IN_WIRE_PLAIN if in_time else _EVERYWHERE

    def _root_of(self, exchange: Exchange, n: int) -> int:
        request = exchange.request_frame
        return self.roots[request] if 0 < request < n else n

    def _cause(self, n: int) -> int:
        """The block of the one client request that was open when entry n came; n if there was none or several."""
        if not self._open:
            return n
        now = self._store.time_ns(n)
        for number in [number for number, each in self._open.items() if _ended_before(each, now)]:
            del self._open[number]
        if len(self._open) != 1 or self._store.direction(n) is not Direction.FROM_SERVER:
            return n
        return self._root_of(next(iter(self._open.values())), n)


def _ended_before(exchange: Exchange, time_ns: int) -> bool:
    return exchange.ended_ns is not None and exchange.ended_ns <= time_ns
