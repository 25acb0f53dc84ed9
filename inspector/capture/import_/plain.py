"""Plain JSON-RPC, one message per line, as `export --to jsonrpc` and many other programs write it."""

from collections.abc import Iterator

from inspector.capture.import_.items import Directions, ImportedItem, ImportSource, Reader, first_members, frame, opened


def _knows(start: bytes) -> bool:
    first = first_members(start)
    if "jsonrpc" in first:
        return "_meta" not in first
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") and b'"jsonrpc"' in start.split(b"\n", 1)[0][:4096]


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    directions = Directions()
    yield opened(None)
    for line in source.lines():
        yield frame(directions.of(line), line, None)


READER = Reader(
    "jsonrpc",
    "plain JSON-RPC lines",
    (
        "when anything crossed: all has the time of the file",
        "who sent a message: that is worked out from methods and ids",
        "how it was carried, and which server it was",
    ),
    _knows,
    _read,
)
