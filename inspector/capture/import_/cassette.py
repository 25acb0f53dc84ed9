"""Cassettes of mcp-cassette: a header, then entries of one or more frames, with milliseconds since the start.

Versions 1 and 2 are known from docs/cassette-format-v2.md in https://github.com/ivermin1123/mcp-cassette.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.capture.import_.items import (
    ImportedItem,
    ImportSource,
    Members,
    Reader,
    first_members,
    frame,
    members,
    opened,
    text_bytes,
)
from inspector.errors import CaptureError
from inspector.protocol import peek
from inspector.protocol.frames import Direction
from inspector.text import cut

_DIRECTIONS = {"c2s": Direction.TO_SERVER, "s2c": Direction.FROM_SERVER}
_VERSION = 2
"""The newest version that is known."""


def _knows(start: bytes) -> bool:
    return "cassetteVersion" in first_members(start)


class _Tape:
    """Header of a cassette."""

    def __init__(self, header: Members, name: str) -> None:
        version = header.value("cassetteVersion")
        if not isinstance(version, int) or version > _VERSION:
            raise CaptureError(
                f"{name} is a cassette of version {cut(str(version), 20)}, "
                f"and mcp-inspect reads versions up to {_VERSION}",
                hint="Record it again, or write it with an older mcp-cassette.",
            )
        self.began_ns = header.moment("startedAt")
        self.piped = header.text("transport") != "http"
        self.command = header.words("command")
        self.url = header.text("url")

    def at(self, offset: Any) -> int | None:
        """Return the time for an offset in milliseconds from the start."""
        if self.began_ns is None or isinstance(offset, bool) or not isinstance(offset, int | float):
            return None
        return self.began_ns + round(min(max(offset, 0), 1e12) * 1e6)


def _read(source: ImportSource) -> Iterator[ImportedItem]:
    tape: _Tape | None = None
    for line in source.objects():
        if tape is None:
            tape = _Tape(line, source.name)
            yield opened(tape.began_ns, argv=tape.command, url=tape.url, piped=tape.piped)
            continue
        kind, direction = line.text("type"), _DIRECTIONS.get(line.text("dir"))
        at = tape.at(line.value("t"))
        if direction is None:
            source.passed_over["entries of another kind"] += 1
        elif kind == "frame" and "frame" in line:
            yield frame(direction, line.exact("frame"), at, piped=tape.piped)
        elif kind == "raw":
            yield frame(direction, text_bytes(line.text("data")), at, piped=tape.piped)
        elif kind == "chunks":
            yield from _chunks(line, direction, tape)
        else:
            source.passed_over["entries of another kind"] += 1


def _chunks(line: Members, direction: Direction, tape: _Tape) -> Iterator[ImportedItem]:
    for each in peek.decoded_as(list[msgspec.Raw], line.get("chunks", msgspec.Raw(b"[]"))) or ():
        chunk = members(each) or Members()
        if "frame" in chunk:
            yield frame(direction, chunk.exact("frame"), tape.at(chunk.value("t")), piped=tape.piped)


READER = Reader(
    "mcp-cassette",
    "a cassette of mcp-cassette",
    (
        "the exact bytes: messages were serialized again",
        "HTTP: headers, which exchange carried what, event ids and keep-alives",
        "stderr and how the server's process ended",
        "what was redacted, and times finer than a millisecond",
    ),
    _knows,
    _read,
)
