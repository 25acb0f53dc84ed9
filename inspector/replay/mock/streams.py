"""Streams of a session over HTTP: what went out on each, so that one that broke is taken up behind its last event."""

from collections import deque
from collections.abc import AsyncIterator, Iterator

from inspector.protocol.frames import Channel
from inspector.replay.mock.http_tape import HttpTape
from inspector.replay.mock.outbox import Kind, Outbox, event, still_here
from inspector.transports.http.listener import HangUp

_EVENTS, _STREAMS = 1000, 100
"""So many of the newest are kept of a session."""
_DIGITS = 15
"""Of the number of an event, at most: Python refuses to read thousands."""


class Stream:
    """One stream. Its events have ids if it has a name; a stream of a single stateless request has none."""

    def __init__(self, outbox: Outbox, name: str = "") -> None:
        self.outbox = outbox
        self.name = name
        self._sent: deque[tuple[int, bytes]] = deque(maxlen=_EVENTS)
        self._count = 0

    async def flow(
        self, tape: HttpTape, number: int, channel: Channel, after: int | None = None
    ) -> AsyncIterator[bytes]:
        """Events as they come, to the end; `after` an event of this number, what came since goes out first."""
        for count, payload in self._later(after):
            tape.sent(number, payload, channel, self._id(count))
            yield event(payload, self._id(count))
        async for item in self.outbox.items():
            if item is None:
                yield still_here()
                continue
            id_ = self._keep(item.payload)
            whole = event(item.payload, id_)
            if item.kind is Kind.CUT:
                tape.sent(number, item.payload[: len(item.payload) // 2], channel)
                yield whole[: len(whole) // 2]
                raise HangUp
            tape.sent(number, item.payload, channel, id_)
            yield whole

    def _keep(self, payload: bytes) -> str:
        self._count += 1
        if self.name:
            self._sent.append((self._count, payload))
        return self._id(self._count)

    def _id(self, count: int) -> str:
        return f"{self.name}-{count}" if self.name else ""

    def _later(self, after: int | None) -> Iterator[tuple[int, bytes]]:
        return iter([] if after is None else [(count, payload) for count, payload in self._sent if count > after])


class Streams:
    """The streams of one session, by their names."""

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}

    def add(self, stream: Stream) -> Stream:
        """One more; of too many the oldest is forgotten, but not the session's own, which came first."""
        self._streams[stream.name] = stream
        if len(self._streams) > _STREAMS:
            del self._streams[[*self._streams][1]]
        return stream

    def find(self, last: str) -> tuple[Stream, int] | None:
        """The stream of an event, and the number of the event in it; None if there is no such."""
        name, _, count = last.rpartition("-")
        stream = self._streams.get(name)
        is_count = count.isascii() and count.isdigit() and len(count) <= _DIGITS
        return (stream, int(count)) if stream is not None and is_count else None
