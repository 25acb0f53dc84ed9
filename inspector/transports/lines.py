r"""Chunks of a byte stream to lines, without a limit on their length and in linear time.

Only `\n` ends a line: U+2028 and U+0085 are legal inside a JSON string, so `splitlines` would cut messages.
A line that is not complete is kept as a list of chunks and joined once; a buffer that grows by `+=` would
copy a message of 100 MB a thousand times. This file does not know where the bytes come from.
"""

from itertools import repeat
from typing import NamedTuple

from inspector.protocol.frames import Eol


class Line(NamedTuple):
    """A line without its line end, and the line end; NONE if there is none (yet)."""

    payload: bytes
    eol: Eol


class CutLine(Line):
    """A line over the limit: `payload` is its beginning."""

    cut: int = 0
    """Number of bytes dropped, without those of the line end."""


def line_of(raw: bytes) -> Line:
    """Return the line of bytes before a line feed; a carriage return is part of the line end."""
    return Line(raw[:-1], Eol.CRLF) if raw.endswith(b"\r") else Line(raw, Eol.LF)


class LineSplitter:
    """Splits chunks into lines.

    `limit` is the maximum size in bytes that is kept of an unfinished line. When it is reached, the current content
    is returned as a piece with Eol.NONE, and the rest of the line follows. None means that a line may have any
    length.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._kept: list[bytes] = []
        self._size = 0

    @property
    def pending(self) -> int:
        """Number of bytes kept of an unfinished line."""
        return self._size

    def feed(self, chunk: bytes) -> list[Line]:
        """Add the next bytes of the stream; return the lines, or pieces, that are now complete."""
        *ended, rest = chunk.split(b"\n")
        if b"\r" in chunk:
            lines = [line_of(raw) for raw in ended]
        else:  # the usual case, and four times as fast
            lines = list(map(Line._make, zip(ended, repeat(Eol.LF))))
        if ended and self._kept:
            lines[0] = line_of(self._take() + ended[0])
        self._keep(rest)
        if self._limit is None:
            return lines
        lines = [piece for line in lines for piece in _pieces(line, self._limit)]
        if self._size >= self._limit:
            lines += _pieces(Line(self._take(), Eol.NONE), self._limit)
        return lines

    def rest(self) -> Line | None:
        """Return what is left of an unfinished line and reset it; None if there is nothing."""
        return Line(self._take(), Eol.NONE) if self._kept else None

    def _keep(self, rest: bytes) -> None:
        if rest:
            self._kept.append(rest)
            self._size += len(rest)

    def _take(self) -> bytes:
        taken = self._kept[0] if len(self._kept) == 1 else b"".join(self._kept)
        self._kept = []
        self._size = 0
        return taken


class CuttingSplitter(LineSplitter):
    """Splits chunks into whole lines of up to `limit` bytes. Of a longer line only the first `kept` bytes are kept.

    So one line can neither fill the memory nor block the following ones. The dropped bytes are counted.
    """

    def __init__(self, limit: int, kept: int) -> None:
        super().__init__()
        self._most = limit
        self._first = min(kept, limit)
        self._beginning: bytes | None = None
        """Beginning of an unfinished line that is over the limit."""
        self._dropped = 0
        self._after_cr = False

    @property
    def pending(self) -> int:
        return self._size + len(self._beginning or b"")

    def feed(self, chunk: bytes) -> list[Line]:
        lines: list[Line] = []
        if self._beginning is not None:
            tail, end, chunk = chunk.partition(b"\n")
            self._drop(tail)
            if not end:
                return []
            lines.append(self._ended(Eol.CRLF if self._after_cr else Eol.LF))
        may_be_over = self._size + len(chunk) > self._most
        lines += super().feed(chunk)
        if may_be_over:
            lines = [line if len(line.payload) <= self._most else self._shortened(line) for line in lines]
        if self._size > self._most:
            self._begin_to_drop()
        return lines

    def rest(self) -> Line | None:
        return super().rest() if self._beginning is None else self._ended(Eol.NONE)

    def _begin_to_drop(self) -> None:
        self._dropped = 0
        chunks, self._kept, self._size = self._kept, [], 0
        beginning = b""
        for chunk in chunks:
            taken = chunk[: self._first - len(beginning)]
            beginning += taken
            self._drop(chunk[len(taken) :])
        self._beginning = beginning

    def _drop(self, rest: bytes) -> None:
        self._dropped += len(rest)
        self._after_cr = rest.endswith(b"\r") if rest else self._after_cr

    def _ended(self, eol: Eol) -> CutLine:
        line = CutLine(self._beginning or b"", eol)
        line.cut = self._dropped - (eol is Eol.CRLF)
        self._beginning, self._dropped, self._after_cr = None, 0, False
        return line

    def _shortened(self, line: Line) -> CutLine:
        short = CutLine(line.payload[: self._first], line.eol)
        short.cut = len(line.payload) - len(short.payload)
        return short


def _pieces(line: Line, limit: int) -> list[Line]:
    payload, eol = line
    if len(payload) <= limit:
        return [line]
    pieces = [Line(payload[at : at + limit], Eol.NONE) for at in range(0, len(payload), limit)]
    return [*pieces[:-1], Line(pieces[-1].payload, eol)]
