"""Log of the server: its log messages and stderr lines, in the order of arrival.

A line is stored as the number of its entry; its text is read when it is visible. Levels are read once, when a level
filter needs them. A new filter scans existing lines in slices, newest first; later lines are tested on arrival.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inspector import text
from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.capture.store.columns import EntryKind, MessageKind
from inspector.present import spans
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, lay
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Notification, encode, read
from inspector.protocol.request_meta import LEVELS, LOG_MESSAGE, rank

MOST_DECODED = 64 * 1024
"""Bytes of a frame. Of a larger one only the beginning is shown, and its level and logger stay unknown."""
_SHOWN = 1000
"""Maximum characters of a line to render."""
_WIDE_FROM = 100
_LEVEL, _LOGGER = 12, 18
"""Column widths in cells."""
_ROLES: tuple[Role, ...] = ("faint", "text", "accent", "warning", "error", "error", "error", "error")
_SIGNS = (spans.NOTE, spans.NOTE, spans.NOTE, spans.WARNING, *[spans.ERROR] * 4)

SLICE_BYTES = 400_000
"""Bytes of payload that one filter step scans, which takes some milliseconds."""

_COST_OF_LINE = 250

_UNREAD, _UNKNOWN, _FIRST = 0, 1, 2
"""Codes for the level of a line: not read yet, unknown, and the first of the eight levels."""

_SET_LEVEL = "logging/setLevel"


class LogLine(msgspec.Struct, frozen=True):
    """Content of one line. All of it is text of the server, except `wrong`."""

    level: Any = None
    """As received: one of the eight levels or any other JSON; None if missing."""
    logger: str = ""
    words: str = ""
    is_stderr: bool = False
    wrong: str = ""
    """Problem of the line, in our own text; "" if there is none."""

    @property
    def rank(self) -> int | None:
        """Severity rank of the level; None if the level is unknown."""
        return rank(self.level)

    def contains(self, wanted: str) -> bool:
        """Return whether the line contains a text, ignoring case."""
        wanted = wanted.casefold()
        return any(wanted in part.casefold() for part in (self.words, self.logger, _level_word(self)))


class Sources(StrEnum):
    """Sources of the visible lines."""

    ALL = "all"
    MESSAGES = "log messages"
    STDERR = "stderr"


class LogFilter(msgspec.Struct, frozen=True):
    """Filter for the visible lines."""

    sources: Sources = Sources.ALL
    least: str = ""
    """Minimum level; "" for all. Stderr lines and messages with an unknown level always pass."""
    text: str = ""
    """Text that a line must contain, ignoring case."""


def messages_in(entry: Entry) -> list[Notification]:
    """Return the log messages of a frame, in order."""
    if not isinstance(entry.what, Frame):
        return []
    found = read(entry.what.payload)
    return [message for message in found if isinstance(message, Notification) and message.method == LOG_MESSAGE]


def of_entry(entry: Entry, place: int = 0) -> LogLine:
    """Return the line with index `place` (from 0) of an entry. Never raises: unreadable content becomes `wrong`."""
    if isinstance(entry.what, Stderr):
        wrong = "cannot read the message from the capture" if entry.missing else ""
        return LogLine(words=text.decode(entry.what.payload[: 4 * _SHOWN]).rstrip(), is_stderr=True, wrong=wrong)
    if entry.missing or not isinstance(entry.what, Frame):
        return LogLine(wrong="cannot read the message from the capture")
    payload = entry.what.payload
    if len(payload) > MOST_DECODED:
        size = text.human_size(len(payload))
        return LogLine(words=text.decode(payload[: 4 * _SHOWN]), wrong=f"{size}, only the start is shown")
    messages = messages_in(entry)
    return _of_params(messages[place].params) if place < len(messages) else LogLine(wrong="not a log message")


def _of_params(params: Any) -> LogLine:
    level, data = peek.at(params, "level"), peek.at(params, "data")
    logger = peek.at(params, "logger")
    wrong = [
        *(["no level"] if level is None else ["unknown level"] if rank(level) is None else []),
        *([] if peek.has(params, "data") else ["no data"]),
    ]
    return LogLine(
        level=level,
        logger=logger if isinstance(logger, str) else "" if logger is None else _json(logger),
        words=data if isinstance(data, str) else _json(data) if peek.has(params, "data") else "",
        wrong=", ".join(wrong),
    )


def _json(value: Any) -> str:
    return text.decode(encode(value))


def titles(width: int) -> list[Span]:
    """Return the column titles."""
    cells: list[Span] = [
        (text.pad("Time", 13 if width >= _WIDE_FROM else 9), "muted"),
        (text.pad("Level", _LEVEL), "muted"),
    ]
    if width >= _WIDE_FROM:
        cells.append((text.pad("Logger", _LOGGER), "muted"))
    return lay([*cells, ("Message", "muted")], width)


def row_spans(log_line: LogLine, wall_ns: int, width: int) -> list[Span]:
    """Return a line in exactly `width` cells."""
    when, logger = text.clock(wall_ns), text.visible(log_line.logger, limit=100)
    wide = width >= _WIDE_FROM
    cells: list[Span] = [(text.pad(when if wide else when[:8], 13 if wide else 9), "muted"), _level_cell(log_line)]
    if wide:
        cells.append((text.pad(text.fit(logger, _LOGGER - 1), _LOGGER), "target"))
    elif logger:
        cells.append((f"{logger} ", "target"))
    if log_line.wrong:
        cells.append((f"{spans.WARNING} {log_line.wrong}  ", "warning"))
    words = text.visible(log_line.words, limit=_SHOWN)
    if not words and not log_line.wrong:
        return lay([*cells, ("(nothing)", "faint")], width)
    return lay([*cells, (words, _role(log_line))], width)


def _level_cell(log_line: LogLine) -> Span:
    number = log_line.rank
    if log_line.is_stderr:
        return text.pad(f"{spans.STDERR} stderr", _LEVEL), "stderr"
    sign = "?" if number is None else _SIGNS[number]
    word = text.fit(text.visible(_level_word(log_line), limit=40), _LEVEL - 3)
    return text.pad(f"{sign} {word}", _LEVEL), "warning" if number is None else _ROLES[number]


def _level_word(log_line: LogLine) -> str:
    if log_line.is_stderr:
        return "stderr"
    if log_line.level is None:
        return "none"
    return log_line.level if isinstance(log_line.level, str) else _json(log_line.level)


def _role(log_line: LogLine) -> Role:
    if log_line.is_stderr:
        return "stderr"
    number = log_line.rank
    return "text" if number is None or number < 3 else _ROLES[number]


class ServerLog(RowSource):
    """Lines of one journal that match a filter."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._store = journal.store
        self._lines = array("I")
        """Entry number of each line; a batch has one line per log message."""
        self._levels = bytearray()
        self._found: FilteredLines | None = None
        self._scanned = 0
        """Number of existing lines scanned since the filter was set, starting with the newest."""
        self._to_scan = 0
        self.filter = LogFilter()
        self.taken = 0
        """Number of journal entries processed so far."""
        self.setting: Exchange | None = None
        """Newest request that sets a level; None if there is none."""

    @property
    def total(self) -> int:
        """Number of lines, visible or not."""
        return len(self._lines)

    @property
    def count(self) -> int:
        return len(self._lines) if self._found is None else len(self._found)

    @property
    def is_filtering(self) -> bool:
        """Whether `filter_step` has more to do."""
        return self._scanned < self._to_scan

    def row(self, index: int, width: int) -> RowView:
        line = self._line(index)
        n = self._lines[line]
        return RowView(row_spans(self.line_at(line), self._store.wall_ns(n), width))

    def header(self, width: int) -> Sequence[Span]:
        return titles(width)

    def key(self, index: int) -> int:
        return self._line(index)

    def index_of(self, key: int) -> int:
        if self._found is None:
            return min(key, len(self._lines) - 1)
        return bisect_right(range(len(self._found)), key, key=self._line) - 1

    def entry_of(self, index: int) -> int:
        return self._lines[self._line(index)]

    def refresh(self, limit: int) -> bool:
        """Process at most `limit` new entries of the journal; return whether there were any."""
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

    def show(self, wanted: LogFilter) -> None:
        """Apply a filter; existing lines are scanned by `filter_step`."""
        self.filter = wanted
        self._generation += 1
        self._scanned = 0
        self._found = None if wanted == LogFilter() else FilteredLines()
        self._to_scan = 0 if self._found is None else len(self._lines)

    def filter_step(self, most_bytes: int = SLICE_BYTES) -> bool:
        """Scan more existing lines, newest first; return whether there are more."""
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

    def line_at(self, line: int) -> LogLine:
        """Return the content of a line; reads the disk."""
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
        return not wanted.text or self.line_at(line).contains(wanted.text)

    def _level(self, line: int) -> int:
        if self._levels[line] == _UNREAD:
            rank = self.line_at(line).rank
            self._levels[line] = _UNKNOWN if rank is None else _FIRST + rank
        return self._levels[line]

    def _cost(self, line: int) -> int:
        """Return the cost of testing a line, in bytes of payload."""
        wanted = self.filter
        reads = wanted.text or (wanted.least and self._levels[line] == _UNREAD)
        return _COST_OF_LINE + self._store.size(self._lines[line]) if reads else _COST_OF_LINE // 10


class FilteredLines(Sequence[int]):
    """Matching lines in ascending order, although existing lines are scanned from newest to oldest."""

    def __init__(self) -> None:
        self._old = array("I")
        self._new = array("I")

    def add_old(self, line: int) -> None:
        """Add a line before all others."""
        self._old.append(line)

    def add_new(self, lines: Iterator[int]) -> None:
        """Add lines after all others."""
        self._new.extend(lines)

    def __len__(self) -> int:
        return len(self._old) + len(self._new)

    def __getitem__(self, index: int) -> int:  # type: ignore[override]  # never sliced
        old = len(self._old)
        return self._old[old - 1 - index] if index < old else self._new[index - old]
