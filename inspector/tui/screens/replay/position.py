"""What there is to know of recordings where somebody stands in them: the moment, the next request, what a time means.

One class is about one recording, the other about several by the clock that they share. Neither moves anything.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from inspector.tui.conversation import ConversationStage, OpenConversation

if TYPE_CHECKING:
    from inspector.tui.screens.replay.playback import Playback


class Whereabouts:
    """One recording."""

    recording: OpenConversation

    @property
    def at(self) -> int:
        """The entry that somebody stands at; 0 if there is none."""
        raise NotImplementedError

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
        from inspector.present.traffic.log import meant

        return meant(self.recording.journal, wanted, self.count)


class CommonWhereabouts:
    """Several recordings. Their entries are counted in the order of time."""

    order: "CommonOrder"
    numbers: tuple[int, ...]
    """Of their tabs."""
    parts: "tuple[Playback, ...]"

    @property
    def at(self) -> int:
        """The entry that somebody stands at; 0 if there is none."""
        raise NotImplementedError

    @property
    def entry(self) -> tuple[int, int] | None:
        """The number of the tab and the entry that somebody stands at; None before the first."""
        raise NotImplementedError

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
        from inspector.present.traffic.log import meant_by

        order = self.order
        first_ns, newest = order.time_of(1), lambda: order.time_of(self.count)
        return meant_by(wanted, self.count, first_ns, lambda ns, _: sum(order.by(ns - 1)) + 1, newest)


# --- The order in which the entries of several recordings crossed their wires, by one clock: a place in it, and
# steps.

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
