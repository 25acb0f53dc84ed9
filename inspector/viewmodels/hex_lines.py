"""Bytes as hexadecimal and as characters, line by line: what was really on the wire, whatever it claims to be.

A line is made when it is asked for, so a payload of any size costs nothing until it is looked at.
"""

from collections.abc import Sequence

from inspector.viewmodels.lines import lay
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.rows import RowSource, RowView

_WIDE = 76
"""Cells that sixteen bytes take."""


def bytes_per_line(width: int) -> int:
    """How many bytes have room in `width` cells: sixteen, eight or four."""
    return 16 if width >= _WIDE else 8 if width >= _WIDE - 8 * 4 - 1 else 4


class HexLines(RowSource):
    """The lines of one payload."""

    def __init__(self, payload: bytes, per_line: int = 16) -> None:
        self._payload = payload
        self.per_line = per_line
        self.marked = range(0)
        """The offsets of the bytes that are set apart."""

    @property
    def count(self) -> int:
        return -(-len(self._payload) // self.per_line)

    def header(self, width: int) -> Sequence[Span]:
        return lay([("offset    bytes", "muted")], width)

    def row(self, index: int, width: int) -> RowView:
        return RowView(lay(self.line(index), width))

    def line(self, index: int) -> list[Span]:
        """Offset, bytes in two halves, and what of them is ASCII; one span for each run of a kind."""
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
        return _joined(spans)

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


def _joined(spans: list[Span]) -> list[Span]:
    joined: list[Span] = []
    for text, role in spans:
        if joined and joined[-1][1] == role:
            joined[-1] = (joined[-1][0] + text, role)
        else:
            joined.append((text, role))
    return joined
