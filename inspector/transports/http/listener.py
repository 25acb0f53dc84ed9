"""A small HTTP/1.1 server for this machine alone: h11's rules over asyncio's streams.

It knows requests and responses, nothing of MCP, and nothing of this project. A response body may be a stream:
each piece is written at once, and when the client goes away the stream is closed, so that whoever produces it
learns. Every request is refused whose Host or Origin is not this machine: a web page must not get in by
way of a browser that runs here (DNS rebinding).
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import h11

logger = logging.getLogger(__name__)

Pairs = tuple[tuple[str, str], ...]
HEAD_LIMIT = 64 * 1024
"""Bytes of a request line and its headers."""
BODY_LIMIT = 64 * 1024 * 1024
_READ = 64 * 1024
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CLOSING = 1.0
"""Seconds a connection gets to say goodbye."""


class HangUp(Exception):
    """Raised by a handler or a body: break the connection off right here, without an end."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What the client asked. Headers in order and case of the wire, read as Latin-1."""

    method: str
    target: str
    """Path and query."""
    headers: Pairs
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first header of this name, in any case; None if there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What is answered. Content-Length or chunking is added; everything else goes out as it stands here."""

    status: int
    headers: Pairs = ()
    body: bytes | AsyncIterator[bytes] = b""


Handler = Callable[[HttpRequest], Awaitable[HttpResponse]]


class Listener:
    """Serves `handler` until it is closed. An async context manager."""

    def __init__(
        self,
        handler: Handler,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        body_limit: int = BODY_LIMIT,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`port` 0 takes a free one; `body_limit` is in bytes. Raises: ValueError for a host that is not loopback."""
        if host not in _LOOPBACK:
            raise ValueError(f"{host!r} is not this machine; a listener opens no port to others")
        self._handler = handler
        self._host, self._port = host, port
        self._body_limit = body_limit
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Scheme, host and port, without a slash at the end. Known once it is started."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}"

    @property
    def port(self) -> int:
        """The port it listens on; the one asked for before it is started."""
        return self._port

    async def start(self) -> None:
        """Listen. Raises: OSError if the port is taken."""
        self._server = await asyncio.start_server(self._accept, self._host, self._port, ssl=self._tls)
        self._port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening, break off what is under way, and return when all of it has ended."""
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
        connection = _Connection(reader, writer, self._handler, self._body_limit)
        task = asyncio.get_running_loop().create_task(connection.serve(), name="listener connection")
        self._connections.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.error("a connection failed", exc_info=error)


class _Connection:
    """One client's connection: requests one after the other."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler, body_limit: int
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._handler = handler
        self._body_limit = body_limit
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)

    async def serve(self) -> None:
        """Answer until either side wants no more."""
        try:
            while await self._serve_one():
                self._http.start_next_cycle()
        except asyncio.CancelledError:
            self._writer.transport.abort()
            raise
        except (ConnectionError, ssl.SSLError, h11.LocalProtocolError):
            logger.debug("a connection broke", exc_info=True)
        finally:
            await self._hang_up()

    async def _serve_one(self) -> bool:
        """Answer one request; return whether another may follow."""
        try:
            request = await self._read_request()
        except h11.RemoteProtocolError as error:
            return await self._refuse(error.error_status_hint, str(error))
        if request is None:
            return False
        refusal = _foreign(request)
        if refusal is not None:
            await self._write(request, refusal)
        elif not await self._answer_watching(request):
            return False
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _read_request(self) -> HttpRequest | None:
        """None if the client has gone."""
        head = await self._next_event()
        if not isinstance(head, h11.Request):
            return None
        body: list[bytes] = []
        size = 0
        while isinstance(event := await self._next_event(), h11.Data):
            body.append(bytes(event.data))
            size += len(event.data)
            if size > self._body_limit:
                raise h11.RemoteProtocolError("the body is too long", error_status_hint=413)
        if not isinstance(event, h11.EndOfMessage):
            return None
        headers = tuple((_text(name), _text(value)) for name, value in head.headers.raw_items())
        return HttpRequest(_text(head.method), _text(head.target), headers, b"".join(body))

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
        """Answer, and give up as soon as the client is gone: a stream may have nothing to write for hours.

        Return whether the answer went out whole.
        """
        async with asyncio.TaskGroup() as group:
            answering = group.create_task(self._answer(request), name="listener answer")
            watching = group.create_task(self._watch(answering), name="listener watch")
            answering.add_done_callback(lambda _: watching.cancel())
        return not answering.cancelled() and answering.result()

    async def _watch(self, answering: asyncio.Task[bool]) -> None:
        waiting = 0
        while waiting < HEAD_LIMIT:  # what a client sends before its turn is kept, up to a point
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
        """Answer; return False if the connection is to be broken off."""
        try:
            await self._write(request, await self._handler(request))
        except (HangUp, ConnectionError):
            return False
        except Exception:  # the border of the listener: the log gets the traceback, the client a 500 if it still can
            logger.exception("the handler failed")
            return await self._refuse(500, "Internal error")
        return True

    async def _write(self, request: HttpRequest, response: HttpResponse) -> None:
        body = response.body
        headers = list(response.headers)
        if isinstance(body, bytes) and not _has(headers, "content-length", "transfer-encoding"):
            if response.status != 204:
                headers.append(("Content-Length", str(len(body))))
        self._send(h11.Response(status_code=response.status, headers=[(n.encode(), v.encode()) for n, v in headers]))
        if isinstance(body, bytes):
            if request.method != "HEAD":
                self._send(h11.Data(data=body))
        else:
            await self._stream(body)
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

    def _send(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            self._writer.write(data)

    async def _refuse(self, status: int, why: str) -> bool:
        """Answer in place of the handler, if no head has gone out yet; the connection ends either way: False."""
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            text = f"{why}\n".encode()
            headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(text))), ("Connection", "close")]
            self._send(h11.Response(status_code=status, headers=headers))
            self._send(h11.Data(data=text))
            self._send(h11.EndOfMessage())
            with suppress(ConnectionError):
                await self._writer.drain()
        return False

    async def _hang_up(self) -> None:
        self._writer.close()
        try:
            async with asyncio.timeout(_CLOSING):
                await self._writer.wait_closed()
        except (OSError, TimeoutError):
            self._writer.transport.abort()


def _foreign(request: HttpRequest) -> HttpResponse | None:
    """The refusal of a request that a web page of somewhere else has sent; None if it is one of ours."""
    host, origin = request.header("host"), request.header("origin")
    if host is not None and _name(f"//{host}") not in _LOOPBACK:
        return HttpResponse(421, (("Content-Type", "text/plain"),), b"This server answers to this machine alone\n")
    if origin is not None and _name(origin) not in _LOOPBACK:
        return HttpResponse(403, (("Content-Type", "text/plain"),), b"This origin has no business here\n")
    return None


def _name(reference: str) -> str:
    try:
        return urlsplit(reference).hostname or ""
    except ValueError:
        return ""


def _has(headers: list[tuple[str, str]], *names: str) -> bool:
    return any(name.lower() in names for name, _ in headers)


def _text(raw: bytes) -> str:
    return bytes(raw).decode("latin-1")
