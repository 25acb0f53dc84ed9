"""An HTTP response whose headers were received, and the two ways to read its body.

A body is either one frame, whatever it is, or a stream of events. An event is a frame if it carries data, otherwise
a note. If a body could not be read to its end, the last fact of the exchange says so. That is never an exception,
since the part that was received is worth showing.
"""

import asyncio
import re
import socket
import ssl
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Self

import httpx

from inspector.errors import ConnectError, NoResponse
from inspector.protocol.facts import BROKEN_OFF, CLOSED_HERE, Headers, HttpEvent, HttpFact, HttpTiming, SseNote, header
from inspector.protocol.frames import Cause, Channel, Direction, SseFacts
from inspector.protocol.unreadable import KEPT
from inspector.transports.base import LIMITS, Delivery, Limits, MessageObserver
from inspector.transports.http.sse import EventTooLong, SseEvent, SseItem, SseParser

# Decompression, in pieces

PIECE = 1024 * 1024
"""Maximum size of a piece in bytes."""

_GZIP, _ZLIB, _RAW = 31, zlib.MAX_WBITS, -zlib.MAX_WBITS
_BITS: dict[tuple[str, ...], int] = {("gzip",): _GZIP, ("x-gzip",): _GZIP, ("deflate",): _ZLIB}
_VALUE = re.compile(r"(?<=header value) .*", re.DOTALL)
"""Value quoted by h11, which may be a token."""
_TRUST = "Trust its issuer with --cacert FILE, or skip the check for this run with --insecure."
_RUNNING = "Is the server running, and is this its port?"
BODY_KEPT = 64 * 1024
"""Maximum number of bytes of a body in a Delivery."""
_RAISE = "; --max message=SIZE allows more"
_RATIO_FROM = 16 * 1024 * 1024
"""Number of bytes below which no compression ratio is suspicious."""


class BadPacking(ValueError):
    """The body does not match its Content-Encoding."""


_Say = Callable[[BaseException, str], ConnectError]


@dataclass(slots=True)
class Trail:
    """Position in a stream, which is needed to resume it."""

    last_id: str = ""
    """Event id to resume after; "" if there is none."""
    retry: int | None = None
    """Milliseconds to wait before resuming, if the server sent them."""
    items: int = 0
    """Number of events and comments read."""


def unpacker(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Return a function that decompresses the next bytes of a body, for its Content-Encoding.

    The pieces are made on demand, which may raise BadPacking.
    """
    bits = _BITS.get(_named(encoding))
    return (lambda data: iter((data,))) if bits is None else _Inflating(bits).pieces


def is_unpacked(encoding: str) -> bool:
    """Return whether a body in this encoding is decompressed here; otherwise it is shown as received."""
    return _named(encoding) in _BITS


def _named(encoding: str) -> tuple[str, ...]:
    return tuple(word for each in encoding.split(",") if (word := each.strip().lower()) not in ("", "identity"))


class _Inflating:
    """Decompresses gzip and deflate; the latter also without zlib header, as some servers send it."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._inflate: Any = None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the decompressed bytes. Raises: BadPacking."""
        if not data:
            return
        if self._inflate is None:
            framed = self._bits != _ZLIB or data[0] & 0x0F == zlib.DEFLATED
            self._inflate = zlib.decompressobj(self._bits if framed else _RAW)
        while True:
            piece = self._step(data)
            if piece:
                yield piece
            data = self._inflate.unconsumed_tail
            if not data and len(piece) < PIECE:
                return

    def _step(self, data: bytes) -> bytes:
        try:
            return bytes(self._inflate.decompress(data, PIECE))
        except zlib.error as error:
            raise BadPacking(str(error)) from error


# Errors of httpx as sentences


def unreachable(error: Exception, url: httpx.URL, connect_timeout: float, proxy: str = "") -> ConnectError:
    """Return why there was no response at all. `connect_timeout` is in seconds; `proxy` is the one that was asked."""
    where = f"{url.host}:{url.port or (443 if url.scheme == 'https' else 80)}"
    if proxy and isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        if not any(isinstance(cause, ssl.SSLError) for cause in _causes(error)):
            found = unreachable(error, httpx.URL(f"http://{proxy}"), connect_timeout)
            sentence = f"The proxy {proxy}, which the environment names for {where}: {found}"
            return ConnectError(sentence, hint="Look at HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment.")
    if isinstance(error, httpx.ConnectTimeout):
        return ConnectError(
            f"No connection to {where} within {connect_timeout:g} s.",
            hint="Is the address right, and is there a firewall or a proxy in between?",
        )
    if isinstance(error, httpx.ProxyError):
        return ConnectError(
            f"The proxy rejected the connection to {where}: {error}.",
            hint="Look at HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment.",
        )
    if isinstance(error, httpx.LocalProtocolError):
        return ConnectError(
            f"This request can't be written as HTTP: {_VALUE.sub('', str(error))}.",
            hint="Look at the headers that were given with -H.",
        )
    causes = list(_causes(error))
    for kind, say in _CAUSES:
        for cause in causes:
            if isinstance(cause, kind):
                return say(cause, where)
    for cause in causes:
        if isinstance(cause, OSError) and cause.strerror:
            return ConnectError(f"No connection to {where}: {cause.strerror}.", hint=_RUNNING)
    return _closed(error, where)


def broken(error: Exception) -> str:
    """Return why a response failed after its beginning. No full stop: it is used within sentences."""
    if isinstance(error, BadPacking):
        return f"the compressed body can't be decoded: {error}"
    if isinstance(error, httpx.RemoteProtocolError):
        return f"{BROKEN_OFF}: {error}"
    return f"the connection broke: {str(error) or type(error).__name__}"


def _untrusted(error: BaseException, where: str) -> ConnectError:
    assert isinstance(error, ssl.SSLCertVerificationError)
    message = error.verify_message or str(error)
    return ConnectError(f"The TLS certificate of {where} is not trusted: {message}.", hint=_TRUST)


def _no_tls(error: BaseException, where: str) -> ConnectError:
    message = getattr(error, "reason", None) or str(error)
    return ConnectError(
        f"The TLS handshake with {where} failed: {message}.",
        hint="Does the server speak TLS on this port? If not, the URL begins with http://.",
    )


def _no_name(error: BaseException, where: str) -> ConnectError:
    assert isinstance(error, socket.gaierror)
    return ConnectError(
        f"The name in {where} can't be resolved: {error.strerror}.", hint="Check the spelling of the host name."
    )


def _refused(error: BaseException, where: str) -> ConnectError:
    return ConnectError(f"{where} refuses connections.", hint=_RUNNING)


def _closed(error: Exception, where: str) -> ConnectError:
    if isinstance(error, httpx.TimeoutException):
        return ConnectError(
            f"{where} stopped taking the request.", hint="The server may be stuck; look at its own log."
        )
    return NoResponse(
        f"{where} gave no HTTP response: {str(error).rstrip('.') or type(error).__name__}.",
        hint="Does an HTTP server listen there? If it needs TLS, the URL begins with https://.",
    )


_CAUSES: tuple[tuple[type[BaseException], _Say], ...] = (
    (ssl.SSLCertVerificationError, _untrusted),
    (ssl.SSLError, _no_tls),
    (socket.gaierror, _no_name),
    (ConnectionRefusedError, _refused),
    (ConnectionResetError, lambda error, where: _closed(httpx.ReadError("the connection was reset"), where)),
)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, its causes, and the members of groups, each once."""
    pending, seen = [error], set[int]()
    while pending:
        found = pending.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, BaseExceptionGroup):
            pending.extend(found.exceptions)
        pending.extend(cause for cause in (found.__cause__, found.__context__) if cause is not None)


class HttpReply:
    """A response whose headers were received. An async context manager: leaving it ends the exchange."""

    def __init__(
        self,
        number: int,
        response: httpx.Response,
        observer: MessageObserver,
        cause: Cause,
        timing: HttpTiming | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        """Report the headers, and the timing with them."""
        self.number = number
        self.status = response.status_code
        self.headers = in_text(response.headers)
        self.content_type = self.header("content-type") or ""
        self.observer = observer
        self.cause = cause
        self.limits = limits
        self.authorization = ""
        """Credentials in the request, other than the user's own headers."""
        self.document: bytes | None = None
        """Body to report with the end of the exchange, if it is public and not about messages."""
        self.cut = ""
        """Why the body ended early, if it did; "" otherwise."""
        self._response = response
        self._decoded = 0
        self._over = False
        observer.fact(
            HttpFact(
                HttpEvent.RESPONSE,
                number,
                status=self.status,
                reason=response.reason_phrase,
                version=response.http_version,
                headers=self.headers,
                timing=timing,
            )
        )

    @property
    def media_type(self) -> str:
        """The content type without parameters, in lower case."""
        return self.content_type.partition(";")[0].strip().lower()

    @property
    def is_stream(self) -> bool:
        """Whether the body is declared as an event stream."""
        return self.media_type == "text/event-stream"

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    def header(self, name: str) -> str | None:
        """Return the first header of this name, ignoring case; None if there is none."""
        return header(self.headers, name)

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it is received, decompressed.

        If the connection is lost, this ends without raising, and `cut` says why.
        """
        try:
            unpack = unpacker(self.header("content-encoding") or "")
            async for raw in self._response.aiter_raw():
                for chunk in unpack(raw):
                    self._decoded += len(chunk)
                    yield chunk
                    if self._is_bomb():
                        unpacked = f"{self._decoded} bytes unpacked from {self._wire_bytes}"
                        self.cut = f"aborted by mcp-inspect: {unpacked}; --max ratio=N allows more"
                        return
        except (httpx.HTTPError, BadPacking) as error:
            self.cut = broken(error)

    def delivery(self, *, answer_may_follow: bool = False, body: bytes = b"", why: str = "") -> Delivery:
        return Delivery(
            answer_may_follow=answer_may_follow,
            status=self.status,
            content_type=self.content_type,
            headers=self.headers,
            body=body[:BODY_KEPT],
            why=why or self.cut,
            begun=self.is_success and (self.is_stream or bool(self.cut)),
        )

    async def close(self, why: str = "") -> None:
        """Report the end, once, and release the connection: to the pool if the body was read, else closed."""
        if not self._over:
            self._over = True
            why = self.cut or why or self._packed()
            size = self._wire_bytes
            end = HttpFact(HttpEvent.END, self.number, why=why, body_bytes=size, document=self.document)
            self.observer.fact(end)
        await self._response.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, *_: object) -> None:
        await self.close(CLOSED_HERE if kind is not None else "")

    @property
    def _wire_bytes(self) -> int:
        return self._response.num_bytes_downloaded

    def _is_bomb(self) -> bool:
        return self._decoded > _RATIO_FROM and self._decoded > self.limits.ratio * self._wire_bytes

    def _packed(self) -> str:
        encoding = (self.header("content-encoding") or "identity").lower()
        if encoding == "identity":
            return ""
        shown = "unpacked" if is_unpacked(encoding) else "as received"
        return f"the body came compressed ({encoding}) though identity was asked for; what is shown is {shown}"


async def read_body(reply: HttpReply) -> bytes:
    """Read a body other than a stream, report it as one frame unless it is empty, and return it."""
    pieces: list[bytes] = []
    size = 0
    async with aclosing(reply.chunks()) as chunks:
        async for chunk in chunks:
            pieces.append(chunk)
            size += len(chunk)
            if size > reply.limits.message:
                reply.cut = f"aborted by mcp-inspect: the body has more than {reply.limits.message} bytes{_RAISE}"
                break
    lost, body = 0, b"".join(pieces)
    if size > reply.limits.message:
        body = body[: min(KEPT, reply.limits.message)]
        lost = size - len(body)
    if body:
        way, channel = Direction.FROM_SERVER, Channel.REPLY
        reply.observer.frame(way, channel, body, http=reply.number, cause=reply.cause, cut=lost)
    return body


async def read_quietly(reply: HttpReply, most: int) -> bytes:
    """Read up to `most` bytes of a body without messages; none of an event stream. Nothing of it is reported."""
    if reply.is_stream:
        reply.cut = "aborted by mcp-inspect: an event stream where there should be a document"
        return b""
    body = b""
    async with aclosing(reply.chunks()) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) > most:
                reply.cut = f"aborted by mcp-inspect: more than {most} bytes"
                break
    return body[:most]


async def read_events(reply: HttpReply, channel: Channel, trail: Trail, parser: SseParser | None = None) -> None:
    """Read an event stream to its end and report each item. `trail` is updated continuously."""
    parser = parser or SseParser(reply.limits.message)
    try:
        async with aclosing(reply.chunks()) as chunks:
            async for chunk in chunks:
                for item in parser.feed(chunk):
                    _follow(trail, item)
                    report(reply, channel, item)
    except EventTooLong as error:
        reply.cut = f"aborted by mcp-inspect: {error}{_RAISE}"
        return
    except asyncio.CancelledError:
        for item in parser.finish():  # an event without its blank line explains a timeout
            report(reply, channel, item)
        raise
    for item in parser.finish():
        report(reply, channel, item)
        if not (isinstance(item, SseEvent) and item.complete):
            reply.cut = reply.cut or "the stream ended within an event, which does not count"


def report(reply: HttpReply, channel: Channel, item: SseItem) -> None:
    """Report an event as a frame if it is complete and carries data; anything else as a note."""
    if not isinstance(item, SseEvent):
        reply.observer.fact(SseNote(reply.number, item.raw))
    elif item.complete and item.data:
        facts = SseFacts(item.event, item.id, item.retry)
        way = Direction.FROM_SERVER
        reply.observer.frame(way, channel, item.data, http=reply.number, sse=facts, cause=reply.cause)
    else:
        reply.observer.fact(SseNote(reply.number, item.raw, item.event, item.id, item.retry))


def in_text(headers: httpx.Headers) -> Headers:
    """Return headers in the order and case of the wire. Bytes that are not UTF-8 are decoded as Latin-1."""
    return tuple((_text(name), _text(value)) for name, value in headers.raw)


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _follow(trail: Trail, item: SseItem) -> None:
    trail.items += 1
    if isinstance(item, SseEvent):
        trail.last_id = trail.last_id if item.id is None else item.id
        trail.retry = trail.retry if item.retry is None else item.retry
