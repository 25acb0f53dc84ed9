"""An HTTP endpoint: every exchange is numbered and reported, redirects included.

Rules: the observer gets what was sent, in the order it was sent. No credential of the user is sent to an origin
other than the requested one. Nothing is retried silently. Redirects are followed here and not by httpx, so that each
of them is a visible exchange. There is no read timeout: a stream may be silent for hours (the session has timeouts).
No cookies are kept.
"""

import asyncio
import base64
import itertools
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx

from inspector import __version__
from inspector.errors import ConnectError, InspectError, UsageError
from inspector.protocol.facts import GIVEN_UP_HERE, Headers, HttpEvent, HttpFact, HttpTiming
from inspector.protocol.frames import Cause, Channel, Direction
from inspector.transports.base import LIMITS, Limits, MessageObserver
from inspector.transports.http.authorizing import REFUSED, Authorizer, Heard, Refusal
from inspector.transports.http.client import make_client, proxy_of
from inspector.transports.http.reply import HttpReply, Trail, in_text, read_body, read_events, read_quietly, unreachable

# Timing of a request

_CONNECT, _TLS = "connection.connect_tcp", "connection.start_tls"
_HEADERS, _BODY, _HEAD = "http11.send_request_headers", "http11.send_request_body", "http11.receive_response_headers"
DOCUMENT_KEPT = 64 * 1024
"""Maximum size in bytes of a metadata document that is reported."""
_EXCERPT = 200
"""Characters quoted of an invalid address."""
ACCEPT_ANSWER = ("Accept", "application/json, text/event-stream")
ACCEPT_STREAM = ("Accept", "text/event-stream")
JSON_CONTENT = ("Content-Type", "application/json")
_KEEPS_METHOD = {307, 308}
_BECOMES_GET = {301, 302, 303}
_OURS: Headers = (("Accept-Encoding", "identity"), ("User-Agent", f"mcp-inspect/{__version__}"))


class Stopwatch:
    """Timing of one exchange. httpcore calls `trace`, which is passed as the request extension of that name."""

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self._clock = clock
        self._marks: dict[str, int] = {}
        self._lookup: int | None = None

    async def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Record that a step began or ended."""
        self._marks[event] = self._clock()

    def looked_up(self, took_ns: int) -> None:
        """Record a name lookup."""
        self._lookup = (self._lookup or 0) + took_ns

    def timing(self) -> HttpTiming:
        """Return the timing known when the response headers are received."""
        connect, lookup = self._between(_CONNECT, _CONNECT), self._lookup
        if connect is not None and lookup is not None:
            connect = max(0, connect - lookup)
        sent = _BODY if f"{_BODY}.complete" in self._marks else _HEADERS
        wait = self._span(f"{sent}.complete", f"{_HEAD}.complete")
        return HttpTiming(lookup, connect, self._between(_TLS, _TLS), self._between(_HEADERS, sent), wait)

    def _between(self, first: str, last: str) -> int | None:
        return self._span(f"{first}.started", f"{last}.complete")

    def _span(self, began: str, ended: str) -> int | None:
        if began not in self._marks or ended not in self._marks:
            return None
        return max(0, self._marks[ended] - self._marks[began])


running: ContextVar[Stopwatch | None] = ContextVar("running", default=None)
"""Stopwatch of the exchange in the current context."""


@dataclass(frozen=True, slots=True)
class HttpOptions:
    headers: Headers = ()
    """Sent with every request, but only to the URL's own origin. They override headers of the same name."""
    cacert: str | None = None
    """PEM file with authorities to trust, in addition to the default ones."""
    insecure: bool = False
    """Whether to accept any certificate."""
    connect_timeout: float = 10.0
    authorizer: Authorizer | None = None
    """Logs in if the server requires credentials. None: the rejection is the response."""
    aside_timeout: float = 30.0
    """Total timeout in seconds of an exchange of a login, which has no streams."""
    limits: Limits = LIMITS
    trust_env: bool = True
    """Whether the environment may set proxies and certificates. A loopback address is never proxied."""


def time_lookups() -> None:
    """Make the running event loop report the time of name lookups to each exchange. Idempotent."""
    loop = asyncio.get_running_loop()
    ask = loop.getaddrinfo
    if getattr(ask, "__name__", "") == "_timed":
        return

    async def _timed(*args: Any, **kwargs: Any) -> Any:
        watch, began = running.get(), time.perf_counter_ns()
        try:
            return await ask(*args, **kwargs)
        finally:
            if watch is not None:
                watch.looked_up(time.perf_counter_ns() - began)

    loop.getaddrinfo = _timed  # type: ignore[method-assign]


class Endpoint:
    """One HTTP address. Creating it needs no network; it is used on one event loop."""

    def __init__(self, url: str, options: HttpOptions) -> None:
        """Create an endpoint. Raises: UsageError if the URL can't be that of a server."""
        given = _parsed(url)
        self.url = _bare(given)
        self.options = options
        self.common_headers: dict[str, str] = {}
        """Headers of every request, overridden by those of the message. They override the transport's own."""
        self._login = _basic(given)
        self._numbers = itertools.count(1)
        self._client: httpx.AsyncClient | None = None
        self._others: dict[tuple[str, str, int], httpx.AsyncClient] = {}
        """Clients for the exchanges of a login, by origin."""
        self._observer: MessageObserver | None = None

    def open(self, observer: MessageObserver) -> None:
        """Create the client. Nothing is sent. Raises: UsageError for a bad certificate file or proxy."""
        self._client = self._client_for(self.url)
        self._observer = observer
        time_lookups()

    async def close(self) -> None:
        """Close every connection."""
        clients = [each for each in (self._client, *self._others.values()) if each is not None]
        self._client, self._others = None, {}
        for client in clients:
            await client.aclose()

    def resolve(self, reference: str) -> httpx.URL:
        """Resolve a server's reference against the URL; it must be within the same origin. Raises: ConnectError."""
        return _within_origin(self.url, reference)

    async def request(
        self,
        method: str,
        headers: Iterable[tuple[str, str]] = (),
        *,
        body: bytes | None = None,
        url: httpx.URL | None = None,
        cause: Cause = Cause.UNKNOWN,
    ) -> HttpReply:
        """Send a request, follow redirects within the origin, and return once the response headers are received.

        The body is observed as a frame before the first await, and again for each redirect that repeats it and for
        each retry with credentials. The caller must close the reply.

        Raises: ConnectError if there is no response, or a redirect can't be followed; AuthorizationNeeded if a login
        was tried and failed.
        """
        while True:
            reply = await self._follow(method, url or self.url, headers, body, cause)
            if reply.status not in REFUSED or not await self._is_let_in(method, reply):
                return reply
            async with reply:
                await read_body(reply)

    async def probe(
        self, method: str, headers: Headers, body: bytes | None, url: str = "", *, pause_s: float = 0.0
    ) -> Heard:
        """Make one exchange to see the server's response: no redirect, no login. `pause_s`: between head and body.

        `headers` override the user's, which are only sent to the URL's own origin. Body and response are frames,
        both of a probe. A stream is read to its end, so the caller needs a timeout.

        Raises: ConnectError if there is no response, or the connection is not open.
        """
        if self._client is None:
            raise ConnectError("Nothing can be tried over a connection that is not open.", hint="Connect first.")
        target = _parsed_aside(url) if url else self.url
        own = _origin(target) == _origin(self.url)
        named = {name.lower() for name, _ in headers}
        users = tuple(each for each in (*self._login, *self.options.headers) if each[0].lower() not in named)
        credentials = await self._credentials(method) if own else ()
        client = self._client if own else self._other(target)
        if pause_s or "transfer-encoding" in named:  # what is not read is not taken for the next request
            aside = (f"as others send it, {pause_s}", "", 0)
            client = self._others.setdefault(aside, self._client_for(self.url, pause_s))
        sent = _encoded((*_OURS, *(users if own else ()), *credentials, *headers))
        reply = await self._send(client, method, target, sent, body, Cause.PROBE, on_purpose=True)
        async with reply:
            if reply.is_stream:
                await read_events(reply, Channel.SSE, Trail())
                return Heard(str(target), reply.status, reply.headers, b"")
            read = read_body(reply) if own else read_quietly(reply, _EXCERPT)
            return Heard(str(target), reply.status, reply.headers, await read)

    async def _credentials(self, method: str) -> Headers:
        authorizer = self.options.authorizer
        return () if authorizer is None else await authorizer.headers(method, str(self.url))

    async def ask_aside(self, method: str, url: str, headers: Headers, body: bytes | None, most: int) -> Heard:
        """Make an exchange that carries no messages, perhaps with another origin. The user's headers are not sent.

        Its headers and its end are reported like those of all exchanges. Up to `most` bytes of its body are read;
        only metadata under a well-known address is reported.

        Raises: ConnectError if there is no response in time, or the address is invalid.
        """
        patience = self.options.aside_timeout
        try:
            async with asyncio.timeout(patience):
                return await self._ask_aside(method, _parsed_aside(url), headers, body, most)
        except TimeoutError:
            raise ConnectError(
                f"{address_text(_parsed_aside(url))} sent no complete response within {patience:g} s."
            ) from None

    async def _ask_aside(
        self, method: str, target: httpx.URL, headers: Headers, body: bytes | None, most: int
    ) -> Heard:
        for _ in range(self.options.limits.redirects + 1):
            sent = _encoded((*_OURS, *headers))
            reply = await self._send(self._other(target), method, target, sent, body, Cause.UNKNOWN)
            async with reply:
                text = await read_quietly(reply, most)
                reply.document = _public(method, target, text)
            onward = reply.header("location") if method == "GET" and 300 <= reply.status < 400 else None
            if onward is None or _origin(joined := target.join(onward)) != _origin(target):
                return Heard(str(target), reply.status, reply.headers, text)
            target = _bare(joined)
        raise ConnectError(f"{address_text(target)} redirects more than {self.options.limits.redirects} times.")

    async def _is_let_in(self, method: str, reply: HttpReply) -> bool:
        """Return whether a rejected request should be retried."""
        authorizer = self.options.authorizer
        if authorizer is None or _names_authorization(self.options.headers) or self._login:
            return False
        try:
            refusal = Refusal(reply.status, reply.headers, reply.authorization, method, self._came_back)
            return await authorizer.refused(refusal, self.ask_aside)
        except InspectError:
            async with reply:
                await read_body(reply)  # it remains the response
            raise
        except BaseException:
            await reply.close()
            raise

    def _came_back(self, url: str) -> None:
        """Report a browser's redirect at the end of a login: an exchange of another program, without credentials."""
        number, observer = next(self._numbers), self._observer
        if observer is not None:
            observer.fact(HttpFact(HttpEvent.REQUEST, number, method="GET", target=url))
            observer.fact(HttpFact(HttpEvent.END, number))

    async def _follow(
        self, method: str, target: httpx.URL, headers: Iterable[tuple[str, str]], body: bytes | None, cause: Cause
    ) -> HttpReply:
        for _ in range(self.options.limits.redirects + 1):
            reply = await self._exchange(method, target, headers, body, cause)
            onward = _redirected(method, reply)
            if onward is None:
                return reply
            async with reply:
                await read_body(reply)
            target = _within_origin(target, onward)
        raise ConnectError(
            f"{address_text(self.url)} redirects more than {self.options.limits.redirects} times.",
            hint="The exchanges in the log show where to; --max redirects=N follows further.",
        )

    async def _exchange(
        self, method: str, url: httpx.URL, own: Iterable[tuple[str, str]], body: bytes | None, cause: Cause
    ) -> HttpReply:
        client, authorizer = self._client, self.options.authorizer
        assert client is not None, "the transport opens the endpoint first"
        credentials = () if authorizer is None else await authorizer.headers(method, str(url))
        reply = await self._send(client, method, url, self._headers((*credentials, *own)), body, cause)
        reply.authorization = next((value for name, value in credentials if name == "Authorization"), "")
        return reply

    async def _send(
        self,
        client: httpx.AsyncClient,
        method: str,
        url: httpx.URL,
        own: list[tuple[bytes, bytes]],
        body: bytes | None,
        cause: Cause,
        on_purpose: bool = False,
    ) -> HttpReply:
        observer = self._observer
        assert observer is not None, "the transport opens the endpoint first"
        watch = Stopwatch()
        running.set(watch)
        in_chunks = body is not None and any(name.lower() == b"transfer-encoding" for name, _ in own)
        content = _in_one_piece(body) if in_chunks and body is not None else body
        request = httpx.Request(method, url, headers=own, content=content, extensions={"trace": watch.trace})
        number = next(self._numbers)
        headers = in_text(request.headers)
        fact = HttpFact(HttpEvent.REQUEST, number, method=method, target=str(url), headers=headers, probe=on_purpose)
        observer.fact(fact)
        if body is not None and client is self._client:
            observer.frame(Direction.TO_SERVER, Channel.POST, body, http=number, cause=cause)
        failed = GIVEN_UP_HERE
        try:
            response = await client.send(request, stream=True, follow_redirects=False)
            failed = ""
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            refusal = unreachable(
                error, url, self.options.connect_timeout, proxy_of(url, trust_env=self.options.trust_env)
            )
            failed = str(refusal)
            raise refusal from error
        finally:
            if failed:
                observer.fact(HttpFact(HttpEvent.ERROR, number, why=failed))
        return HttpReply(number, response, observer, cause, watch.timing(), self.options.limits)

    def _headers(self, own: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
        """Return all headers: ours, the common ones, the message's, the user's. Later ones override earlier ones."""
        ours = (*_OURS, *self._login)
        merged = {name.lower(): (name, value) for name, value in (*ours, *self.common_headers.items(), *own)}
        for name, _ in self.options.headers:
            merged.pop(name.lower(), None)
        return _encoded((*merged.values(), *self.options.headers))

    def _client_for(self, url: httpx.URL, pause_s: float = 0.0) -> httpx.AsyncClient:
        return make_client(
            url,
            cacert=self.options.cacert,
            insecure=self.options.insecure,
            connect_timeout=self.options.connect_timeout,
            trust_env=self.options.trust_env,
            pause_s=pause_s,
        )

    def _other(self, url: httpx.URL) -> httpx.AsyncClient:
        """Return the client for login exchanges with an origin."""
        found = self._others.get(_origin(url))
        if found is None:
            found = self._others[_origin(url)] = self._client_for(url)
        return found


async def _in_one_piece(body: bytes) -> AsyncIterator[bytes]:
    yield body


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    # surrogateescape restores bytes of the command line that could not be decoded.
    return [(name.encode(), value.encode(errors="surrogateescape")) for name, value in headers]


def _names_authorization(headers: Headers) -> bool:
    return any(name.lower() == "authorization" for name, _ in headers)


def _parsed_aside(url: str) -> httpx.URL:
    """Parse an address from a document. Raises: ConnectError if it is invalid."""
    try:
        return _parsed(url)
    except UsageError as error:
        raise ConnectError(str(error)) from None


def _parsed(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
        _ = parsed.host  # decodes an international name, which may fail
    except (httpx.InvalidURL, ValueError) as error:
        raise UsageError(f"{url!r} is not a URL: {error}.", hint="It looks like http://localhost:3000/mcp.") from None
    if parsed.scheme not in ("http", "https") or not parsed.host or (parsed.port or 0) > 65535:
        raise UsageError(
            f"{url!r} is not the URL of an HTTP server.", hint="It must start with http:// or https:// and a host."
        )
    return parsed


def _bare(url: httpx.URL) -> httpx.URL:
    """Return a URL without fragment, user name and password: httpx would silently turn the latter into a header."""
    return url.copy_with(username=None, password=None, fragment=None)


def _basic(url: httpx.URL) -> Headers:
    """Return the header for the name and password in a URL, which are never sent or shown as part of it."""
    if not url.username and not url.password:
        return ()
    pair = base64.b64encode(f"{url.username}:{url.password}".encode())
    return (("Authorization", f"Basic {pair.decode()}"),)


def _public(method: str, target: httpx.URL, body: bytes) -> bytes | None:
    """Return a body that may be in the journal: public, and small enough; otherwise None."""
    if method != "GET" or "/.well-known/" not in target.path or len(body) > DOCUMENT_KEPT:
        return None
    is_text = body.decode("utf-8", "ignore").encode() == body
    return body if is_text and body.lstrip()[:1] == b"{" else None


def _redirected(method: str, reply: HttpReply) -> str | None:
    """Return the redirect target. None if there is none, or if the method would change (a POST must stay one)."""
    if reply.status not in _KEEPS_METHOD and not (reply.status in _BECOMES_GET and method == "GET"):
        return None
    return reply.header("location")


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80)


def origin_text(url: httpx.URL) -> str:
    """Return scheme, host and port for display."""
    return f"{url.scheme}://{url.netloc.decode('ascii')}"


def address_text(url: httpx.URL) -> str:
    """Return a URL for a sentence: without its query, which may contain credentials."""
    return str(url.copy_with(query=None))


def _within_origin(base: httpx.URL, reference: str) -> httpx.URL:
    try:
        target = _bare(base.join(reference))
    except (httpx.InvalidURL, ValueError) as error:
        raise ConnectError(
            f"{address_text(base)} names an invalid URL ({error}): {reference[:_EXCERPT]!r}.",
            hint="This is a fault of the server.",
        ) from None
    if _origin(target) != _origin(base):
        raise ConnectError(
            f"{origin_text(base)} sends us to another origin, {origin_text(target)}; nothing was sent there.",
            hint=f"If that is where the server lives, connect to {address_text(target)} instead.",
        )
    return target
