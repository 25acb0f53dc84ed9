"""The tap of an HTTP server: a reverse proxy on loopback that forwards requests and records both sides.

Bytes are forwarded before they are analyzed, and a failed recording does not stop traffic. Only hop-by-hop fields
and `Host` are changed, and addresses that would lead the client past the tap: a `Location` or a legacy `endpoint`
event that names the server's own origin. If a client closes a stream, the server's connection is closed, which in
protocol version 2026-07-28 cancels the request. If the server disconnects, the client sees a broken connection.
"""

import asyncio
import itertools
import logging
import os
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import NamedTuple, Self

import httpx

from inspector.capture.journal import Journal
from inspector.errors import InspectError, UsageError
from inspector.features.tap.control import Control
from inspector.features.tap.http_body import (
    ResponseReading,
    at_boundary,
    event_bytes,
    is_at_boundary,
    is_json,
    is_judged,
    is_stream,
)
from inspector.features.tap.http_held import HttpRecording, HttpRules, registration_facts
from inspector.features.tap.judging import Ruling
from inspector.features.tap.private_path import below
from inspector.features.tap.rules import ArmedRule
from inspector.protocol import facts
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Headers, HttpEvent, HttpFact, HttpTiming, header
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.headers import METHOD, NAME, routing_name
from inspector.protocol.jsonrpc import ErrorResponse, Notification, Request, ResultResponse, read
from inspector.transports.http.authorizing import REFUSED, Authorizer, Refusal
from inspector.transports.http.client import Forwarded, Forwarder, forwarded, make_client, needs_proxy, proxy_of
from inspector.transports.http.endpoint import Endpoint, HttpOptions
from inspector.transports.http.listener import Allowance, HangUp, HttpRequest, HttpResponse, Listener
from inspector.transports.http.reply import broken, in_text, unreachable
from inspector.transports.http.sse import SseEvent, SseItem, SseParser

logger = logging.getLogger(__name__)

_HOP_BY_HOP = {
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
    *("te", "trailer", "transfer-encoding", "upgrade"),
}
"""Fields that apply to a single connection (RFC 9110, section 7.6.1)."""
_MOST_URLS = 256
_NO_BODY = (204, 304)
_ACCEPT = "application/json, text/event-stream"


class HttpTap:
    """A proxy for one server on a local port. An async context manager."""

    def __init__(
        self,
        url: str,
        options: HttpOptions,
        journal: Journal,
        *,
        port: int = 0,
        label: str = "",
        rules: Sequence[ArmedRule] = (),
        host_timeout_s: float = 0.0,
        keep: int = 0,
        private: str = "",
    ) -> None:
        """Create the tap.

        `options.authorizer`, if any, logs in for clients. `host_timeout_s`: the clients' timeout; 0 if unknown.
        `keep`: bytes of the newest traffic that the capture keeps; 0 for all. `private`: the private path, which
        clients may use, and must use if the tap adds credentials.

        Raises: UsageError if the URL is not valid for a server, or credentials would be added without a private path.
        """
        self._endpoint = Endpoint(url, options)
        self._target = self._endpoint.url
        self._host = self._target.netloc.decode("ascii")
        self._origin = str(self._target.copy_with(raw_path=b"/")).rstrip("/")
        self._options = options
        self._private = private
        self._adds_credentials = bool(options.headers or options.authorizer or self._target.userinfo)
        if self._adds_credentials and not private:
            raise UsageError("a tap that adds credentials needs a private path")
        self._recording = HttpRecording(journal, keep)
        self._label = label
        self._numbers = itertools.count(1)
        self._last_post: HttpRequest | None = None
        self._tasks = asyncio.TaskGroup()
        self._own: set[asyncio.Task[None]] = set()
        self._streams: set[asyncio.Queue[tuple[bytes | None, bool]]] = set()
        """Queues of items for each stream that a GET opened."""
        self._listener = Listener(self._pass_on, port=port, allowance=Allowance(connections=1024))
        self._client: httpx.AsyncClient | Forwarder | None = None
        self._urls: dict[str, _Address] = {}
        """Address at the server by target of a request."""
        self._own_names = {name.lower() for name, _ in options.headers}
        self._control: Control | None = None
        self._rule_queue = HttpRules(self._recording, rules, host_timeout_s, self._send_own, self._insert)
        self._judge = self._rule_queue.judge
        self.trouble = ""
        """Why something is not recorded; "" if there is no problem."""

    @property
    def url(self) -> str:
        """URL for clients to connect to in place of the server's URL."""
        return self._base + self._path

    @property
    def _base(self) -> str:
        """Address of the tap in place of the server's origin."""
        return self._listener.url + (self._private if self._adds_credentials else "")

    @property
    def _path(self) -> str:
        return self._target.raw_path.decode("latin-1")

    async def start(self) -> None:
        """Start listening without sending anything.

        Raises: UsageError if the port is taken, or a certificate file is unusable.
        """
        options = self._options
        make = make_client if needs_proxy(self._target, trust_env=options.trust_env) else Forwarder
        self._client = make(
            self._target,
            cacert=options.cacert,
            insecure=options.insecure,
            connect_timeout=options.connect_timeout,
            trust_env=options.trust_env,
        )
        self._endpoint.open(self._recording)
        try:
            await self._listener.start()
        except OSError as error:
            await self._client.aclose()
            raise UsageError(
                f"Cannot listen on port {self._listener.port}: {error.strerror}.",
                hint="--listen 127.0.0.1:0 takes a free one.",
            ) from error
        await self._tasks.__aenter__()
        unverified = options.insecure and self._target.scheme == "https"
        self._recording.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=str(self._target), insecure=unverified))
        self._register()

    async def close(self) -> None:
        """Stop listening, and end all running work."""
        await self._listener.close()
        if self._client is not None:
            await self._client.aclose()
        await self._endpoint.close()
        for task in self._own:
            task.cancel()
        await self._tasks.__aexit__(None, None, None)
        if self._control is not None:
            self._control.close()
            for each in self._rule_queue.at_end:
                each()
            self._control = None
        self._rule_queue.timers.stop()
        self._recording.fact(ConnectionFact(ConnectionEvent.CLOSE, "http", url=str(self._target)))
        self._recording.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    def _register(self) -> None:
        url, host, capture = str(self._target), self._target.host, self._recording.path
        try:
            facts = registration_facts(url, self._label, host, self.url, os.getcwd(), capture)
            self._control = Control(self._rule_queue, facts)
            self._control.start()
        except OSError as error:
            self.trouble = self._recording.trouble = f"not listed as a live tap: {error.strerror}"

    async def _pass_on(self, request: HttpRequest) -> HttpResponse:
        """Forward a request and return the response. Raises: HangUp."""
        number, client = next(self._numbers), self._client
        assert client is not None, "it listens only with a client"
        target = below(self._private, request.target) if self._private else None
        if target is not None:
            request = replace(request, target=target)
        elif self._adds_credentials:
            return _refused(403, "this tap adds credentials: use the whole URL that it has printed")
        try:
            url = self._address(request.target)
        except httpx.InvalidURL as error:
            return _refused(400, f"the target of the request is not valid: {error}")
        headers = self._request_headers(request)
        self._record_request(number, request, url, headers)
        if request.method == "POST":
            self._last_post = request
        if self._judge.armed and request.body and is_json(request.header("content-type")):
            done = await self._rule_queue.rule(Direction.TO_SERVER, request.body, "post", request.headers)
            if done.status:
                self._record(HttpFact(HttpEvent.RESPONSE, number, status=done.status))
                self._record(HttpFact(HttpEvent.END, number, why="answered by a rule", body_bytes=0))
                return HttpResponse(done.status)
            if done.reply is not None:
                return self._answered_here(number, done.reply)
            if done.payload is None:
                return await self._dropped(number, done)
            if done.payload != request.body:
                request = replace(request, body=done.payload)
                headers = _for_body(headers, done.payload)
        began = time.perf_counter_ns()
        try:
            response = await self._send(client, request, url, headers)
            if response.status_code in REFUSED and await self._has_logged_in(response, request):
                async for _ in response.aiter_raw():
                    pass
                await response.aclose()
                response = await self._send(client, request, url, headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            proxy = proxy_of(url.url, trust_env=self._options.trust_env)
            refusal = unreachable(error, url.url, self._options.connect_timeout, proxy)
            self._record(HttpFact(HttpEvent.ERROR, number, why=str(refusal)))
            return _refused(502, str(refusal))
        timing = HttpTiming(wait=time.perf_counter_ns() - began)
        self._record_head(number, response, timing)
        return await self._answer(number, request, response)

    def _send_own(self, payload: bytes) -> None:
        """Send a request of an interface, with the fields of the last POST of a client."""
        task = self._tasks.create_task(self._own_request(payload), name="own request")
        self._own.add(task)
        task.add_done_callback(self._own.discard)

    async def _own_request(self, payload: bytes) -> None:
        last, client = self._last_post, self._client
        headers = last.headers if last is not None else (("Content-Type", "application/json"), ("Accept", _ACCEPT))
        request = HttpRequest("POST", last.target if last is not None else self._path, headers, payload)
        assert client is not None, "it listens only with a client"
        number, url = next(self._numbers), self._address(request.target)
        kept = [each for each in self._request_headers(request) if each[0].lower() != "accept-encoding"]
        sent = _for_body(tuple(kept), payload)
        self._record_request(number, request, url, sent, "user")
        try:
            response = await self._send(client, request, url, sent)
            self._record_head(number, response, HttpTiming())
            await self._read_own(number, response)
        except (httpx.HTTPError, httpx.InvalidURL, InspectError) as error:
            why = str(error) if isinstance(error, InspectError) else str(unreachable(error, url.url, 0))
            self._record(HttpFact(HttpEvent.ERROR, number, why=why))

    async def _read_own(self, number: int, response: Forwarded) -> None:
        reading, parser, whole = ResponseReading(self._recording, number, "POST", response), SseParser(), b""
        try:
            async for chunk in response.aiter_raw():
                reading.take(chunk)
                whole += chunk
                if reading.is_stream:
                    for item in parser.feed(chunk):
                        self._take_own(item.data if isinstance(item, SseEvent) else None)
            self._take_own(None if reading.is_stream else whole)
        finally:
            reading.end("")
            await response.aclose()

    def _take_own(self, payload: bytes | None) -> None:
        for message in read(payload) if payload else ():
            if isinstance(message, ResultResponse | ErrorResponse) and message.id in self._rule_queue.sent:
                self._rule_queue.sent[str(message.id)] = payload

    def _insert(self, payload: bytes) -> None:
        for stream in self._streams:
            stream.put_nowait((payload, True))

    def _answered_here(self, number: int, body: bytes) -> HttpResponse:
        headers = (("Content-Type", "application/json"),)
        self._record(HttpFact(HttpEvent.RESPONSE, number, status=200, headers=headers))
        self._recording.frame(Direction.FROM_SERVER, Channel.REPLY, body, http=number)
        self._record(HttpFact(HttpEvent.END, number, why="answered by a rule", body_bytes=len(body)))
        self._recording.flush()
        return HttpResponse(200, headers, body)

    async def _dropped(self, number: int, ruling: Ruling) -> HttpResponse:
        """Answer a message that is not forwarded. A request gets no response, however long the client waits."""
        self._record(HttpFact(HttpEvent.END, number, why="dropped by a rule"))
        if isinstance(ruling.view.message, Request):
            await asyncio.Event().wait()
        return HttpResponse(202)

    async def _send(
        self, client: httpx.AsyncClient | Forwarder, request: HttpRequest, address: "_Address", headers: Headers
    ) -> Forwarded:
        authorizer, sent = self._options.authorizer, headers
        if authorizer is not None:
            own = await authorizer.headers(request.method, address.text)
            names = {name.lower() for name, _ in own}
            sent = (*(each for each in headers if each[0].lower() not in names), *own)
        if isinstance(client, Forwarder):
            return await client.send(request.method, address.path, sent, request.body)
        pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent]
        carries = bool(request.body) or request.header("content-length") is not None
        wire = httpx.Request(request.method, address.url, headers=pairs, content=request.body if carries else None)
        return forwarded(await client.send(wire, stream=True, follow_redirects=False))

    def _address(self, target: str) -> "_Address":
        """Return the server's address with this path and query."""
        found = self._urls.get(target)
        if found is None:
            if len(self._urls) >= _MOST_URLS:
                self._urls.clear()
            url = self._target.copy_with(raw_path=target.encode("latin-1"))
            found = self._urls[target] = _Address(url, str(url), url.raw_path.decode("ascii"))
        return found

    async def _has_logged_in(self, response: Forwarded, request: HttpRequest) -> bool:
        authorizer: Authorizer | None = self._options.authorizer
        if authorizer is None:
            return False
        used = header(response.sent, "authorization") or ""
        refusal = Refusal(response.status_code, _as_recorded(response.headers), used, request.method, lambda _: None)
        try:
            return await authorizer.refused(refusal, self._endpoint.ask_aside)
        except InspectError as error:
            self.trouble = f"the login failed: {error}"
            self._recording.note(f"The login failed: {error}")
            return False

    def _request_headers(self, request: HttpRequest) -> Headers:
        """Return the client's headers in order, with the server's `Host`.

        Configured headers replace those of the same name.
        """
        left_out = _HOP_BY_HOP | self._own_names if self._own_names else _HOP_BY_HOP
        connection = [value.lower() for name, value in request.headers if name.lower() == "connection"]
        if connection and connection != ["keep-alive"]:
            left_out = left_out | {each.strip() for each in ",".join(connection).split(",")}
        if self._judge.armed:
            left_out = left_out | {"accept-encoding"}  # a compressed body can't be judged
        kept = []
        for pair in request.headers:
            key = pair[0].lower()
            if key not in left_out:
                kept.append(pair if key != "host" else (pair[0], self._host))
        return (*kept, *self._options.headers)

    def _response_headers(self, response: Forwarded) -> Headers:
        kept = []
        for name, value in response.headers:
            key = name.lower()
            if key in _HOP_BY_HOP:
                continue
            if key == "location" and f"{value}/".startswith((f"{self._origin}/", f"{self._origin}?")):
                value = self._base + value[len(self._origin) :]
            elif key == "location" and value.startswith("/") and not value.startswith("//"):
                value = self._base[len(self._listener.url) :] + value
            kept.append((name, value))
        return tuple(kept)

    async def _answer(self, number: int, request: HttpRequest, response: Forwarded) -> HttpResponse:
        headers, reason = self._response_headers(response), response.reason_phrase
        if request.method == "HEAD" or response.status_code in _NO_BODY:
            await response.aclose()
            self._record(HttpFact(HttpEvent.END, number, body_bytes=0))
            return HttpResponse(response.status_code, headers, b"", reason)
        whole = response.whole() if not self._judge.armed else None
        if whole is not None:
            reading = ResponseReading(self._recording, number, request.method, response)
            reading.take(whole)
            reading.end("")
            self._recording.flush()
            return HttpResponse(response.status_code, headers, whole, reason)
        if self._judge.armed and is_judged(response):
            headers = tuple(each for each in headers if each[0].lower() != "content-length")
            body = self._judged_body(number, request, response)
        elif is_stream(response) and is_judged(response) and not response.header("content-length"):
            body = self._judged_body(number, request, response, waits_for_rules=True)
        else:
            body = self._body(number, request, response)
        return HttpResponse(response.status_code, headers, body, reason)

    async def _body(self, number: int, request: HttpRequest, response: Forwarded) -> AsyncGenerator[bytes, None]:
        """Forward a body unchanged."""
        reading = ResponseReading(self._recording, number, request.method, response)
        why = facts.CLIENT_LEFT
        try:
            async for chunk in response.aiter_raw():
                reading.take(chunk)
                self._recording.flush()
                yield chunk
            reading.record_body()
            self._recording.flush()
            why = ""
        except httpx.HTTPError as error:
            why = broken(error)
            raise HangUp from error
        finally:
            reading.end(why)
            await response.aclose()

    async def _judged_body(
        self, number: int, request: HttpRequest, response: Forwarded, *, waits_for_rules: bool = False
    ) -> AsyncGenerator[bytes, None]:
        """Forward a body by message for rules: a whole JSON body, or event by event.

        `waits_for_rules`: forward a stream unchanged until a rule is armed, and event by event from the next event
        on.
        """
        reading = ResponseReading(self._recording, number, request.method, response)
        why, tail, renames = facts.CLIENT_LEFT, b"", request.method == "GET"
        try:
            async for chunk, is_own in self._chunks(request, response):
                if is_own:
                    to, channel = Direction.FROM_SERVER, Channel.GET
                    self._recording.frame(to, channel, chunk, http=number, origin="rule")
                    self._recording.flush()
                    yield b"data: " + chunk + b"\n\n"
                    continue
                if waits_for_rules and not self._judge.armed:
                    reading.take(chunk)
                    self._recording.flush()
                    yield self._with_own_endpoint(chunk) if renames else chunk
                    tail, renames = (tail + chunk)[-4:], False
                    continue
                if waits_for_rules:
                    passed, chunk, waits_for_rules = at_boundary(tail, chunk)
                    if passed:
                        reading.take(passed)
                        self._recording.flush()
                        yield passed
                        tail = (tail + passed)[-4:]
                for event in reading.events(chunk):
                    async for piece in self._judged_event(event, reading, response.status_code):
                        yield piece
            body = reading.record_body()
            if body is not None:
                ruling = await self._rule_queue.rule(
                    Direction.FROM_SERVER, body, "reply", _as_recorded(response.headers), response.status_code
                )
                if ruling.payload is None:
                    raise HangUp
                self._recording.flush()
                yield ruling.payload
            why = ""
        except httpx.HTTPError as error:
            why = broken(error)
            raise HangUp from error
        finally:
            reading.end(why)
            await response.aclose()

    async def _chunks(self, request: HttpRequest, response: Forwarded) -> AsyncGenerator[tuple[bytes, bool], None]:
        """Yield the chunks of a body with False, and messages that the tap inserts between events with True."""
        pieces = response.aiter_raw()
        if request.method != "GET" or not is_stream(response):
            async for piece in pieces:
                yield piece, False
            return
        inbox: asyncio.Queue[tuple[bytes | None, bool]] = asyncio.Queue()
        turn, failed = asyncio.Semaphore(1), list[Exception]()

        async def pump() -> None:
            try:
                async for piece in pieces:
                    await turn.acquire()
                    inbox.put_nowait((piece, False))
            except (httpx.HTTPError, httpx.StreamError) as error:
                failed.append(error)
            inbox.put_nowait((None, False))

        self._streams.add(inbox)
        pumping = self._tasks.create_task(pump(), name="stream")
        due, tail = list[bytes](), b""
        try:
            while True:
                found, is_own = await inbox.get()
                if found is None:
                    break
                if is_own:
                    due.append(found)
                else:
                    yield found, False
                    tail = (tail + found)[-4:]
                    turn.release()
                while due and is_at_boundary(tail):
                    yield due.pop(0), True
            if failed:
                raise failed[0]
        finally:
            self._streams.discard(inbox)
            pumping.cancel()
            await asyncio.wait((pumping,))

    async def _judged_event(self, item: SseItem, reading: ResponseReading, status: int) -> AsyncGenerator[bytes, None]:
        if not reading.record(item) or not isinstance(item, SseEvent) or item.data is None:
            self._recording.flush()
            yield self._with_own_endpoint(item.raw) + b"\n\n"
            return
        ruling = await self._rule_queue.rule(Direction.FROM_SERVER, item.data, "sse", (), status)
        if ruling.payload is None:
            return
        raw = item.raw if ruling.payload == item.data else event_bytes(item, ruling.payload)
        self._recording.flush()
        for _ in range(2 if ruling.twice else 1):
            yield raw + b"\n\n"

    def _with_own_endpoint(self, chunk: bytes) -> bytes:
        """Replace the server's origin in the `endpoint` event of HTTP+SSE by the tap's."""
        theirs, own = b"data: " + self._origin.encode(), b"data: " + self._base.encode()
        if b"event: endpoint" not in chunk:
            return chunk
        if theirs in chunk:
            return chunk.replace(theirs, own, 1)
        return chunk.replace(b"data: /", own + b"/", 1) if self._adds_credentials else chunk

    def _record_request(
        self, number: int, request: HttpRequest, address: "_Address", headers: Headers, origin: str = ""
    ) -> None:
        method, connection = request.method, request.connection
        self._record(HttpFact(HttpEvent.REQUEST, number, method, address.text, headers=headers, connection=connection))
        if request.body and is_json(request.header("content-type")):
            self._recording.frame(Direction.TO_SERVER, Channel.POST, request.body, http=number, origin=origin)

    def _record_head(self, number: int, response: Forwarded, timing: HttpTiming) -> None:
        self._record(
            HttpFact(
                HttpEvent.RESPONSE,
                number,
                status=response.status_code,
                reason=response.reason_phrase,
                version=response.http_version,
                headers=_as_recorded(response.headers),
                timing=timing,
            )
        )

    def _record(self, fact: HttpFact) -> None:
        self._recording.fact(fact)


class _Address(NamedTuple):
    url: httpx.URL
    text: str
    path: str
    """Path and query."""


def _refused(status: int, why: str) -> HttpResponse:
    return HttpResponse(status, (("Content-Type", "text/plain"),), f"mcp-inspect tap: {why}\n".encode())


def _as_recorded(headers: Headers) -> Headers:
    """Return headers that are Latin-1 as UTF-8 where they are that."""
    if all(value.isascii() for _, value in headers):
        return headers
    return in_text(httpx.Headers([(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]))


def _for_body(headers: Headers, body: bytes) -> Headers:
    """Adapt headers to a changed request body: the length, and method and name if the client repeats them."""
    found = {"content-length": str(len(body))}
    (message, *others) = read(body)
    if isinstance(message, Request | Notification) and not others:
        own = {METHOD: message.method, NAME: routing_name(message.method, message.params)}
        found |= {name.lower(): value for name, value in own.items() if value is not None}
    return tuple((name, found.get(name.lower(), value)) for name, value in headers)


def read_listen(text: str) -> int:
    """Return the port of `--listen HOST:PORT` or `PORT`. Raises: UsageError, also if the host is not local."""
    host, colon, port = text.rpartition(":")
    if colon and host.strip("[]") not in ("127.0.0.1", "localhost", "::1"):
        raise UsageError(f"--listen {text}: the tap listens on this machine only", hint="Use 127.0.0.1:PORT.")
    if not port.isdecimal() or int(port) > 65535:
        raise UsageError(
            f"--listen {text}: {port!r} is not a port", hint="Use 127.0.0.1:PORT, with PORT 0 for a free one."
        )
    return int(port)
