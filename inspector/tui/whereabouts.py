"""What there is to know of recordings where somebody stands in them: the moment, the next request, what a time means.

One class is about one recording, the other about several by the clock that they share. Neither moves anything.
"""

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from inspector.tui.subject import Stage, Subject

if TYPE_CHECKING:
    from inspector.replay.common_order import CommonOrder
    from inspector.tui.playback import Playback


class Whereabouts:
    """One recording."""

    recording: Subject

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
        return self.recording.stage is Stage.LOADING

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
        from inspector.viewmodels.go_to import meant

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
        from inspector.viewmodels.go_to import meant_by

        order = self.order
        first_ns, newest = order.time_of(1), lambda: order.time_of(self.count)
        return meant_by(wanted, self.count, first_ns, lambda ns, _: sum(order.by(ns - 1)) + 1, newest)
