"""The tree's row for each entry. It is determined once per entry, in order, from columns alone.

An exchange is a row; its response has no separate row. Below it is what it caused: progress (one row, however many
notifications), cancellation, late responses, requests about the task that it became, server requests and log
messages. The last two name no cause, so they are nested only if exactly one client request was open at that moment.
Wrong nesting would mislead, so in doubt they are separate.
"""

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from itertools import compress, repeat

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.store.columns import FROM_SERVER_BIT, KIND_BITS, TO_SERVER_BIT, UNLISTED, EntryKind, MessageKind
from inspector.capture.store.runs import METHOD
from inspector.capture.store.store import Store
from inspector.protocol.exchange_log import NEVER
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Direction, Frame

# Runs of the tree: consecutive notifications of one method, or lines of stderr, with no other row between them.

IN_RUN = 16
"""Flag of an entry: it may be part of a run."""
FOLDED = 32
"""Flag of an entry: it is folded into the first entry of its run."""
SHORTEST = 10
"""Minimum rows that are folded into one; fewer are faster to read than to unfold."""
FEWEST = 3
"""The minimum for notifications that only report that a list has changed."""
_MOST_GROWING = 1000
"""Maximum blocks whose last row is remembered; in older ones, a run starts again."""
_MAY = bytes(bool(flags & IN_RUN) for flags in range(256))
_WITH = bytes(flags | FOLDED for flags in range(256))
_ACCEPTED = 202
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
_CLIENT_REQUEST = TO_SERVER_BIT | MessageKind.REQUEST
"""Flags of an ordinary request of the client."""
_RESULT = FROM_SERVER_BIT | MessageKind.RESPONSE
_IN_WIRE_ALONE = IN_WIRE | IN_WIRE_PLAIN
_FRAME = int(EntryKind.FRAME)
_ENTRY_KINDS = (EntryKind.FRAME, *EntryKind)
_ANSWERS = (MessageKind.RESPONSE, MessageKind.ERROR)
_WRONG = (MessageKind.INVALID, MessageKind.ERROR)
_ENDINGS = (EntryKind.CONNECTION, EntryKind.PROCESS, EntryKind.HTTP)
_PROGRESS = "notifications/progress"
_NEVER_A_CAUSE = "subscriptions/listen"
"""Stays open for as long as the client listens, and causes nothing."""
_STEP = 1000
"""Rows that are compared at once."""


class RowRun(msgspec.Struct, frozen=True):
    """Equal rows that can be folded into one."""

    first: int
    count: int
    last: int
    opened: bool = False
    """Whether it is unfolded, so that each entry is a row."""


class _Growing(msgspec.Struct):
    """The run at the end of a block, which may still grow."""

    like: tuple[str, Direction | None]
    """Method and sender; ("", None) for stderr."""
    first: int
    count: int = 1
    early: list[int] = []
    """Entries after the first, as long as there are too few for a run."""

    @property
    def shortest(self) -> int:
        """Minimum number of entries that are folded."""
        return FEWEST if self.like[0].endswith("/list_changed") else SHORTEST


class Runs:
    """The runs of one tree. `flags` and `roots` belong to the tree and hold each entry before it is passed here."""

    def __init__(self, store: Store, flags: bytearray, roots: "array[int]") -> None:
        self._store, self._flags, self._roots = store, flags, roots
        self._firsts, self._counts, self._lasts = array("I"), array("I"), array("I")
        self._growing: dict[int, _Growing] = {}
        """By block; 0 for the rows that begin blocks."""
        self._opened: set[int] = set()
        self._late: list[int] = []

    def take(self, n: int) -> None:
        """Add a notification or a line of stderr that may be part of a run."""
        self.take_many(n, n)

    def take_many(self, first: int, last: int) -> None:
        """Add equal entries that are adjacent in one block, or that each begin a block."""
        level = self._level(first)
        like = self._store.method(first), self._store.direction(first)
        growing = self._growing.get(level)
        if growing is None or growing.like != like:
            growing = self._begin(level, like, first)
            first += 1
        if first <= last:
            self._extend(growing, first, last)

    def interrupt(self, n: int) -> None:
        """End the run before entry n, which is another row in the same block."""
        self._growing.pop(self._level(n), None)

    @property
    def growing(self) -> bool:
        """Whether there is any run to interrupt."""
        return bool(self._growing)

    def close(self, root: int) -> None:
        """End the run of the block that begins with `root`."""
        self._growing.pop(root, None)

    def late(self) -> list[int]:
        """Return entries that were rows at first and turned out to be part of a run, since the last call."""
        found, self._late = self._late, []
        return found

    def run(self, first: int) -> RowRun | None:
        """Return the run that begins with an entry; None if there is none."""
        at = self._at(first)
        if at is None:
            return None
        return RowRun(first, self._counts[at], self._lasts[at], first in self._opened)

    def opened_around(self, n: int) -> RowRun | None:
        """Return the unfolded run that contains entry n; None if there is none."""
        for first in self._opened:
            run = self.run(first)
            if run is not None and first <= n <= run.last and (n == first or self._is_like(n, first)):
                return run
        return None

    def grows(self, first: int) -> bool:
        """Whether a run may still grow."""
        return any(growing.first == first for growing in self._growing.values())

    def open(self, run: RowRun) -> list[int]:
        """Unfold a run; return the entries that become rows."""
        self._opened.add(run.first)
        return self._mark(run, folded=False)

    def fold(self, run: RowRun) -> list[int]:
        """Fold a run into its first entry; return the entries that are no longer rows."""
        self._opened.discard(run.first)
        return self._mark(run, folded=True)

    def _mark(self, run: RowRun, *, folded: bool) -> list[int]:
        found = list(self._behind(run))
        for n in found:
            self._flags[n] = self._flags[n] | FOLDED if folded else self._flags[n] & ~FOLDED
        return found

    def _behind(self, run: RowRun) -> Iterator[int]:
        between = range(run.first + 1, run.last + 1)
        may = compress(between, self._flags[between.start : between.stop].translate(_MAY))
        return (n for n in may if self._is_like(n, run.first))

    def _is_like(self, n: int, first: int) -> bool:
        """Whether two entries of a run are in the same block, or each in a separate block."""
        return bool(self._flags[n] & IN_RUN) and self._level(n) == self._level(first)

    def _begin(self, level: int, like: tuple[str, Direction | None], first: int) -> _Growing:
        while len(self._growing) >= _MOST_GROWING:
            del self._growing[next(iter(self._growing))]
        growing = self._growing[level] = _Growing(like, first)
        return growing

    def _extend(self, growing: _Growing, first: int, last: int) -> None:
        new = range(first, last + 1)
        before, growing.count = growing.count, growing.count + len(new)
        if growing.count < growing.shortest:
            growing.early += new
            return
        if before < growing.shortest:
            self._fold_early(growing, last)
        else:
            at = self._at(growing.first)
            assert at is not None
            self._counts[at], self._lasts[at] = growing.count, last
        if growing.first not in self._opened:
            part = slice(first, last + 1)
            self._flags[part] = self._flags[part].translate(_WITH)

    def _fold_early(self, growing: _Growing, last: int) -> None:
        at = bisect_left(self._firsts, growing.first)
        self._firsts.insert(at, growing.first)
        self._counts.insert(at, growing.count)
        self._lasts.insert(at, last)
        self._late += growing.early
        for n in growing.early:
            self._flags[n] |= FOLDED
        growing.early = []

    def _at(self, first: int) -> int | None:
        at = bisect_left(self._firsts, first)
        return at if at < len(self._firsts) and self._firsts[at] == first else None

    def _level(self, n: int) -> int:
        root = self._roots[n]
        return 0 if root == n else root


# Failures: the entries that report them, in wire order and in tree order.


class Errors:
    """The entries of one tree that are errors. `roots` belongs to the tree."""

    def __init__(self, roots: "array[int]") -> None:
        self._roots = roots
        self._wire, self._tree = array("I"), array("Q")

    def __len__(self) -> int:
        return len(self._wire)

    def add(self, n: int, row: int) -> None:
        """Add entry n; in the tree the row of entry `row` shows it."""
        _put(self._wire, n)
        _put(self._tree, self._roots[row] << 32 | row)

    def take_back(self, n: int, row: int) -> None:
        """Remove entry n, which was not a failure after all."""
        for keys, key in ((self._wire, n), (self._tree, self._roots[row] << 32 | row)):
            at = bisect_left(keys, key)
            if at < len(keys) and keys[at] == key:
                del keys[at]

    def after(self, key: int, *, tree: bool, back: bool = False) -> int:
        """Return the key of the next error below a row's key (above with `back`); -1 if there is none."""
        keys = self._tree if tree else self._wire
        at = bisect_left(keys, key) - 1 if back else bisect_right(keys, key)
        return keys[at] if 0 <= at < len(keys) else -1


def _put(keys: "array[int]", key: int) -> None:
    if not keys or keys[-1] < key:
        keys.append(key)
        return
    at = bisect_left(keys, key)
    if keys[at] != key:
        insort(keys, key)


def is_bad_end(store: Store, n: int) -> bool:
    """Whether the fact n says that a connection or a process ended unexpectedly."""
    what = store.entry(n).what
    if isinstance(what, ConnectionFact):
        return what.event is ConnectionEvent.ABORT
    return isinstance(what, ProcessFact) and what.event is ProcessEvent.EXIT and bool(what.code)


def exit_before(journal: Journal, n: int) -> int:
    """Return the exit after which, as entry n reports, the stdio server was restarted; 0 if n reports no restart.

    That exit is a response to our first request, and no error.
    """
    what = journal.store.entry(n).what
    if not isinstance(what, ConnectionFact) or what.event is not ConnectionEvent.RENEW or what.transport != "stdio":
        return 0
    exits = (each.n for each in reversed(journal.processes) if each.n < n and _is_exit(each.what))
    return next(exits, 0)


def _is_exit(what: object) -> bool:
    return isinstance(what, ProcessFact) and what.event is ProcessEvent.EXIT


def is_acknowledgment(journal: Journal, n: int) -> bool:
    """Whether it is the body of an HTTP 202 response: legal, and often a short text."""
    if journal.store.message_kind(n) is not MessageKind.INVALID or not journal.http_exchanges:
        return False
    frame = journal.store.entry(n).what
    if not isinstance(frame, Frame) or frame.channel is not Channel.REPLY:
        return False
    found = journal.http_exchanges.get(frame.http or 0)
    response = found.response if found is not None else None
    return response is not None and response.status == _ACCEPTED


class Tree:
    """The position of every entry that was added."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.store = journal.store
        """Entries of the journal."""
        self._exchanges = journal.conversation.exchanges
        self._open: dict[int, None] = {}
        """Numbers of the client's requests that may be open, in order."""
        self._oldest: tuple[int, ...] = ()
        """The first two of them, as they were last looked for. Only if one of these has ended are others looked at."""
        self._progress_rows = array("I", [0])
        """By exchange number: the entry of its first progress, or 0."""
        self.roots = array("I", [0])
        """At n: the entry whose row begins the block of entry n; n itself if it begins one."""
        self.flags = bytearray(1)
        """At n: the views in which entry n has its own row, and the flags of `Runs`."""
        self.runs = Runs(journal.store, self.flags, self.roots)
        self.errors = Errors(self.roots)
        self.failed = 0
        """Number of exchanges that have failed so far."""

    def take(self, n: int) -> None:
        """Add the next entry; `n` is the last one added plus one."""
        self.take_many(n, n)

    def take_many(self, first: int, last: int) -> None:
        """Add the entries `first` to `last`; `first` is the last one added plus one."""
        columns = self.store.columns(first, last)
        progress, requests = self.store.method_number(_PROGRESS), self._exchanges.request_frames
        roots, flags, first_words = self.roots, self.flags, self._progress_rows
        failures, answers, open_ = self._exchanges.failures, self._exchanges.answer_frames, self._open
        unusual = {self.store.method_number(_NEVER_A_CAUSE), UNLISTED}
        has_tasks = bool(self._journal.conversation.tasks.all)
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
            elif message == _CLIENT_REQUEST and exchange and not has_tasks and method not in unusual:
                open_[exchange] = None
                root, views = n, _EVERYWHERE
            elif message == _RESULT and answers[exchange] == n and not failures[exchange]:
                open_.pop(exchange, None)
                request, views = requests[exchange], _IN_WIRE_ALONE
                if self.runs.growing:
                    self.runs.close(request)
                root = roots[request] if 0 < request < n else n
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
        """Add the entries `first` to `last` at once, if they are a run of log messages or of stderr.

        Returns the block that contains all of them, or 0 if each begins one. Returns -1 if they are not a run:
        nothing was added then.
        """
        if self.store.is_stderr(first, last):
            return self._take_stderr(first, last)
        if not self.store.is_run(first, last) or (cause := self._cause_of_run(first)) is None:
            return -1
        count = last - first + 1
        self.roots.extend(repeat(cause, count) if cause else range(first, last + 1))
        self.flags.extend(bytes((_EVERYWHERE | IN_RUN,)) * count)
        self.runs.take_many(first, last)
        return cause

    def _take_stderr(self, first: int, last: int) -> int:
        """Add lines of stderr, each of which begins a block."""
        self.roots.extend(range(first, last + 1))
        self.flags.extend(bytes((_EVERYWHERE | IN_RUN,)) * (last - first + 1))
        self.runs.take_many(first, last)
        return 0

    def _cause_of_run(self, first: int) -> int | None:
        """Return the block of the next log messages; 0 if each begins one; None if they differ or it is uncertain."""
        if not self._open:
            return 0
        if len(self._open) > 1:
            return None
        cause = next(iter(self._open))
        return self._root_of(cause, first) if self._exchanges.ends[cause] == NEVER else None

    def row_of(self, n: int) -> int:
        """Return the entry whose row in the tree shows entry n: itself, its request, or the progress it continues."""
        if self.flags[n] & IN_TREE_PLAIN:
            return n
        if self.store.message_kind(n) is MessageKind.NOTIFICATION:
            return self._first_progress(self.store.exchange(n)) or self.roots[n]
        return self.roots[n]

    def exchange(self, n: int) -> Exchange | None:
        """Return the exchange that entry n belongs to."""
        number = self.store.exchange(n)
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
        if self.store.direction(n) is Direction.FROM_SERVER:
            return self._task_root(exchange, n) or self._cause(n), _EVERYWHERE
        if exchange and self.store.method(n) != _NEVER_A_CAUSE:
            self._open[exchange] = None
        return self._task_root(exchange, n) or n, _EVERYWHERE

    def _task_root(self, number: int, n: int) -> int:
        """Return the block of the call that created a task, for a request about that task; 0 for any other."""
        tasks = self._journal.conversation.tasks
        if not tasks.all or not number:
            return 0
        task = tasks.of_operation(self._exchanges[number - 1].operation)
        if task is None or task.exchange is None or task.exchange >= number:
            return 0
        return self._root_of(task.exchange, n)

    def _notification(self, n: int, exchange: int) -> tuple[int, int]:
        if not exchange:
            return (self._cause(n) if self.store.method(n) == METHOD else n), _EVERYWHERE | IN_RUN
        root = self._root_of(exchange, n)
        if self.store.method(n) != _PROGRESS:
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
        """Add the entries that are errors, and requests that were lost with a connection."""
        kinds, exchanges, has_ends = self.store.message_kind, self._exchanges, False
        for n in suspects:
            kind, number = kinds(n), self.store.exchange(n)
            if kind in _ANSWERS and number and not exchanges.failures[number]:
                continue  # a probe was refused
            if kind in (MessageKind.REQUEST, MessageKind.NOTIFICATION):
                continue  # another entry shows its outcome
            if kind is not MessageKind.NONE:
                self.failed += number > 0
                if not is_acknowledgment(self._journal, n):
                    self.errors.add(n, self.row_of(n))
                continue
            has_ends = True
            if self.store.kind(n) is EntryKind.HTTP:
                continue  # what it means for a request is the request's outcome
            if is_bad_end(self.store, n):
                self.errors.add(n, n)
            elif exited := exit_before(self._journal, n):
                self.errors.take_back(exited, exited)
        if not has_ends:
            return
        for lost in [number for number in self._open if exchanges.failures[number]]:
            self.failed += 1
            del self._open[lost]
            self.errors.add(exchanges.request_frames[lost], exchanges.request_frames[lost])

    def _root_of(self, exchange: int, n: int) -> int:
        request = self._exchanges.request_frames[exchange]
        return self.roots[request] if 0 < request < n else n

    def _cause(self, n: int) -> int:
        """Return the block of the only client request that was open at entry n; n if there was none or several."""
        if not self._open:
            return n
        now, ends, open_ = self.store.time_ns(n), self._exchanges.ends, self._open
        has_new = len(self._oldest) < 2 and len(open_) > len(self._oldest)
        if has_new or any(number not in open_ or ends[number] <= now for number in self._oldest):
            self._oldest, ended = (), []
            for number in open_:  # at most two that are open: more of them say no more
                if ends[number] <= now:
                    ended.append(number)
                    continue
                self._oldest = (*self._oldest, number)
                if len(self._oldest) == 2:
                    break
            for number in ended:
                del open_[number]
        if len(self._oldest) != 1 or self.store.direction(n) is not Direction.FROM_SERVER:
            return n
        return self._root_of(self._oldest[0], n)


# Rows in wire order that are folded into one: adjacent notifications of one method, or lines of stderr.


class WireRuns:
    """The folded runs of one list."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs: dict[int, RowRun] = {}

    def __bool__(self) -> bool:
        return bool(self._runs)

    def run(self, first: int) -> RowRun | None:
        """Return the run with this first entry; None if there is none."""
        return self._runs.get(first)

    def add(self, run: RowRun) -> None:
        """Add a run that was folded."""
        self._runs[run.first] = run

    def pop(self, first: int) -> RowRun | None:
        """Remove a run that was unfolded, and return it."""
        return self._runs.pop(first, None)

    def clear(self) -> None:
        self._runs.clear()

    def alike(self, rows: Sequence[int], index: int) -> range:
        """Return the adjacent rows that equal a row, including it; only that row if its kind does not fold."""
        like = self._like(rows[index])
        if like is None:
            return range(index, index + 1)
        first = last = index
        while (block := rows[max(0, first - _STEP) : first]) and (more := self._alike_at_end(block, like)):
            first -= more
            if more < len(block):
                break
        while (block := rows[last + 1 : last + 1 + _STEP]) and (more := self._alike_at_start(block, like)):
            last += more
            if more < len(block):
                break
        return range(first, last + 1)

    def _like(self, n: int) -> tuple[int, int, int] | None:
        columns = self._store.columns(n, n)
        kind, flags = columns.kinds[0], columns.flags[0]
        folds = kind == EntryKind.STDERR or flags & KIND_BITS == MessageKind.NOTIFICATION
        return (kind, flags, columns.methods[0]) if folds else None

    def _alike_at_start(self, block: Sequence[int], like: tuple[int, int, int]) -> int:
        return next((at for at, same in enumerate(self._same(block, like)) if not same), len(block))

    def _alike_at_end(self, block: Sequence[int], like: tuple[int, int, int]) -> int:
        found = self._same(block, like)[::-1]
        return next((at for at, same in enumerate(found) if not same), len(block))

    def _same(self, block: Sequence[int], like: tuple[int, int, int]) -> list[bool]:
        """Return whether each entry is equal and does not begin a folded run."""
        first, last = block[0], block[-1]
        columns = self._store.columns(first, last)
        kinds, flags, methods = columns.kinds, columns.flags, columns.methods
        return [(kinds[n - first], flags[n - first], methods[n - first]) == like and n not in self._runs for n in block]
