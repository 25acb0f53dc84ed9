"""mcp-recorder, version 1.0: one document with `metadata` and `interactions`, each a request and its response.

Known from its source (src/mcp_recorder/_types.py): https://github.com/devhelmhq/mcp-recorder
"""

import re
from collections.abc import Iterator

import msgspec

from inspector.capture.import_.items import Item, Reader, Source, frame, is_there, moment, opened
from inspector.errors import CaptureError
from inspector.protocol.frames import Direction


class _Interaction(msgspec.Struct):
    type: str = ""
    request: msgspec.Raw = msgspec.Raw(b"")
    response: msgspec.Raw = msgspec.Raw(b"")
    latency_ms: float = 0


class _Metadata(msgspec.Struct):
    recorded_at: str = ""
    server_url: str = ""


class _Cassette(msgspec.Struct):
    interactions: list[_Interaction]
    version: str = ""
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


def _knows(start: bytes) -> bool:
    return re.match(rb'\s*\{\s*"version"\s*:\s*"', start) is not None and (
        b'"interactions"' in start or b'"recorded_at"' in start
    )


def _read(source: Source) -> Iterator[Item]:
    try:
        tape = msgspec.json.decode(source.document(), type=_Cassette)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CaptureError(
            f"{source.name} is no cassette of mcp-recorder that can be read: {str(error)[:200]}",
            hint="Record it again, or name another format with --from.",
        ) from None
    at = moment(tape.metadata.recorded_at)
    piped = not tape.metadata.server_url.startswith(("http://", "https://"))
    yield opened(at, url="" if piped else tape.metadata.server_url, piped=piped)
    for each in tape.interactions:
        if not is_there(each.request) and not is_there(each.response):
            source.passed_over["steps of the HTTP session's life"] += 1
            continue
        if is_there(each.request):
            yield frame(Direction.TO_SERVER, bytes(each.request), at, piped=piped)
        if at is not None:
            at += round(min(max(each.latency_ms, 0), 1e9) * 1e6)
        if is_there(each.response):
            yield frame(Direction.FROM_SERVER, bytes(each.response), at, piped=piped)


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
