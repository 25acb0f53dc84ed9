"""Where somebody stands in a recording: at its end, at one of its entries, or in front of it while it is being played.

What was known there is folded when somebody looks, and not before. While it is played, and when it is paused, the
traffic shows no more than has come so far: that is the front.
"""

import time
from collections.abc import Callable

from inspector.replay.player import Pause, Player
from inspector.tui.past_subject import PastSubject, past_of
from inspector.tui.subject import Stage, Subject


class Playback:
    """One recording."""

    def __init__(self, recording: Subject, clock: Callable[[], int] = time.monotonic_ns) -> None:
        """`clock`: the one by which it is played."""
        self.recording = recording
        self.past = past_of(recording)
        self.player = Player(recording.journal.store.time_ns)
        self._clock = clock
        self.position: int | None = None
        """The entry that somebody stands at; None: behind the newest that is shown."""
        self.front: PastSubject | None = None
        """What has come so far, where it is played; None: everything is shown."""
        self._state: PastSubject | None = None
        self.chosen = 0
        """The entry that was last chosen in the traffic, or that its cursor was put on."""

    @property
    def count(self) -> int:
        """How many entries the recording has."""
        return self.recording.journal.count

    @property
    def shown(self) -> int:
        """How many of them are shown."""
        return self.front.journal.count if self.front is not None else self.count

    @property
    def at(self) -> int:
        """The entry that somebody stands at; 0 if there is none."""
        return self.shown if self.position is None else min(self.position, self.shown)

    @property
    def is_at_end(self) -> bool:
        """Whether all that the recording holds is known there."""
        return self.position is None and self.shown == self.count

    @property
    def pause(self) -> Pause | None:
        """What is waited for while it is played."""
        return self.player.pause_at(self._clock(), self.count)

    @property
    def traffic(self) -> Subject:
        """What the traffic shows."""
        return self.front or self.recording

    def go(self, n: int) -> None:
        """Stand at entry n, or at the nearest there is."""
        self.player.pause()
        n = min(max(1, n), self.count)
        if self.front is not None and n > self.shown:
            self.front.moment.advance(n)
        self.position = None if n >= self.shown and (self.front is not None or not self.recording.grows) else n

    def show_all(self) -> None:
        """Stand at the end, and show everything."""
        self.player.pause()
        self.position = self.front = self._state = None

    @property
    def is_far(self) -> bool:
        """Whether it takes a while to know what was known there: `state` is then for a thread of its own."""
        return self.position is not None and self.past.is_far(self.at)

    def state(self) -> Subject:
        """What was known where somebody stands. The same subject goes forward; going back makes another one."""
        if self.position is None:
            return self.traffic
        known = self.past.known(self.at)
        if self._state is None or self._state.moment is not known:
            self._state = PastSubject(self.recording, known)
        return self._state

    # --- playing

    def play(self) -> None:
        """Let what comes behind this place come in its own time; from the end on, begin at the beginning."""
        start = 0 if self.at >= self.count and not self.recording.grows else self.at
        if self.front is None or self.front.journal.count != start:
            self.front = PastSubject(self.recording, self.past.at(start))
        self.position, self._state = None, None
        self.player.play(start, self._clock())

    def turn_speed(self, by: int = 1) -> None:
        """Take the next speed."""
        self.player.turn_speed(self._clock(), by)

    def tick(self) -> bool:
        """Let come what is due; whether it has just come to its end."""
        if self.front is None or not self.player.playing:
            return False
        now = self._clock()
        due = self.player.due(now, self.count)
        self.front.moment.advance(due)
        self.front.waited_ns = self.player.passed_ns(now, self.count)
        if due >= self.count and self.recording.stage is Stage.RECORDED and not self.recording.grows:
            self.player.pause()
            return True
        return False
