"""Frames of a recording on their way into the store: folded one by one, kept by the thousand.

What comes out is what `Journal.take` makes of each. Nobody is told of the frames, so this is for a journal without
listeners.
"""

from inspector.capture.entries import clamped, entry_of
from inspector.capture.journal import Journal
from inspector.capture.meaning import meaning_of
from inspector.capture.records import FrameRecord
from inspector.capture.store import FROM_SERVER_BIT, PROBE_BIT, TO_SERVER_BIT, Row
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.plain import PlainFold

LONGEST = 1024 * 1024
"""Bytes of a line that is taken this way."""


class Rows:
    """The frames that one journal does not have in its store yet."""

    def __init__(self, journal: Journal) -> None:
        self._store = journal.store
        self._conversation = journal.conversation
        self._plain = PlainFold(journal.conversation)
        self._waiting: list[Row] = []

    def take(self, record: FrameRecord, wall_ns: int, place: int, length: int) -> int:
        """Take in a frame whose line stands at `place`; its payload's bytes. `wall_ns`: as `entry_of` has it.

        Raises: ValueError if the record lacks its payload; nothing was taken in then.
        """
        raw, n = record.raw, self._store.count + len(self._waiting) + 1
        if raw is None or record.b64 is not None:
            return self._fold(record, wall_ns, place, length, n)
        taken = self._plain.take(raw, n, record.tm, record.dir, http=record.ex is not None or record.probe)
        if taken is None:
            return self._fold(record, wall_ns, place, length, n)
        size = len(raw) if raw.isascii() else len(raw.encode())
        kind, name, exchange = taken
        method = self._store.number_for(name)
        flags = _flags(record) | kind
        wall = clamped(wall_ns) if record.tw is None else record.tw
        self._waiting.append((place, length, record.tm, wall, size, flags, method, exchange))
        return size

    def flush(self) -> None:
        """Put all of them into the store: before a fact, and when a step ends."""
        self._store.add_rows(self._waiting)
        self._waiting.clear()

    def _fold(self, record: FrameRecord, wall_ns: int, place: int, length: int, n: int) -> int:
        entry = entry_of(record, n, wall_ns)
        frame = entry.what
        assert isinstance(frame, Frame)
        meaning = meaning_of(self._conversation.observe(frame))
        size = len(frame.payload)
        flags = _flags(record) | meaning.kind | (PROBE_BIT if meaning.probe else 0)
        method = self._store.number_for(meaning.method)
        self._waiting.append((place, length, entry.time_ns, entry.wall_ns, size, flags, method, meaning.exchange))
        return size


def _flags(record: FrameRecord) -> int:
    direction = TO_SERVER_BIT if record.dir is Direction.TO_SERVER else FROM_SERVER_BIT
    return direction | PROBE_BIT if record.probe else direction
