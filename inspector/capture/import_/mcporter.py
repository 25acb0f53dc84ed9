"""Recordings of `mcporter record`: messages with a `_meta` of its own: direction, server, time."""

from collections.abc import Iterator

import msgspec

from inspector.capture.import_.items import ImportedItem, ImportedSession, ImportSource, Members, Reader, first_members


def _knows(start: bytes) -> bool:
    return {"dir", "server", "ts"} <= first_members(start).inner("_meta").keys()


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    server, session = "", ImportedSession()
    for line in source.objects():
        meta = line.inner("_meta")
        way, at, whose = meta.text("dir"), meta.moment("ts"), meta.text("server")
        server = server or whose
        if whose != server:
            source.passed_over["messages of another server"] += 1
        elif way in ("send", "recv"):
            yield from session.message(way == "send", _without(line, "_meta"), at, argv=(server,))
        elif line.text("method") == "$transport/start":
            yield session.opened(at, argv=(server,))
        elif line.text("method") == "$transport/close" and session.is_open:
            yield session.closed(at)
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
