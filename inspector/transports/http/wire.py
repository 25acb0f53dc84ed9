"""One HTTP/1.1 connection as the listener and the forwarder use it: what was received, and what is to be written."""

import asyncio
from typing import Any

HEAD_LIMIT = 64 * 1024
"""Maximum size in bytes of a request line and its headers. As many bytes wait unread at most."""
_TOGETHER = 64 * 1024
"""Maximum number of bytes that are copied in order to be written in one go."""


class Wire(asyncio.Protocol):
    """A connection: received bytes wait here until they are taken, and reading stops when they are too many."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport = None  # type: ignore[assignment]  # set when the connection is made
        self.closed: asyncio.Future[None] = self.loop.create_future()
        """Done when the connection no longer exists."""
        self.has_ended = False
        """Whether nothing more will be received."""
        self.inbox = b""
        """Received bytes that were not taken."""
        self._error: Exception | None = None
        self._arrival: asyncio.Future[None] | None = None
        self._room: asyncio.Future[None] | None = None
        self._is_stopped = False
        self._unsent: list[bytes] = []
        self._soon: asyncio.Handle | None = None

    async def more(self) -> bytes:
        """Take what was received; wait if that is nothing. b"" at the end. Raises: OSError, or what `fail` gets."""
        if not self.inbox and not self.has_ended:
            self._arrival = self.loop.create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        if not self.inbox and self._error is not None:
            raise self._error
        data, self.inbox = self.inbox, b""
        if self._is_stopped:
            self._is_stopped = False
            self.transport.resume_reading()
        return data

    def fail(self, error: Exception) -> None:
        """Raise the error in a running `more`."""
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_exception(error)

    def put(self, data: bytes) -> None:
        """Write soon: together with what else is written before the event loop continues."""
        if not data:
            return
        self._unsent.append(data)
        if len(data) >= _TOGETHER:
            self.flush()
        elif self._soon is None:
            self._soon = self.loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write what waits."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if self._unsent:
            data, self._unsent = b"".join(self._unsent), []
            if not self.closed.done():
                self.transport.write(data)

    async def drain(self) -> None:
        """Wait until the peer accepts more, or the connection has ended."""
        if self._room is not None:
            await asyncio.shield(self._room)

    # Called by asyncio

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.inbox = self.inbox + data if self.inbox else data
        if self._arrival is not None:
            self._wake()
        elif len(self.inbox) >= HEAD_LIMIT and not self._is_stopped:
            self._is_stopped = True
            self.transport.pause_reading()

    def eof_received(self) -> bool:
        self.has_ended = True
        self._wake()
        return self.transport.get_extra_info("sslcontext") is None  # what is still to be sent can be sent

    def connection_lost(self, exc: Exception | None) -> None:
        self.has_ended, self._error = True, exc
        self._unsent.clear()
        if not self.closed.done():
            self.closed.set_result(None)
        self._wake()
        self.resume_writing()

    def pause_writing(self) -> None:
        self._room = self.loop.create_future()

    def resume_writing(self) -> None:
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)
