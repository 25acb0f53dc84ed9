"""mcp-rec: `{"ts": seconds, "dir": "client->server", "msg": message}` a line.

Known from its source: https://github.com/yubinkim444/mcp-rec
"""

from collections.abc import Iterator

from inspector.capture.import_.items import Item, Reader, Source, frame, opened, said
from inspector.capture.import_.members import first_members
from inspector.protocol.frames import Direction

_DIRECTIONS = {"client->server": Direction.TO_SERVER, "server->client": Direction.FROM_SERVER}


def _knows(start: bytes) -> bool:
    first = first_members(start)
    return {"ts", "dir", "msg"} <= first.keys() and first.text("dir") in _DIRECTIONS


def _read(source: Source) -> Iterator[Item]:
    yield opened(None)
    for line in source.objects():
        direction = _DIRECTIONS.get(line.text("dir"))
        if direction is None or "msg" not in line:
            source.passed_over["lines without a direction and a message"] += 1
            continue
        message = line.inner("msg")
        unparsed = "_unparsed" in message and "_raw" in message
        payload = said(message.text("_raw")) if unparsed else line.exact("msg")
        yield frame(direction, payload, line.moment("ts"))


READER = Reader(
    "mcp-rec",
    "a recording of mcp-rec",
    (
        "the exact bytes: each message was written anew, invalid UTF-8 replaced, blank lines left out",
        "which server it was, what it wrote to stderr, and how it ended",
    ),
    _knows,
    _read,
)
