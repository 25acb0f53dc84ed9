"""Runs: log messages or lines of stderr that arrived together, stored at a quarter of the cost.

A flood nearly always consists of these. They are neither requests nor responses, so the fold ignores them. One read
returned them, so they share a timestamp. The lines written are the same as those of `record_of`.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from inspector.capture.format.records import Entry, FrameRecord, record_of, to_line
from inspector.documents import UNDECODABLE
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Channel, Direction, Eol, Frame

METHOD = "notifications/message"
"""Method of the messages in a run. The fold ignores it in every revision."""
SHORTEST = 4
"""Minimum number of frames; fewer gain nothing."""
LONGEST_PAYLOAD = 64 * 1024
"""Maximum size in bytes of a payload in a run."""

_to_json = msgspec.json.Encoder().encode
_NAME = METHOD.encode()


class _LogMessage(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A log message and nothing else: a message with an id, a result or an error is not part of a run."""

    jsonrpc: Literal["2.0"]
    method: Literal["notifications/message"]
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_decode = msgspec.json.Decoder(_LogMessage).decode


def belongs(payload: bytes) -> bool:
    """Return whether a frame may be part of a run: a well-formed log message that is not too long."""
    if _NAME not in payload or len(payload) > LONGEST_PAYLOAD:  # cheaper than decoding, and true of most other messages
        return False
    try:
        _decode(payload)
    except UNDECODABLE:
        return False
    return True


class FrameRun(msgspec.Struct, frozen=True):
    """Frames that arrived together, with the same line end."""

    first: int
    """Number of its first frame; the others follow."""
    time_ns: int
    wall_ns: int
    direction: Direction
    channel: Channel
    payloads: Sequence[bytes]
    eol: Eol
    t_out: int | None = None
    """When a proxy had forwarded them."""

    @property
    def sizes(self) -> list[int]:
        """Payload size of each frame in bytes."""
        return list(map(len, self.payloads))

    def entries(self) -> list[Entry]:
        return [self._entry(place) for place in range(len(self.payloads))]

    def records(self, *, c: str, origin: str) -> list[bytes]:
        """Return the lines for the capture. `c` is the connection, `origin` the author of the frames."""
        head, found = self._head(c, origin), []
        for n, payload in enumerate(self.payloads, self.first):
            try:
                raw = _to_json(payload.decode())
            except UnicodeDecodeError:
                found.append(to_line(record_of(self._entry(n - self.first), c=c, origin=origin, t_out=self.t_out)))
                continue
            found.append(b'%b,"n":%d,"len":%d,"raw":%b}\n' % (head, n, len(payload), raw))
        return found

    def _head(self, c: str, origin: str) -> bytes:
        """Return the common part of the records, without the closing brace."""
        common = FrameRecord(
            c=c,
            dir=self.direction,
            ch=self.channel,
            tm=self.time_ns,
            tw=self.wall_ns,
            eol=self.eol,
            origin=origin,
            t_out=self.t_out,
        )
        return _to_json(common)[:-1]

    def _entry(self, place: int) -> Entry:
        n, payload = self.first + place, self.payloads[place]
        frame = Frame(n, self.time_ns, self.wall_ns, self.direction, self.channel, payload, self.eol)
        return Entry(n, self.time_ns, self.wall_ns, frame)


class StderrRun(msgspec.Struct, frozen=True):
    """Lines of stderr that arrived together, each with a line end."""

    first: int
    """Number of the first line; the others follow."""
    time_ns: int
    wall_ns: int
    payloads: Sequence[bytes]

    @property
    def sizes(self) -> list[int]:
        """Payload size of each line in bytes."""
        return list(map(len, self.payloads))

    def records(self, *, c: str) -> list[bytes]:
        """Return the lines for the capture. `c` is the connection."""
        rest, found = b'"c":%b,"tm":%d,"tw":%d' % (_to_json(c), self.time_ns, self.wall_ns), []
        for n, payload in enumerate(self.payloads, self.first):
            try:
                raw = _to_json(payload.decode())
            except UnicodeDecodeError:
                entry = Entry(n, self.time_ns, self.wall_ns, Stderr(payload))
                found.append(to_line(record_of(entry, c=c, origin="")))
                continue
            found.append(b'{"r":"err","n":%d,%b,"raw":%b}\n' % (n, rest, raw))
        return found
