"""One HTTP/1.1 connection as the listener and the forwarder use it: its bytes, and heads that need no h11.

h11 implements HTTP. It takes about 100 µs for a request and as long for its response. A head in the grammar of this
module, which is a strict part of that of RFC 9112, is read and written directly. All others go to h11.
"""

import asyncio
import re
from typing import Any, NamedTuple

from inspector.protocol.facts import Headers

HEAD_LIMIT = 64 * 1024
"""Maximum size in bytes of a request line and its headers. As many bytes wait unread at most."""
_TOGETHER = 64 * 1024
"""Maximum number of bytes that are copied in order to be written in one go."""

_FIELDS = rb"((?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*)\r\n"
_REQUEST = re.compile(rb"([A-Z]+) ([\x21-\x7e]+) HTTP/1\.1\r\n" + _FIELDS)
_RESPONSE = re.compile(rb"HTTP/1\.1 ([2-5][0-9][0-9]) ([\t\x20-\x7e\x80-\xff]*)\r\n" + _FIELDS)
_FIELD = re.compile(r"([^:]+):[\t ]*((?:[^\t \r]+(?:[\t ]+[^\t \r]+)*)?)[\t ]*\r\n")
_NAMES = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?: [!#$%&'*+\-.^_`|~0-9A-Za-z]+)*")
_VALUES = re.compile(r"[\t\n\x20-\x7e\x80-\xff]*")
_LINE = re.compile(r"[A-Z]+ [\x21-\x7e]+")
_TEXT = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_CODING = "transfer-encoding"
_UNUSUAL = frozenset({_CODING, "expect", "upgrade", "trailer"})
_SINGLE = ("content-length", "host", "connection")
_BODILESS = (b"204", b"304")
_OTHER = ("CONNECT", "HEAD")
_BAD = -1
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n")
_TRAILER = re.compile(rb"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*)?\r\n")
_LONGEST_LINE = 4096


class PlainHead(NamedTuple):
    """The head of a request or response that h11 need not read."""

    first: str
    """Method, or status."""
    second: str
    """Target, or reason."""
    headers: Headers
    length: int | None
    """Content-Length; None if there is no such header: a request has no body then, and a response has chunks."""
    size: int
    """Number of bytes of the head."""


def read_request(data: bytes) -> PlainHead | None:
    """Return the head at the beginning of these bytes; None if h11 must read it."""
    found = _REQUEST.match(data) if len(data) < HEAD_LIMIT else None
    return _read(found, is_request=True) if found is not None and found[1] != b"CONNECT" else None


def read_response(data: bytes) -> PlainHead | None:
    """Return the head at the beginning of these bytes; None if h11 must read it."""
    found = _RESPONSE.match(data)
    return _read(found, is_request=False) if found is not None and found[1] not in _BODILESS else None


def write_request(method: str, target: str, headers: Headers, length: int) -> bytes | None:
    """Return the head of a request with a body of this size; None if h11 must write it."""
    names, found = _names(headers), f"{method} {target}"
    if names is None or "host" not in names or method in _OTHER or not _LINE.fullmatch(found):
        return None
    return _written(f"{found} HTTP/1.1\r\n", headers) if (_length(names, headers) or 0) == length else None


def write_response(status: int, reason: str, headers: Headers) -> tuple[bytes, int | None] | None:
    """Return a head and its Content-Length; None if h11 must write it."""
    names = _names(headers)
    if names is None or not 200 <= status < 600 or status in (204, 304) or not _TEXT.fullmatch(reason):
        return None
    length = _length(names, headers)
    head = _written(f"HTTP/1.1 {status} {reason}\r\n", headers) if length != _BAD else None
    return (head, length) if head is not None else None


def _written(first_line: str, headers: Headers) -> bytes | None:
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    try:
        return f"{first_line}{lines}\r\n".encode("latin-1")
    except UnicodeEncodeError:
        return None


def _names(headers: Headers) -> list[str] | None:
    """Return the names in lower case; None if a name or a value is not plain, so that it might end its line."""
    if not headers:
        return []
    names, values = (" ".join([name for name, _ in headers]), "\n".join([value for _, value in headers]))
    lower, last = names.lower().split(" "), len(headers) - 1
    if names.count(" ") != last or values.count("\n") != last:
        return None
    return lower if _NAMES.fullmatch(names) and _VALUES.fullmatch(values) and _are_usual(lower) else None


def _are_usual(names: list[str]) -> bool:
    return _UNUSUAL.isdisjoint(names) and not any(names.count(each) > 1 for each in _SINGLE)


def _length(names: list[str], headers: Headers) -> int | None:
    """Return the Content-Length; None if there is none, and _BAD if h11 must see these headers."""
    if "connection" in names and headers[names.index("connection")][1].lower() != "keep-alive":
        return _BAD
    if "content-length" not in names:
        return None
    length = headers[names.index("content-length")][1]
    return int(length) if length.isascii() and length.isdecimal() and len(length) < 20 else _BAD


def _read(found: re.Match[bytes], *, is_request: bool) -> PlainHead | None:
    lines = found[3].decode("latin-1")
    headers = tuple(_FIELD.findall(lines))
    names = " ".join([name for name, _ in headers]).lower().split(" ")
    if is_request:
        is_whole = "host" in names
    elif "content-length" in names:
        is_whole = True
    else:
        at = names.index(_CODING) if _CODING in names else -1
        is_whole = at >= 0 and headers[at][1].lower() == "chunked"
        names[at] = ""  # a second one is unusual
    if not is_whole or not _are_usual(names):
        return None
    length = _length(names, headers)
    if length == _BAD:
        return None
    return PlainHead(found[1].decode("latin-1"), found[2].decode("latin-1"), headers, length, found.end())


class Chunks:
    """Reads a body in chunks (RFC 9112, section 7.1). Extensions and trailers are left out."""

    def __init__(self) -> None:
        self.has_ended = False
        self.rest = b""
        """Bytes that were not used: of an unfinished line, or after the end."""
        self._left = 0
        self._line = _CHUNK

    def feed(self, data: bytes) -> bytes:
        """Return the content in the next bytes. Raises: ValueError if they are not chunks."""
        data, at, pieces = self.rest + data if self.rest else data, 0, list[bytes]()
        while at < len(data) and not self.has_ended:
            if self._left > 2:
                pieces.append(data[at : at + self._left - 2])
                at, self._left = at + len(pieces[-1]), self._left - len(pieces[-1])
            elif self._left:  # the end of a chunk
                end = data[at : at + self._left]
                if end != b"\r\n"[2 - self._left :][: len(end)]:
                    raise ValueError("a chunk is longer than its size")
                at, self._left = at + len(end), self._left - len(end)
            else:
                found = self._line.match(data, at)
                if found is None:
                    if b"\n" in data[at:] or len(data) - at > _LONGEST_LINE:
                        raise ValueError("illegal chunk header")
                    break
                self._take_line(found)
                at = found.end()
        self.rest = data[at:]
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _take_line(self, found: re.Match[bytes]) -> None:
        if self._line is _TRAILER:
            self.has_ended = found[0] == b"\r\n"
        elif size := int(found[1], 16):
            self._left = size + 2
        else:
            self._line = _TRAILER


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
