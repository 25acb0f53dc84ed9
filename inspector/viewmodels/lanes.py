"""Time drawn from left to right: which cells a span of it takes, and an axis with round marks.

A cell is divided in two; whatever happened takes half a cell at least, so that nothing is too short to be seen. What
lies outside of the window is not drawn, and where something goes on there an arrow says so.
"""

from collections.abc import Iterator, Sequence

import msgspec

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from inspector.viewmodels.roles import Role, Span

FULL, LEFT_HALF, RIGHT_HALF = "━", "╸", "╺"
MOMENT = "·"
BEFORE, BEHIND = "‹", "›"
_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))


class Window(msgspec.Struct, frozen=True):
    """A stretch of time, in nanoseconds of the journal's clock."""

    start: int
    end: int

    @property
    def lasts(self) -> int:
        """How long it is; never 0."""
        return max(1, self.end - self.start)

    def half(self, time_ns: int, width: int) -> int:
        """The half cell that a moment lies in, of twice `width`; beyond both ends as well."""
        return (time_ns - self.start) * 2 * width // self.lasts


def bar(start: int, end: int, window: Window, width: int, role: Role) -> list[Span]:
    """A span of time as exactly `width` cells."""
    if width < 1:
        return []
    if end < window.start:
        return [(BEFORE, "faint"), (" " * (width - 1), "text")]
    if start > window.end:
        return [(" " * (width - 1), "text"), (BEHIND, "faint")]
    last = 2 * width - 1
    first = min(max(window.half(start, width), 0), last)
    final = min(max(window.half(end, width), first), last)
    cells = [_cell(first <= 2 * at <= final, first <= 2 * at + 1 <= final) for at in range(width)]
    return [("".join(cells), role)]


def _cell(left: bool, right: bool) -> str:
    if left and right:
        return FULL
    return LEFT_HALF if left else RIGHT_HALF if right else " "


def moment(time_ns: int, window: Window, width: int) -> list[Span]:
    """A moment as exactly `width` cells."""
    at = window.half(time_ns, width) // 2
    if not 0 <= at < width:
        return bar(time_ns, time_ns, window, width, "faint")
    return [(" " * at + MOMENT + " " * (width - at - 1), "faint")]


def role_of(exchange: Exchange) -> Role:
    """How its bar looks. What became of it stands in words elsewhere."""
    if exchange.tool_error or exchange.state in (ExchangeState.ERROR, ExchangeState.LOST):
        return "muted" if exchange.probe else "error"
    if exchange.is_open:
        return "pending"
    if exchange.state in (ExchangeState.CANCELLED, ExchangeState.LATE):
        return "warning"
    return "to_server" if exchange.sender is Direction.TO_SERVER else "from_server"


def around(spans: Sequence[tuple[int, int]]) -> Window | None:
    """The window that holds all spans of time, rounded up so that it rarely changes while they grow."""
    if not spans:
        return None
    start = min(first for first, _ in spans)
    lasts = max(1000, max(last for _, last in spans) - start)
    return Window(start, start + _rounded_up(lasts))


def _rounded_up(lasts: int) -> int:
    power = int("1" + "0" * (len(str(lasts)) - 1))
    for factor in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8):
        if lasts <= factor * power:
            return round(factor * power)
    return 10 * power


def ticks(window: Window, width: int, apart: int = 12) -> Iterator[tuple[int, int, str]]:
    """Round moments on the axis: the cell, nanoseconds from the window's origin 0, and in words. `apart` cells or more.

    The moments are those of the clock that the window is in.
    """
    if width < apart:
        return
    step = _step(window.lasts * apart / width)
    time_ns = -(-window.start // step) * step
    while time_ns <= window.end:
        cell = window.half(time_ns, width) // 2
        if 0 <= cell < width:
            yield cell, time_ns, _said(time_ns, step)
        time_ns += step


def _step(least: float) -> int:
    step = 1000
    while True:
        for factor in (1, 2, 5):
            if step * factor >= least:
                return step * factor
        step *= 10


def _said(time_ns: int, step: int) -> str:
    """A moment in the unit of its size, with as many places as tell two marks apart."""
    if time_ns == 0:
        return "0"
    unit, name = next(found for found in _UNITS if abs(time_ns) >= found[0] or found[1] == "µs")
    places = 0
    while step * 10**places % unit:
        places += 1
    return f"{time_ns / unit:.{places}f} {name}"
