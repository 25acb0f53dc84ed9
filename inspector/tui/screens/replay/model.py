"""The player: which entry of a capture is due at a given time. Pure: the caller supplies the clock.

Entries keep their recorded intervals, scaled by the speed. A longer pause is shortened, and the bar says so.
"""

import math
from collections.abc import Callable

import msgspec

from inspector import text
from inspector.present import spans
from inspector.present.spans import Span
from inspector.present.traffic.columns import seconds

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 100.0, math.inf)
"""Factors of the recorded speed. The last one plays as fast as entries can be read."""
LONGEST_NS = 2_000_000_000
"""Maximum length of a pause during playback."""
_MOST = 2000
"""Maximum number of entries that one update adds."""


class PlaybackPause(msgspec.Struct, frozen=True):
    """The pause before the next entry."""

    left_ns: int
    """Time until the next entry."""
    own_ns: int
    """Recorded length."""
    cut: bool
    """Whether playback shortens it."""


class Player:
    """State of a playback."""

    def __init__(self, time_of: Callable[[int], int]) -> None:
        """`time_of` returns the time of an entry, in nanoseconds."""
        self._time_of = time_of
        self.playing = False
        self.speed = 1.0
        self._at = 0
        self._since = 0
        """When the current entry became due, by the caller's clock."""

    def play(self, at: int, now_ns: int) -> None:
        """Start playing after entry `at`, which is already visible."""
        self.playing, self._at, self._since = True, at, now_ns

    def pause(self) -> None:
        """Pause the playback."""
        self.playing = False

    def change_speed(self, now_ns: int, by: int = 1) -> None:
        """Select the next (1) or previous (-1) speed; stay at the fastest or slowest."""
        self.speed = SPEEDS[min(max(SPEEDS.index(self.speed) + by, 0), len(SPEEDS) - 1)]
        self._since = now_ns

    def due(self, now_ns: int, count: int) -> int:
        """Return the last entry that is due at `now_ns`, of `count` entries."""
        end = min(count, self._at + _MOST)
        while self.playing and self._at < end:
            wait = self._wait(self._at + 1)
            if now_ns - self._since < wait:
                break
            self._at += 1
            self._since = now_ns if math.isinf(self.speed) else self._since + wait
        if self._at == count:
            self._since = now_ns  # wait from now on for entries that are not recorded yet
        return self._at

    def pause_at(self, now_ns: int, count: int) -> PlaybackPause | None:
        """Return the pause before the next entry; None at the end."""
        if not self.playing or self._at >= count:
            return None
        own, wait = self._own(self._at + 1), self._wait(self._at + 1)
        cut = math.isfinite(self.speed) and own / self.speed > LONGEST_NS
        return PlaybackPause(max(0, wait - (now_ns - self._since)), own, cut)

    def passed_ns(self, now_ns: int, count: int) -> int:
        """Return the recorded time since the current entry, at most the interval to the next one."""
        if not self.playing or self._at >= count:
            return 0
        own, wait = self._own(self._at + 1), self._wait(self._at + 1)
        return int(own * min(1.0, max(0, now_ns - self._since) / wait)) if wait else 0

    def _own(self, n: int) -> int:
        return max(0, self._time_of(n) - self._time_of(n - 1)) if n > 1 else 0

    def _wait(self, n: int) -> int:
        return min(LONGEST_NS, int(self._own(n) / self.speed))


# --- Contents of the replay bar: position, state, speed and keys.


class PlaybackState(msgspec.Struct, frozen=True):
    """What the replay bar shows."""

    at: int
    """Current entry; 0 before the first."""
    count: int
    shown: int
    """Number of entries that Traffic shows."""
    is_at_end: bool
    playing: bool = False
    fronted: bool = False
    """Whether later entries are hidden."""
    speed: float = 1.0
    left_ns: int = 0
    """Time until the next entry."""
    own_ns: int = 0
    """Recorded length of the pause before it."""
    cut: bool = False
    """Whether playback shortens that pause."""
    grows: bool = False
    reading: bool = False
    parties: tuple[str, str] | None = None
    """Client and server; None before the initialization, and for several captures."""
    held: int | None = None
    """Number of messages that the attached tap holds; None if none is attached."""

    @property
    def is_live(self) -> bool:
        """Whether it follows a capture that is being recorded."""
        return self.grows and self.is_at_end and not self.playing


def state_text(state: PlaybackState) -> list[Span]:
    """Playing, paused or at the end, as a glyph and a word."""
    if state.playing:
        return [(f"{spans.PLAY} playing", "ok")]
    if state.fronted:
        return [(f"{spans.PAUSE} paused", "warning")]
    if not state.is_at_end:
        return [(f"{spans.STOP} stopped", "warning")]
    return [(f"{spans.STOP} {'reading' if state.reading else 'stopped'}", "accent")]


def place_text(state: PlaybackState) -> list[Span]:
    """The current entry and the number of entries."""
    if state.reading and state.is_at_end:
        return [(f"{state.count:,} entries read so far", "muted")]
    if state.is_at_end and not state.playing:
        where = "following" if state.grows else "end of capture"
        return [(f"{state.count:,} entries", "strong"), (f"  {where}", "muted")]
    return [(f"#{state.at:,}", "strong"), (f" of {state.count:,}", "muted")]


def time_text(moment: tuple[int, int] | None) -> list[Span]:
    """The time of the current entry: wall clock and offset from the start, both in nanoseconds; None before it."""
    if moment is None:
        return []
    wall_ns, since_ns = moment
    return [(text.clock(wall_ns), "muted"), (f"  +{seconds(since_ns)} s", "faint")]


def speed_text(state: PlaybackState) -> list[Span]:
    return [("no delay" if math.isinf(state.speed) else f"{spans.TIMES}{state.speed:g}", "text")]


def pause_text(state: PlaybackState) -> list[Span]:
    """The pause before the next entry, if it is long enough to mention."""
    if not state.playing or state.own_ns < 1_000_000_000:
        return []
    if state.cut:
        return [(f"a pause of {text.human_duration(state.own_ns)} is shortened", "faint")]
    return [(f"next in {text.human_duration(state.left_ns)}", "faint")]


def track(state: PlaybackState, width: int) -> list[Span]:
    """A progress track of `width` cells."""
    if width < 3 or not state.count:
        return []
    place = min(width - 1, (width - 1) * state.at // state.count)
    line = spans.DASH
    return [(line * place, "accent"), (spans.CONNECTED, "strong"), (line * (width - 1 - place), "faint")]


def entry_at(cell: int, width: int, count: int) -> int:
    """Return the entry at a cell of the track."""
    return max(1, min(count, round(count * cell / max(1, width - 1))))
