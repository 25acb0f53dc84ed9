"""The tap of an HTTP server: a reverse proxy on loopback that passes requests on and records both sides.

Bytes are forwarded before anything looks at them, and a recording that fails stops no traffic. Only hop-by-hop fields
and `Host` are changed, and addresses that would lead the client past the tap: a `Location` or a legacy `endpoint`
event that names the server's own origin. Where a client closes a stream, the server's connection is closed, which in
protocol version 2026-07-28 cancels the request; where the server breaks off, the client sees a broken connection.
"""

import itertools
import logging
import os
import time
from collections.abc import AsyncGenerator, Callable
from types import TracebackType
from typing import Any, Self

import httpx

from inspector.capture.journal import Journal
from inspector.errors import InspectError, UsageError
from inspector.features.tap.registry import Registration
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Headers, HttpEvent, HttpFact, HttpTiming, SseNote
from inspector.protocol.frames import Channel, Direction, SseFacts
from inspector.transports.http.authorizing import REFUSED, Authorizer, Refusal
from inspector.transports.http.client import make_client
from inspector.transports.http.endpoint import Endpoint, HttpOptions
from inspector.transports.http.listener import Allowance, HangUp, HttpRequest, HttpResponse, Listener
from inspector.transports.http.reply import BadPacking, broken, in_text, unpacker, unreachable
from inspector.transports.http.sse import EventTooLong, SseEvent, SseItem, SseParser

logger = logging.getLogger(__name__)

_HOP_BY_HOP = {
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
    *("te", "trailer", "transfer-encoding", "upgrade"),
}
"""Fields that concern one connection (RFC 9110, section 7.6.1)."""
_KEPT = 64 * 1024 * 1024
"""Bytes of a response body that is no stream, from which on it is passed on but not recorded."""
_UNRECORDABLE = (BadPacking, EventTooLong, InspectError, OSError, ValueError)
"""What may go wrong while a body is read or written down."""
_CLIENT_LEFT = "the client closed the connection"
_NO_BODY = (204, 304)


class HttpTap:
    """One server behind a port of this machine. An async context manager."""

    def __init__(self, url: str, options: HttpOptions, journal: Journal, *, port: int = 0, label: str = "") -> None:
        """`options.authorizer`, if any, logs in for the clients. Raises: UsageError if the URL cannot be a server's."""
        self._endpoint = Endpoint(url, options)
        self._target = self._endpoint.url
        self._origin = str(self._target.copy_with(raw_path=b"/")).rstrip("/")
        self._options = options
        self._journal = journal
        self._label = label
        self._numbers = itertools.count(1)
        self._listener = Listener(self._pass_on, port=port, allowance=Allowance(connections=1024))
        self._client: httpx.AsyncClient | None = None
        self._registration: Registration | None = None
        self.trouble = ""
        """Why something is not recorded; "" while all is well."""

    @property
    def url(self) -> str:
        """What a client connects to instead of the server's URL."""
        return self._listener.url + self._target.raw_path.decode("latin-1")

    async def start(self) -> None:
        """Listen. Nothing is sent yet. Raises: UsageError if the port is taken, or a certificate file is unusable."""
        options = self._options
        self._client = make_client(
            self._target,
            cacert=options.cacert,
            insecure=options.insecure,
            connect_timeout=options.connect_timeout,
            trust_env=options.trust_env,
        )
        self._endpoint.open(self._journal)
        try:
            await self._listener.start()
        except OSError as error:
            await self._client.aclose()
            raise UsageError(
                f"Cannot listen on port {self._listener.port}: {error.strerror}.",
                hint="--listen 127.0.0.1:0 takes a free one.",
            ) from error
        insecure = options.insecure and self._target.scheme == "https"
        self._journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=str(self._target), insecure=insecure))
        self._register()

    async def close(self) -> None:
        """Stop listening and end what is under way."""
        await self._listener.close()
        if self._client is not None:
            await self._client.aclose()
        await self._endpoint.close()
        if self._registration is not None:
            self._registration.remove()
            self._registration = None
        self._journal.fact(
            ConnectionFact(ConnectionEvent.CLOSE, "http", url=str(self._target), why="the tap was closed")
        )

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _register(self) -> None:
        path = self._journal.capture_path
        facts: dict[str, Any] = {
            "label": self._label,
            "argv": [str(self._target)],
            "server": self._label or self._target.host,
            "cwd": os.getcwd(),
            "transport": "http",
            "server_pid": 0,
            "client_pid": 0,
            "client": "",
            "url": self.url,
            "capture": str(path.absolute()) if path is not None else "",
            "trouble": "",
            "since": time.time_ns(),
        }
        try:
            registration = Registration()
            registration.publish(facts)
            self._registration = registration
        except OSError as error:
            self.trouble = f"not listed as a live tap: {error.strerror}"

    async def _pass_on(self, request: HttpRequest) -> HttpResponse:
        """Raises: HangUp."""
        number, client = next(self._numbers), self._client
        assert client is not None, "it listens only with a client"
        url = self._target.copy_with(raw_path=request.target.encode("latin-1"))
        headers = self._request_headers(request)
        self._record_request(number, request, url, headers)
        began = time.perf_counter_ns()
        try:
            response = await self._send(client, request, url, headers)
            if response.status_code in REFUSED and await self._has_logged_in(response, request):
                await response.aread()
                await response.aclose()
                response = await self._send(client, request, url, headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            refusal = unreachable(error, url, self._options.connect_timeout)
            self._record(HttpFact(HttpEvent.ERROR, number, why=str(refusal)))
            return HttpResponse(502, (("Content-Type", "text/plain"),), f"mcp-inspect tap: {refusal}\n".encode())
        timing = HttpTiming(wait=time.perf_counter_ns() - began)
        self._record_head(number, response, timing)
        return await self._answer(number, request, response)

    async def _send(
        self, client: httpx.AsyncClient, request: HttpRequest, url: httpx.URL, headers: Headers
    ) -> httpx.Response:
        authorizer, sent = self._options.authorizer, headers
        if authorizer is not None:
            own = await authorizer.headers(request.method, str(url))
            names = {name.lower() for name, _ in own}
            sent = (*(each for each in headers if each[0].lower() not in names), *own)
        pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent]
        carries = bool(request.body) or request.header("content-length") is not None
        wire = httpx.Request(request.method, url, headers=pairs, content=request.body if carries else None)
        return await client.send(wire, stream=True, follow_redirects=False)

    async def _has_logged_in(self, response: httpx.Response, request: HttpRequest) -> bool:
        authorizer: Authorizer | None = self._options.authorizer
        if authorizer is None:
            return False
        used = response.request.headers.get("authorization", "")
        refusal = Refusal(response.status_code, in_text(response.headers), used, request.method, lambda _: None)
        try:
            return await authorizer.refused(refusal, self._endpoint.ask_aside)
        except InspectError as error:
            self.trouble = f"the login failed: {error}"
            self._journal.note(f"The login failed: {error}")
            return False

    def _request_headers(self, request: HttpRequest) -> Headers:
        """Those of the client in their order, with the server's `Host`; the user's own win over those of their name."""
        own = {name.lower() for name, _ in self._options.headers}
        single = {
            token.strip().lower()
            for name, value in request.headers
            if name.lower() == "connection"
            for token in value.split(",")
        }
        kept = []
        for name, value in request.headers:
            if name.lower() in _HOP_BY_HOP | single | own:
                continue
            kept.append((name, self._target.netloc.decode("ascii") if name.lower() == "host" else value))
        return (*kept, *self._options.headers)

    def _response_headers(self, response: httpx.Response) -> Headers:
        kept = []
        for name, value in ((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw):
            if name.lower() in _HOP_BY_HOP:
                continue
            if name.lower() == "location" and _is_within(value, self._origin):
                value = self._listener.url + value[len(self._origin) :]
            kept.append((name, value))
        return tuple(kept)

    async def _answer(self, number: int, request: HttpRequest, response: httpx.Response) -> HttpResponse:
        headers, reason = self._response_headers(response), response.reason_phrase
        if request.method == "HEAD" or response.status_code in _NO_BODY:
            await response.aclose()
            self._record(HttpFact(HttpEvent.END, number, body_bytes=0))
            return HttpResponse(response.status_code, headers, b"", reason)
        return HttpResponse(response.status_code, headers, self._body(number, request, response), reason)

    async def _body(self, number: int, request: HttpRequest, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        reading = _Reading(self._journal, number, request.method, response)
        renames = request.method == "GET" and reading.is_stream
        why = _CLIENT_LEFT
        try:
            async for chunk in response.aiter_raw():
                yield self._with_own_endpoint(chunk) if renames else chunk
                renames = False
                reading.take(chunk)
            why = ""
        except httpx.HTTPError as error:
            why = broken(error)
            raise HangUp from error
        finally:
            reading.end(why)
            await response.aclose()

    def _with_own_endpoint(self, chunk: bytes) -> bytes:
        """The first piece of a stream with the `endpoint` event of HTTP+SSE leading to the tap."""
        theirs = b"data: " + self._origin.encode()
        if b"event: endpoint" not in chunk or theirs not in chunk:
            return chunk
        return chunk.replace(theirs, b"data: " + self._listener.url.encode(), 1)

    def _record_request(self, number: int, request: HttpRequest, url: httpx.URL, headers: Headers) -> None:
        self._record(HttpFact(HttpEvent.REQUEST, number, method=request.method, target=str(url), headers=headers))
        if request.body and _is_json(request.header("content-type")):
            _safely(self._journal.frame, Direction.TO_SERVER, Channel.POST, request.body, http=number)

    def _record_head(self, number: int, response: httpx.Response, timing: HttpTiming) -> None:
        self._record(
            HttpFact(
                HttpEvent.RESPONSE,
                number,
                status=response.status_code,
                reason=response.reason_phrase,
                version=response.http_version,
                headers=in_text(response.headers),
                timing=timing,
            )
        )

    def _record(self, fact: HttpFact) -> None:
        _safely(self._journal.fact, fact)


class _Reading:
    """Records the body of one response while it is passed on."""

    def __init__(self, journal: Journal, number: int, method: str, response: httpx.Response) -> None:
        self._journal = journal
        self._number = number
        self._response = response
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self.is_stream = kind == "text/event-stream"
        self._is_recorded = self.is_stream or _is_json(kind)
        self._channel = Channel.GET if method == "GET" else Channel.SSE
        self._unpack = unpacker(response.headers.get("content-encoding", ""))
        self._parser = SseParser()
        self._pieces: list[bytes] = []
        self._size = 0
        self._trouble = ""

    def take(self, chunk: bytes) -> None:
        """Look at the next bytes of the wire."""
        if not self._is_recorded or self._trouble:
            return
        try:
            for piece in self._unpack(chunk):
                self._size += len(piece)
                if self.is_stream:
                    for item in self._parser.feed(piece):
                        self._report(item)
                elif self._size <= _KEPT:
                    self._pieces.append(piece)
        except _UNRECORDABLE as error:  # it must not stop the traffic
            self._trouble = f"not recorded further: {error}"

    def end(self, why: str) -> None:
        """The body is over; `why` it ended early, "" if it did not."""
        try:
            if self.is_stream:
                for item in self._parser.finish():
                    self._report(item)
            elif self._pieces:
                lost = max(0, self._size - _KEPT)
                body = b"".join(self._pieces)
                self._journal.frame(Direction.FROM_SERVER, Channel.REPLY, body, http=self._number, cut=lost)
        except _UNRECORDABLE as error:
            self._trouble = f"not recorded further: {error}"
        size = self._response.num_bytes_downloaded
        _safely(self._journal.fact, HttpFact(HttpEvent.END, self._number, why=why or self._trouble, body_bytes=size))

    def _report(self, item: SseItem) -> None:
        if not isinstance(item, SseEvent):
            self._journal.fact(SseNote(self._number, item.raw))
        elif item.complete and item.data and item.event != "endpoint":
            facts = SseFacts(item.event, item.id, item.retry)
            self._journal.frame(Direction.FROM_SERVER, self._channel, item.data, http=self._number, sse=facts)
        else:
            self._journal.fact(SseNote(self._number, item.raw, item.event, item.id, item.retry))


def _safely(record: Callable[..., None], *args: Any, **named: Any) -> None:
    try:
        record(*args, **named)
    except _UNRECORDABLE:  # it must not stop the traffic
        logger.exception("the tap could not record")


def _is_json(content_type: str | None) -> bool:
    kind = (content_type or "").partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json")


def _is_within(address: str, origin: str) -> bool:
    return address == origin or address.startswith((origin + "/", origin + "?"))


def read_listen(text: str) -> int:
    """The port of `--listen HOST:PORT` or `PORT`; the host must be this machine. Raises: UsageError."""
    host, colon, port = text.rpartition(":")
    if colon and host.strip("[]") not in ("127.0.0.1", "localhost", "::1"):
        raise UsageError(f"--listen {text}: the tap listens on this machine only", hint="Use 127.0.0.1:PORT.")
    if not port.isdecimal() or int(port) > 65535:
        raise UsageError(
            f"--listen {text}: {port!r} is not a port", hint="Use 127.0.0.1:PORT, with PORT 0 for a free one."
        )
    return int(port)
