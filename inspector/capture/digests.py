"""Running digests: one over all bytes of each direction and channel, line ends included.

They are computed on what the transport handed over, before anything else looks at it, so that a capture can be
checked against itself: `verify.py` builds the streams again from the records. Integrity, not authenticity.
"""

import hashlib
from typing import Any

import msgspec

from inspector.capture.records import SumRecord
from inspector.capture.runs import Run
from inspector.protocol.frames import Channel, Direction, Eol, Frame

EVERY_FRAMES = 1000
EVERY_NS = 5_000_000_000
"""A `sum` is due after so many frames, or so much time with traffic, whichever comes first."""

_EOL = {Eol.LF: b"\n", Eol.CRLF: b"\r\n", Eol.NONE: b""}


class _Stream(msgspec.Struct):
    sha256: Any = msgspec.field(default_factory=hashlib.sha256)
    bytes: int = 0
    frames: int = 0
    written: int = 0
    """Frames at the last `sum`."""
    since_ns: int = 0
    """The clock at the first frame after the last `sum`."""


class Digests:
    """The digests of one capture so far."""

    def __init__(self) -> None:
        self._streams: dict[tuple[Direction, Channel], _Stream] = {}

    def take(self, frame: Frame) -> bool:
        """Add a frame; whether a `sum` of its stream is due now."""
        key = (frame.direction, frame.channel)
        stream = self._streams.get(key)
        if stream is None:
            stream = self._streams[key] = _Stream()
        end = _EOL[frame.eol]
        stream.sha256.update(frame.payload)
        stream.sha256.update(end)
        stream.bytes += len(frame.payload) + len(end)
        stream.frames += 1
        if stream.frames - stream.written == 1:
            stream.since_ns = frame.time_ns
        return stream.frames - stream.written >= EVERY_FRAMES or frame.time_ns - stream.since_ns >= EVERY_NS

    def take_run(self, run: Run) -> bool:
        """Add a run; whether a `sum` of its stream is due now."""
        stream = self._streams.setdefault((run.direction, run.channel), _Stream())
        end = _EOL[run.eol]
        whole = end.join(run.payloads) + end
        stream.sha256.update(whole)
        stream.bytes += len(whole)
        if stream.frames == stream.written:
            stream.since_ns = run.time_ns
        stream.frames += len(run.payloads)
        return stream.frames - stream.written >= EVERY_FRAMES or run.time_ns - stream.since_ns >= EVERY_NS

    def sum(self, direction: Direction, channel: Channel, c: str) -> SumRecord:
        """The digest of one stream as it stands; the count to the next begins anew. Even one without frames has it."""
        stream = self._streams.get((direction, channel)) or _Stream()
        stream.written = stream.frames
        return SumRecord(
            c=c,
            dir=direction,
            ch=channel,
            bytes=stream.bytes,
            frames=stream.frames,
            sha256=stream.sha256.hexdigest(),
        )

    def rest(self, c: str) -> list[SumRecord]:
        """A `sum` for each stream that has frames since its last one."""
        due = [key for key, stream in self._streams.items() if stream.frames > stream.written]
        return [self.sum(*key, c) for key in due]
