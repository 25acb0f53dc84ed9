"""The player: which entry of a recording is due, as time goes by. Pure: whoever has a clock shows what it says.

Entries come in their own time, faster or slower. A pause that is longer than somebody wants to wait is cut short, and
said.
"""

import math
from collections.abc import Callable

import msgspec

from inspector import text
from inspector.present import spans
from inspector.present.spans import Span
from inspector.present.traffic.columns import seconds

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 100.0, math.inf)
"""As often as its own pace; the last is as fast as it can be read."""
LONGEST_NS = 2_000_000_000
"""No pause lasts longer."""
_MOST = 2000
"""Entries that come at one look."""


class PlaybackPause(msgspec.Struct, frozen=True):
    """What is waited for."""

    left_ns: int
    """How long it still lasts."""
    own_ns: int
    """How long it lasted when it was recorded."""
    cut: bool
    """Whether it is shorter here."""


class Player:
    """Where a recording stands that is being played."""

    def __init__(self, time_of: Callable[[int], int]) -> None:
        """`time_of` gives the moment of an entry, in nanoseconds."""
        self._time_of = time_of
        self.playing = False
        self.speed = 1.0
        self._at = 0
        self._since = 0
        """When the entry it is at came, by the clock of whoever watches."""

    def play(self, at: int, now_ns: int) -> None:
        """Go on from this entry, which is there already."""
        self.playing, self._at, self._since = True, at, now_ns

    def pause(self) -> None:
        """Stand still."""
        self.playing = False

    def turn_speed(self, now_ns: int, by: int = 1) -> None:
        """Take the next speed, or with -1 the previous one; the fastest and the slowest stay."""
        self.speed = SPEEDS[min(max(SPEEDS.index(self.speed) + by, 0), len(SPEEDS) - 1)]
        self._since = now_ns

    def due(self, now_ns: int, count: int) -> int:
        """The entry that it is at by now, of `count` that there are."""
        end = min(count, self._at + _MOST)
        while self.playing and self._at < end:
            wait = self._wait(self._at + 1)
            if now_ns - self._since < wait:
                break
            self._at += 1
            self._since = now_ns if math.isinf(self.speed) else self._since + wait
        if self._at == count:
            self._since = now_ns  # what is yet to be recorded is waited for from now on
        return self._at

    def pause_at(self, now_ns: int, count: int) -> PlaybackPause | None:
        """What is waited for before the next entry; None if nothing is."""
        if not self.playing or self._at >= count:
            return None
        own, wait = self._own(self._at + 1), self._wait(self._at + 1)
        cut = math.isfinite(self.speed) and own / self.speed > LONGEST_NS
        return PlaybackPause(max(0, wait - (now_ns - self._since)), own, cut)

    def passed_ns(self, now_ns: int, count: int) -> int:
        """How long it has stood at its entry, in the time of the recording; never longer than until the next."""
        if not self.playing or self._at >= count:
            return 0
        own, wait = self._own(self._at + 1), self._wait(self._at + 1)
        return int(own * min(1.0, max(0, now_ns - self._since) / wait)) if wait else 0

    def _own(self, n: int) -> int:
        return max(0, self._time_of(n) - self._time_of(n - 1)) if n > 1 else 0

    def _wait(self, n: int) -> int:
        return min(LONGEST_NS, int(self._own(n) / self.speed))


# --- What the bar of a recording says: where one is in it, how it is being played, and the keys for that.


class PlaybackState(msgspec.Struct, frozen=True):
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


def state_said(state: PlaybackState) -> list[Span]:
    """Whether it is played, in a sign and a word."""
    if state.playing:
        return [(f"{spans.PLAY} playing", "ok")]
    if state.fronted:
        return [(f"{spans.PAUSE} paused", "warning")]
    return [(f"{spans.STOP} {'complete' if state.is_at_end else 'at'}", "accent" if state.is_at_end else "warning")]


def place_said(state: PlaybackState) -> list[Span]:
    """The entry, of how many."""
    if state.reading and state.is_at_end:
        return [(f"{state.count:,} entries read so far", "muted")]
    if state.is_at_end and not state.playing:
        where = "following" if state.grows else "end of recording"
        return [(f"{state.count:,} entries", "strong"), (f"  {where}", "muted")]
    return [(f"#{state.at:,}", "strong"), (f" of {state.count:,}", "muted")]


def time_said(moment: tuple[int, int] | None) -> list[Span]:
    """When that was, by the wall clock and since the start, of both in nanoseconds; None before the first entry."""
    if moment is None:
        return []
    wall_ns, since_ns = moment
    return [(text.clock(wall_ns), "muted"), (f"  +{seconds(since_ns)} s", "faint")]


def speed_said(state: PlaybackState) -> list[Span]:
    """How fast it is played."""
    return [("no delay" if math.isinf(state.speed) else f"{spans.TIMES}{state.speed:g}", "text")]


def pause_said(state: PlaybackState) -> list[Span]:
    """What is waited for, where that is worth a word."""
    if not state.playing or state.own_ns < 1_000_000_000:
        return []
    if state.cut:
        return [(f"a pause of {text.human_duration(state.own_ns)} is shortened", "faint")]
    return [(f"next in {text.human_duration(state.left_ns)}", "faint")]


def track(state: PlaybackState, width: int) -> list[Span]:
    """How far along that is, in so many cells."""
    if width < 3 or not state.count:
        return []
    place = min(width - 1, (width - 1) * state.at // state.count)
    line = spans.DASH
    return [(line * place, "accent"), (spans.CONNECTED, "strong"), (line * (width - 1 - place), "faint")]


def entry_at(cell: int, width: int, count: int) -> int:
    """The entry that a cell of the track stands for."""
    return max(1, min(count, round(count * cell / max(1, width - 1))))
