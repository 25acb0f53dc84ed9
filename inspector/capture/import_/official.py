"""The exports of the official Inspector: its history of messages, or its list of HTTP requests, an array each.

Known from its source (core/mcp/types.ts): https://github.com/modelcontextprotocol/inspector
"""

import re
from collections.abc import Iterator, Mapping

import msgspec

from inspector.capture.import_.directions import Directions
from inspector.capture.import_.http_items import Recorded, items
from inspector.capture.import_.items import Item, Reader, Source, frame, is_there, moment, opened
from inspector.errors import CaptureError
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


def _knows(start: bytes) -> bool:
    body = start.removeprefix(b"\xef\xbb\xbf")
    return _FIRST.match(body) is not None and (
        all(name in body for name in _MESSAGES) or all(name in body for name in _REQUESTS)
    )


def _read(source: Source) -> Iterator[Item]:
    try:
        entries = msgspec.json.decode(source.document(), type=list[_Entry])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaptureError(
            f"{source.name} is no export of the official Inspector that can be read: {str(error)[:200]}",
            hint="Export it again: its history, or its network requests.",
        ) from None
    entries.sort(key=lambda each: moment(each.timestamp) or 0)
    first = entries[0] if entries else _Entry()
    http = first.request_headers is not None
    yield opened(moment(first.timestamp), url=first.url, transport="http" if http else "memory")
    yield from _requests(source, entries) if http else _messages(source, entries)


def _messages(source: Source, entries: list[_Entry]) -> Iterator[Item]:
    """Requests and notifications at their time, answers at theirs."""
    found: list[tuple[int, int, bytes, Direction]] = []
    directions = Directions()
    for each in entries:
        if not is_there(each.message):
            source.passed_over["entries without a message"] += 1
            continue
        at = moment(each.timestamp) or 0
        payload = bytes(each.message)
        sender = _ORIGINS.get(each.origin) or directions.of(payload)
        found.append((at, len(found), payload, sender))
        if is_there(each.response):
            back = Direction.FROM_SERVER if sender is Direction.TO_SERVER else Direction.TO_SERVER
            directions.of(bytes(each.response))  # it is answered, whoever asked
            found.append((at + _ns(each.duration), len(found), bytes(each.response), back))
    for at, _, payload, direction in sorted(found):
        yield frame(direction, payload, at or None, piped=False)


def _requests(source: Source, entries: list[_Entry]) -> Iterator[Item]:
    found: list[Item] = []
    for number, each in enumerate(entries, 1):
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
            began_ns=moment(each.timestamp),
            waited_ns=lasted,
            lasted_ns=lasted,
            error=each.error or "",
        )
        found += items(recorded, number)
    yield from sorted(found, key=lambda item: item.wall_ns or 0)


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
