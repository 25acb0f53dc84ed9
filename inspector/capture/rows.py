"""Frames of a recording on their way into the store: folded one by one, kept by the thousand.

What comes out is what `Journal.take` makes of each. The journal's listeners are not told of the frames; one hearer may
be, which takes plain ones as they are.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import msgspec

from inspector.capture.entries import clamped, entry_of
from inspector.capture.journal import Journal
from inspector.capture.meaning import meaning_of
from inspector.capture.records import FrameRecord, decoder
from inspector.capture.store import BYTES_BIT, FROM_SERVER_BIT, PROBE_BIT, TO_SERVER_BIT, Row
from inspector.protocol.events import Event
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.plain import PlainFold, Taken

LONGEST = 1024 * 1024
"""Bytes of a line that is taken this way."""
_TO_SERVER = Direction.TO_SERVER
_NOT_HERE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Hearer(Protocol):
    """Hears of each frame while a recording is read, in their order."""

    def heard(self, frame: Frame, events: Sequence[Event]) -> None:
        """What the fold made of a frame."""

    def heard_plainly(self, taken: Taken, record: FrameRecord, n: int) -> None:
        """A frame that is one plain message, which `record` holds as text."""


class Rows:
    """The frames that one journal does not have in its store yet."""

    def __init__(self, journal: Journal) -> None:
        self._store = journal.store
        self._conversation = journal.conversation
        self._plain = PlainFold(journal.conversation)
        self._waiting: list[Row] = []
        self.hearer: Hearer | None = None
        """Hears of the frames; None if nobody does."""
        self.passed_over: Counter[str] = Counter()
        """How many records had "no payload", and were passed over, or one of "other length"."""

    def take(self, lines: Sequence[bytes], at: int, place: int, anchor: int) -> tuple[int, int]:
        """Take in lines from position `at` on, the first of which stands at `place`, up to one that is no frame's.

        Returns the position of that one, and its place. `anchor`: wall clock less monotonic clock, for records
        without the one.
        """
        decode, plain, put = decoder().decode, self._plain.take, self._waiting.append
        number_of, n = self._store.number_for, self._store.count + len(self._waiting)
        hearer = self.hearer
        while at < len(lines):
            line = lines[at]
            length = len(line)
            try:
                record = decode(line)
            except _NOT_HERE:
                break
            if type(record) is not FrameRecord or length > LONGEST:
                break
            raw, time_ns, wall_ns = record.raw, record.tm, record.tw
            probe, direction = record.probe, record.dir
            if wall_ns is None:
                wall_ns = clamped(time_ns + anchor)
            taken = None
            if raw is not None and record.b64 is None and not record.cut:
                taken = plain(raw, n + 1, time_ns, direction, http=probe or record.ex is not None)
            if taken is None or raw is None:
                n += self._fold(record, wall_ns, place, length, n + 1)
            else:
                n += 1
                size = len(raw) if raw.isascii() else len(raw.encode())
                if size != record.len is not None:
                    self.passed_over["other length"] += 1
                kind, method, exchange = taken
                flags = kind | (TO_SERVER_BIT if direction is _TO_SERVER else FROM_SERVER_BIT)
                if probe:
                    flags |= PROBE_BIT
                put((place, length, time_ns, wall_ns, size, flags, number_of(method), exchange))
                if hearer is not None:
                    hearer.heard_plainly(taken, record, n)
            at += 1
            place += length + 1
        return at, place

    def flush(self) -> None:
        """Put all of them into the store: before a fact, and when a step ends."""
        self._store.add_rows(self._waiting)
        self._waiting.clear()

    def _fold(self, record: FrameRecord, wall_ns: int, place: int, length: int, n: int) -> int:
        """Take in a frame with which something is unusual; how many were taken in."""
        try:
            entry = entry_of(record, n, wall_ns)
        except ValueError:
            self.passed_over["no payload"] += 1
            return 0
        frame = entry.what
        assert isinstance(frame, Frame)
        events = self._conversation.observe(frame)
        meaning = meaning_of(events)
        size = len(frame.payload)
        self.passed_over["other length"] += record.len not in (None, size)
        flags = _flags(record) | meaning.kind | (PROBE_BIT if meaning.probe else 0)
        method = self._store.number_for(meaning.method)
        self._waiting.append((place, length, entry.time_ns, entry.wall_ns, size, flags, method, meaning.exchange))
        if self.hearer is not None:
            self.hearer.heard(frame, events)
        return 1


def _flags(record: FrameRecord) -> int:
    direction = TO_SERVER_BIT if record.dir is Direction.TO_SERVER else FROM_SERVER_BIT
    form = BYTES_BIT if record.b64 is not None else 0
    return direction | form | (PROBE_BIT if record.probe else 0)
