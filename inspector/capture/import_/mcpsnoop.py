"""mcpsnoop: an envelope a line, with direction, transport, time and the message in `raw` or a text in `text`.

Known from its source (internal/proxy/frame.go): https://github.com/kerlenton/mcpsnoop
"""

from collections.abc import Iterator

import msgspec

from inspector.capture.import_.items import (
    Item,
    Reader,
    Source,
    exact,
    first_members,
    frame,
    members,
    moment,
    opened,
    said,
    text,
    value,
    words,
)
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Direction

_DIRECTIONS = {"c2s": Direction.TO_SERVER, "s2c": Direction.FROM_SERVER}


def _knows(start: bytes) -> bool:
    first = first_members(start)
    return {"session_id", "direction", "ts"} <= first.keys() and ("raw" in first or "text" in first)


def _read(source: Source) -> Iterator[Item]:
    is_open = False
    for line in source.objects():
        kind, wall_ns = text(line.get("direction")), moment(value(line.get("ts")))
        piped = text(line.get("transport")) != "http"
        if kind == "meta":
            meta = members(line.get("raw", msgspec.Raw(b"0"))) or {}
            command = words(value(meta.get("command")))
            url = command[0] if command and "://" in command[0] else ""
            yield opened(wall_ns, argv=() if url else command, cwd=text(meta.get("cwd")), url=url, piped=piped)
            is_open = True
        elif kind == "stderr":
            yield Item(wall_ns, Stderr(said(text(line.get("text")))))
        elif kind in _DIRECTIONS:
            if not is_open:
                yield opened(wall_ns, piped=piped)
                is_open = True
            payload = exact(line["raw"]) if "raw" in line else said(text(line.get("text")))
            yield frame(_DIRECTIONS[kind], payload, wall_ns, piped=piped)
        else:
            source.passed_over["events of another kind"] += 1


READER = Reader(
    "mcpsnoop",
    "a log of mcpsnoop",
    (
        "line ends, and blanks between the words of a message",
        "HTTP: headers, status and which exchange carried what",
        "how the server's process ended",
        "what mcpsnoop has redacted",
    ),
    _knows,
    _read,
)
