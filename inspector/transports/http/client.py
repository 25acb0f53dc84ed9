"""Creation of the httpx client: certificates, proxies and timeouts.

httpx's own redirects, cookies and authentication are not used: all three would send unobserved requests.
`Forwarder` is for a proxy, which must add little time: it takes a third of httpx's CPU time for a request.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import h11
import httpcore
import httpx

from inspector.errors import UsageError
from inspector.protocol.facts import Headers, header
from inspector.protocol.url_hosts import is_loopback
from inspector.transports.http.wire import Wire

_KEEP_ALIVE = 3.0
"""Seconds that an idle connection is kept.

Common servers close after 5. With less than that, we never write to a connection that is being closed.
"""
_WRITE = 60.0
"""Seconds in which a server must accept the next piece of a request."""

_MOST_HELD = 64 * 1024
"""Bytes of a request from which on they are written although more may follow."""
_LARGEST_HEAD = 100 * 1024
_WITH_BODY = ("POST", "PUT", "PATCH")


class _Body(Protocol):
    @property
    def num_bytes_downloaded(self) -> int: ...
    def aiter_raw(self) -> AsyncIterator[bytes]: ...
    async def aclose(self) -> None: ...


def make_client(
    url: httpx.URL, *, cacert: str | None, insecure: bool, connect_timeout: float, trust_env: bool, pause_s: float = 0.0
) -> httpx.AsyncClient:
    """Return a client for this URL. Nothing is sent.

    Raises: UsageError if the certificate file can't be read, or the environment names a proxy that can't be used.
    """
    trust_env = trust_env and not is_loopback(url.host)
    try:
        context = _trust(url, cacert, insecure, trust_env)
        return httpx.AsyncClient(
            verify=context,
            trust_env=trust_env,
            timeout=httpx.Timeout(None, connect=connect_timeout, write=_WRITE),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_KEEP_ALIVE),
            transport=None if needs_proxy(url, trust_env=trust_env) else _DirectTransport(context, pause_s),
        )
    except (ValueError, ImportError, httpx.InvalidURL) as error:
        raise UsageError(
            f"The proxy of the environment can't be used: {error}.",
            hint="Look at HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.",
        ) from error


class _DirectTransport(httpx.AsyncHTTPTransport):
    """Sends head and body of a request in one write, as clients of Node do; with a pause, in two.

    httpx sends two. A server that takes what its first read returns for the whole request sees no body then, such as
    @sylphx/mcp-server-sdk 2.1.1 (findings/body-in-a-second-packet.sh).
    """

    def __init__(self, context: ssl.SSLContext, pause_s: float = 0.0) -> None:
        super().__init__(verify=context)
        backend = _JoiningBackend()
        backend.pause_s = pause_s
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context, max_connections=None, keepalive_expiry=_KEEP_ALIVE, network_backend=backend
        )


class _JoiningBackend(httpcore.AnyIOBackend):
    pause_s = 0.0

    async def connect_tcp(self, *arguments: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return _JoiningStream(await super().connect_tcp(*arguments, **named), self.pause_s)


class _JoiningStream(httpcore.AsyncNetworkStream):
    """A connection that writes when it is read, or when much is to be written; with a pause, after each write."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, pause_s: float) -> None:
        self._stream, self._pause_s = stream, pause_s
        self._held = b""
        self._has_failed = False  # with a 5xx, after which uvicorn closes the connection without saying so

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as httpcore has it
        self._held += buffer
        if len(self._held) >= _MOST_HELD or self._pause_s:
            await self._flush(timeout)
            await asyncio.sleep(self._pause_s)

    async def _flush(self, seconds: float | None) -> None:
        held, self._held = self._held, b""
        if held:
            await self._stream.write(held, seconds)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - as httpcore has it
        with suppress(httpcore.WriteError):  # the server has closed its end: what it has sent before is still read
            await self._flush(_WRITE)
        data = await self._stream.read(max_bytes, timeout)
        if data.startswith(b"HTTP/1."):
            self._has_failed = data[9:10] == b"5"
        return data

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(self, *arguments: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return _JoiningStream(await self._stream.start_tls(*arguments, **named), self._pause_s)

    def get_extra_info(self, info: str) -> Any:
        return (info == "is_readable" and self._has_failed) or self._stream.get_extra_info(info)


def _trust(url: httpx.URL, cacert: str | None, insecure: bool, trust_env: bool) -> ssl.SSLContext:
    if url.scheme == "http":
        # Never used for the server, since no redirect leaves the origin. Trusts no certificate, and loads none.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = httpx.create_ssl_context(verify=not insecure, trust_env=trust_env)
    if not insecure:
        context.load_default_certs()  # in addition to those of httpx: companies add theirs to the system
    if cacert is not None and not insecure:
        try:
            context.load_verify_locations(cafile=cacert)
        except OSError as error:  # includes ssl.SSLError, for a file without a certificate
            raise UsageError(
                f"The certificates in {cacert!r} can't be read: {error.strerror or error}.",
                hint="--cacert takes a file in PEM format.",
            ) from error
    return context


# Requests of a proxy, without what httpx and httpcore need for every kind of use: locks, traces, cookies, redirects


def needs_proxy(url: httpx.URL, *, trust_env: bool) -> bool:
    """Return whether the environment may name a proxy for this URL, which `Forwarder` does not use."""
    return trust_env and not is_loopback(url.host) and bool(getproxies().keys() - {"no"})


def proxy_of(url: httpx.URL, *, trust_env: bool) -> str:
    """Return host and port of the proxy that the environment names for this URL; "" for none."""
    if not needs_proxy(url, trust_env=trust_env) or proxy_bypass(url.host):
        return ""
    named = getproxies().get(url.scheme) or getproxies().get("all") or ""
    return urlsplit(named if "//" in named else f"//{named}").netloc.rpartition("@")[2]


class Forwarded:
    """A response whose body is read once: by `aiter_raw`, in pieces as they arrive."""

    def __init__(self, status: int, reason: str, version: str, headers: Headers, sent: Headers, body: "_Body") -> None:
        """Create a response. `version` is that of HTTP, with its name; `sent` are the headers of the request."""
        self.status_code = status
        self.reason_phrase = reason
        self.http_version = version
        self.headers = headers
        self.sent = sent
        self.kind = self.header("content-type").partition(";")[0].strip().lower()
        """Media type without parameters."""
        self._body = body

    def header(self, name: str) -> str:
        """Return the first header of this name; "" if there is none."""
        return header(self.headers, name) or ""

    @property
    def num_bytes_downloaded(self) -> int:
        """Size of what was read of the body."""
        return self._body.num_bytes_downloaded

    def whole(self) -> bytes | None:
        """Return a body of known length if all of it has arrived with the headers; it is read then. None otherwise."""
        return self._body.whole() if isinstance(self._body, _WireBody) and self.header("content-length") else None

    def aiter_raw(self) -> AsyncIterator[bytes]:
        """Read the body. Raises: httpx.TransportError."""
        return self._body.aiter_raw()

    async def aclose(self) -> None:
        """Close the connection, unless the body was read to its end."""
        await self._body.aclose()


def forwarded(response: httpx.Response) -> Forwarded:
    """Return a response of httpx in the same form."""
    pairs, sent = (
        tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in each.raw)
        for each in (response.headers, response.request.headers)
    )
    return Forwarded(response.status_code, response.reason_phrase, response.http_version, pairs, sent, response)


class Forwarder:
    """Sends requests to one origin over HTTP/1.1. Connections are kept alive. A request is never sent twice."""

    def __init__(
        self, url: httpx.URL, *, cacert: str | None, insecure: bool, connect_timeout: float, trust_env: bool
    ) -> None:
        """Create the forwarder. Nothing is connected. Raises: UsageError if the certificate file can't be read."""
        self._netloc = url.netloc.decode("ascii")
        self._host, self._port = url.host, url.port or (443 if url.scheme == "https" else 80)
        self._trust = _trust(url, cacert, insecure, trust_env) if url.scheme == "https" else None
        self._connect_timeout = connect_timeout
        self._idle: list[_Wire] = []

    async def send(self, method: str, target: str, headers: Headers, body: bytes) -> Forwarded:
        """Send a request and return the response once its headers are there.

        `target` is path and query. `Host` and `Content-Length` are added if they are missing.

        Raises: httpx.TransportError.
        """
        names = {name.lower() for name, _ in headers}
        if "host" not in names:
            headers = (("Host", self._netloc), *headers)
        if "content-length" not in names and (body or method in _WITH_BODY):
            headers = (*headers, ("Content-Length", str(len(body))))
        wire = self._kept() or await self._connect()
        try:
            return await wire.exchange(method, target, headers, body, self._idle)
        except BaseException:
            wire.abort()
            raise

    async def aclose(self) -> None:
        """Close idle connections."""
        while self._idle:
            self._idle.pop().abort()

    def _kept(self) -> "_Wire | None":
        while self._idle:
            wire = self._idle.pop()
            if wire.is_usable:
                return wire
            wire.abort()
        return None

    async def _connect(self) -> "_Wire":
        name = self._host if self._trust is not None else None
        try:
            async with asyncio.timeout(self._connect_timeout):
                loop = asyncio.get_running_loop()
                ends = await loop.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
                for number, (_, _, _, _, place) in enumerate(ends, 1):
                    try:
                        _, wire = await loop.create_connection(_Wire, *place[:2], ssl=self._trust, server_hostname=name)
                    except ConnectionError:
                        if number == len(ends):
                            raise
                    else:
                        return wire
        except TimeoutError as error:
            raise httpx.ConnectTimeout("the connection takes too long") from error
        except (OSError, ValueError) as error:
            raise httpx.ConnectError(str(error)) from error
        raise httpx.ConnectError(f"{self._host} has no address")


class _Wire(Wire):
    def __init__(self) -> None:
        super().__init__()
        self._http = h11.Connection(h11.CLIENT)
        self._since = 0.0

    @property
    def is_usable(self) -> bool:
        """Whether an idle connection can carry another request."""
        if self.has_ended or self.inbox or self.transport.is_closing():
            return False
        return time.monotonic() - self._since < _KEEP_ALIVE

    async def exchange(self, method: str, target: str, headers: Headers, body: bytes, idle: "list[_Wire]") -> Forwarded:
        """Send a request and return its response. `idle` takes the connection at the end of the body."""
        await self._write(self._begin(method, target, headers, body))
        while not isinstance(event := await self.next_event(), h11.Response):
            pass
        found = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in event.headers.raw_items())
        version, reason = event.http_version.decode("ascii"), event.reason.decode("latin-1")
        return Forwarded(event.status_code, reason, f"HTTP/{version}", found, headers, _WireBody(self, idle))

    def _begin(self, method: str, target: str, headers: Headers, body: bytes) -> bytes:
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LARGEST_HEAD)
        try:
            pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
            pieces = [self._http.send(h11.Request(method=method, target=target, headers=pairs))]
            if body:
                pieces.append(self._http.send(h11.Data(data=body)))
            pieces.append(self._http.send(h11.EndOfMessage()))
        except (h11.LocalProtocolError, UnicodeEncodeError) as error:
            raise httpx.LocalProtocolError(str(error)) from error
        return b"".join(filter(None, pieces))

    async def _write(self, data: bytes) -> None:
        self.put(data)
        self.flush()
        if self._room is not None:
            try:
                async with asyncio.timeout(_WRITE):
                    await self.drain()
            except TimeoutError as error:
                raise httpx.WriteTimeout("the server does not accept the request") from error

    async def next_event(self) -> object:
        """Return the next event of the response. Raises: httpx.ReadError, httpx.RemoteProtocolError."""
        try:
            while (event := self.received_event()) is h11.NEED_DATA:
                self._http.receive_data(await self.more())
        except OSError as error:
            raise httpx.ReadError(str(error)) from error
        return event

    def received_event(self) -> object:
        """Return the next event of what was received. Raises: httpx.RemoteProtocolError."""
        try:
            return self._http.next_event()
        except h11.RemoteProtocolError as error:
            raise httpx.RemoteProtocolError(str(error)) from error

    def rest(self) -> bool:
        """Prepare for another request. Return whether there may be one: not if more came than was asked for."""
        self._since, http = time.monotonic(), self._http
        return http.our_state is h11.DONE and http.their_state is h11.DONE and not (self.inbox or http.trailing_data[0])

    def abort(self) -> None:
        """Close the connection at once."""
        with suppress(RuntimeError):  # the event loop has ended
            self.transport.abort()


class _WireBody:
    """Body of a response. The connection is kept if the body was read to its end."""

    def __init__(self, wire: _Wire, idle: list[_Wire]) -> None:
        self._wire: _Wire | None = wire
        self._idle = idle
        self._begun = b""
        """What was received of a body that is not whole yet."""
        self.num_bytes_downloaded = 0

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        wire, piece = self._wire, self._begun
        assert wire is not None, "a body is read once"
        while True:
            if piece:
                self.num_bytes_downloaded += len(piece)
                yield piece
            event = await wire.next_event()
            if not isinstance(event, h11.Data):
                break
            piece = bytes(event.data)
        self._end(wire)

    def whole(self) -> bytes | None:
        if self._wire is None:
            return None
        while isinstance(event := self._wire.received_event(), h11.Data):
            self._begun += event.data
        if not isinstance(event, h11.EndOfMessage):
            return None
        self.num_bytes_downloaded = len(self._begun)
        self._end(self._wire)
        return self._begun

    def _end(self, wire: _Wire) -> None:
        if wire.rest():
            self._idle.append(wire)
        else:
            wire.abort()
        self._wire = None

    async def aclose(self) -> None:
        if self._wire is not None:
            self._wire.abort()
            self._wire = None
