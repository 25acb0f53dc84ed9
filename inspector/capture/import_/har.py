"""HAR 1.2: what browsers, proxies and `export --to har` write. Of a browser's only what carries MCP is taken.

Known from http://www.softwareishard.com/blog/har-12-spec/
"""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from inspector.capture.import_.documents import Parts, merged, parts
from inspector.capture.import_.http_items import Recorded, items
from inspector.capture.import_.items import Item, Reader, Source, opened
from inspector.capture.import_.members import Members, moment, value
from inspector.protocol import peek
from inspector.protocol.facts import Headers, HttpTiming
from inspector.protocol.frames import Channel, Direction, Eol, Frame

_CARRIERS = {"STDIO": (Channel.STDIN, Channel.STDOUT), "MEMORY": (Channel.MEMORY, Channel.MEMORY)}
_LONGEST_MS = 1e9


def _knows(start: bytes) -> bool:
    return re.match(rb'\s*\{\s*"log"\s*:\s*\{', start.removeprefix(b"\xef\xbb\xbf")) is not None


def _read(source: Source) -> Iterator[Item]:
    about = _About()
    entries = parts(source, ("log", "entries"), about.when, "entries")
    found = merged(_exchanges(source, entries))
    first = next(found, None)
    if first is not None:
        yield opened(first.wall_ns, url=about.url, transport=about.transport)
        yield first
        yield from found


class _About:
    """What is to be said of all entries before the first one."""

    def __init__(self) -> None:
        self.url = ""
        self.transport = "http"

    def when(self, entry: Members) -> int | None:
        """When an entry began, which is looked at on the way."""
        request = entry.inner("request")
        method, url = request.text("method"), request.text("url")
        if method in _CARRIERS and self.transport != "stdio":
            self.transport = method.lower()
        if not self.url and url.startswith("http"):
            self.url = url
        return entry.moment("startedDateTime")


def _exchanges(source: Source, entries: Parts) -> Iterator[tuple[int, list[Item]]]:
    number = 0
    for began, place, length in entries.in_order():
        found = list(_items(source, value(source.read(place, length)), number + 1))
        number += bool(found)
        yield began, found


def _items(source: Source, entry: Any, number: int) -> Iterator[Item]:
    method = peek.text(entry, "request", "method") or ""
    if method in _CARRIERS:
        yield from _lines(entry, *_CARRIERS[method])
        return
    recorded = _recorded(entry)
    if recorded.is_mcp:
        yield from items(recorded, number)
    else:
        source.passed_over["HTTP exchanges that carry no MCP"] += 1


def _lines(entry: Any, out: Channel, back: Channel) -> Iterator[Item]:
    """A message on a pipe, and what answered it."""
    began = moment(peek.text(entry, "startedDateTime"))
    from_client = peek.text(entry, "_mcp", "direction") != "s2c"
    eol = Eol.LF if out is Channel.STDIN else Eol.NONE
    sent, came = _sent(entry), _came(entry)
    for is_first, payload in ((True, sent), (False, came)):
        if payload or is_first:
            to_server = from_client == is_first
            direction = Direction.TO_SERVER if to_server else Direction.FROM_SERVER
            at = began if is_first or began is None else began + _ns(peek.at(entry, "time"))
            yield Item(at, Frame(0, 0, 0, direction, out if to_server else back, payload, eol))


def _recorded(entry: Any) -> Recorded:
    times = {
        name: _ns(peek.at(entry, "timings", name)) for name in ("blocked", "dns", "connect", "ssl", "send", "wait")
    }
    waited = times["blocked"] + times["dns"] + times["connect"] + times["send"] + times["wait"]
    return Recorded(
        method=(peek.text(entry, "request", "method") or "")[:40],
        url=peek.text(entry, "request", "url") or "",
        sent_headers=_headers(entry, "request"),
        sent=_sent(entry),
        status=peek.integer(entry, "response", "status") or 0,
        reason=peek.text(entry, "response", "statusText") or "",
        version=peek.text(entry, "response", "httpVersion") or "",
        headers=_headers(entry, "response"),
        came=_came(entry),
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
    said = peek.text(entry, "request", "postData", "text") or ""
    return _decoded(said, peek.text(entry, "request", "postData", "_encoding"))


def _came(entry: Any) -> bytes:
    said = peek.text(entry, "response", "content", "text") or ""
    return _decoded(said, peek.text(entry, "response", "content", "encoding"))


def _decoded(said: str, encoding: str | None) -> bytes:
    if encoding == "base64":
        try:
            return base64.b64decode(said, validate=True)
        except (binascii.Error, ValueError):
            pass
    return said.encode("utf-8", "surrogatepass")


def _ns(milliseconds: Any) -> int:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return 0
    return round(min(max(milliseconds, 0), _LONGEST_MS) * 1e6)


READER = Reader(
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
