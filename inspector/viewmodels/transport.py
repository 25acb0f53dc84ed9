"""What the bar of a recording says: where one stands in it, how it is being played, and the keys for that."""

import math

import msgspec

from inspector.viewmodels import signs, text
from inspector.viewmodels.log_look import seconds
from inspector.viewmodels.roles import Span


class Transport(msgspec.Struct, frozen=True):
    """Where one stands."""

    at: int
    """The entry; 0 before the first."""
    count: int
    shown: int
    """How many entries the traffic shows."""
    is_at_end: bool
    playing: bool = False
    fronted: bool = False
    """Whether what comes later is not shown."""
    speed: float = 1.0
    left_ns: int = 0
    """How long until the next entry."""
    own_ns: int = 0
    """How long that took when it was recorded."""
    cut: bool = False
    """Whether the pause before it is cut short."""
    grows: bool = False
    reading: bool = False


def state_said(state: Transport) -> list[Span]:
    """Whether it is played, in a sign and a word."""
    if state.playing:
        return [(f"{signs.PLAY} playing", "ok")]
    if state.fronted:
        return [(f"{signs.PAUSE} paused", "warning")]
    return [(f"{signs.STOP} {'whole' if state.is_at_end else 'at'}", "accent" if state.is_at_end else "warning")]


def place_said(state: Transport) -> list[Span]:
    """The entry, of how many."""
    if state.reading and state.is_at_end:
        return [(f"{state.count:,} entries read so far", "muted")]
    if state.is_at_end and not state.playing:
        where = "followed at its end" if state.grows else "everything known, as at the end"
        return [(f"{state.count:,} entries", "strong"), (f"  {where}", "muted")]
    return [(f"#{state.at:,}", "strong"), (f" of {state.count:,}", "muted")]


def time_said(moment: tuple[int, int] | None) -> list[Span]:
    """When that was, by the wall clock and since the start, of both in nanoseconds; None before the first entry."""
    if moment is None:
        return []
    wall_ns, since_ns = moment
    return [(text.clock(wall_ns), "muted"), (f"  +{seconds(since_ns)} s", "faint")]


def speed_said(state: Transport) -> list[Span]:
    """How fast it is played."""
    return [("at once" if math.isinf(state.speed) else f"{signs.TIMES}{state.speed:g}", "text")]


def pause_said(state: Transport) -> list[Span]:
    """What is waited for, where that is worth a word."""
    if not state.playing or state.own_ns < 1_000_000_000:
        return []
    if state.cut:
        return [(f"a pause of {text.human_duration(state.own_ns)} is cut short", "faint")]
    return [(f"next in {text.human_duration(state.left_ns)}", "faint")]


def track(state: Transport, width: int) -> list[Span]:
    """How far along that is, in so many cells."""
    if width < 3 or not state.count:
        return []
    place = min(width - 1, (width - 1) * state.at // state.count)
    line = signs.DASH
    return [(line * place, "accent"), (signs.CONNECTED, "strong"), (line * (width - 1 - place), "faint")]


def entry_at(cell: int, width: int, count: int) -> int:
    """The entry that a cell of the track stands for."""
    return max(1, min(count, round(count * cell / max(1, width - 1))))
