"""Where somebody stands in several recordings at once: one place in the order of their common clock.

Each recording keeps a playback of its own, which its tab shows; this one moves all of them together.
"""

import time
from collections.abc import Callable, Mapping, Sequence

from inspector.replay.common_order import CommonOrder, Place, Track
from inspector.replay.player import Pause, Player
from inspector.tui.playback import Playback
from inspector.tui.whereabouts import CommonWhereabouts


class CommonPlayback(CommonWhereabouts):
    """Several recordings, moved together. Its entries are those of all, counted in the order of time."""

    def __init__(self, parts: Mapping[int, Playback], clock: Callable[[], int] = time.monotonic_ns) -> None:
        """`parts` by the numbers of their tabs; `clock`: the one by which they are played."""
        self.numbers = tuple(parts)
        self.parts = tuple(parts.values())
        self.order = CommonOrder([_track(part) for part in self.parts])
        self.player = Player(self.order.time_of)
        self._clock = clock
        self._place: Place | None = None
        """Where somebody stands; None: behind the newest that is shown."""
        self._front: Place | None = None
        """What has come so far, where it is played; None: everything is shown."""

    @property
    def shown(self) -> int:
        """How many of them are shown."""
        return self.count if self._front is None else sum(self._front)

    @property
    def at(self) -> int:
        """The entry that somebody stands at; 0 if there is none."""
        return self.shown if self._place is None else sum(self._place)

    @property
    def stands_somewhere(self) -> bool:
        """Whether that is another place than the end."""
        return self._place is not None or self._front is not None

    @property
    def is_fronted(self) -> bool:
        """Whether what comes later is not shown."""
        return self._front is not None

    @property
    def is_at_end(self) -> bool:
        """Whether all that the recordings hold is known there."""
        return self._place is None and self.shown == self.count

    @property
    def pause(self) -> Pause | None:
        """What is waited for while they are played."""
        return self.player.pause_at(self._clock(), self.count)

    @property
    def entry(self) -> tuple[int, int] | None:
        """The number of the tab and the entry that somebody stands at; None before the first."""
        place = self._place or self._front or self.order.end
        which = self.order.before(place)
        return (self.numbers[which], place[which]) if which >= 0 else None

    # --- moving

    def go(self, n: int) -> None:
        """Stand at the n-th entry of all, or at the nearest there is."""
        self._stand(self.order.at(min(max(1, n), self.count)))

    def go_to_entry(self, number: int, n: int) -> None:
        """Stand at entry n of a tab, if it is one of these."""
        if number in self.numbers:
            self._stand(self.order.of(self.numbers.index(number), n))

    def _stand(self, place: Place) -> None:
        self.player.pause()
        if self._front is not None and sum(place) > self.shown:
            self._front = place
        ends = sum(place) >= self.shown and (self._front is not None or not self.grows)
        self._place = None if ends else place
        self.apply()

    def apply(self) -> None:
        """Have each recording stand where all do; each may have been moved by itself since."""
        place = self._place or self._front or self.order.end
        for at, part in enumerate(self.parts):
            part.stand(place[at], None if self._front is None else self._front[at])

    def show_all(self) -> None:
        """Stand at the end, and show everything."""
        self.player.pause()
        self._place = self._front = None
        for part in self.parts:
            part.show_all()

    # --- playing

    def play(self) -> None:
        """Let what comes behind this place come in its own time; from the end on, begin at the beginning."""
        start = 0 if self.at >= self.count and not self.grows else self.at
        self._front, self._place = self.order.at(start), None
        self.apply()
        self.player.play(start, self._clock())

    def turn_speed(self, by: int = 1) -> None:
        """Take the next speed."""
        self.player.turn_speed(self._clock(), by)

    def tick(self) -> bool:
        """Let come what is due; whether it has just come to its end."""
        if self._front is None or not self.player.playing:
            return False
        now = self._clock()
        due = self.player.due(now, self.count)
        self._front = self.order.at(due)
        reached = self.order.time_of(due) + self.player.passed_ns(now, self.count)
        for part, n in zip(self.parts, self._front, strict=True):
            part.let_come(n, reached)
        if due >= self.count and not self.is_reading and not self.grows:
            self.player.pause()
            return True
        return False


def _track(part: Playback) -> Track:
    return Track(lambda: part.count, part.recording.journal.store.wall_ns)


def parts_of(several: Sequence[tuple[int, Playback | None]]) -> dict[int, Playback] | None:
    """The playbacks of all tabs by their numbers; None if one tab is no recording, or is still being read."""
    found = {number: part for number, part in several if part is not None}
    ready = all(not part.is_reading for part in found.values())
    return found if ready and len(found) == len(several) > 1 else None
