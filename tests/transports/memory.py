"""In-process transport without a process or socket, for tests and servers in Python.

Frames behave as on a wire: they arrive in order, and in a later iteration of the event loop than the one in which
they were sent. So nothing that works here depends on an immediate response.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager

from inspector.errors import ConnectError, Disconnected
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Channel, Direction
from inspector.transports.base import Delivery, Observer, Outgoing

Reply = Callable[[bytes], Iterable[bytes]]
"""A whole server as one function: its messages in response to a message. The iterable may be empty."""


class Peer:
    """The server's end: `receive` returns the client's messages, and `send` responds."""

    def __init__(self, deliver: Callable[[bytes], None], end: Callable[[str], None]) -> None:
        self._deliver = deliver
        self._end = end
        self._inbox: deque[bytes] = deque()
        self._news = asyncio.Event()
        self._over = False

    async def receive(self) -> bytes | None:
        """Return the next message of the client; None once the connection has ended. One caller at a time."""
        while not self._inbox and not self._over:
            self._news.clear()
            await self._news.wait()
        return self._inbox.popleft() if self._inbox else None

    def send(self, payload: bytes) -> None:
        """Send a frame to the client: any bytes. After the end of the connection it is lost, as on a wire."""
        self._deliver(payload)

    def close(self, why: str = "the server closed the connection") -> None:
        """End the connection from the server's side; frames sent before still arrive."""
        self._end(why)

    def take(self, payload: bytes) -> None:
        """Put a message of the client into the inbox. For the transport."""
        self._inbox.append(payload)
        self._news.set()

    def hang_up(self) -> None:
        """Signal the end of the client's messages. For the transport."""
        self._over = True
        self._news.set()


class MemoryTransport:
    """The client's end. `peer` is the server's end; with `reply`, that function is the server."""

    def __init__(self, reply: Reply | None = None) -> None:
        self._reply = reply
        self._observer: Observer | None = None
        self._why: str | None = None
        self._ended = asyncio.Event()
        self.peer = Peer(self._from_server, self._end_from_server)

    @property
    def kind(self) -> str:
        """Always "memory"."""
        return "memory"

    async def open(self, observer: Observer) -> None:
        """Connect. This fails only if it is called twice, or after `close`. Raises: ConnectError."""
        if self._observer or self._why is not None:
            raise ConnectError("This connection was opened or closed before.", hint="Make a new one.")
        self._observer = observer
        observer.fact(ConnectionFact(ConnectionEvent.OPEN, self.kind))

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Send one frame. Raises: Disconnected."""
        if self._observer is None or self._why is not None:
            why = "it is not open" if self._why is None else self._why or "it was closed"
            raise Disconnected(f"Nothing can be sent over this connection: {why}.", hint="Connect again.")
        self._observer.frame(Direction.TO_SERVER, Channel.MEMORY, outgoing.payload, cause=outgoing.cause)
        asyncio.get_running_loop().call_soon(self._to_server, outgoing.payload)
        await asyncio.sleep(0)
        return Delivery(answer_may_follow=True)

    async def close(self) -> None:
        """End the connection. Frames from the server that were not delivered yet are lost."""
        self._end("")

    async def wait_closed(self) -> str:
        """Wait for the end of the connection; return why."""
        await self._ended.wait()
        return self._why or ""

    def _to_server(self, payload: bytes) -> None:
        if self._reply is None:
            self.peer.take(payload)
            return
        for answer in self._reply(payload):
            self.peer.send(answer)

    def _from_server(self, payload: bytes) -> None:
        asyncio.get_running_loop().call_soon(self._arrive, payload)

    def _arrive(self, payload: bytes) -> None:
        if self._observer is not None and self._why is None:
            self._observer.frame(Direction.FROM_SERVER, Channel.MEMORY, payload)

    def _end_from_server(self, why: str) -> None:
        asyncio.get_running_loop().call_soon(self._end, why)

    def _end(self, why: str) -> None:
        if self._why is not None:
            return
        self._why = why
        if self._observer is not None:
            self._observer.fact(ConnectionFact(ConnectionEvent.CLOSE, self.kind, why=why))
        self.peer.hang_up()
        self._ended.set()


@asynccontextmanager
async def served_by(server: Callable[[Peer], Awaitable[None]]) -> AsyncIterator[MemoryTransport]:
    """Provide a transport whose other end is `server`, a coroutine that reads and writes its peer.

    When the coroutine returns, the connection ends. At the end of the block it is cancelled. An exception from it is
    raised from the block, in an ExceptionGroup.
    """
    transport = MemoryTransport()

    async def serve() -> None:
        try:
            await server(transport.peer)
        finally:
            transport.peer.close()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(serve())
        try:
            yield transport
        finally:
            await transport.close()
            task.cancel()
