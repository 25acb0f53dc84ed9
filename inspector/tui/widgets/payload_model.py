"""Map between the lines of indented JSON and the offsets of the payload as received.

Indenting only adds or drops white space outside strings. A position is therefore identified by the number of bytes
before it, such white space excluded. These bytes are counted in both texts, in pieces and only as far as needed.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from inspector.present.json_text import JsonLines
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Role, Span, joined, lay
from inspector.text import cell_width, decode, fit, visible

_PIECE_BYTES = 1 << 17
_SPACE = re.compile(rb"[ \t\r\n]*+")
_RUN = re.compile(rb'(?:[^" \t\r\n]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")+', re.DOTALL)
"""The outer quantifier is not possessive: that of Python 3.11.2 keeps what a failed repetition has matched."""
_MARGIN = re.compile(rb"\n *+")
_INDENT = re.compile(rb" *+")
_KEYED = re.compile(rb'\n *+"(?:[^"\\\n]++|\\.)*+": ')
_KEYED_LINE = re.compile(rb'"(?:[^"\\\n]++|\\.)*+": ')
_BOM = b"\xef\xbb\xbf"

_WIDE = 76
"""Width of sixteen bytes, in cells."""


class ByteMap:
    """Map of one payload and its lines. The first access far into 10 MB takes some tenths of a second of CPU time."""

    def __init__(self, raw: bytes, lines: JsonLines) -> None:
        """`lines` are the lines of `raw` and have no problem."""
        self._lines = lines
        self._raw = _Raw(raw)
        self._indented = _Indented(lines.text)

    def span(self, line: int) -> tuple[int, int]:
        """Return the range in the payload, [start, end), of the value that a line begins or ends."""
        start, end = self._lines.value_bounds(line)
        return self._raw.position(self._count(start)), self._raw.position(self._count(end) - 1) + 1

    def line(self, offset: int) -> int:
        """Return the line that shows the byte at `offset`; for white space, the line after it."""
        count = self._raw.count(min(max(offset, 0), self._raw.size))
        low, high = 0, self._lines.count - 1
        while low < high:  # binary search: the last line that begins at or before this byte
            middle = (low + high + 1) // 2
            if self._indented.count(self._lines.start(middle)) <= count:
                low = middle
            else:
                high = middle - 1
        return low

    def _count(self, position: int) -> int:
        """Count the bytes before a position of the indented text, without white space; it is never in white space."""
        line = self._lines.line_at(position)
        start, text = self._lines.start(line), self._lines.text
        body = start + 2 * self._lines.depth(line)
        keyed = _KEYED_LINE.match(text, body, position) if position > body else None
        return self._indented.count(start) + max(position - body, 0) - (keyed is not None)


class _Indented:
    """Counts the bytes of an indented text, line by line."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._positions = array("Q", [0])
        self._counts = array("Q", [0])

    def count(self, start: int) -> int:
        """Return the number of bytes before the line that starts here, without white space."""
        while self._positions[-1] < start:
            self._go_on(start)
        at = bisect_right(self._positions, start) - 1
        return self._counts[at] + self._between(self._positions[at], start)

    def _go_on(self, start: int) -> None:
        last = self._positions[-1]
        end = self._text.rfind(b"\n", last, min(last + _PIECE_BYTES, start)) + 1
        if end <= last:
            end = (self._text.find(b"\n", last, start) + 1) or start
        self._counts.append(self._counts[-1] + self._between(last, end))
        self._positions.append(end)

    def _between(self, start: int, end: int) -> int:
        if start >= end:
            return 0
        if end - start > 2 * _PIECE_BYTES:  # one long line, perhaps after some short ones
            last = self._text.rfind(b"\n", start, end - 1) + 1
            if last > start:
                return self._between(start, last) + self._between(last, end)
            body = _INDENT.match(self._text, start).end()  # type: ignore[union-attr]
            return end - 1 - body - (_KEYED_LINE.match(self._text, body, end) is not None)
        piece = b"\n" + self._text[start : end - 1]
        return len(_MARGIN.sub(b"", piece)) - _KEYED.subn(b"", piece)[1]


class _Raw:
    """Counts the bytes of the payload as received."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self.size = len(raw)
        begin = len(_BOM) if raw.startswith(_BOM) else 0
        self._positions = array("Q", [begin])
        self._counts = array("Q", [0])

    def count(self, position: int) -> int:
        """Return the number of bytes before a position, without white space outside strings."""
        while self._positions[-1] < position and self._go_on():
            pass
        return self._walk(max(bisect_right(self._positions, position) - 1, 0), position=position)[1]

    def position(self, count: int) -> int:
        """Return the position of the byte after `count` bytes, without white space outside strings."""
        while self._counts[-1] <= count and self._go_on():
            pass
        return self._walk(bisect_right(self._counts, count) - 1, count=count)[0]

    def _go_on(self) -> bool:
        """Count one more piece; return False at the end."""
        at, count = self._positions[-1], self._counts[-1]
        end = min(at + _PIECE_BYTES, self.size)
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
        """Walk from the start of a piece to a position or to a count; return both."""
        at, counted = self._positions[piece], self._counts[piece]
        while at < self.size:
            at = self._after_space(at)
            if position is not None and at >= position:
                break
            stop = self._run_end(at, min(at + _PIECE_BYTES, self.size))
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
        """Return the end of the run without white space; at most `end`, unless a single string is longer."""
        found = _RUN.match(self._raw, at, end)
        return found.end() if found else self._string_end(at)

    def _string_end(self, at: int) -> int:
        """Return the end of a string longer than a piece by searching for quotes; slow for one of 100 MB."""
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


# The exact text of a payload, laid out for a width.


class RawLines:
    """The exact text. Characters that can't be shown are escaped; bytes that are not UTF-8 are shown as ‹xFF›."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._starts = array("Q", [0])
        self._starts.extend(found + 1 for found in _line_ends(payload))
        self._width = 0
        self._firsts: array[int] = array("Q")
        """Number of the first row of each line of the payload."""
        self._marked = range(0)
        self.wraps = True
        self.shift = 0
        """Without wrapping: the number of bytes of each line that are hidden on the left."""

    def wrap(self, wraps: bool, offset: int, width: int) -> None:
        """Turn wrapping on or off; the byte at `offset` stays visible."""
        self.wraps, self._width = wraps, 0
        self._show(offset, width)

    def move(self, by: int, width: int) -> bool:
        """Scroll right (or left, if negative) by half rows; return whether anything moved."""
        if self.wraps:
            return False
        longest = max((end - start for start, end in map(self._bounds, range(len(self._starts)))), default=0)
        step = self._step(width)
        most = longest - step + 3 if longest > step else 0  # a row may begin some bytes earlier, at a whole character
        before, self.shift = self.shift, max(0, min(self.shift + by * (step // 2), most))
        return self.shift != before

    def _show(self, offset: int, width: int) -> None:
        number = bisect_right(self._starts, max(0, min(offset, len(self._payload) - 1))) - 1
        inside, step = max(0, offset - self._starts[number]), self._step(width)
        self.shift = 0 if self.wraps or inside < step else inside - step // 3

    def count(self, width: int) -> int:
        """Return the number of rows at a width of `width` cells."""
        if not self._payload:
            return 0
        self._arrange(width)
        return self._firsts[-1]

    def line(self, index: int, width: int) -> Sequence[Span]:
        """Return one row. A row that continues the one above begins with a sign in the margin."""
        begin, stop, part = self._part(index, width)
        margin: Span = ("↪ " if part and self.wraps else "‹ " if part else "  ", "faint")
        first = min(max(self._marked.start, begin), stop)
        last = min(max(self._marked.stop, first), stop)
        cuts: tuple[tuple[int, int, Role], ...] = (
            (begin, first, "foreign"),
            (first, last, "match"),
            (last, stop, "foreign"),
        )
        room, spans = width - 2 - (not self.wraps), [margin]
        for start, end, role in cuts:
            if start < end and room > 0:
                text = fit(visible(decode(self._payload[start:end])), room)
                room -= cell_width(text)
                spans.append((text, role))
        if not self.wraps and stop < self._bounds(index)[1]:
            spans.append(("›", "faint"))
        return spans if len(spans) > 1 else [margin, ("", "foreign")]

    def select(self, start: int, end: int) -> None:
        """Highlight a range of bytes."""
        self._marked = range(start, end)
        if not self.wraps:
            self._show(start, self._width)

    def row_at(self, offset: int, width: int) -> int:
        """Return the row that shows a byte, or the nearest one."""
        if not self._payload:
            return 0
        self._arrange(width)
        number = bisect_right(self._starts, min(offset, len(self._payload) - 1)) - 1
        if not self.wraps:
            return number
        row = self._firsts[number] + (offset - self._starts[number]) // self._step(width)
        row = min(row, self._firsts[number + 1] - 1)
        return row - (row > self._firsts[number] and offset < self._part(row, width)[0])

    def offset_at(self, row: int, width: int) -> int:
        """Return the offset of the first byte of a row."""
        return self._part(row, width)[0] if self._payload else 0

    def _part(self, index: int, width: int) -> tuple[int, int, int]:
        """Return the byte range of a row, and its index within its line.

        Without wrapping, the number of bytes hidden on the left takes the place of the index.
        """
        self._arrange(width)
        if not self.wraps:
            start, end = self._bounds(index)
            begin = _boundary(self._payload, min(start + self.shift, end), start)
            return begin, _boundary(self._payload, min(begin + self._step(width), end), begin), begin - start
        number = bisect_right(self._firsts, index) - 1
        step, part = self._step(width), index - self._firsts[number]
        start, end = self._bounds(number)
        begin = _boundary(self._payload, start + part * step, start)
        return begin, min(end, _boundary(self._payload, start + (part + 1) * step, start)), part

    def _arrange(self, width: int) -> None:
        if width == self._width:
            return
        self._width, step = width, self._step(width)
        if not self.wraps:
            self._firsts = array("Q", range(len(self._starts) + 1))
            return
        rows = (max(1, -(-(end - start) // step)) for start, end in map(self._bounds, range(len(self._starts))))
        self._firsts = array("Q", accumulate(rows, initial=0))

    def _step(self, width: int) -> int:
        """Return the bytes per row: a character takes no more cells than bytes, apart from escapes."""
        return max(8, width - 2 - (not self.wraps))

    def _bounds(self, number: int) -> tuple[int, int]:
        """Return the start and end of a line of the payload, without its line break."""
        last = number + 1 >= len(self._starts)
        return self._starts[number], len(self._payload) if last else self._starts[number + 1] - 1


def _line_ends(payload: bytes) -> list[int]:
    found, at = [], payload.find(b"\n")
    while at >= 0:
        found.append(at)
        at = payload.find(b"\n", at + 1)
    return found


def _boundary(payload: bytes, at: int, start: int) -> int:
    """Return the last position up to `at`, but not before `start`, where a UTF-8 character begins."""
    at = min(at, len(payload))
    for back in range(4):
        if at - back <= start or at >= len(payload) or payload[at - back] & 0xC0 != 0x80:
            return at - back
    return at


# Hex dump: the actual bytes on the wire, whatever they claim to be.


def bytes_per_line(width: int) -> int:
    """Return how many bytes fit into `width` cells: sixteen, eight or four."""
    return 16 if width >= _WIDE else 8 if width >= _WIDE - 8 * 4 - 1 else 4


class HexLines(RowSource):
    def __init__(self, payload: bytes, per_line: int = 16) -> None:
        self._payload = payload
        self.per_line = per_line
        self.marked = range(0)
        """Offsets of the highlighted bytes."""

    @property
    def count(self) -> int:
        return -(-len(self._payload) // self.per_line)

    def header(self, width: int) -> Sequence[Span]:
        return lay([("offset    bytes", "muted")], width)

    def row(self, index: int, width: int) -> RowView:
        return RowView(lay(self.line(index), width))

    def line(self, index: int) -> list[Span]:
        """Return the offset, the bytes in two halves, and their ASCII characters; one span per run of the same kind."""
        start = index * self.per_line
        part = self._payload[start : start + self.per_line]
        spans: list[Span] = [(f"{start:08x}  ", "faint")]
        for at in range(self.per_line):
            if at == 8:
                spans.append((" ", "text"))
            if at >= len(part):
                spans.append(("   ", "text"))
                continue
            goes_on = start + at + 1 in self.marked and at + 1 < len(part)
            spans.append((f"{part[at]:02x}", self._role(start + at, part[at])))
            spans.append((" ", "match" if goes_on and start + at in self.marked else _role(part[at])))
        spans.append((" ", "text"))
        spans += [(_character(byte), self._role(start + at, byte)) for at, byte in enumerate(part)]
        return joined(spans)

    def _role(self, offset: int, byte: int) -> Role:
        return "match" if offset in self.marked else _role(byte)


def _character(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F else "·"


def _role(byte: int) -> Role:
    if 0x20 <= byte < 0x7F:
        return "text"
    if byte in (0x09, 0x0A, 0x0D):
        return "faint"
    return "number" if byte >= 0x80 else "warning"
