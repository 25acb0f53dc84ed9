r"""Chunks of a byte stream to lines, without a limit on their length and in linear time.

Only `\n` ends a line: U+2028 and U+0085 are legal inside a JSON string, so `splitlines` would cut messages.
A line that is not complete is kept as a list of chunks and joined once; a buffer that grows by `+=` would
copy a message of 100 MB a thousand times. This file does not know where the bytes come from.
"""

from typing import NamedTuple

from inspector.protocol.frames import Eol


class Line(NamedTuple):
    """One line without its end, and what ended it: NONE if nothing did (yet)."""

    payload: bytes
    eol: Eol


def line_of(raw: bytes) -> Line:
    """Take a line without the line feed that ended it, and look whether a carriage return belongs to the end."""
    if raw.endswith(b"\r"):
        return Line(raw[:-1], Eol.CRLF)
    return Line(raw, Eol.LF)


class LineSplitter:
    """Collects chunks and gives back the lines they complete.

    `limit` bounds what is kept of an unfinished line, in bytes: when it is reached, what is there is given
    back as a piece with Eol.NONE, and the line's remainder follows. None means that a line may have any length.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._kept: list[bytes] = []
        self._size = 0

    @property
    def pending(self) -> int:
        """How many bytes of an unfinished line are kept."""
        return self._size

    def feed(self, chunk: bytes) -> list[Line]:
        """Take the next bytes of the stream; return the lines, or pieces, that are complete now."""
        *ended, rest = chunk.split(b"\n")
        lines = [line_of(raw) for raw in ended]
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
        """Return what is left of an unfinished line and forget it; None if there is nothing."""
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


def _pieces(line: Line, limit: int) -> list[Line]:
    payload, eol = line
    if len(payload) <= limit:
        return [line]
    cuts = range(0, len(payload), limit)
    pieces = [Line(payload[at : at + limit], Eol.NONE) for at in cuts]
    return [*pieces[:-1], Line(pieces[-1].payload, eol)]
