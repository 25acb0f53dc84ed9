"""Event streams of the mock: buffered messages, resumption, and recording."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from enum import Enum

import msgspec

from inspector.capture.journal import Journal
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Direction, SseFacts
from inspector.transports.http.listener import HangUp, HttpRequest

# Outgoing messages, waiting for the response or stream that carries them

KEEP_ALIVE_S = 15.0
"""Seconds of silence after which a stream says that it is still there."""
_STILL_HERE = b": still here\n\n"
_MOST = 1000
"""Messages that wait while nobody listens."""


class StreamItemKind(Enum):
    """What goes out."""

    MESSAGE = 1
    CUT = 2
    """Half of it goes out, and no end after it."""


class StreamItem(msgspec.Struct, frozen=True):
    """One thing that goes out."""

    kind: StreamItemKind
    payload: bytes


class StreamOutbox:
    """An outlet that keeps what is sent until it is taken."""

    def __init__(self, junk: Callable[[], None]) -> None:
        """`junk` is called for bytes that HTTP has no place for."""
        self._waiting: asyncio.Queue[StreamItem | None] = asyncio.Queue()
        self._first: list[StreamItem | None] = []
        """The next, if somebody has looked at it."""
        self._junk = junk

    async def send(self, payload: bytes) -> None:
        """Keep a message; of too many the oldest goes."""
        if self._waiting.qsize() >= _MOST:
            self._waiting.get_nowait()
        self._waiting.put_nowait(StreamItem(StreamItemKind.MESSAGE, payload))

    async def write(self, payload: bytes) -> None:
        """Bytes that are no message have no place here."""
        self._junk()

    async def cut(self, payload: bytes) -> None:
        """Keep the last that goes out."""
        self._waiting.put_nowait(StreamItem(StreamItemKind.CUT, payload))

    def end(self) -> None:
        """Nothing follows."""
        self._waiting.put_nowait(None)

    async def take(self, seconds: float) -> StreamItem | None:
        """The next; None at the end. Raises: TimeoutError if nothing comes for so long."""
        if self._first:
            return self._first.pop()
        async with asyncio.timeout(seconds):
            return await self._waiting.get()

    async def peek(self, seconds: float) -> StreamItem | None:
        """The next, which stays the next; None at the end, or if nothing comes for so long."""
        try:
            self._first.append(await self.take(seconds))
        except TimeoutError:
            return None
        return self._first[0]

    async def items(self) -> AsyncIterator[StreamItem | None]:
        """Each until the end; None where it is time to say that the stream is still there."""
        while True:
            try:
                item = await self.take(KEEP_ALIVE_S)
            except TimeoutError:
                yield None
                continue
            if item is None:
                self.end()  # for whoever takes the stream up again
                return
            yield item


def event(payload: bytes, id_: str = "", name: str = "message") -> bytes:
    """A message as an event of a stream; with an id, a stream that breaks can be taken up behind it.

    The id stands last: of an event that is cut, nobody takes it.
    """
    return b"event: %b\ndata: %b\n%b\n" % (name.encode(), payload, f"id: {id_}\n".encode() if id_ else b"")


def still_here() -> bytes:
    """What a stream says where nothing is to be said."""
    return _STILL_HERE


# Recording of the mock's own traffic


class HttpTape:
    """Records HTTP exchanges, numbered from 1."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self._count = 0

    def open(self, url: str) -> None:
        """The mock listens."""
        self._url = url
        if self._journal is not None:
            self._journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=url))

    def close(self) -> None:
        """The mock listens no more."""
        if self._journal is not None:
            self._journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "http"))

    def came(self, request: HttpRequest) -> tuple[int, int]:
        """A request came: the number of its exchange, and the entry of its body (0 without one)."""
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
        """The head of the response goes out."""
        if self._journal is not None:
            self._journal.fact(HttpFact(HttpEvent.RESPONSE, number, status=status, version="HTTP/1.1", headers=headers))

    def sent(self, number: int, payload: bytes, channel: Channel, id_: str = "") -> None:
        """A message goes out; on a stream, in an event with this id."""
        sse = SseFacts("message", id_ or None) if channel is not Channel.REPLY else None
        if self._journal is not None:
            self._journal.frame(Direction.FROM_SERVER, channel, payload, http=number, sse=sse)

    def ended(self, number: int, why: str = "") -> None:
        """The exchange is over."""
        if self._journal is not None:
            self._journal.fact(HttpFact(HttpEvent.END, number, why=why))


_EVENTS, _STREAMS = 1000, 100
"""So many of the newest are kept of a session."""
_DIGITS = 15
"""Of the number of an event, at most: Python refuses to read thousands."""


class MockStream:
    """One stream. Its events have ids if it has a name; a stream of a single stateless request has none."""

    def __init__(self, outbox: StreamOutbox, name: str = "") -> None:
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
    """The streams of one session, by their names."""

    def __init__(self) -> None:
        self._streams: dict[str, MockStream] = {}

    def add(self, stream: MockStream) -> MockStream:
        """One more; of too many the oldest is forgotten, but not the session's own, which came first."""
        self._streams[stream.name] = stream
        if len(self._streams) > _STREAMS:
            del self._streams[[*self._streams][1]]
        return stream

    def find(self, last: str) -> tuple[MockStream, int] | None:
        """The stream of an event, and the number of the event in it; None if there is no such."""
        name, _, count = last.rpartition("-")
        stream = self._streams.get(name)
        is_count = count.isascii() and count.isdigit() and len(count) <= _DIGITS
        return (stream, int(count)) if stream is not None and is_count else None
