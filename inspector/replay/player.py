"""The player: which entry of a recording is due, as time goes by. Pure: whoever has a clock tells what it says.

Entries come in their own time, faster or slower. A pause that is longer than somebody wants to wait is cut short, and
said.
"""

import math
from collections.abc import Callable

import msgspec

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 100.0, math.inf)
"""As often as its own pace; the last is as fast as it can be read."""
LONGEST_NS = 2_000_000_000
"""No pause lasts longer."""
_MOST = 2000
"""Entries that come at one look."""


class Pause(msgspec.Struct, frozen=True):
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
        """When the entry it stands at came, by the clock of whoever watches."""

    def play(self, at: int, now_ns: int) -> None:
        """Go on from this entry, which is there already."""
        self.playing, self._at, self._since = True, at, now_ns

    def pause(self) -> None:
        """Stand still."""
        self.playing = False

    def turn_speed(self, now_ns: int, by: int = 1) -> None:
        """Take the next speed; after the last comes the first."""
        self.speed = SPEEDS[(SPEEDS.index(self.speed) + by) % len(SPEEDS)]
        self._since = now_ns

    def due(self, now_ns: int, count: int) -> int:
        """The entry that it stands at by now, of `count` that there are."""
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

    def pause_at(self, now_ns: int, count: int) -> Pause | None:
        """What is waited for before the next entry; None if nothing is."""
        if not self.playing or self._at >= count:
            return None
        own, wait = self._own(self._at + 1), self._wait(self._at + 1)
        cut = math.isfinite(self.speed) and own / self.speed > LONGEST_NS
        return Pause(max(0, wait - (now_ns - self._since)), own, cut)

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
