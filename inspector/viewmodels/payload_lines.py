"""The exact text of a payload, in lines of a width.

It is worked out from positions, so that a payload of 100 MB is as quick as one of a hundred bytes. A line break of
the payload ends a line, and what is too long goes on below, marked; or, where that is not wanted, to the right.
"""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.text import cell_width, decode, fit, visible


class RawLines:
    """The exact text. What can't be shown stands as an escape; bytes that are no UTF-8 as ‹xFF›."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._starts = array("Q", [0])
        self._starts.extend(found + 1 for found in _line_ends(payload))
        self._width = 0
        self._firsts: array[int] = array("Q")
        """For each line of the payload the number of the first row that shows it."""
        self._marked = range(0)
        self.wraps = True
        """Whether what is too long goes on below."""
        self.shift = 0
        """Where it does not: how many bytes of each line are out of sight to the left."""

    def wrap(self, wraps: bool, offset: int, width: int) -> None:
        """Let long lines go on below, or not; a byte stays in sight."""
        self.wraps, self._width = wraps, 0
        self._show(offset, width)

    def move(self, by: int, width: int) -> bool:
        """Show what is further to the right, or the left, by so many halves of a row; whether there was any."""
        if self.wraps:
            return False
        longest = max((end - start for start, end in map(self._bounds, range(len(self._starts)))), default=0)
        step = self._step(width)
        most = longest - step + 3 if longest > step else 0  # a row may begin some bytes before, with a whole character
        before, self.shift = self.shift, max(0, min(self.shift + by * (step // 2), most))
        return self.shift != before

    def _show(self, offset: int, width: int) -> None:
        number = bisect_right(self._starts, max(0, min(offset, len(self._payload) - 1))) - 1
        inside, step = max(0, offset - self._starts[number]), self._step(width)
        self.shift = 0 if self.wraps or inside < step else inside - step // 3

    def count(self, width: int) -> int:
        """How many rows of `width` cells it takes."""
        if not self._payload:
            return 0
        self._arrange(width)
        return self._firsts[-1]

    def line(self, index: int, width: int) -> Sequence[Span]:
        """One row. A row that goes on from the one above begins with a sign in the margin."""
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
        """Set some bytes apart, from one offset to another."""
        self._marked = range(start, end)
        if not self.wraps:
            self._show(start, self._width)

    def row_at(self, offset: int, width: int) -> int:
        """The row that shows a byte; the nearest there is."""
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
        """The first byte that a row shows."""
        return self._part(row, width)[0] if self._payload else 0

    def _part(self, index: int, width: int) -> tuple[int, int, int]:
        """Which bytes a row shows, and the how-manieth row of its line it is."""
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
        """Bytes in a row: a character takes no more cells than bytes, escapes aside."""
        return max(8, width - 2 - (not self.wraps))

    def _bounds(self, number: int) -> tuple[int, int]:
        """Where a line of the payload begins and ends, without its break."""
        last = number + 1 >= len(self._starts)
        return self._starts[number], len(self._payload) if last else self._starts[number + 1] - 1


def _line_ends(payload: bytes) -> list[int]:
    found, at = [], payload.find(b"\n")
    while at >= 0:
        found.append(at)
        at = payload.find(b"\n", at + 1)
    return found


def _boundary(payload: bytes, at: int, start: int) -> int:
    """The nearest position not after `at` where a UTF-8 character begins."""
    at = min(at, len(payload))
    for back in range(4):
        if at - back <= start or at >= len(payload) or payload[at - back] & 0xC0 != 0x80:
            return at - back
    return at
