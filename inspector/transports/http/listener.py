"""A small HTTP/1.1 server on loopback: h11 over asyncio streams.

It handles requests and responses and knows nothing of MCP or this project. A response body may be a stream: each
piece is written at once, and when the client disconnects, the stream is closed, which notifies its producer.

A request whose Host or Origin is not this machine is rejected before its body is read, so that a web page can't get
access through a browser that runs here (DNS rebinding). `Allowance` limits what slow, large or numerous clients can
cost.
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import h11

logger = logging.getLogger(__name__)

Pairs = tuple[tuple[str, str], ...]
HEAD_LIMIT = 64 * 1024
"""Maximum size in bytes of a request line and its headers."""
_READ = 64 * 1024
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CLOSING = 1.0
"""Seconds a connection gets to close."""
_LINGER = 1024 * 1024
"""Maximum number of bytes discarded after a rejection.

Closing at once would reset the connection and lose the response.
"""


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits for clients. A client over a limit gets an HTTP status and loses its connection."""

    connections: int = 256
    """Maximum number of open connections. One more gets 503."""
    body: int = 64 * 1024 * 1024
    """Maximum size in bytes of a request body. A longer one gets 413, unread if Content-Length declares it."""
    bodies: int = 128 * 1024 * 1024
    """Maximum total size in bytes of all request bodies being received or handled. One more byte gets 503."""
    head_s: float = 10
    """Seconds from the first byte of a request, or from connecting, to the end of its headers; then 408."""
    body_s: float = 60
    """Seconds from the end of the headers to the end of the body; then 408."""
    idle_s: float = 120
    """Seconds without a request on a connection that had one; then it is closed."""


class HangUp(Exception):
    """Raised by a handler or a body to break the connection off at once, without a proper end."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request. Headers have the order and case of the wire and are decoded as Latin-1."""

    method: str
    target: str
    """Path and query."""
    headers: Pairs
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first header of this name, ignoring case; None if there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response. Content-Length or chunking is added; everything else is sent unchanged."""

    status: int
    headers: Pairs = ()
    body: bytes | AsyncIterator[bytes] = b""
    reason: str = ""


Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]


class Listener:
    """Serves `handler` until it is closed. An async context manager."""

    def __init__(
        self,
        handler: Handler,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        allowance: Allowance | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Create a listener.

        `port` 0 selects a free one. Raises: ValueError for a host that is not loopback.
        """
        if host not in _LOOPBACK:
            raise ValueError(f"{host!r} is not this machine; a listener opens no port to others")
        self._handler = handler
        self._host, self._port = host, port
        self._allowance = allowance or Allowance()
        self._bodies = _Bodies(self._allowance.bodies)
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Scheme, host and port, without a trailing slash. Available once started."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}"

    @property
    def port(self) -> int:
        """Actual port; before the start, the requested one."""
        return self._port

    async def start(self) -> None:
        """Start listening. Raises: OSError if the port is taken."""
        self._server = await asyncio.start_server(self._accept, self._host, self._port, ssl=self._tls)
        self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening, abort running requests, and return when all of them have ended."""
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        while self._connections:
            for task in self._connections:
                task.cancel()
            await asyncio.wait(self._connections)
        await server.wait_closed()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        full = len(self._connections) >= self._allowance.connections
        connection = _Connection(reader, writer, self._handler, self._allowance, self._bodies, full=full)
        task = asyncio.get_running_loop().create_task(connection.serve(), name="listener connection")
        self._connections.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.error("a connection failed", exc_info=error)


class _Bodies:
    """Total size of the request bodies in memory, over all connections."""

    def __init__(self, limit: int) -> None:
        self._left = limit

    def take(self, size: int) -> None:
        """Add bytes. Raises: _Rejected with 503 if the total is too large."""
        if size > self._left:
            raise _Rejected(503, "Too many request bodies at once")
        self._left -= size

    def give_back(self, size: int) -> None:
        """Release bytes that are no longer needed."""
        self._left += size


class _Rejected(Exception):
    """A request that gets this status instead of being handled; the connection is closed afterwards."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Connection:
    """Connection of one client: requests one after the other."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        handler: Handler,
        allowance: Allowance,
        bodies: _Bodies,
        *,
        full: bool,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._handler = handler
        self._allowance = allowance
        self._bodies = bodies
        self._unsent: list[bytes] = []
        self._held = 0  # bytes of this connection's body that `bodies` counts
        self._full = full
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)

    async def serve(self) -> None:
        """Handle requests until either side ends the connection."""
        try:
            if self._full:
                await self._refuse(503, "Too many connections")
                return
            wait = self._allowance.head_s
            while await self._serve_one(wait):
                self._http.start_next_cycle()
                wait = self._allowance.idle_s
        except asyncio.CancelledError:
            self._writer.transport.abort()
            raise
        except (ConnectionError, ssl.SSLError, h11.LocalProtocolError):
            logger.debug("a connection broke", exc_info=True)
        finally:
            await self._hang_up()

    async def _serve_one(self, wait: float) -> bool:
        """Handle one request that begins within `wait` seconds; return whether another may follow."""
        try:
            request = await self._read_request(wait)
            if request is None or not await self._answer_watching(request):
                return False
        except h11.RemoteProtocolError as error:
            return await self._refuse(error.error_status_hint, str(error))
        except _Rejected as error:
            await self._refuse(error.status, str(error))
            await self._discard_rest()
            return False
        finally:
            self._bodies.give_back(self._held)
            self._held = 0
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _read_request(self, wait: float) -> HttpRequest | None:
        """Read a request; None if the client has disconnected, or sends nothing for `wait` seconds.

        Raises: _Rejected, h11.RemoteProtocolError.
        """
        event = self._http.next_event()
        if event is h11.NEED_DATA and not await self._receive_within(wait):
            return None
        try:
            async with asyncio.timeout(self._allowance.head_s):
                head = event if event is not h11.NEED_DATA else await self._next_event()
            if not isinstance(head, h11.Request):
                return None
            headers = tuple((_text(name), _text(value)) for name, value in head.headers.raw_items())
            request = HttpRequest(_text(head.method), _text(head.target), headers, b"")
            _reject_foreign(request)
            self._reject_long(request)
            async with asyncio.timeout(self._allowance.body_s):
                body = await self._read_body()
        except TimeoutError:
            raise _Rejected(408, "The request took too long") from None
        return None if body is None else replace(request, body=body)

    async def _read_body(self) -> bytes | None:
        """Read a request body; None if the client disconnects before its end."""
        pieces: list[bytes] = []
        while isinstance(event := await self._next_event(), h11.Data):
            piece = bytes(event.data)
            self._bodies.take(len(piece))
            self._held += len(piece)
            if self._held > self._allowance.body:
                raise _Rejected(413, "The body is too long")
            pieces.append(piece)
        return b"".join(pieces) if isinstance(event, h11.EndOfMessage) else None

    def _reject_long(self, request: HttpRequest) -> None:
        if int(request.header("content-length") or 0) > self._allowance.body:  # h11 allows at most 20 digits
            raise _Rejected(413, "The body is too long")

    async def _receive_within(self, seconds: float) -> bool:
        """Wait for the first bytes of a request; return False if there are none in this time."""
        try:
            async with asyncio.timeout(seconds):
                self._http.receive_data(await self._reader.read(_READ))
        except TimeoutError:
            return False
        return True

    async def _next_event(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[])
                self._writer.write(self._http.send(go_on) or b"")
            self._http.receive_data(await self._reader.read(_READ))

    async def _answer_watching(self, request: HttpRequest) -> bool:
        """Respond, and stop as soon as the client disconnects: a stream may have nothing to write for hours.

        Return whether the response was sent completely.
        """
        async with asyncio.TaskGroup() as group:
            answering = group.create_task(self._answer(request), name="listener answer")
            watching = group.create_task(self._watch(answering), name="listener watch")
            answering.add_done_callback(lambda _: watching.cancel())
        return not answering.cancelled() and answering.result()

    async def _watch(self, answering: asyncio.Task[bool]) -> None:
        waiting = 0
        while waiting < HEAD_LIMIT:  # keep what a client sends before its turn, up to a limit
            try:
                data = await self._reader.read(_READ)
            except OSError:
                data = b""
            if not data:
                answering.cancel()
                return
            self._http.receive_data(data)
            waiting += len(data)

    async def _answer(self, request: HttpRequest) -> bool:
        """Respond; return False if the connection is to be broken off."""
        try:
            try:
                await self._write(request, await self._handler(request))
            finally:
                self._flush()  # what was sent before a handler failed
        except (HangUp, ConnectionError):
            return False
        except Exception:  # boundary: the log gets the traceback, the client a 500 if possible
            logger.exception("the handler failed")
            return await self._refuse(500, "Internal error")
        return True

    async def _write(self, request: HttpRequest, response: HttpResponse) -> None:
        body = response.body
        headers = list(response.headers)
        if isinstance(body, bytes) and not _has(headers, "content-length", "transfer-encoding"):
            if response.status != 204:
                headers.append(("Content-Length", str(len(body))))
        encoded = [(_bytes(name), _bytes(value)) for name, value in headers]
        head = h11.Response(status_code=response.status, headers=encoded, reason=_bytes(response.reason))
        self._send(head, more=True)
        if isinstance(body, bytes):
            if request.method != "HEAD":
                self._send(h11.Data(data=body), more=True)
        else:
            soon = asyncio.get_running_loop().call_soon(self._flush)  # unless the first piece follows at once
            try:
                await self._stream(body)
            finally:
                soon.cancel()
        self._send(h11.EndOfMessage())
        await self._writer.drain()

    async def _stream(self, body: AsyncIterator[bytes]) -> None:
        if not isinstance(body, AsyncGenerator):
            async for piece in body:
                await self._send_piece(piece)
            return
        async with aclosing(body):
            await self._writer.drain()
            async for piece in body:
                await self._send_piece(piece)

    async def _send_piece(self, piece: bytes) -> None:
        self._send(h11.Data(data=piece))
        await self._writer.drain()

    def _send(self, event: h11.Event, *, more: bool = False) -> None:
        """Write an event. `more`: with the next one, to save a packet and a system call."""
        data = self._http.send(event)
        if data:
            self._unsent.append(data)
        if not more:
            self._flush()

    def _flush(self) -> None:
        if self._unsent:
            data, self._unsent = b"".join(self._unsent), []
            self._writer.write(data)

    async def _refuse(self, status: int, why: str) -> bool:
        """Respond instead of the handler, if no headers were sent yet. Return False: the connection ends."""
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            text = f"{why}\n".encode()
            headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(text))), ("Connection", "close")]
            self._send(h11.Response(status_code=status, headers=headers))
            self._send(h11.Data(data=text))
            self._send(h11.EndOfMessage())
            with suppress(ConnectionError):
                await self._writer.drain()
        return False

    async def _discard_rest(self) -> None:
        with suppress(OSError, TimeoutError):
            if self._writer.can_write_eof():
                self._writer.write_eof()
            async with asyncio.timeout(_CLOSING):
                left = _LINGER
                while left > 0 and (data := await self._reader.read(_READ)):
                    left -= len(data)

    async def _hang_up(self) -> None:
        self._writer.close()
        try:
            async with asyncio.timeout(_CLOSING):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self._writer.transport.abort()


def _reject_foreign(request: HttpRequest) -> None:
    """Raise _Rejected for a request from a web page of another site."""
    host, origin = request.header("host"), request.header("origin")
    if host is not None and _name(f"//{host}") not in _LOOPBACK:
        raise _Rejected(421, "The Host header does not name this machine")
    if origin is not None and _name(origin) not in _LOOPBACK:
        raise _Rejected(403, "The Origin header does not name this machine")


def _name(reference: str) -> str:
    try:
        return urlsplit(reference).hostname or ""
    except ValueError:
        return ""


def _has(headers: list[tuple[str, str]], *names: str) -> bool:
    return any(name.lower() in names for name, _ in headers)


def _text(raw: bytes) -> str:
    return bytes(raw).decode("latin-1")


def _bytes(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()
