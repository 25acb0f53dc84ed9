"""Where a line of indented JSON stands in the payload as it came, and the other way round.

Indenting adds and drops nothing but white space outside strings. So a place is known by the bytes before it that are
not such white space: they are counted in both texts, piece by piece and only as far as somebody has looked.
"""

import re
from array import array
from bisect import bisect_right

from inspector.viewmodels.json_lines import JsonLines

_PIECE = 1 << 17
_SPACE = re.compile(rb"[ \t\r\n]*+")
_RUN = re.compile(rb'(?:[^" \t\r\n]+|"[^"\\]*(?:\\.[^"\\]*)*")+', re.DOTALL)
"""Without possessive quantifiers: those of Python 3.11.2 match too much where an end is given."""
_MARGIN = re.compile(rb"\n *+")
_INDENT = re.compile(rb" *+")
_KEYED = re.compile(rb'\n *+"(?:[^"\\\n]++|\\.)*+": ')
_KEYED_LINE = re.compile(rb'"(?:[^"\\\n]++|\\.)*+": ')
_BOM = b"\xef\xbb\xbf"


class ByteMap:
    """One payload and its lines. Looking far into 10 MB for the first time takes some tenths of a second of CPU."""

    def __init__(self, raw: bytes, lines: JsonLines) -> None:
        """`lines` are those of `raw`, and have no problem."""
        self._lines = lines
        self._raw = _Raw(raw)
        self._indented = _Indented(lines.text)

    def span(self, line: int) -> tuple[int, int]:
        """Where in the payload the value stands that a line begins or ends: its first byte, and the one behind it."""
        start, end = self._lines.value_bounds(line)
        return self._raw.position(self._count(start)), self._raw.position(self._count(end) - 1) + 1

    def line(self, offset: int) -> int:
        """The line that shows the byte at `offset`; of white space, the line that comes after it."""
        count = self._raw.count(min(max(offset, 0), self._raw.size))
        low, high = 0, self._lines.count - 1
        while low < high:  # the last line that begins at or before this byte
            middle = (low + high + 1) // 2
            if self._indented.count(self._lines.start(middle)) <= count:
                low = middle
            else:
                high = middle - 1
        return low

    def _count(self, position: int) -> int:
        """Bytes before a position of the indented text, white space left out; no position within white space."""
        line = self._lines.line_at(position)
        start, text = self._lines.start(line), self._lines.text
        body = start + 2 * self._lines.depth(line)
        keyed = _KEYED_LINE.match(text, body, position) if position > body else None
        return self._indented.count(start) + max(position - body, 0) - (keyed is not None)


class _Indented:
    """Counts in an indented text, from line to line."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._positions = array("Q", [0])
        self._counts = array("Q", [0])

    def count(self, start: int) -> int:
        """Bytes before the line that starts here, white space left out."""
        while self._positions[-1] < start:
            self._go_on(start)
        at = bisect_right(self._positions, start) - 1
        return self._counts[at] + self._between(self._positions[at], start)

    def _go_on(self, start: int) -> None:
        last = self._positions[-1]
        end = self._text.rfind(b"\n", last, min(last + _PIECE, start)) + 1
        if end <= last:
            end = (self._text.find(b"\n", last, start) + 1) or start
        self._counts.append(self._counts[-1] + self._between(last, end))
        self._positions.append(end)

    def _between(self, start: int, end: int) -> int:
        if start >= end:
            return 0
        if end - start > 2 * _PIECE:  # one long line, and perhaps some short ones before it
            last = self._text.rfind(b"\n", start, end - 1) + 1
            if last > start:
                return self._between(start, last) + self._between(last, end)
            body = _INDENT.match(self._text, start).end()  # type: ignore[union-attr]
            return end - 1 - body - (_KEYED_LINE.match(self._text, body, end) is not None)
        piece = b"\n" + self._text[start : end - 1]
        return len(_MARGIN.sub(b"", piece)) - _KEYED.subn(b"", piece)[1]


class _Raw:
    """Counts in the payload as it came."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.size = len(raw)
        begin = len(_BOM) if raw.startswith(_BOM) else 0
        self._positions = array("Q", [begin])
        self._counts = array("Q", [0])

    def count(self, position: int) -> int:
        """Bytes before a position, white space outside strings left out."""
        while self._positions[-1] < position and self._go_on():
            pass
        at = max(bisect_right(self._positions, position) - 1, 0)
        return self._walk(at, position=position)[1]

    def position(self, count: int) -> int:
        """Where the byte stands that has so many before it, white space left out."""
        while self._counts[-1] <= count and self._go_on():
            pass
        return self._walk(bisect_right(self._counts, count) - 1, count=count)[0]

    def _go_on(self) -> bool:
        """Look at one more piece; False at the end."""
        at, count = self._positions[-1], self._counts[-1]
        end = min(at + _PIECE, self.size)
        while at < end:
            at = self._after_space(at)
            stop = self._run_end(at, max(end, at + 1))
            count += stop - at
            at = stop
        if at == self._positions[-1]:
            return False
        self._positions.append(at)
        self._counts.append(count)
        return True

    def _walk(self, piece: int, *, position: int | None = None, count: int | None = None) -> tuple[int, int]:
        """From the beginning of a piece to a position, or to a count: both there."""
        at, counted = self._positions[piece], self._counts[piece]
        while at < self.size:
            at = self._after_space(at)
            if position is not None and at >= position:
                break
            stop = self._run_end(at, min(at + _PIECE, self.size))
            if position is not None and stop > position:
                return position, counted + position - at
            if count is not None and counted + stop - at > count:
                return at + count - counted, count
            counted += stop - at
            at = stop
        return at, counted

    def _after_space(self, at: int) -> int:
        found = _SPACE.match(self._raw, at)
        return found.end() if found else at

    def _run_end(self, at: int, end: int) -> int:
        """The end of what follows without white space; at most `end`, unless one string is longer than that."""
        found = _RUN.match(self._raw, at, end)
        return found.end() if found else self._string_end(at)

    def _string_end(self, at: int) -> int:
        """The end of a string that is longer than a piece, from quote to quote: one of 100 MB takes a moment."""
        quote = at
        while (quote := self._raw.find(b'"', quote + 1)) >= 0:
            head = self._raw[max(quote - 64, at + 1) : quote]
            slashes = len(head) - len(head.rstrip(b"\\"))
            if slashes == 64:
                head = self._raw[at + 1 : quote]
                slashes = len(head) - len(head.rstrip(b"\\"))
            if slashes % 2 == 0:
                return quote + 1
        return self.size
