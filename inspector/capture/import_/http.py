"""Import of HAR 1.2 (from browsers, proxies and `export --to har`) and of exports of the official Inspector.

Both are JSON documents that may be larger than memory. A document is scanned once for braces and strings only, and a
part is decoded when it is needed. Of a truncated document, the parts before the cut are read. HAR is known from
http://www.softwareishard.com/blog/har-12-spec/. Of a browser's HAR, only entries that carry MCP are imported.
"""

import base64
import binascii
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import chain
from typing import Any

import msgspec

from inspector.capture.import_.items import (
    Directions,
    ImportedItem,
    ImportSource,
    Members,
    Reader,
    frame,
    is_there,
    members,
    moment,
    opened,
)
from inspector.documents import UNDECODABLE
from inspector.protocol import peek
from inspector.protocol.facts import Headers, HttpEvent, HttpFact, HttpTiming
from inspector.protocol.frames import Channel, Direction, Eol, Frame, SseFacts
from inspector.protocol.jsonrpc import NotJsonRpc, read

Path = tuple[str, ...]
"""Member names from the root of the document to a member; () for the root."""
MOST = 512 * 1024 * 1024
"""Maximum size in bytes of a part, and of a string in one. Larger parts are skipped."""
_CHUNK_BYTES = 1024 * 1024
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}"]', re.DOTALL)
"""A string, a bracket, or the beginning of a string that continues after the current buffer."""
_OPENING = b"{["
_BOM = b"\xef\xbb\xbf"
_CARRIERS = {"STDIO": (Channel.STDIN, Channel.STDOUT), "MEMORY": (Channel.MEMORY, Channel.MEMORY)}
_MAX_DURATION_MS = 1e9
_FIRST = re.compile(rb"\s*\[\s*\{")
_MESSAGES = (b'"direction"', b'"message"', b'"timestamp"')
_ORIGINS = {"client": Direction.TO_SERVER, "server": Direction.FROM_SERVER}
_REQUESTS = (b'"requestHeaders"', b'"timestamp"')


class Parts:
    """Offsets of the items of an array, in the order in which they are to be read."""

    def __init__(self) -> None:
        self._at, self._start, self._length = array("q"), array("q"), array("q")

    def __len__(self) -> int:
        return len(self._at)

    def add(self, at_ns: int, start: int, length: int) -> None:
        """Add an item; `at_ns` is its time, 0 if unknown."""
        self._at.append(at_ns)
        self._start.append(start)
        self._length.append(length)

    def in_order(self) -> Iterator[tuple[int, int, int]]:
        """Yield time, offset and length of each item, by time; items of the same time in file order."""
        for index in sorted(range(len(self._at)), key=self._at.__getitem__):
            yield self._at[index], self._start[index], self._length[index]


class RecordedExchange(msgspec.Struct, frozen=True):
    method: str
    url: str
    sent_headers: Headers = ()
    sent: bytes = b""
    status: int = 0
    reason: str = ""
    version: str = ""
    headers: Headers = ()
    received: bytes = b""
    began_ns: int | None = None
    waited_ns: int = 0
    """Time until the response headers."""
    lasted_ns: int = 0
    timing: HttpTiming | None = None
    error: str = ""

    @property
    def is_stream(self) -> bool:
        return any(name.lower() == "content-type" and "event-stream" in value for name, value in self.headers)

    @property
    def is_mcp(self) -> bool:
        """Whether the exchange seems to carry MCP."""
        named = (name.lower() for name, _ in (*self.sent_headers, *self.headers))
        return any(name.startswith("mcp-") for name in named) or is_rpc(self.sent) or is_rpc(self.received)


class _Entry(msgspec.Struct, rename="camel"):
    """An entry of either export."""

    timestamp: str = ""
    origin: str = ""
    """Sender of the message, if given."""
    message: msgspec.Raw = msgspec.Raw(b"")
    response: msgspec.Raw = msgspec.Raw(b"")
    duration: float = 0
    method: str = ""
    url: str = ""
    request_headers: dict[str, str] | None = None
    request_body: str | None = None
    response_status: int | None = None
    response_status_text: str | None = None
    response_headers: dict[str, str] | None = None
    response_body: str | None = None
    error: str | None = None
    category: str = ""


def parts(source: ImportSource, way: Path, when: Callable[[Members], int | None], what: str) -> Parts:
    """Locate the items of the array at the path `way`.

    `when` returns the time of an item. `what` names the items in the plural, to report those that can't be read.
    """
    found = Parts()
    for path, start, length in spans(source, way):
        if path != way:
            continue
        item = members(source.read(start, length)) if length <= MOST else None
        if item is None:
            source.passed_over[f"{what} that are no JSON, or too long"] += 1
        else:
            found.add(when(item) or 0, start, length)
    return found


def merged(pieces: Iterable[tuple[int, Iterable[ImportedItem]]]) -> Iterator[ImportedItem]:
    """Yield items by time, from pieces that start in order but may overlap.

    Only overlapping pieces are held in memory. Items without a time are first.
    """
    waiting: list[tuple[int, int, ImportedItem]] = []
    count = 0
    for began, piece in pieces:
        while waiting and waiting[0][0] <= began:
            yield heappop(waiting)[2]
        for item in piece:
            heappush(waiting, (item.wall_ns or 0, count, item))
            count += 1
    while waiting:
        yield heappop(waiting)[2]


def spans(source: ImportSource, way: Path) -> Iterator[tuple[Path, int, int]]:
    """Yield path, offset and length of each container in the array at `way`, and of each one outside that path.

    The path of the former is `way`. A truncated end of the file is counted. Scanning ends at a string that is longer
    than any part may be, because it would have to be held in memory to be skipped.
    """
    walk = _Walk(way)
    place, rest = len(_BOM) if source.read(0, 3) == _BOM else 0, b""
    while chunk := source.read(place + len(rest), max(_CHUNK_BYTES, len(rest))):  # read ever more of a long string
        buffer = rest + chunk
        used = len(buffer)
        for token in _TOKEN.finditer(buffer):
            text = token.group()
            if text == b'"':
                used = token.start()
                break
            if text[0] == 0x22:
                walk.string(text)
            elif (span := walk.bracket(text, place + token.start())) is not None:
                yield span
        place, rest = place + used, buffer[used:]
        if len(rest) > MOST:
            source.passed_over["texts that are too long, with everything after them"] = 1
            return
    if walk.depth or rest:
        source.passed_over["ends of the file, which was cut off"] = 1


class _Walk:
    """Position in a document: nesting depth, and progress along the path to the array."""

    def __init__(self, way: Path) -> None:
        self._way = way
        self.depth = 0
        """Number of containers entered."""
        self._on_way = 0
        """How many of them are on the path, including the root and the array."""
        self._name = b""
        """Last string: before a container in an object, it is the name of that member."""
        self._part: Path | None = None
        """Path of the current container outside `way`; None if there is none."""
        self._begin = 0

    def string(self, text: bytes) -> None:
        """Process a string."""
        if self._part is None:
            self._name = text

    def bracket(self, text: bytes, place: int) -> tuple[Path, int, int] | None:
        """Process a bracket; return the part that it closes, if any."""
        if text in _OPENING:
            if self._part is None:
                self._enter(text == b"[", place)
            self.depth += 1
            return None
        self.depth = max(0, self.depth - 1)
        part = self._part
        if part is None:
            self._on_way = max(0, self._on_way - 1)
        elif self.depth == self._on_way:
            self._part = None
            return part, self._begin, place + 1 - self._begin
        return None

    def _enter(self, is_array: bool, place: int) -> None:
        """Enter a container whose parent is on the path."""
        steps = self._on_way
        part = self._way
        if steps <= len(self._way):
            name = (_member_name(self._name),) if steps else ()
            part = (*self._way[: max(0, steps - 1)], *name)
            if part == self._way[:steps] and is_array == (steps == len(self._way)):
                self._on_way += 1
                return
        self._part, self._begin = part, place


def _member_name(name: bytes) -> str:
    return peek.decoded_as(str, name) or ""


# An HTTP exchange from another program's file, converted to facts and frames.


def is_rpc(body: bytes) -> bool:
    return b'"jsonrpc"' in body[:100_000] and not any(isinstance(each, NotJsonRpc) for each in read(body))


def items(each: RecordedExchange, http: int) -> Iterator[ImportedItem]:
    """Yield the facts and frames of an exchange in order. `http` is its number."""
    began, headed, ended = each.began_ns, _plus(each.began_ns, each.waited_ns), _plus(each.began_ns, each.lasted_ns)
    request = HttpFact(HttpEvent.REQUEST, http, method=each.method, target=each.url, headers=each.sent_headers)
    yield ImportedItem(began, request)
    if each.sent:
        yield ImportedItem(began, Frame(0, 0, 0, Direction.TO_SERVER, Channel.POST, each.sent, http=http))
    if each.status:
        yield ImportedItem(
            headed,
            HttpFact(
                HttpEvent.RESPONSE,
                http,
                status=each.status,
                reason=each.reason,
                version=each.version,
                headers=each.headers,
                timing=each.timing,
            ),
        )
    if each.received and each.is_stream:
        channel = Channel.GET if each.method == "GET" else Channel.SSE
        for payload, facts in events(each.received):
            yield ImportedItem(ended, Frame(0, 0, 0, Direction.FROM_SERVER, channel, payload, http=http, sse=facts))
    elif each.received:
        yield ImportedItem(ended, Frame(0, 0, 0, Direction.FROM_SERVER, Channel.REPLY, each.received, http=http))
    if each.error:
        yield ImportedItem(ended, HttpFact(HttpEvent.ERROR, http, why=each.error[:300]))
    elif each.status:
        yield ImportedItem(ended, HttpFact(HttpEvent.END, http, body_bytes=len(each.received)))


def events(body: bytes) -> Iterator[tuple[bytes, SseFacts]]:
    """Yield the events of a stream that carry data. The last one needs no blank line at its end."""
    for block in body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n\n"):
        data: list[bytes] = []
        event, id_, retry = None, None, None
        for line in block.split(b"\n"):
            name, _, rest = line.partition(b":")
            rest = rest.removeprefix(b" ")
            if name == b"data":
                data.append(rest)
            elif name == b"event":
                event = rest.decode("utf-8", "replace")
            elif name == b"id":
                id_ = rest.decode("utf-8", "replace")
            elif name == b"retry" and rest.isdigit() and len(rest) < 10:
                retry = int(rest)
        if data:
            yield b"\n".join(data), SseFacts(event, id_, retry)


def _plus(began_ns: int | None, more_ns: int) -> int | None:
    return None if began_ns is None else began_ns + more_ns


def _knows(start: bytes) -> bool:
    return re.match(rb'\s*\{\s*"log"\s*:\s*\{', start.removeprefix(b"\xef\xbb\xbf")) is not None


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    about = _About()
    entries = parts(source, ("log", "entries"), about.when, "entries")
    found = merged(_exchanges(source, entries))
    first = next(found, None)
    if first is not None:
        yield opened(first.wall_ns, url=about.url, transport=about.transport)
        yield first
        yield from found


class _About:
    """Facts about the connection, collected from all entries before the first one is imported."""

    def __init__(self) -> None:
        self.url = ""
        self.transport = "http"

    def when(self, entry: Members) -> int | None:
        """Return when an entry began. Also note its URL and transport."""
        request = entry.inner("request")
        method, url = request.text("method"), request.text("url")
        if method in _CARRIERS and self.transport != "stdio":
            self.transport = method.lower()
        if not self.url and url.startswith("http"):
            self.url = url
        return entry.moment("startedDateTime")


def _exchanges(source: ImportSource, entries: Parts) -> Iterator[tuple[int, list[ImportedItem]]]:
    number = 0
    for began, place, length in entries.in_order():
        found = list(_items(source, peek.decoded(source.read(place, length)), number + 1))
        number += bool(found)
        yield began, found


def _items(source: ImportSource, entry: Any, number: int) -> Iterator[ImportedItem]:
    method = peek.text(entry, "request", "method") or ""
    if method in _CARRIERS:
        yield from _lines(entry, *_CARRIERS[method])
        return
    recorded = _recorded(entry)
    if recorded.is_mcp:
        yield from items(recorded, number)
    else:
        source.passed_over["HTTP exchanges that carry no MCP"] += 1


def _lines(entry: Any, out: Channel, back: Channel) -> Iterator[ImportedItem]:
    """Yield a message on a pipe, and its response."""
    began = moment(peek.text(entry, "startedDateTime"))
    from_client = peek.text(entry, "_mcp", "direction") != "s2c"
    eol = Eol.LF if out is Channel.STDIN else Eol.NONE
    sent, received = _sent(entry), _response_body(entry)
    for is_first, payload in ((True, sent), (False, received)):
        if payload or is_first:
            to_server = from_client == is_first
            direction = Direction.TO_SERVER if to_server else Direction.FROM_SERVER
            at = began if is_first or began is None else began + _ns(peek.at(entry, "time"))
            yield ImportedItem(at, Frame(0, 0, 0, direction, out if to_server else back, payload, eol))


def _recorded(entry: Any) -> RecordedExchange:
    times = {
        name: _ns(peek.at(entry, "timings", name)) for name in ("blocked", "dns", "connect", "ssl", "send", "wait")
    }
    waited = times["blocked"] + times["dns"] + times["connect"] + times["send"] + times["wait"]
    return RecordedExchange(
        method=(peek.text(entry, "request", "method") or "")[:40],
        url=peek.text(entry, "request", "url") or "",
        sent_headers=_headers(entry, "request"),
        sent=_sent(entry),
        status=peek.integer(entry, "response", "status") or 0,
        reason=peek.text(entry, "response", "statusText") or "",
        version=peek.text(entry, "response", "httpVersion") or "",
        headers=_headers(entry, "response"),
        received=_response_body(entry),
        began_ns=moment(peek.text(entry, "startedDateTime")),
        waited_ns=waited,
        lasted_ns=max(waited, _ns(peek.at(entry, "time"))),
        timing=HttpTiming(
            lookup=times["dns"] or None,
            connect=max(0, times["connect"] - times["ssl"]) or None,
            tls=times["ssl"] or None,
            send=times["send"],
            wait=times["wait"],
        ),
        error=peek.text(entry, "_error") or "",
    )


def _headers(entry: Any, side: str) -> Headers:
    pairs = ((peek.text(each, "name"), peek.text(each, "value")) for each in peek.items(entry, side, "headers"))
    return tuple((name, value or "") for name, value in pairs if name and not name.startswith(":"))


def _sent(entry: Any) -> bytes:
    message = peek.text(entry, "request", "postData", "text") or ""
    return _decoded(message, peek.text(entry, "request", "postData", "_encoding"))


def _response_body(entry: Any) -> bytes:
    message = peek.text(entry, "response", "content", "text") or ""
    return _decoded(message, peek.text(entry, "response", "content", "encoding"))


def _decoded(message: str, encoding: str | None) -> bytes:
    if encoding == "base64":
        try:
            return base64.b64decode(message, validate=True)
        except (binascii.Error, ValueError):
            pass
    return message.encode("utf-8", "surrogatepass")


def _ns(milliseconds: Any) -> int:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return 0
    return round(min(max(milliseconds, 0), _MAX_DURATION_MS) * 1e6)


HAR = Reader(
    "har",
    "a HAR file",
    (
        "when each event of a stream came: all have the time of its end",
        "stderr, and what became of a process",
        "what the program that wrote it has left out: browsers keep no cookies and few bodies of streams",
        "comments and keep-alives of streams",
    ),
    _knows,
    _read,
)


# Exports of the official Inspector: its message history, or its list of HTTP requests, each an array.


_entry = msgspec.json.Decoder(_Entry).decode


def _official_knows(start: bytes) -> bool:
    body = start.removeprefix(b"\xef\xbb\xbf")
    return _FIRST.match(body) is not None and (
        all(name in body for name in _MESSAGES) or all(name in body for name in _REQUESTS)
    )


def _official_read(source: ImportSource) -> Iterator[ImportedItem]:
    entries = parts(source, (), lambda entry: entry.moment("timestamp"), "entries")
    found = _entries(source, entries)
    first = next(found, None)
    if first is None:
        return
    began, entry = first
    http = entry.request_headers is not None
    yield opened(began or None, url=entry.url, transport="http" if http else "memory")
    yield from merged((_requests if http else _messages)(source, chain([first], found)))


def _entries(source: ImportSource, entries: Parts) -> Iterator[tuple[int, _Entry]]:
    for at, place, length in entries.in_order():
        try:
            yield at, _entry(source.read(place, length))
        except UNDECODABLE:
            source.passed_over["entries that can't be read"] += 1


def _messages(source: ImportSource, entries: Iterable[tuple[int, _Entry]]) -> Iterator[tuple[int, list[ImportedItem]]]:
    """Yield requests and notifications at their time, responses at theirs."""
    directions = Directions()
    for at, each in entries:
        if not is_there(each.message):
            source.passed_over["entries without a message"] += 1
            continue
        payload = bytes(each.message)
        sender = _ORIGINS.get(each.origin) or directions.of(payload)
        found = [frame(sender, payload, at or None, piped=False)]
        if is_there(each.response):
            back = Direction.FROM_SERVER if sender is Direction.TO_SERVER else Direction.TO_SERVER
            directions.of(bytes(each.response))  # a request that has its response is not pending
            then = at + _official_ns(each.duration) if at else None
            found.append(frame(back, bytes(each.response), then, piped=False))
        yield at, found


def _requests(source: ImportSource, entries: Iterable[tuple[int, _Entry]]) -> Iterator[tuple[int, list[ImportedItem]]]:
    for number, (at, each) in enumerate(entries, 1):
        if each.category == "auth":
            source.passed_over["requests of a login"] += 1
            continue
        lasted = _official_ns(each.duration)
        recorded = RecordedExchange(
            method=each.method[:40],
            url=each.url,
            sent_headers=_official_headers(each.request_headers),
            sent=(each.request_body or "").encode("utf-8", "surrogatepass"),
            status=each.response_status or 0,
            reason=each.response_status_text or "",
            headers=_official_headers(each.response_headers),
            received=(each.response_body or "").encode("utf-8", "surrogatepass"),
            began_ns=at or None,
            waited_ns=lasted,
            lasted_ns=lasted,
            error=each.error or "",
        )
        yield at, list(items(recorded, number))


def _official_headers(fields: Mapping[str, str] | None) -> Headers:
    return tuple((fields or {}).items())


def _official_ns(milliseconds: float) -> int:
    return round(min(max(milliseconds, 0), 1e9) * 1e6)


OFFICIAL = Reader(
    "inspector",
    "an export of the official Inspector",
    (
        "the exact bytes: messages were serialized again",
        "who sent a message, in a history that does not say so: that is worked out from methods and ids",
        "the server's command, its stderr, and invalid messages",
        "in its requests, headers of the same name, and the bodies of streams that continued",
    ),
    _official_knows,
    _official_read,
)
