"""Runs: log messages or lines of stderr that came in one piece, kept at a quarter of what they cost one by one.

A flood is nearly always one of these. They are neither requests nor responses, so the fold takes no note
of them; they were read by the same read, so they share its moment. What is written is what `record_of` would write.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from inspector.capture.format.records import Entry, FrameRecord, record_of, to_line
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Channel, Direction, Eol, Frame

METHOD = "notifications/message"
"""What a run consists of. The fold takes no note of it in any revision."""
SHORTEST = 4
"""Frames; fewer gain nothing."""
LONGEST_PAYLOAD = 64 * 1024
"""Bytes of a payload that may be in a run."""

_to_json = msgspec.json.Encoder().encode


class _LogMessage(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """A log message and nothing else: an id, a result or an error makes it something to look at."""

    jsonrpc: Literal["2.0"]
    method: Literal["notifications/message"]
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_decode = msgspec.json.Decoder(_LogMessage).decode
_NAME = METHOD.encode()


def belongs(payload: bytes) -> bool:
    """Whether a frame may be part of a run: a well-formed log message, and not a long one."""
    if _NAME not in payload or len(payload) > LONGEST_PAYLOAD:  # sooner said of all others than by reading them
        return False
    try:
        _decode(payload)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


class FrameRun(msgspec.Struct, frozen=True):
    """Some frames that came in one piece, each line of which ended alike."""

    first: int
    """The number of its first frame; the others follow."""
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
        """Payload bytes of each."""
        return list(map(len, self.payloads))

    def entries(self) -> list[Entry]:
        """The same, one by one."""
        return [self._entry(place) for place in range(len(self.payloads))]

    def records(self, *, c: str, origin: str) -> list[bytes]:
        """The lines of the capture; `c` names the connection, `origin` who made the frames."""
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
        """What the records of a run have in common, without the brace at its end."""
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
    """Some lines of stderr that came in one piece, each of which has ended."""

    first: int
    """The number of the first; the others follow."""
    time_ns: int
    wall_ns: int
    payloads: Sequence[bytes]

    @property
    def sizes(self) -> list[int]:
        """Payload bytes of each."""
        return list(map(len, self.payloads))

    def records(self, *, c: str) -> list[bytes]:
        """The lines of the capture; `c` names the connection."""
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
