"""The recorder: converts entries to lines of a capture, with digests in between and an end record."""

import hashlib
from collections import Counter
from typing import Any

import msgspec

from inspector.capture.format.file import LOST, CaptureFile
from inspector.capture.format.records import (
    MADE_BY_PROXY,
    EditRecord,
    EndRecord,
    Entry,
    GapRecord,
    Head,
    RuleRecord,
    SumRecord,
    record_of,
    size_of,
    to_line,
)
from inspector.capture.store.runs import FrameRun, StderrRun
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import ENDINGS, Channel, Direction, Frame

# Running digests: one over all bytes of each direction and channel, line ends included.

EVERY_FRAMES = 1000
EVERY_NS = 5_000_000_000
"""A `sum` is due after this number of frames or this much time with traffic, whichever is first."""


class _Stream(msgspec.Struct):
    sha256: Any = msgspec.field(default_factory=hashlib.sha256)
    bytes: int = 0
    frames: int = 0
    written: int = 0
    """Number of frames at the last `sum`."""
    since_ns: int = 0
    """Time of the first frame after the last `sum`."""


class Digests:
    """Running digests of one capture."""

    def __init__(self) -> None:
        self._streams: dict[tuple[Direction, Channel], _Stream] = {}

    def take(self, frame: Frame) -> bool:
        """Add a frame; return whether a `sum` of its stream is due."""
        key = (frame.direction, frame.channel)
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = _Stream()
        end = ENDINGS[frame.eol]
        stream.sha256.update(frame.payload)
        stream.sha256.update(end)
        stream.bytes += len(frame.payload) + len(end)
        stream.frames += 1
        if stream.frames - stream.written == 1:
            stream.since_ns = frame.time_ns
        return stream.frames - stream.written >= EVERY_FRAMES or frame.time_ns - stream.since_ns >= EVERY_NS

    def take_run(self, run: FrameRun) -> bool:
        """Add a run; return whether a `sum` of its stream is due."""
        stream = self._streams.setdefault((run.direction, run.channel), _Stream())
        end = ENDINGS[run.eol]
        whole = end.join(run.payloads) + end
        stream.sha256.update(whole)
        stream.bytes += len(whole)
        if stream.frames == stream.written:
            stream.since_ns = run.time_ns
        stream.frames += len(run.payloads)
        return stream.frames - stream.written >= EVERY_FRAMES or run.time_ns - stream.since_ns >= EVERY_NS

    def sum(self, direction: Direction, channel: Channel, c: str) -> SumRecord:
        """Return the digest of one stream so far, and restart the count to the next one.

        A stream without frames has a digest, too.
        """
        stream = self._streams.get((direction, channel)) or _Stream()
        stream.written = stream.frames
        return SumRecord(
            c=c, dir=direction, ch=channel, bytes=stream.bytes, frames=stream.frames, sha256=stream.sha256.hexdigest()
        )

    def rest(self, c: str) -> list[SumRecord]:
        """Return a `sum` for each stream with frames since its last one."""
        due = [key for key, stream in self._streams.items() if stream.frames > stream.written]
        return [self.sum(*key, c) for key in due]


class Recorder:
    """Writes a capture from its head to its end."""

    def __init__(self, file: CaptureFile, head: Head) -> None:
        self.file = file
        self._connections = 0
        self._origins = _origins(head.mode)
        self._vouches = head.mode != "import"
        """Whether the bytes were observed on the wire. Others get no digest, because it would prove nothing."""
        self._digests = Digests()
        self._counts: Counter[str] = Counter(head=1)
        file.put(to_line(head))

    @property
    def frames(self) -> int:
        return self._counts["frame"]

    def keep(self, entry: Entry, *, origin: str = "", fwd: str = "", t_out: int | None = None) -> tuple[int, int]:
        """Write an entry; return the offset and the length of its line.

        The offset is LOST if the disk fails for long. `fwd` and `t_out` are a proxy's treatment of a frame, `origin`
        is the author of a frame that neither party wrote.
        """
        what = entry.what
        if isinstance(what, ConnectionFact) and what.event is ConnectionEvent.OPEN:
            self._connections += 1
        origin = origin or (self._origins[what.direction] if isinstance(what, Frame) else "")
        record = record_of(entry, c=self._connection, origin=origin, fwd=fwd, t_out=t_out)
        line = to_line(record)
        place = self.file.put(line, entry.time_ns, size=size_of(what))
        if place != LOST:
            self._counts[str(record.__struct_config__.tag)] += 1
        vouches = self._vouches and origin not in MADE_BY_PROXY
        if vouches and isinstance(what, Frame) and self._digests.take(what):
            self._sum(self._digests.sum(what.direction, what.channel, self._connection))
        return place, len(line)

    def keep_run(self, run: FrameRun | StderrRun) -> tuple[list[int], list[int]]:
        """Write a run; return the offsets and the lengths of its lines."""
        if isinstance(run, StderrRun):
            lines = run.records(c=self._connection)
            places = self.file.put_run(lines, run.time_ns, run.sizes)
            self._counts["err"] += len(places) - places.count(LOST)
            return places, list(map(len, lines))
        lines = run.records(c=self._connection, origin=self._origins[run.direction])
        places = self.file.put_run(lines, run.time_ns, run.sizes)
        self._counts["frame"] += len(places) - places.count(LOST)
        if self._digests.take_run(run):
            self._sum(self._digests.sum(run.direction, run.channel, self._connection))
        return places, list(map(len, lines))

    def add(self, record: EditRecord | RuleRecord | GapRecord) -> None:
        """Write a record other than an entry."""
        record = msgspec.structs.replace(record, c=self._connection)
        if self.file.put(to_line(record)) != LOST:
            self._counts[str(record.__struct_config__.tag)] += 1

    def close(self, *, is_complete: bool = True) -> None:
        """Write the last digests and the end record, and close the file.

        Without `is_complete` there is no end record: what was observed has been cut off.
        """
        if not self.file.open:
            return
        for record in self._digests.rest(self._connection):
            self._sum(record)
        counts = dict(self._counts)
        self.file.close(lambda sha256: EndRecord(counts=counts, sha256=sha256) if is_complete else None)

    @property
    def _connection(self) -> str:
        return f"c{max(1, self._connections)}"

    def _sum(self, record: SumRecord) -> None:
        if self.file.put(to_line(record)) != LOST:
            self._counts["sum"] += 1


def _origins(mode: str) -> dict[Direction, str]:
    client = "host" if mode.endswith("proxy") or mode in ("mock", "import") else "inspector"
    server = "mock" if mode == "mock" else "server"
    return {
        Direction.TO_SERVER: client,
        Direction.FROM_SERVER: server,
        Direction.FROM_VIEW: "view",
        Direction.TO_VIEW: "inspector",
    }
