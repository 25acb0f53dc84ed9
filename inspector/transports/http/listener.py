"""A small HTTP/1.1 server on loopback; h11 reads and writes the messages.

It handles requests and responses and knows nothing of MCP or this project. A response body may be a stream: each
piece is written at once, and when the client disconnects, the stream is closed, which notifies its producer.

A request whose Host or Origin is not this machine is rejected before its body is read, so that a web page can't get
access through a browser that runs here (DNS rebinding). `Allowance` limits what slow, large or numerous clients can
cost.
"""

import asyncio
import itertools
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Self

import h11

from inspector.protocol.facts import header
from inspector.protocol.url_hosts import host_of
from inspector.transports.http.wire import HEAD_LIMIT, Wire

logger = logging.getLogger(__name__)

Pairs = tuple[tuple[str, str], ...]
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
    connection: int = 0
    """Number of the TCP connection, from 1."""

    def header(self, name: str) -> str | None:
        """Return the first header of this name, ignoring case; None if there is none."""
        return header(self.headers, name)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response. Content-Length or chunking is added; everything else is sent unchanged."""

    status: int
    headers: Pairs = ()
    body: bytes | AsyncIterator[bytes] = b""
    reason: str = ""
    takes: Callable[[bytes], None] | None = None
    """With status 101: gets all that the client sends from then on. The body, a stream, goes the other way."""


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
        """Create a listener. `port` 0 selects a free one. Raises: ValueError for a host that is not loopback."""
        if host not in _LOOPBACK:
            raise ValueError(f"{host!r} is not this machine; a listener opens no port to others")
        self._handler = handler
        self._host, self._port = host, port
        self._allowance = allowance or Allowance()
        self._bodies = _Bodies(self._allowance.bodies)
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count(1)

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
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._accept, self._host, self._port, ssl=self._tls)
        self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening, abort running requests, and return when all of them have ended."""
        server, self._server = self._server, None
        if server is None:
            return
        for listening in server.sockets:
            asyncio.get_running_loop().remove_reader(listening.fileno())
        for _ in range(3):  # turns until what was accepted is a connection here; a closed server just forgets it
            await asyncio.sleep(0)
        server.close()
        while self._connections:
            for task in self._connections:
                task.cancel()
            await asyncio.wait(self._connections)
        await server.wait_closed()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    def _accept(self) -> "_Connection":
        return _Connection(self._handler, self._allowance, self._bodies, self._serve, next(self._numbers))

    def _serve(self, connection: "_Connection") -> asyncio.Task[None]:
        full = len(self._connections) >= self._allowance.connections
        task = asyncio.get_running_loop().create_task(connection.serve(full=full), name="listener connection")
        self._connections.add(task)
        task.add_done_callback(partial(self._done, connection))
        if self._server is None:  # accepted while the listener closed
            task.cancel()
        return task

    def _done(self, connection: "_Connection", task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        connection.transport.abort()  # a task that is cancelled before its first step closes nothing
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


class _Connection(Wire):
    """Connection of one client: requests one after the other."""

    def __init__(
        self,
        handler: Handler,
        allowance: Allowance,
        bodies: _Bodies,
        start: "Callable[[_Connection], asyncio.Task[None]]",
        number: int,
    ) -> None:
        super().__init__()
        self._number = number
        self._handler = handler
        self._allowance = allowance
        self._bodies = bodies
        self._start = start
        self._held = 0  # bytes of this connection's body that `bodies` counts
        self._http = _server_side()
        self._is_answering = False
        self._takes: Callable[[bytes], None] | None = None
        """Gets what is received after protocols were switched."""
        self._task: asyncio.Task[None] | None = None
        self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None

    # Events of the connection

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._task = self._start(self)

    def data_received(self, data: bytes) -> None:
        if self._takes is not None:
            self._takes(data)
        else:
            super().data_received(data)

    def eof_received(self) -> bool:
        self._stop_answering()
        return super().eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_answering()

    def _stop_answering(self) -> None:
        """Stop as soon as the client disconnects: a stream may have nothing to write for hours."""
        if self._is_answering and self._task is not None:
            self._is_answering = False
            self._task.cancel()

    def _expect(self, seconds: float) -> None:
        """Let what is read next be late after this time."""
        self._deadline = self.loop.time() + seconds

    async def _timely(self) -> bytes:
        """Take what was received; wait if that is nothing. There is one timer, which is seldom set.

        Raises: TimeoutError, OSError.
        """
        if not self.inbox:
            if self._timer is not None and self._timer.when() > self._deadline:
                self._timer.cancel()
                self._timer = None
            if self._timer is None:
                self._timer = self.loop.call_at(self._deadline, self._look_at_clock)
        return await self.more()

    def _look_at_clock(self) -> None:
        self._timer = None
        if self.loop.time() < self._deadline:
            self._timer = self.loop.call_at(self._deadline, self._look_at_clock)
        else:
            self.fail(TimeoutError())

    # Requests

    async def serve(self, *, full: bool) -> None:
        """Handle requests until either side ends the connection."""
        try:
            if full:
                await self._refuse(503, "Too many connections")
                return
            wait = self._allowance.head_s
            while await self._serve_one(wait):
                wait = self._allowance.idle_s
        except asyncio.CancelledError:
            self.transport.abort()
            raise
        except (OSError, h11.LocalProtocolError):
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
        return self._is_ready_for_next()

    def _is_ready_for_next(self) -> bool:
        http, self._http = self._http, _server_side()
        self.inbox = http.trailing_data[0] + self.inbox
        return http.our_state is h11.DONE and http.their_state is h11.DONE

    async def _read_request(self, wait: float) -> HttpRequest | None:
        """Read a request; None if the client has disconnected, or sends nothing for `wait` seconds.

        Raises: _Rejected, h11.RemoteProtocolError.
        """
        self._expect(wait)
        try:
            data = await self._timely()
        except TimeoutError:
            return None
        self._http.receive_data(data)
        try:
            self._expect(self._allowance.head_s)
            head = await self._next_event()
            if not isinstance(head, h11.Request):
                return None
            headers = tuple((_text(name), _text(value)) for name, value in head.headers.raw_items())
            request = _checked(HttpRequest(_text(head.method), _text(head.target), headers, b"", self._number))
            self._reject_long(int(request.header("content-length") or 0))  # h11 allows at most 20 digits
            self._expect(self._allowance.body_s)
            body = await self._read_body()
        except TimeoutError:
            raise _Rejected(408, "The request took too long") from None
        return None if body is None else replace(request, body=body)

    async def _read_body(self) -> bytes | None:
        """Read a request body; None if the client disconnects before its end."""
        pieces: list[bytes] = []
        while isinstance(event := await self._next_event(), h11.Data):
            self._take(len(event.data))
            pieces.append(bytes(event.data))
        return b"".join(pieces) if isinstance(event, h11.EndOfMessage) else None

    def _take(self, size: int) -> None:
        self._bodies.take(size)
        self._held += size
        self._reject_long(self._held)

    def _reject_long(self, length: int) -> None:
        if length > self._allowance.body:
            raise _Rejected(413, "The body is too long")

    async def _next_event(self) -> object:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                self.put(self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
            self._http.receive_data(await self._timely())

    # Responses

    async def _answer_watching(self, request: HttpRequest) -> bool:
        """Respond; return whether the response was sent completely."""
        if self.has_ended:
            return False
        self._is_answering = True
        try:
            return await self._answer(request)
        finally:
            self._is_answering = False

    async def _answer(self, request: HttpRequest) -> bool:
        """Respond; return False if the connection is to be broken off."""
        try:
            try:
                await self._write(request, await self._handler(request))
            finally:
                self.flush()  # what was sent before a handler failed
        except (HangUp, ConnectionError):
            return False
        except Exception:  # boundary: the log gets the traceback, the client a 500 if possible
            logger.exception("the handler failed")
            return await self._refuse(500, "Internal error")
        return True

    async def _write(self, request: HttpRequest, response: HttpResponse) -> None:
        body, headers = response.body, response.headers
        if isinstance(body, bytes) and not _has(headers, "content-length", "transfer-encoding"):
            if response.status != 204:
                headers = (*headers, ("Content-Length", str(len(body))))
        try:
            if response.takes is not None and not isinstance(body, bytes):
                await self._switch(headers, body, response.takes)
            encoded = [(_bytes(name), _bytes(value)) for name, value in headers]
            self._send(h11.Response(status_code=response.status, headers=encoded, reason=_bytes(response.reason)))
            if not isinstance(body, bytes):
                async for piece in body:
                    self._send(h11.Data(data=piece))
                    await self.drain()
            elif request.method != "HEAD":
                self._send(h11.Data(data=body))
            self._send(h11.EndOfMessage())
            self.flush()
            await self.drain()
        finally:
            if isinstance(body, AsyncGenerator):
                await body.aclose()

    def _send(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> None:
        self.put(self._http.send(event) or b"")

    async def _switch(self, headers: Pairs, body: AsyncIterator[bytes], takes: Callable[[bytes], None]) -> None:
        """Switch protocols. Raises: HangUp at the end of the stream, for no request can follow."""
        lines = b"".join(b"%b: %b\r\n" % (_bytes(name), _bytes(value)) for name, value in headers)
        self.put(b"HTTP/1.1 101 Switching Protocols\r\n%b\r\n" % lines)
        self.flush()
        self._takes = takes
        async for piece in body:
            self.put(piece)
            await self.drain()
        raise HangUp

    async def _refuse(self, status: int, why: str) -> bool:
        """Respond instead of the handler, if no headers were sent yet. Return False: the connection ends."""
        if self._takes is None and self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            text = f"{why}\n".encode()
            headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(text))), ("Connection", "close")]
            for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=text), h11.EndOfMessage()):
                self._send(event)
            self.flush()
            await self.drain()
        return False

    async def _discard_rest(self) -> None:
        with suppress(OSError, TimeoutError):
            if self.transport.can_write_eof():
                self.transport.write_eof()
            async with asyncio.timeout(_CLOSING):
                left = _LINGER
                while left > 0 and (data := await self.more()):
                    left -= len(data)

    async def _hang_up(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.flush()
        self.transport.close()
        try:
            async with asyncio.timeout(_CLOSING):
                await asyncio.shield(self.closed)
        except TimeoutError:
            self.transport.abort()


def _server_side() -> h11.Connection:
    return h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)


def _checked(request: HttpRequest) -> HttpRequest:
    """Return a request with its target as path and query.

    Raises: _Rejected for another target than a path or a URL of this machine, and for a web page of another site.
    """
    _reject_foreign(request)
    if request.target.startswith("/"):
        return request
    scheme, separator, rest = request.target.partition("://")
    at = min((place for sign in "/?#" if (place := rest.find(sign)) >= 0), default=len(rest))
    if request.method == "CONNECT" or not separator or scheme.lower() not in ("http", "https"):
        raise _Rejected(400, "The target is neither a path nor a URL")
    name = _name(f"//{rest[:at]}")
    if not name:
        raise _Rejected(400, "The target has no valid host")
    if name not in _LOOPBACK:
        raise _Rejected(421, "The target does not name this machine")
    return replace(request, target=rest[at:] if rest[at : at + 1] == "/" else f"/{rest[at:]}")


def _reject_foreign(request: HttpRequest) -> None:
    """Raise _Rejected for a request from a web page of another site."""
    host, origin = request.header("host"), request.header("origin")
    if host is not None and _name(f"//{host}") not in _LOOPBACK:
        raise _Rejected(421, "The Host header does not name this machine")
    if origin is not None and _name(origin) not in _LOOPBACK:
        raise _Rejected(403, "The Origin header does not name this machine")


_name = lru_cache(maxsize=64)(host_of)


def _has(headers: Pairs, *names: str) -> bool:
    return any(name.lower() in names for name, _ in headers)


def _text(raw: bytes) -> str:
    return bytes(raw).decode("latin-1")


def _bytes(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()
