"""Creation of the httpx client: certificates, proxies and timeouts.

httpx's own redirects, cookies and authentication are not used: all three would send unobserved requests.
`Forwarder` is for a proxy, which must add little time: it takes a third of httpx's CPU time for a request.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from urllib.request import getproxies

import h11
import httpx

from inspector.errors import UsageError
from inspector.protocol.url_hosts import is_loopback

_KEEP_ALIVE = 3.0
"""Seconds that an idle connection is kept.

Common servers close after 5. With less than that, we never write to a connection that is being closed.
"""
_WRITE = 60.0
"""Seconds in which a server must accept the next piece of a request."""


def make_client(
    url: httpx.URL, *, cacert: str | None, insecure: bool, connect_timeout: float, trust_env: bool
) -> httpx.AsyncClient:
    """Return a client for this URL. Nothing is sent.

    Raises: UsageError if the certificate file can't be read, or the environment names a proxy that can't be used.
    """
    trust_env = trust_env and not is_loopback(url.host)
    try:
        return httpx.AsyncClient(
            verify=_trust(url, cacert, insecure, trust_env),
            trust_env=trust_env,
            timeout=httpx.Timeout(None, connect=connect_timeout, write=_WRITE),
            limits=httpx.Limits(max_connections=None, keepalive_expiry=_KEEP_ALIVE),
        )
    except (ValueError, ImportError, httpx.InvalidURL) as error:
        raise UsageError(
            f"The proxy of the environment can't be used: {error}.",
            hint="Look at HTTP_PROXY, HTTPS_PROXY and ALL_PROXY.",
        ) from error


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

_LARGEST_HEAD = 100 * 1024
_READ = 64 * 1024
_WITH_BODY = ("POST", "PUT", "PATCH")


def needs_proxy(url: httpx.URL, *, trust_env: bool) -> bool:
    """Return whether the environment may name a proxy for this URL, which `Forwarder` does not use."""
    return trust_env and not is_loopback(url.host) and bool(getproxies().keys() - {"no"})


class Forwarder:
    """Sends requests to one origin: HTTP/1.1 over h11 and asyncio streams.

    Connections are kept alive. A request is never sent twice.
    """

    def __init__(
        self, url: httpx.URL, *, cacert: str | None, insecure: bool, connect_timeout: float, trust_env: bool
    ) -> None:
        """Create the forwarder. Nothing is connected. Raises: UsageError if the certificate file can't be read."""
        self._netloc = url.netloc
        self._host, self._port = url.host, url.port or (443 if url.scheme == "https" else 80)
        self._trust = _trust(url, cacert, insecure, trust_env) if url.scheme == "https" else None
        self._connect_timeout = connect_timeout
        self._idle: list[_Wire] = []

    async def send(
        self, method: str, target: bytes, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> httpx.Response:
        """Send a request and return the response once its headers are there.

        `target` is path and query. `Host` and `Content-Length` are added if they are missing.

        Raises: httpx.TransportError.
        """
        headers = list(headers)
        names = {name.lower() for name, _ in headers}
        if b"host" not in names:
            headers.insert(0, (b"Host", self._netloc))
        if b"content-length" not in names and (body or method in _WITH_BODY):
            headers.append((b"Content-Length", str(len(body)).encode()))
        wire = self._kept() or await self._connect()
        try:
            head = await wire.exchange(method, target, headers, body)
        except BaseException:
            wire.abort()
            raise
        return httpx.Response(
            head.status_code,
            headers=head.headers.raw_items(),
            stream=_WireBody(wire, self._idle),
            extensions={"http_version": b"HTTP/" + head.http_version, "reason_phrase": head.reason},
        )

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
                        return _Wire(*await asyncio.open_connection(*place[:2], ssl=self._trust, server_hostname=name))
                    except ConnectionError:
                        if number == len(ends):
                            raise
        except TimeoutError as error:
            raise httpx.ConnectTimeout("the connection takes too long") from error
        except (OSError, ValueError) as error:
            raise httpx.ConnectError(str(error)) from error
        raise httpx.ConnectError(f"{self._host} has no address")


class _Wire:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LARGEST_HEAD)
        self._since = 0.0

    @property
    def is_usable(self) -> bool:
        """Whether an idle connection can carry another request."""
        if self._reader.at_eof() or self._writer.is_closing():
            return False
        return time.monotonic() - self._since < _KEEP_ALIVE

    async def exchange(
        self, method: str, target: bytes, headers: list[tuple[bytes, bytes]], body: bytes
    ) -> h11.Response:
        """Send a request and return the head of its response."""
        try:
            pieces = [self._http.send(h11.Request(method=method, target=target, headers=headers))]
            if body:
                pieces.append(self._http.send(h11.Data(data=body)))
            pieces.append(self._http.send(h11.EndOfMessage()))
        except h11.LocalProtocolError as error:
            raise httpx.LocalProtocolError(str(error)) from error
        try:
            self._writer.write(b"".join(filter(None, pieces)))
            async with asyncio.timeout(_WRITE):
                await self._writer.drain()
        except TimeoutError as error:
            raise httpx.WriteTimeout("the server does not accept the request") from error
        except OSError:
            pass  # it may have answered before it closed the connection
        while not isinstance(event := await self.next_event(), h11.Response):
            pass
        return event

    async def next_event(self) -> object:
        """Return the next event of the response. Raises: httpx.ReadError, httpx.RemoteProtocolError."""
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(_READ))
        except h11.RemoteProtocolError as error:
            raise httpx.RemoteProtocolError(str(error)) from error
        except OSError as error:
            raise httpx.ReadError(str(error)) from error
        return event

    def rest(self) -> bool:
        """Prepare for another request. Return whether there may be one."""
        self._since = time.monotonic()
        try:
            self._http.start_next_cycle()
        except h11.LocalProtocolError:
            return False
        return True

    def abort(self) -> None:
        """Close the connection at once."""
        with suppress(RuntimeError):  # the event loop has ended
            self._writer.transport.abort()


class _WireBody(httpx.AsyncByteStream):
    """Body of a response. The connection is kept if the body was read to its end."""

    def __init__(self, wire: _Wire, idle: list[_Wire]) -> None:
        self._wire: _Wire | None = wire
        self._idle = idle

    async def __aiter__(self) -> AsyncIterator[bytes]:
        wire = self._wire
        assert wire is not None, "a body is read once"
        while isinstance(event := await wire.next_event(), h11.Data):
            yield bytes(event.data)
        if wire.rest():
            self._idle.append(wire)
            self._wire = None

    async def aclose(self) -> None:
        if self._wire is not None:
            self._wire.abort()
            self._wire = None
