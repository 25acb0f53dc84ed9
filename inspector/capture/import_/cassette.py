"""mcp-cassette, versions 1 and 2: a header, then `frame`, `raw` and `chunks` entries, each with milliseconds since.

Known from its documentation and source (docs/cassette-format-v2.md): https://github.com/ivermin1123/mcp-cassette
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.capture.import_.items import Item, Reader, Source, frame, opened, said
from inspector.capture.import_.members import Members, first_members, members
from inspector.errors import CaptureError
from inspector.protocol.frames import Direction

_DIRECTIONS = {"c2s": Direction.TO_SERVER, "s2c": Direction.FROM_SERVER}
_NEWEST = 2


def _knows(start: bytes) -> bool:
    return "cassetteVersion" in first_members(start)


class _Tape:
    """What the header says."""

    def __init__(self, header: Members, name: str) -> None:
        version = header.value("cassetteVersion")
        if not isinstance(version, int) or version > _NEWEST:
            raise CaptureError(
                f"{name} is a cassette of version {str(version)[:20]}, and this program reads up to {_NEWEST}",
                hint="Record it again, or write it with an older mcp-cassette.",
            )
        self.began_ns = header.moment("startedAt")
        self.piped = header.text("transport") != "http"
        self.command = header.words("command")
        self.url = header.text("url")

    def at(self, offset: Any) -> int | None:
        """When, of milliseconds since it began."""
        if self.began_ns is None or isinstance(offset, bool) or not isinstance(offset, int | float):
            return None
        return self.began_ns + round(min(max(offset, 0), 1e12) * 1e6)


def _read(source: Source) -> Iterator[Item]:
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
            yield frame(direction, said(line.text("data")), at, piped=tape.piped)
        elif kind == "chunks":
            yield from _chunks(line, direction, tape)
        else:
            source.passed_over["entries of another kind"] += 1


def _chunks(line: Members, direction: Direction, tape: _Tape) -> Iterator[Item]:
    try:
        found = msgspec.json.decode(line.get("chunks", msgspec.Raw(b"[]")), type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    for each in found:
        chunk = members(each) or Members()
        if "frame" in chunk:
            yield frame(direction, chunk.exact("frame"), tape.at(chunk.value("t")), piped=tape.piped)


READER = Reader(
    "mcp-cassette",
    "a cassette of mcp-cassette",
    (
        "the exact bytes: each message was written anew",
        "HTTP: headers, which exchange carried what, event ids and keep-alives",
        "stderr and how the server's process ended",
        "what was redacted, and times finer than a millisecond",
    ),
    _knows,
    _read,
)
