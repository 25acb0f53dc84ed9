"""Recordings of `mcporter record`: messages with a `_meta` of its own: direction, server, time."""

from collections.abc import Iterator

import msgspec

from inspector.capture.import_.items import (
    ImportedItem,
    ImportSource,
    Members,
    Reader,
    closed,
    first_members,
    frame,
    opened,
)
from inspector.protocol.frames import Direction

_DIRECTIONS = {"send": Direction.TO_SERVER, "recv": Direction.FROM_SERVER}


def _knows(start: bytes) -> bool:
    return {"dir", "server", "ts"} <= first_members(start).inner("_meta").keys()


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    server, is_open = "", False
    for line in source.objects():
        meta = line.inner("_meta")
        way, at, whose = meta.text("dir"), meta.moment("ts"), meta.text("server")
        server = server or whose
        if whose != server:
            source.passed_over["messages of another server"] += 1
        elif way in _DIRECTIONS:
            if not is_open:
                yield opened(at, argv=(server,))
                is_open = True
            yield frame(_DIRECTIONS[way], _without(line, "_meta"), at)
        elif line.text("method") == "$transport/start":
            yield opened(at, argv=(server,))
            is_open = True
        elif line.text("method") == "$transport/close" and is_open:
            yield closed(at)
            is_open = False
        else:
            source.passed_over["events of another kind"] += 1


def _without(line: Members, name: str) -> bytes:
    """Return a JSON object without one of its members."""
    left = (msgspec.json.encode(each) + b":" + bytes(raw) for each, raw in line.items() if each != name)
    return b"{" + b",".join(left) + b"}"


READER = Reader(
    "mcporter",
    "a recording of mcporter",
    (
        "the exact bytes: messages were serialized again",
        "the server's command, its stderr and how it ended",
        "HTTP: headers, status and which exchange carried what",
        "messages of other servers in the same file",
    ),
    _knows,
    _read,
)
