"""The exports of the official Inspector: its history of messages, or its list of HTTP requests, an array each.

Known from its source (core/mcp/types.ts): https://github.com/modelcontextprotocol/inspector
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import msgspec

from inspector.capture.import_.directions import Directions
from inspector.capture.import_.documents import Parts, merged, parts
from inspector.capture.import_.http_items import Recorded, items
from inspector.capture.import_.items import Item, Reader, Source, frame, is_there, opened
from inspector.protocol.facts import Headers
from inspector.protocol.frames import Direction

_FIRST = re.compile(rb"\s*\[\s*\{")
_MESSAGES = (b'"direction"', b'"message"', b'"timestamp"')
_ORIGINS = {"client": Direction.TO_SERVER, "server": Direction.FROM_SERVER}
_REQUESTS = (b'"requestHeaders"', b'"timestamp"')


class _Entry(msgspec.Struct, rename="camel"):
    """An entry of either list."""

    timestamp: str = ""
    origin: str = ""
    """Who sent the message, where it says so."""
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


_entry = msgspec.json.Decoder(_Entry).decode


def _knows(start: bytes) -> bool:
    body = start.removeprefix(b"\xef\xbb\xbf")
    return _FIRST.match(body) is not None and (
        all(name in body for name in _MESSAGES) or all(name in body for name in _REQUESTS)
    )


def _read(source: Source) -> Iterator[Item]:
    entries = parts(source, (), lambda entry: entry.moment("timestamp"), "entries")
    found = _entries(source, entries)
    first = next(found, None)
    if first is None:
        return
    began, entry = first
    http = entry.request_headers is not None
    yield opened(began or None, url=entry.url, transport="http" if http else "memory")
    yield from merged((_requests if http else _messages)(source, chain([first], found)))


def _entries(source: Source, entries: Parts) -> Iterator[tuple[int, _Entry]]:
    for at, place, length in entries.in_order():
        try:
            yield at, _entry(source.read(place, length))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            source.passed_over["entries that can't be read"] += 1


def _messages(source: Source, entries: Iterable[tuple[int, _Entry]]) -> Iterator[tuple[int, list[Item]]]:
    """Requests and notifications at their time, answers at theirs."""
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
            directions.of(bytes(each.response))  # it is answered, whoever asked
            then = at + _ns(each.duration) if at else None
            found.append(frame(back, bytes(each.response), then, piped=False))
        yield at, found


def _requests(source: Source, entries: Iterable[tuple[int, _Entry]]) -> Iterator[tuple[int, list[Item]]]:
    for number, (at, each) in enumerate(entries, 1):
        if each.category == "auth":
            source.passed_over["requests of a login"] += 1
            continue
        lasted = _ns(each.duration)
        recorded = Recorded(
            method=each.method[:40],
            url=each.url,
            sent_headers=_headers(each.request_headers),
            sent=(each.request_body or "").encode("utf-8", "surrogatepass"),
            status=each.response_status or 0,
            reason=each.response_status_text or "",
            headers=_headers(each.response_headers),
            came=(each.response_body or "").encode("utf-8", "surrogatepass"),
            began_ns=at or None,
            waited_ns=lasted,
            lasted_ns=lasted,
            error=each.error or "",
        )
        yield at, list(items(recorded, number))


def _headers(said: Mapping[str, str] | None) -> Headers:
    return tuple((said or {}).items())


def _ns(milliseconds: float) -> int:
    return round(min(max(milliseconds, 0), 1e9) * 1e6)


READER = Reader(
    "inspector",
    "an export of the official Inspector",
    (
        "the exact bytes: each message was written anew",
        "who sent a message, in a history that does not say so: that is worked out from methods and ids",
        "which server it was, its stderr, and what is no message",
        "in its requests, headers of the same name, and the bodies of streams that went on",
    ),
    _knows,
    _read,
)
