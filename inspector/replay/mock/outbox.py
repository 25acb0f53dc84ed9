"""What is to go out over HTTP: messages that wait for the response or the stream that carries them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from enum import Enum

import msgspec

KEEP_ALIVE_S = 15.0
"""Seconds of silence after which a stream says that it is still there."""
_STILL_HERE = b": still here\n\n"
_MOST = 1000
"""Messages that wait while nobody listens."""


class Kind(Enum):
    """What goes out."""

    MESSAGE = 1
    CUT = 2
    """Half of it goes out, and no end after it."""


class Item(msgspec.Struct, frozen=True):
    """One thing that goes out."""

    kind: Kind
    payload: bytes


class Outbox:
    """An outlet that keeps what is sent until it is taken."""

    def __init__(self, junk: Callable[[], None]) -> None:
        """`junk` is called for bytes that HTTP has no place for."""
        self._waiting: asyncio.Queue[Item | None] = asyncio.Queue()
        self._first: list[Item | None] = []
        """The next, if somebody has looked at it."""
        self._junk = junk

    async def send(self, payload: bytes) -> None:
        """Keep a message; of too many the oldest goes."""
        if self._waiting.qsize() >= _MOST:
            self._waiting.get_nowait()
        self._waiting.put_nowait(Item(Kind.MESSAGE, payload))

    async def write(self, payload: bytes) -> None:
        """Bytes that are no message have no place here."""
        self._junk()

    async def cut(self, payload: bytes) -> None:
        """Keep the last that goes out."""
        self._waiting.put_nowait(Item(Kind.CUT, payload))

    def end(self) -> None:
        """Nothing follows."""
        self._waiting.put_nowait(None)

    async def take(self, seconds: float) -> Item | None:
        """The next; None at the end. Raises: TimeoutError if nothing comes for so long."""
        if self._first:
            return self._first.pop()
        async with asyncio.timeout(seconds):
            return await self._waiting.get()

    async def peek(self, seconds: float) -> Item | None:
        """The next, which stays the next; None at the end, or if nothing comes for so long."""
        try:
            self._first.append(await self.take(seconds))
        except TimeoutError:
            return None
        return self._first[0]

    async def items(self) -> AsyncIterator[Item | None]:
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
