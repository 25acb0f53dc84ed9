"""Position and playback of a capture: at its end, at one of its entries, or playing.

The state at a position is computed only when a screen needs it. During playback, and while it is paused, Traffic
shows only the entries so far. That part is called the front.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from inspector.present.server import parties
from inspector.present.traffic.log import parse_position, parse_position_by
from inspector.tui.conversation import ConversationStage, OpenConversation, ReplayedConversation, past_of
from inspector.tui.screens.replay.model import PlaybackPause, Player

Place = tuple[int, ...]
"""Number of past entries for each capture."""
_NEAR = 4000
"""Up to this distance, stepping is faster than a search."""


class Track:
    """One capture in the common order."""

    def __init__(self, count: Callable[[], int], time_of: Callable[[int], int]) -> None:
        """`count` returns the number of entries, `time_of` the time of an entry by the common clock."""
        self.count = count
        self.time_of = time_of

    def by(self, moment: int) -> int:
        """Return the number of entries up to a time."""
        return bisect_right(range(1, self.count() + 1), moment, key=self.time_of)


class CommonOrder:
    """The entries of all tracks in one order, counted from 1."""

    def __init__(self, tracks: Sequence[Track]) -> None:
        self.tracks = tracks
        self._last: Place = (0,) * len(tracks)

    @property
    def end(self) -> Place:
        """The place after the newest entry of each track."""
        return tuple(track.count() for track in self.tracks)

    def after(self, place: Place) -> int:
        """Return the index of the track with the next entry; -1 at the end."""
        there = [(track.time_of(n + 1), at) for at, (track, n) in enumerate(self._each(place)) if n < track.count()]
        return min(there)[1] if there else -1

    def before(self, place: Place) -> int:
        """Return the index of the track with the previous entry; -1 at the start."""
        there = [(track.time_of(n), at) for at, (track, n) in enumerate(self._each(place)) if n]
        return max(there)[1] if there else -1

    def at(self, n: int) -> Place:
        """Return the place after n entries in total, limited to the number of entries."""
        place = self._last if abs(n - sum(self._last)) <= _NEAR else self._place_near(n)
        if any(known > count for known, count in zip(place, self.end, strict=True)):
            place = (0,) * len(self.tracks)
        while sum(place) < n and (which := self.after(place)) >= 0:
            place = _moved(place, which, 1)
        while sum(place) > max(n, 0):
            place = _moved(place, self.before(place), -1)
        self._last = place
        return place

    def by(self, moment: int) -> Place:
        """Return the place at a time."""
        return tuple(track.by(moment) for track in self.tracks)

    def of(self, which: int, n: int) -> Place:
        """Return the place right after entry n of a track."""
        track = self.tracks[which]
        place = [each.by(track.time_of(n)) if at <= which else each.by(track.time_of(n) - 1) for at, each in self._all]
        place[which] = n
        return tuple(place)

    def time_of(self, n: int) -> int:
        """Return the time of the n-th entry in total; 0 before the first."""
        place = self.at(n)
        which = self.before(place)
        return self.tracks[which].time_of(place[which]) if which >= 0 else 0

    @property
    def _all(self) -> list[tuple[int, Track]]:
        return list(enumerate(self.tracks))

    def _each(self, place: Place) -> list[tuple[Track, int]]:
        return list(zip(self.tracks, place, strict=True))

    def _place_near(self, n: int) -> Place:
        """Return a place at or before the n-th entry, near it unless very many entries share one timestamp."""
        known = [(track.time_of(1), track.time_of(track.count())) for track in self.tracks if track.count()]
        low, high = min((first for first, _ in known), default=0) - 1, max((last for _, last in known), default=0)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if sum(self.by(middle)) <= n else (low, middle)
        return self.by(low)


def _moved(place: Place, which: int, by: int) -> Place:
    return (*place[:which], place[which] + by, *place[which + 1 :])


class Playback:
    """Position and playback of one capture."""

    def __init__(self, recording: OpenConversation, clock: Callable[[], int] = time.monotonic_ns) -> None:
        """`clock` is the clock of the playback, in nanoseconds."""
        self.recording = recording
        self.past = past_of(recording)
        self.player = Player(recording.journal.store.time_ns)
        self._clock = clock
        self.position: int | None = None
        """Current entry; None after the newest visible one."""
        self.front: ReplayedConversation | None = None
        """The entries so far during playback; None if everything is visible."""
        self._state: ReplayedConversation | None = None
        self.chosen = 0
        """The entry that was last selected in Traffic, by the user or by the replay."""
        self.visited = 0
        """The entry shown as evidence without moving the position; 0 for none."""

    @property
    def count(self) -> int:
        """Number of entries in the capture."""
        return self.recording.journal.count

    @property
    def grows(self) -> bool:
        """Whether the capture is still being written."""
        return self.recording.grows

    @property
    def parties(self) -> tuple[str, str] | None:
        """Names of client and server; None before the initialization."""
        return parties(self.recording.opening) if self.recording.opening is not None else None

    @property
    def is_reading(self) -> bool:
        """Whether the capture is still loading."""
        return self.recording.stage is ConversationStage.LOADING

    @property
    def moment(self) -> tuple[int, int] | None:
        """Wall clock at the position and offset from the start, in nanoseconds; None before the first entry."""
        at, journal = self.at, self.recording.journal
        if not 0 < at <= journal.count:
            return None
        return journal.store.wall_ns(at), max(0, journal.store.time_ns(at) - journal.started_ns)

    def next_exchange(self, by: int, *, here: bool = False) -> int | None:
        """Return the next (1) or previous (-1) request, or with `here` the current one; None if there is none."""
        frames = self.recording.journal.conversation.exchanges.request_frames
        place = bisect_right(frames, self.at) if by > 0 else bisect_left(frames, self.at + here) - 1
        return frames[place] if 0 <= place < len(frames) and frames[place] else None

    def parse_position(self, wanted: str) -> int:
        """Return the entry for a number, a time of day, or seconds since the start. Raises: FilterError."""
        return parse_position(self.recording.journal, wanted, self.count)

    @property
    def shown(self) -> int:
        """Number of visible entries."""
        return self.front.journal.count if self.front is not None else self.count

    @property
    def at(self) -> int:
        """Current entry; 0 if there is none."""
        return self.shown if self.position is None else min(self.position, self.shown)

    @property
    def is_fronted(self) -> bool:
        """Whether later entries are hidden."""
        return self.front is not None

    @property
    def is_at_end(self) -> bool:
        """Whether the position includes everything in the capture."""
        return self.position is None and self.shown == self.count

    @property
    def stays(self) -> bool:
        """Whether it is at the end of a capture that grows: a look at an earlier row then moves no other screen."""
        return self.grows and self.is_at_end

    @property
    def pause(self) -> PlaybackPause | None:
        """The pause before the next entry during playback."""
        return self.player.pause_at(self._clock(), self.count)

    @property
    def traffic(self) -> OpenConversation:
        """The conversation that Traffic shows."""
        return self.front or self.recording

    def go(self, n: int) -> None:
        """Move to entry n, limited to the existing entries."""
        self.player.pause()
        n = min(max(1, n), self.count)
        if self.front is not None and n > self.shown:
            self.front.moment.advance(n)
        self.position = None if n >= self.shown and (self.front is not None or not self.recording.grows) else n

    def visit(self, n: int) -> None:
        """Show entry n without moving, if the position is the end."""
        self.visited = n if self.is_at_end else 0

    def move_to(self, n: int, front: int | None) -> None:
        """Move to entry n (0: before the first) and show the first `front` entries (None: all)."""
        self.player.pause()
        if front is None:
            self.front = None
        elif self.front is None or self.front.journal.count > front:
            self.front = ReplayedConversation(self.recording, self.past.at(front))
        else:
            self.front.moment.advance(front)
        self.position = None if n >= self.shown and (front is not None or not self.grows) else n

    def show_all(self) -> None:
        """Move to the end and show everything."""
        self.player.pause()
        self.position = self.front = self._state = None

    @property
    def is_far(self) -> bool:
        """Whether computing `state` takes long and belongs on a separate thread."""
        return self.position is not None and self.past.is_far(self.at)

    @property
    def starts_slowly(self) -> bool:
        """Whether starting the playback from here takes long."""
        return self.past.is_far(self.at)

    def state(self) -> OpenConversation:
        """Return the conversation at the position.

        Moving forward updates the same object, moving back creates a new one.
        """
        if self.position is None:
            return self.traffic
        known = self.past.known(self.at)
        if self._state is None or self._state.moment is not known:
            self._state = ReplayedConversation(self.recording, known)
        return self._state

    def play(self) -> None:
        """Play from the position; from the end, start at the beginning."""
        start = 0 if self.at >= self.count and not self.recording.grows else self.at
        if self.front is None or self.front.journal.count != start:
            self.front = ReplayedConversation(self.recording, self.past.at(start))
        self.position, self._state = None, None
        self.player.play(start, self._clock())

    def change_speed(self, by: int = 1) -> None:
        """Select the next (1) or previous (-1) speed."""
        self.player.change_speed(self._clock(), by)

    def show_until(self, n: int, wall_ns: int) -> None:
        """Show the first n entries at a wall-clock time, as part of a common playback."""
        if self.front is not None:
            self.front.moment.advance(n)
            self.front.waited_ns = max(0, wall_ns - self.recording.journal.store.wall_ns(n)) if n else 0

    def tick(self) -> bool:
        """Show the entries that are due. Return whether the end was reached now."""
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
    """Several captures with one position. Entries are those of all captures, in the order of time."""

    position = None
    """A common playback has no position in a single capture."""

    def __init__(self, parts: Mapping[int, Playback], clock: Callable[[], int] = time.monotonic_ns) -> None:
        """`parts` has a playback for each tab number; `clock` is the clock of the playback, in nanoseconds."""
        self.numbers = tuple(parts)
        self.parts = tuple(parts.values())
        self.order = CommonOrder([_track(part) for part in self.parts])
        self.player = Player(self.order.time_of)
        self._clock = clock
        self._place: Place | None = None
        """Current place; None after the newest visible entry."""
        self._front: Place | None = None
        """The entries so far during playback; None if everything is visible."""

    @property
    def count(self) -> int:
        """Number of entries in all captures."""
        return sum(self.order.end)

    @property
    def starts_slowly(self) -> bool:
        """Whether starting the playback from here takes long."""
        return any(part.starts_slowly for part in self.parts)

    @property
    def grows(self) -> bool:
        """Whether one of the captures is still being written."""
        return any(part.grows for part in self.parts)

    parties = None
    """Several captures have several clients and servers."""

    @property
    def is_reading(self) -> bool:
        """Whether one of the captures is still loading."""
        return any(part.is_reading for part in self.parts)

    @property
    def moment(self) -> tuple[int, int] | None:
        """Wall clock at the position and offset from the first start, in nanoseconds; None before that."""
        at = self.at
        return (self.order.time_of(at), max(0, self.order.time_of(at) - self.order.time_of(1))) if at else None

    def place_of(self, number: int, n: int) -> int:
        """Return the place of entry n of a tab in the common order."""
        return sum(self.order.of(self.numbers.index(number), n))

    def next_exchange(self, by: int) -> int | None:
        """Return the next (1) or previous (-1) request; None if there is none."""
        entry = self.entry
        found = [
            self.place_of(number, n)
            for number, part in zip(self.numbers, self.parts, strict=True)
            if (n := part.next_exchange(by, here=entry is not None and entry[0] != number)) is not None
        ]
        return None if not found else min(found) if by > 0 else max(found)

    def parse_position(self, wanted: str) -> int:
        """Return the entry for a number, a time of day, or seconds since the start. Raises: FilterError."""
        order = self.order
        first_ns, newest = order.time_of(1), lambda: order.time_of(self.count)
        return parse_position_by(wanted, self.count, first_ns, lambda ns, _: sum(order.by(ns - 1)) + 1, newest)

    @property
    def shown(self) -> int:
        """Number of visible entries."""
        return self.count if self._front is None else sum(self._front)

    @property
    def at(self) -> int:
        """Current entry; 0 if there is none."""
        return self.shown if self._place is None else sum(self._place)

    @property
    def has_position(self) -> bool:
        """Whether the position is not the end."""
        return self._place is not None or self._front is not None

    @property
    def is_fronted(self) -> bool:
        """Whether later entries are hidden."""
        return self._front is not None

    @property
    def is_at_end(self) -> bool:
        """Whether the position includes everything in all captures."""
        return self._place is None and self.shown == self.count

    @property
    def pause(self) -> PlaybackPause | None:
        """The pause before the next entry during playback."""
        return self.player.pause_at(self._clock(), self.count)

    @property
    def entry(self) -> tuple[int, int] | None:
        """Tab number and entry at the position; None before the first."""
        place = self._place or self._front or self.order.end
        which = self.order.before(place)
        return (self.numbers[which], place[which]) if which >= 0 else None

    def go(self, n: int) -> None:
        """Move to the n-th entry in total, limited to the existing entries."""
        self._move_to(self.order.at(min(max(1, n), self.count)))

    def go_to_entry(self, number: int, n: int) -> None:
        """Move to entry n of a tab, if it is part of this playback."""
        if number in self.numbers:
            self._move_to(self.order.of(self.numbers.index(number), n))

    def _move_to(self, place: Place) -> None:
        self.player.pause()
        if self._front is not None and sum(place) > self.shown:
            self._front = place
        self._place = None if (sum(place) >= self.shown and (self._front is not None or not self.grows)) else place
        self.apply()

    def apply(self) -> None:
        """Move every part to the common place; each may have been moved on its own since."""
        place = self._place or self._front or self.order.end
        for at, part in enumerate(self.parts):
            part.move_to(place[at], None if self._front is None else self._front[at])

    def show_all(self) -> None:
        """Move to the end and show everything."""
        self.player.pause()
        self._place = self._front = None
        for part in self.parts:
            part.show_all()

    def play(self) -> None:
        """Play from the position; from the end, start at the beginning."""
        start = 0 if self.at >= self.count and not self.grows else self.at
        self._front, self._place = self.order.at(start), None
        self.apply()
        self.player.play(start, self._clock())

    def change_speed(self, by: int = 1) -> None:
        """Select the next (1) or previous (-1) speed."""
        self.player.change_speed(self._clock(), by)

    def tick(self) -> bool:
        """Show the entries that are due. Return whether the end was reached now."""
        if self._front is None or not self.player.playing:
            return False
        now = self._clock()
        due = self.player.due(now, self.count)
        self._front = self.order.at(due)
        reached = self.order.time_of(due) + self.player.passed_ns(now, self.count)
        for part, n in zip(self.parts, self._front, strict=True):
            part.show_until(n, reached)
        if due >= self.count and not self.is_reading and not self.grows:
            self.player.pause()
            return True
        return False


AnyPlayback: TypeAlias = Playback | CommonPlayback


def _track(part: Playback) -> Track:
    return Track(lambda: part.count, part.recording.journal.store.wall_ns)


def parts_of(several: Sequence[tuple[int, Playback | None]]) -> dict[int, Playback] | None:
    """Return the playbacks of all tabs by tab number; None if a tab is live or still loading."""
    found = {number: part for number, part in several if part is not None}
    ready = all(not part.is_reading for part in found.values())
    return found if ready and len(found) == len(several) > 1 else None
