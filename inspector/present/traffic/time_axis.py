"""A time axis from left to right: the cells of a time span, and round tick marks."""

import itertools
from collections.abc import Iterator, Sequence

import msgspec

from inspector.present.spans import Role, Span
from inspector.protocol.exchanges import Exchange, ExchangeState

FULL, LEFT_HALF, RIGHT_HALF = "━", "╸", "╺"
MOMENT = "·"
BEFORE, BEHIND = "‹", "›"
_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))


class TimeWindow(msgspec.Struct, frozen=True):
    """A time span, in nanoseconds of the journal's clock."""

    start: int
    end: int

    @property
    def lasts(self) -> int:
        """Duration; never 0."""
        return max(1, self.end - self.start)

    def half(self, time_ns: int, width: int) -> int:
        """Return the half cell of a moment, of twice `width`; outside the window, one beyond its ends."""
        return (time_ns - self.start) * 2 * width // self.lasts


def bar(start: int, end: int, window: TimeWindow, width: int, role: Role) -> list[Span]:
    """Return the bar of a time span, in exactly `width` cells."""
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


def moment(time_ns: int, window: TimeWindow, width: int) -> list[Span]:
    """Return a moment in exactly `width` cells."""
    at = window.half(time_ns, width) // 2
    if not 0 <= at < width:
        return bar(time_ns, time_ns, window, width, "faint")
    return [(" " * at + MOMENT + " " * (width - at - 1), "faint")]


def role_of(exchange: Exchange) -> Role:
    """Return the role of an exchange's bar, from its state."""
    if exchange.tool_error or exchange.state in (ExchangeState.ERROR, ExchangeState.LOST):
        return "muted" if exchange.probe else "error"
    if exchange.is_open:
        return "pending"
    if exchange.state in (ExchangeState.CANCELLED, ExchangeState.LATE):
        return "warning"
    return "to_server" if exchange.sender.is_towards_server else "from_server"


def lane_end(exchange: Exchange, now_ns: int) -> int:
    """Return the end of an exchange's bar: its end, or now."""
    return exchange.ended_ns if exchange.ended_ns is not None else max(now_ns, exchange.started_ns)


def around(spans: Sequence[tuple[int, int]]) -> TimeWindow | None:
    """Return the window that contains all time spans, rounded up so that it rarely changes while they grow."""
    if not spans:
        return None
    start = min(first for first, _ in spans)
    lasts = max(1000, max(last for _, last in spans) - start)
    return TimeWindow(start, start + _rounded_up(lasts))


def _rounded_up(lasts: int) -> int:
    power: int = 10 ** (len(str(lasts)) - 1)
    for factor in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8):
        if lasts <= factor * power:
            return round(factor * power)
    return 10 * power


def ticks(window: TimeWindow, width: int, apart: int = 12) -> Iterator[tuple[int, int, str]]:
    """Yield round moments on the axis: cell, nanoseconds on the window's clock, and label.

    They are at least `apart` cells apart.
    """
    if width < apart:
        return
    step = _step(window.lasts * apart / width)
    time_ns = -(-window.start // step) * step
    while time_ns <= window.end:
        cell = window.half(time_ns, width) // 2
        if 0 <= cell < width:
            yield cell, time_ns, _tick_label(time_ns, step)
        time_ns += step


def _step(least: float) -> int:
    """Return the smallest round step from a microsecond on that is not below `least` nanoseconds."""
    steps: Iterator[int] = (factor * 10**power for power in itertools.count(3) for factor in (1, 2, 5))
    return next(step for step in steps if step >= least)


def _tick_label(time_ns: int, step: int) -> str:
    """Format a moment in the unit of its size, with enough places to distinguish two ticks."""
    if time_ns == 0:
        return "0"
    unit, name = next(found for found in _UNITS if abs(time_ns) >= found[0] or found[1] == "µs")
    places = 0
    while step * 10**places % unit:
        places += 1
    return f"{time_ns / unit:.{places}f} {name}"
