"""Where somebody is in a recording: at its end, at one of its entries, or in front of it while it is being played.

What was known there is folded when somebody looks, and not before. While it is played, and when it is paused, the
traffic shows no more than has come so far: that is the front.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from inspector.present.traffic.log import meant, meant_by
from inspector.tui.conversation import ConversationStage, OpenConversation, PastSubject, past_of
from inspector.tui.screens.replay.model import PlaybackPause, Player

# The order in which the entries of several recordings crossed their wires, by one clock: a place in it, and steps.

Place = tuple[int, ...]
"""Of each recording, how many of its entries had come."""
_NEAR = 4000
"""Steps that are quicker made than a place is looked for."""


class Track:
    """One recording in the order."""

    def __init__(self, count: Callable[[], int], time_of: Callable[[int], int]) -> None:
        """`count` gives how many entries there are, `time_of` the moment of one, by the clock that all share."""
        self.count = count
        self.time_of = time_of

    def by(self, moment: int) -> int:
        """How many entries had come at a moment."""
        return bisect_right(range(1, self.count() + 1), moment, key=self.time_of)


class CommonOrder:
    """The entries of all tracks in one order; they are counted from 1."""

    def __init__(self, tracks: Sequence[Track]) -> None:
        self.tracks = tracks
        self._last: Place = (0,) * len(tracks)

    @property
    def end(self) -> Place:
        """Behind the newest of each."""
        return tuple(track.count() for track in self.tracks)

    def after(self, place: Place) -> int:
        """Whose entry comes next, as a place among the tracks; -1 at the end."""
        there = [(track.time_of(n + 1), at) for at, (track, n) in enumerate(self._each(place)) if n < track.count()]
        return min(there)[1] if there else -1

    def before(self, place: Place) -> int:
        """Whose entry came last; -1 before the first."""
        there = [(track.time_of(n), at) for at, (track, n) in enumerate(self._each(place)) if n]
        return max(there)[1] if there else -1

    def at(self, n: int) -> Place:
        """The place at which so many entries had come; the nearest there is."""
        place = self._last if abs(n - sum(self._last)) <= _NEAR else self._sought(n)
        if any(known > count for known, count in zip(place, self.end, strict=True)):
            place = (0,) * len(self.tracks)
        while sum(place) < n and (which := self.after(place)) >= 0:
            place = _moved(place, which, 1)
        while sum(place) > max(n, 0):
            place = _moved(place, self.before(place), -1)
        self._last = place
        return place

    def by(self, moment: int) -> Place:
        """The place at a moment."""
        return tuple(track.by(moment) for track in self.tracks)

    def of(self, which: int, n: int) -> Place:
        """The place at which entry n of one track had just come."""
        track = self.tracks[which]
        place = [each.by(track.time_of(n)) if at <= which else each.by(track.time_of(n) - 1) for at, each in self._all]
        place[which] = n
        return tuple(place)

    def time_of(self, n: int) -> int:
        """The moment of the n-th entry of all; 0 before the first."""
        place = self.at(n)
        which = self.before(place)
        return self.tracks[which].time_of(place[which]) if which >= 0 else 0

    @property
    def _all(self) -> list[tuple[int, Track]]:
        return list(enumerate(self.tracks))

    def _each(self, place: Place) -> list[tuple[Track, int]]:
        return list(zip(self.tracks, place, strict=True))

    def _sought(self, n: int) -> Place:
        """A place not behind that of the n-th, and near it unless very many entries share one moment."""
        known = [(track.time_of(1), track.time_of(track.count())) for track in self.tracks if track.count()]
        low, high = min((first for first, _ in known), default=0) - 1, max((last for _, last in known), default=0)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if sum(self.by(middle)) <= n else (low, middle)
        return self.by(low)


def _moved(place: Place, which: int, by: int) -> Place:
    return (*place[:which], place[which] + by, *place[which + 1 :])


class Playback:
    """One recording."""

    def __init__(self, recording: OpenConversation, clock: Callable[[], int] = time.monotonic_ns) -> None:
        """`clock`: the one by which it is played."""
        self.recording = recording
        self.past = past_of(recording)
        self.player = Player(recording.journal.store.time_ns)
        self._clock = clock
        self.position: int | None = None
        """The entry that somebody is at; None: behind the newest that is shown."""
        self.front: PastSubject | None = None
        """What has come so far, where it is played; None: everything is shown."""
        self._state: PastSubject | None = None
        self.chosen = 0
        """The entry that was last chosen in the traffic, or that its cursor was put on."""
        self.visited = 0
        """The entry that is looked at as evidence, where that is not a move; 0 for none."""

    @property
    def count(self) -> int:
        """How many entries the recording has."""
        return self.recording.journal.count

    @property
    def grows(self) -> bool:
        """Whether somebody is recording into it now."""
        return self.recording.grows

    @property
    def is_reading(self) -> bool:
        """Whether it is still being read."""
        return self.recording.stage is ConversationStage.LOADING

    @property
    def moment(self) -> tuple[int, int] | None:
        """The wall clock where one stands, and the time since the start, in nanoseconds; None before the first."""
        at, journal = self.at, self.recording.journal
        if not 0 < at <= journal.count:
            return None
        return journal.store.wall_ns(at), max(0, journal.store.time_ns(at) - journal.started_ns)

    def next_exchange(self, by: int, *, here: bool = False) -> int | None:
        """The next request, or the one before, which with `here` may be this very entry; None if there is none."""
        frames = self.recording.journal.conversation.exchanges.request_frames
        place = bisect_right(frames, self.at) if by > 0 else bisect_left(frames, self.at + here) - 1
        return frames[place] if 0 <= place < len(frames) and frames[place] else None

    def meant(self, wanted: str) -> int:
        """The entry that is asked for by its number, a time of day, or seconds since the start. Raises: FilterError."""
        return meant(self.recording.journal, wanted, self.count)

    @property
    def shown(self) -> int:
        """How many of them are shown."""
        return self.front.journal.count if self.front is not None else self.count

    @property
    def at(self) -> int:
        """The entry that somebody is at; 0 if there is none."""
        return self.shown if self.position is None else min(self.position, self.shown)

    @property
    def is_fronted(self) -> bool:
        """Whether what comes later is not shown."""
        return self.front is not None

    @property
    def is_at_end(self) -> bool:
        """Whether all that the recording holds is known there."""
        return self.position is None and self.shown == self.count

    @property
    def pause(self) -> PlaybackPause | None:
        """What is waited for while it is played."""
        return self.player.pause_at(self._clock(), self.count)

    @property
    def traffic(self) -> OpenConversation:
        """What the traffic shows."""
        return self.front or self.recording

    def go(self, n: int) -> None:
        """Stand at entry n, or at the nearest there is."""
        self.player.pause()
        n = min(max(1, n), self.count)
        if self.front is not None and n > self.shown:
            self.front.moment.advance(n)
        self.position = None if n >= self.shown and (self.front is not None or not self.recording.grows) else n

    def visit(self, n: int) -> None:
        """Entry n is to be looked at: whoever is at the end, and knows everything, still does."""
        self.visited = n if self.is_at_end else 0

    def stand(self, n: int, front: int | None) -> None:
        """Stand at entry n, or with 0 before the first, and show the first `front` entries; None: all."""
        self.player.pause()
        if front is None:
            self.front = None
        elif self.front is None or self.front.journal.count > front:
            self.front = PastSubject(self.recording, self.past.at(front))
        else:
            self.front.moment.advance(front)
        self.position = None if n >= self.shown and (front is not None or not self.grows) else n

    def show_all(self) -> None:
        """Stand at the end, and show everything."""
        self.player.pause()
        self.position = self.front = self._state = None

    @property
    def is_far(self) -> bool:
        """Whether it takes a while to know what was known there: `state` is then for a thread of its own."""
        return self.position is not None and self.past.is_far(self.at)

    @property
    def starts_far(self) -> bool:
        """Whether it takes a while until it is played from here."""
        return self.past.is_far(self.at)

    def state(self) -> OpenConversation:
        """What was known where somebody stands. The same subject goes forward; going back makes another one."""
        if self.position is None:
            return self.traffic
        known = self.past.known(self.at)
        if self._state is None or self._state.moment is not known:
            self._state = PastSubject(self.recording, known)
        return self._state

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

    def let_come(self, n: int, wall_ns: int) -> None:
        """Show the first n entries, as they are at that moment of the wall clock: it is played with others."""
        if self.front is not None:
            self.front.moment.advance(n)
            self.front.waited_ns = max(0, wall_ns - self.recording.journal.store.wall_ns(n)) if n else 0

    def tick(self) -> bool:
        """Let come what is due; whether it has just come to its end."""
        if self.front is None or not self.player.playing:
            return False
        now = self._clock()
        due = self.player.due(now, self.count)
        self.front.moment.advance(due)
        self.front.waited_ns = self.player.passed_ns(now, self.count)
        if due >= self.count and self.recording.stage is ConversationStage.RECORDED and not self.recording.grows:
            self.player.pause()
            return True
        return False


class CommonPlayback:
    """Several recordings, moved together. Its entries are those of all, counted in the order of time."""

    position = None
    """Over several recordings at once there is no single position."""

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
    def count(self) -> int:
        """How many entries there are."""
        return sum(self.order.end)

    @property
    def starts_far(self) -> bool:
        """Whether it takes a while until they are played from here."""
        return any(part.starts_far for part in self.parts)

    @property
    def grows(self) -> bool:
        """Whether somebody is recording into one of them now."""
        return any(part.grows for part in self.parts)

    @property
    def is_reading(self) -> bool:
        """Whether one of them is still being read."""
        return any(part.is_reading for part in self.parts)

    @property
    def moment(self) -> tuple[int, int] | None:
        """The wall clock where one stands, and the time since the first began, in nanoseconds; None before it did."""
        at = self.at
        return (self.order.time_of(at), max(0, self.order.time_of(at) - self.order.time_of(1))) if at else None

    def place_of(self, number: int, n: int) -> int:
        """The place in the order of all of entry n of a tab."""
        return sum(self.order.of(self.numbers.index(number), n))

    def next_exchange(self, by: int) -> int | None:
        """The next request, or the one before; None if there is none."""
        entry = self.entry
        found = [
            self.place_of(number, n)
            for number, part in zip(self.numbers, self.parts, strict=True)
            if (n := part.next_exchange(by, here=entry is not None and entry[0] != number)) is not None
        ]
        return None if not found else min(found) if by > 0 else max(found)

    def meant(self, wanted: str) -> int:
        """The entry that is asked for by its number, a time of day, or seconds since the start. Raises: FilterError."""
        order = self.order
        first_ns, newest = order.time_of(1), lambda: order.time_of(self.count)
        return meant_by(wanted, self.count, first_ns, lambda ns, _: sum(order.by(ns - 1)) + 1, newest)

    @property
    def shown(self) -> int:
        """How many of them are shown."""
        return self.count if self._front is None else sum(self._front)

    @property
    def at(self) -> int:
        """The entry that somebody is at; 0 if there is none."""
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
    def pause(self) -> PlaybackPause | None:
        """What is waited for while they are played."""
        return self.player.pause_at(self._clock(), self.count)

    @property
    def entry(self) -> tuple[int, int] | None:
        """The number of the tab and the entry that somebody is at; None before the first."""
        place = self._place or self._front or self.order.end
        which = self.order.before(place)
        return (self.numbers[which], place[which]) if which >= 0 else None

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


AnyPlayback: TypeAlias = Playback | CommonPlayback


def _track(part: Playback) -> Track:
    return Track(lambda: part.count, part.recording.journal.store.wall_ns)


def parts_of(several: Sequence[tuple[int, Playback | None]]) -> dict[int, Playback] | None:
    """The playbacks of all tabs by their numbers; None if one tab is no recording, or is still being read."""
    found = {number: part for number, part in several if part is not None}
    ready = all(not part.is_reading for part in found.values())
    return found if ready and len(found) == len(several) > 1 else None
