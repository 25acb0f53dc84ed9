"""mcp-recorder, version 1.0: one document with `metadata` and `interactions`, each a request and its response.

Known from its source (src/mcp_recorder/_types.py): https://github.com/devhelmhq/mcp-recorder
"""

import re
from collections.abc import Iterator
from contextlib import suppress

import msgspec

from inspector.capture.import_.documents import spans
from inspector.capture.import_.items import Item, Reader, Source, frame, is_there, opened
from inspector.capture.import_.members import LATEST, moment
from inspector.protocol.frames import Direction


class _Interaction(msgspec.Struct):
    type: str = ""
    request: msgspec.Raw = msgspec.Raw(b"")
    response: msgspec.Raw = msgspec.Raw(b"")
    latency_ms: float = 0


class _Metadata(msgspec.Struct):
    recorded_at: str = ""
    server_url: str = ""


_WAY = ("interactions",)
_interaction = msgspec.json.Decoder(_Interaction).decode
_metadata = msgspec.json.Decoder(_Metadata).decode
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _knows(start: bytes) -> bool:
    return re.match(rb'\s*\{\s*"version"\s*:\s*"', start) is not None and (
        b'"interactions"' in start or b'"recorded_at"' in start
    )


def _read(source: Source) -> Iterator[Item]:
    about = _about(source)
    at = moment(about.recorded_at)
    piped = not about.server_url.startswith(("http://", "https://"))
    yield opened(at, url="" if piped else about.server_url, piped=piped)
    for each in _interactions(source):
        if not is_there(each.request) and not is_there(each.response):
            source.passed_over["steps of the HTTP session's life"] += 1
            continue
        if is_there(each.request):
            yield frame(Direction.TO_SERVER, bytes(each.request), at, piped=piped)
        if at is not None:
            at = min(at + round(min(max(each.latency_ms, 0), 1e9) * 1e6), LATEST)
        if is_there(each.response):
            yield frame(Direction.FROM_SERVER, bytes(each.response), at, piped=piped)


def _about(source: Source) -> _Metadata:
    """What stands beside the interactions, before or behind them."""
    for path, start, length in spans(source, _WAY):
        if path == ("metadata",):
            with suppress(*_UNREADABLE):
                return _metadata(source.read(start, length))
    return _Metadata()


def _interactions(source: Source) -> Iterator[_Interaction]:
    for path, start, length in spans(source, _WAY):
        if path == _WAY:
            try:
                yield _interaction(source.read(start, length))
            except _UNREADABLE:
                source.passed_over["interactions that can't be read"] += 1


READER = Reader(
    "mcp-recorder",
    "a cassette of mcp-recorder",
    (
        "the exact bytes: each message was written anew",
        "when a request was sent: only how long each took, one after the other",
        "what the server sent beside answers: notifications, progress, questions",
        "headers, the server's command, stderr, and what was redacted",
    ),
    _knows,
    _read,
)
