"""Logs of mcpsnoop: an envelope per line, with direction, transport, time and the message, or a text."""

from collections.abc import Iterator

from inspector.capture.import_.items import (
    ImportedItem,
    ImportedSession,
    ImportSource,
    Reader,
    first_members,
    text_bytes,
)
from inspector.protocol.facts import Stderr


def _knows(start: bytes) -> bool:
    first = first_members(start)
    return {"session_id", "direction", "ts"} <= first.keys() and ("raw" in first or "text" in first)


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    session = ImportedSession()
    for line in source.objects():
        kind, wall_ns = line.text("direction"), line.moment("ts")
        piped = line.text("transport") != "http"
        if kind == "meta":
            meta = line.inner("raw")
            command = meta.words("command")
            url = command[0] if command and "://" in command[0] else ""
            yield session.opened(wall_ns, argv=() if url else command, cwd=meta.text("cwd"), url=url, piped=piped)
        elif kind == "stderr":
            yield ImportedItem(wall_ns, Stderr(text_bytes(line.text("text"))))
        elif kind in ("c2s", "s2c"):
            payload = line.exact("raw") if "raw" in line else text_bytes(line.text("text"))
            yield from session.message(kind == "c2s", payload, wall_ns, piped=piped)
        else:
            source.passed_over["events of another kind"] += 1


READER = Reader(
    "mcpsnoop",
    "a log of mcpsnoop",
    (
        "line ends, and white space within messages",
        "HTTP: headers, status and which exchange carried what",
        "how the server's process ended",
        "what mcpsnoop has redacted",
    ),
    _knows,
    _read,
)
