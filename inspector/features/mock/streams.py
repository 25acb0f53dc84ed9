"""Event streams of the mock over HTTP: buffered messages, resumption, and the record of what was sent."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from enum import Enum

import msgspec

from inspector.capture.journal import Journal
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Direction, SseFacts
from inspector.transports.http.listener import HangUp, HttpRequest

KEEP_ALIVE_S = 15.0
"""Seconds of silence after which a stream sends a keep-alive comment."""
_STILL_HERE = b": still here\n\n"
_MOST = 1000
"""Maximum number of messages that are buffered while there is no listener."""

_EVENTS, _STREAMS = 1000, 100
"""Maximum number of events kept per stream, and of streams kept per session."""
_DIGITS = 15
"""Maximum number of digits in an event number. Python refuses to parse thousands of digits."""


class StreamItemKind(Enum):
    """Kind of an outgoing item."""

    MESSAGE = 1
    CUT = 2
    """Only half of the payload is sent, then the connection is dropped."""


class StreamItem(msgspec.Struct, frozen=True):
    """An outgoing item."""

    kind: StreamItemKind
    payload: bytes


class StreamOutbox:
    """An outlet that buffers messages until they are taken."""

    def __init__(self, junk: Callable[[], None]) -> None:
        """Create the outbox. `junk` is called for bytes that HTTP can't carry."""
        self._waiting: asyncio.Queue[StreamItem | None] = asyncio.Queue()
        self._first: list[StreamItem | None] = []
        """The next item if it was peeked at."""
        self._junk = junk

    async def send(self, payload: bytes) -> None:
        """Buffer a message. If there are too many, the oldest is dropped."""
        if self._waiting.qsize() >= _MOST:
            self._waiting.get_nowait()
        self._waiting.put_nowait(StreamItem(StreamItemKind.MESSAGE, payload))

    async def write(self, payload: bytes) -> None:
        """Report bytes that are not a message, because HTTP can't carry them."""
        self._junk()

    async def cut(self, payload: bytes) -> None:
        """Buffer a payload of which only half is sent, as the last item."""
        self._waiting.put_nowait(StreamItem(StreamItemKind.CUT, payload))

    def end(self) -> None:
        self._waiting.put_nowait(None)

    async def take(self, seconds: float) -> StreamItem | None:
        """Return the next item; None at the end. Raises: TimeoutError if there is none in time."""
        if self._first:
            return self._first.pop()
        async with asyncio.timeout(seconds):
            return await self._waiting.get()

    async def peek(self, seconds: float) -> StreamItem | None:
        """Return the next item without removing it; None at the end, or if there is none in time."""
        try:
            self._first.append(await self.take(seconds))
        except TimeoutError:
            return None
        return self._first[0]

    async def items(self) -> AsyncIterator[StreamItem | None]:
        """Yield items until the end, and None whenever a keep-alive is due."""
        while True:
            try:
                item = await self.take(KEEP_ALIVE_S)
            except TimeoutError:
                yield None
                continue
            if item is None:
                self.end()  # for a client that resumes the stream
                return
            yield item


def event(payload: bytes, id_: str = "", name: str = "message") -> bytes:
    """Return a message as an event of a stream. With an id, a broken stream can be resumed after it.

    The id comes last, so that a client does not accept it from a truncated event.
    """
    return b"event: %b\ndata: %b\n%b\n" % (name.encode(), payload, f"id: {id_}\n".encode() if id_ else b"")


def still_here() -> bytes:
    """Return a keep-alive comment."""
    return _STILL_HERE


# Recording of the mock's own traffic


class HttpTape:
    """Records HTTP exchanges, numbered from 1, in the mock's own capture."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self._count = 0

    def open(self, url: str) -> None:
        """Record that the mock has started to listen."""
        self._url = url
        if self._journal is not None:
            self._journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=url))

    def close(self) -> None:
        """Record that the mock has stopped listening."""
        if self._journal is not None:
            self._journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "http"))

    def came(self, request: HttpRequest) -> tuple[int, int]:
        """Record a request. Return its exchange number and the entry of its body (0 if there is none)."""
        self._count += 1
        if self._journal is None:
            return self._count, 0
        headers, url = request.headers, self._url.rpartition("/")[0] + request.target
        fact = HttpFact(HttpEvent.REQUEST, self._count, request.method, url, version="HTTP/1.1", headers=headers)
        self._journal.fact(fact)
        if request.method != "POST":
            return self._count, 0
        self._journal.frame(Direction.TO_SERVER, Channel.POST, request.body, http=self._count)
        return self._count, self._journal.count

    def answered(self, number: int, status: int, headers: tuple[tuple[str, str], ...]) -> None:
        """Record the head of a response."""
        if self._journal is not None:
            self._journal.fact(HttpFact(HttpEvent.RESPONSE, number, status=status, version="HTTP/1.1", headers=headers))

    def sent(self, number: int, payload: bytes, channel: Channel, id_: str = "") -> None:
        """Record a message; on a stream, as an event with this id."""
        sse = SseFacts("message", id_ or None) if channel is not Channel.REPLY else None
        if self._journal is not None:
            self._journal.frame(Direction.FROM_SERVER, channel, payload, http=number, sse=sse)

    def ended(self, number: int, why: str = "") -> None:
        """Record the end of an exchange."""
        if self._journal is not None:
            self._journal.fact(HttpFact(HttpEvent.END, number, why=why))


class MockStream:
    """An event stream. Its events have ids only if it has a name; the stream of a stateless request has none."""

    def __init__(self, outbox: StreamOutbox, name: str = "") -> None:
        self.outbox = outbox
        self.name = name
        self._sent: deque[tuple[int, bytes]] = deque(maxlen=_EVENTS)
        self._count = 0

    async def flow(
        self, tape: HttpTape, number: int, channel: Channel, after: int | None = None
    ) -> AsyncIterator[bytes]:
        """Yield events as they are produced, until the end.

        `after`: the number of an event; the later ones that are kept are sent first.
        """
        for count, payload in self._later(after):
            tape.sent(number, payload, channel, self._id(count))
            yield event(payload, self._id(count))
        async for item in self.outbox.items():
            if item is None:
                yield still_here()
                continue
            id_ = self._keep(item.payload)
            whole = event(item.payload, id_)
            if item.kind is StreamItemKind.CUT:
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
    """The streams of one session by name."""

    def __init__(self) -> None:
        self._streams: dict[str, MockStream] = {}

    def add(self, stream: MockStream) -> MockStream:
        """Add a stream. If there are too many, drop the oldest except for the first, which is the session's own."""
        self._streams[stream.name] = stream
        if len(self._streams) > _STREAMS:
            del self._streams[[*self._streams][1]]
        return stream

    def find(self, last: str) -> tuple[MockStream, int] | None:
        """Return the stream of an event id, and the event's number in it; None if it does not exist."""
        name, _, count = last.rpartition("-")
        stream = self._streams.get(name)
        is_count = count.isascii() and count.isdigit() and len(count) <= _DIGITS
        return (stream, int(count)) if stream is not None and is_count else None
