"""The server's own log: its log messages and the lines of its stderr, in the order in which they came.

Numbers only: a line is the entry that holds it, and its words are read when it is in sight. Levels are read when
somebody filters by them, once. What was there when a filter was set goes through it in slices, newest first; what
comes is tested as it comes.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.store import EntryKind, MessageKind
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Direction
from inspector.protocol.log_levels import LEVELS, LOG_MESSAGE
from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import RowSource, RowView
from inspector.viewmodels.server_log_lines import Said, messages_in, of_entry, row_spans, titles
from inspector.viewmodels.text import decode, visible

SLICE_BYTES = 400_000
"""Of payload that one step of a filter looks through: some milliseconds."""
_COST_OF_LINE = 250
_UNREAD, _UNKNOWN, _FIRST = 0, 1, 2
"""What stands for the level of a line: not read yet, none of the eight, and from there the eight."""
_SET_LEVEL = "logging/setLevel"


class Sources(StrEnum):
    """Which lines are shown."""

    ALL = "all"
    MESSAGES = "log messages"
    STDERR = "stderr"


class Filter(msgspec.Struct, frozen=True):
    """Which lines are shown."""

    sources: Sources = Sources.ALL
    least: str = ""
    """The least level; "" for all. Lines of stderr have none and stay; so do messages with a level of their own."""
    text: str = ""
    """What a line contains, in any case."""


class ServerLog(RowSource):
    """The lines of one journal that a filter lets through."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._store = journal.store
        self._lines = array("I")
        """The entry of each line; of a batch, once for each of its messages."""
        self._levels = bytearray()
        self._generation = 0
        self._found: Found | None = None
        self._scanned = 0
        """How many lines, from the newest that was there when the filter was set, have been looked at."""
        self._to_scan = 0
        self.filter = Filter()
        self.taken = 0
        """How many entries of the journal were looked at."""
        self.setting: Exchange | None = None
        """The newest request that sets a level; None before one was sent."""

    @property
    def total(self) -> int:
        """How many lines there are, shown or not."""
        return len(self._lines)

    @property
    def count(self) -> int:
        return len(self._lines) if self._found is None else len(self._found)

    @property
    def generation(self) -> int:
        return self._generation

    @property
    def is_filtering(self) -> bool:
        """Whether `filter_step` has more to do."""
        return self._scanned < self._to_scan

    def row(self, index: int, width: int) -> RowView:
        line = self._line(index)
        n = self._lines[line]
        return RowView(row_spans(self.said(line), self._store.wall_ns(n), width))

    def header(self, width: int) -> Sequence[Span]:
        return titles(width)

    def key(self, index: int) -> int:
        return self._line(index)

    def index_of(self, key: int) -> int:
        if self._found is None:
            return min(key, len(self._lines) - 1)
        return bisect_right(range(len(self._found)), key, key=self._line) - 1

    def entry_of(self, index: int) -> int:
        """The entry that holds the line of a row."""
        return self._lines[self._line(index)]

    def refresh(self, limit: int) -> bool:
        """Look at what the journal got since, at most `limit` entries; whether there was anything."""
        first, end = self.taken + 1, min(self._journal.count, self.taken + limit)
        if end < first:
            return False
        before = len(self._lines)
        for n in range(first, end + 1):
            self._take(n)
        self.taken = end
        self._levels.extend(bytes(len(self._lines) - len(self._levels)))
        if self._found is not None:
            self._found.add_new(line for line in range(before, len(self._lines)) if self._passes(line))
        return True

    def show(self, wanted: Filter) -> None:
        """Show what a filter lets through; old lines wait for `filter_step`."""
        self.filter = wanted
        self._generation += 1
        self._scanned = 0
        self._found = None if wanted == Filter() else Found()
        self._to_scan = 0 if self._found is None else len(self._lines)

    def filter_step(self, most_bytes: int = SLICE_BYTES) -> bool:
        """Look through some more old lines, newest first; whether there are more."""
        spent, before = 0, self.count
        while self._found is not None and self.is_filtering and spent < most_bytes:
            self._scanned += 1
            line = self._to_scan - self._scanned
            spent += self._cost(line)
            if self._passes(line):
                self._found.add_old(line)
        if self.count != before:
            self._generation += 1
        return self.is_filtering

    def said(self, line: int) -> Said:
        """What a line says; reads the disk."""
        n = self._lines[line]
        return of_entry(self._store.entry(n), line - bisect_left(self._lines, n))

    def _line(self, index: int) -> int:
        return index if self._found is None else self._found[index]

    def _take(self, n: int) -> None:
        kind = self._store.kind(n)
        if kind is EntryKind.STDERR:
            self._lines.append(n)
        elif kind is EntryKind.FRAME:
            message_kind = self._store.message_kind(n)
            if message_kind is MessageKind.NOTIFICATION:
                if self._store.method(n) == LOG_MESSAGE and self._store.direction(n) is Direction.FROM_SERVER:
                    self._lines.append(n)
            elif message_kind is MessageKind.REQUEST:
                self._note_setting(n)
            elif message_kind is MessageKind.BATCH and self._store.direction(n) is Direction.FROM_SERVER:
                self._lines.extend([n] * len(messages_in(self._store.entry(n))))

    def _note_setting(self, n: int) -> None:
        number = self._store.exchange(n)
        if self._store.method(n) == _SET_LEVEL and number:
            self.setting = self._journal.conversation.exchanges[number - 1]

    def _passes(self, line: int) -> bool:
        wanted, is_stderr = self.filter, self._store.kind(self._lines[line]) is EntryKind.STDERR
        if wanted.sources is (Sources.MESSAGES if is_stderr else Sources.STDERR):
            return False
        if wanted.least and not is_stderr:
            level = self._level(line)
            if level != _UNKNOWN and level < _FIRST + LEVELS.index(wanted.least):
                return False
        return not wanted.text or self.said(line).contains(wanted.text)

    def _level(self, line: int) -> int:
        if self._levels[line] == _UNREAD:
            rank = self.said(line).rank
            self._levels[line] = _UNKNOWN if rank is None else _FIRST + rank
        return self._levels[line]

    def _cost(self, line: int) -> int:
        """What it costs to test a line, in bytes of payload."""
        wanted = self.filter
        reads = wanted.text or (wanted.least and self._levels[line] == _UNREAD)
        return _COST_OF_LINE + self._store.size(self._lines[line]) if reads else _COST_OF_LINE // 10


class Found(Sequence[int]):
    """Lines that a filter let through, ascending, though the old ones are found from the newest to the oldest."""

    def __init__(self) -> None:
        self._old = array("I")
        self._new = array("I")

    def add_old(self, line: int) -> None:
        """One that comes before all others."""
        self._old.append(line)

    def add_new(self, lines: Iterator[int]) -> None:
        """Some that come after all others."""
        self._new.extend(lines)

    def __len__(self) -> int:
        return len(self._old) + len(self._new)

    def __getitem__(self, index: int) -> int:  # type: ignore[override]  # nobody slices it
        old = len(self._old)
        return self._old[old - 1 - index] if index < old else self._new[index - old]


class Meanwhile:
    """The lines that the server wrote to stderr from a request until its end, and a moment longer.

    stderr is a pipe of its own: a line that was written before the response may be read after it.
    """

    _MOMENT_NS: Final = 100_000_000
    _MOST: Final = 2000
    _AT_ONCE: Final = 50_000
    """Entries that one look goes through."""

    def __init__(self, journal: Journal, exchange: Exchange) -> None:
        self._journal, self._exchange = journal, exchange
        self._next = exchange.request_frame + 1
        self._is_over = False
        self.lines: list[tuple[int, str]] = []
        """Entry and text, safe to show; at most 2,000, the oldest first."""

    def look(self) -> bool:
        """Take in what has come since; whether there was another line. Nearly free once the time is over."""
        store, ended, before = self._journal.store, self._exchange.ended_ns, len(self.lines)
        last = min(self._journal.count, self._next + self._AT_ONCE)
        if self._is_over or last < self._next:
            return False
        limit = None if ended is None else ended + self._MOMENT_NS
        kinds = store.columns(self._next, last).kinds
        end = next((n for n in range(self._next, last + 1) if limit and store.time_ns(n) > limit), last + 1)
        self._is_over = end <= last
        at = kinds.find(EntryKind.STDERR)
        while 0 <= at < end - self._next and len(self.lines) < self._MOST:
            what = store.entry(self._next + at).what
            if isinstance(what, Stderr):
                self.lines.append((self._next + at, visible(decode(what.payload), limit=2000)))
            at = kinds.find(EntryKind.STDERR, at + 1)
        self._is_over = self._is_over or len(self.lines) >= self._MOST
        self._next = end
        return len(self.lines) > before
