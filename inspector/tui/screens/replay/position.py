"""The order in which the entries of several recordings crossed their wires, by one clock: a place in it, and steps."""

from bisect import bisect_right
from collections.abc import Callable, Sequence

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
