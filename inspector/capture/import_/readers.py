"""Importable formats: recorders, logs of MCP clients, HAR, plain JSON-RPC.

mcp-cassette, versions 1 and 2, is known from its documentation (docs/cassette-format-v2.md in
https://github.com/ivermin1123/mcp-cassette), the logs of Claude Desktop and VS Code from logs in public issues.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.capture.import_.http import HAR, OFFICIAL
from inspector.capture.import_.items import (
    Directions,
    ImportedItem,
    ImportSource,
    Members,
    Reader,
    closed,
    first_members,
    frame,
    members,
    moment,
    opened,
    text_bytes,
)
from inspector.errors import CaptureError
from inspector.protocol.facts import Stderr
from inspector.protocol.frames import Direction

_DIRECTIONS = {"c2s": Direction.TO_SERVER, "s2c": Direction.FROM_SERVER}
"""Of mcp-cassette and mcpsnoop."""
_CASSETTE_VERSION = 2
"""The newest version that is known."""
_DESKTOP_LINE = re.compile(rb"(\d{4}-\d\d-\d\dT[\d:.]+Z)((?: \[[^\]]*\])+) (.*)", re.DOTALL)
_DESKTOP_MESSAGE = re.compile(rb"Message from (client|server): (.*?)(?: \{ metadata: [^{}]* \})?", re.DOTALL)
_VSCODE_LINE = re.compile(rb"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) \[(\w+)\] (.*)", re.DOTALL)
_VSCODE_MESSAGE = re.compile(rb"\[(Client Says|Server Says|editor -> server|server -> editor)\] (.*)", re.DOTALL)
_VSCODE_SENT = (b"Client Says", b"editor -> server")
_VSCODE_STDERR = b"[server stderr] "
_VSCODE_COMMAND = re.compile(rb"Server command line: (.*)")
_MCPORTER_DIRECTIONS = {"send": Direction.TO_SERVER, "recv": Direction.FROM_SERVER}
_GATEWAY_LINE = re.compile(
    rb"(?:(\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)\s+)?\[supergateway\] (.*)", re.DOTALL
)
_GATEWAY_MESSAGE = re.compile(rb"(\w+) \xe2\x86\x92 (\w+)(?: \([^()]*\))?: ?(.*)", re.DOTALL)
_GATEWAY_COMMAND = re.compile(rb"  - stdio: (.*)")
_GATEWAY_STDERR, _GATEWAY_END = b"Child stderr: ", b"Child exited: "


# mcp-cassette: a header, then `frame`, `raw` and `chunks` entries, each with milliseconds since the start.


def _cassette_knows(start: bytes) -> bool:
    return "cassetteVersion" in first_members(start)


class _Tape:
    """Header of a cassette."""

    def __init__(self, header: Members, name: str) -> None:
        version = header.value("cassetteVersion")
        if not isinstance(version, int) or version > _CASSETTE_VERSION:
            raise CaptureError(
                f"{name} is a cassette of version {str(version)[:20]}, and mcp-inspect reads versions up to "
                f"{_CASSETTE_VERSION}",
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


def _cassette_read(source: ImportSource) -> Iterator[ImportedItem]:
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
    try:
        found = msgspec.json.decode(line.get("chunks", msgspec.Raw(b"[]")), type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    for each in found:
        chunk = members(each) or Members()
        if "frame" in chunk:
            yield frame(direction, chunk.exact("frame"), tape.at(chunk.value("t")), piped=tape.piped)


# mcpsnoop: one envelope per line, with direction, transport, time and the message in `raw` or a text in `text`.


def _mcpsnoop_knows(start: bytes) -> bool:
    first = first_members(start)
    return {"session_id", "direction", "ts"} <= first.keys() and ("raw" in first or "text" in first)


def _mcpsnoop_read(source: ImportSource) -> Iterator[ImportedItem]:
    is_open = False
    for line in source.objects():
        kind, wall_ns = line.text("direction"), line.moment("ts")
        piped = line.text("transport") != "http"
        if kind == "meta":
            meta = line.inner("raw")
            command = meta.words("command")
            url = command[0] if command and "://" in command[0] else ""
            yield opened(wall_ns, argv=() if url else command, cwd=meta.text("cwd"), url=url, piped=piped)
            is_open = True
        elif kind == "stderr":
            yield ImportedItem(wall_ns, Stderr(text_bytes(line.text("text"))))
        elif kind in _DIRECTIONS:
            if not is_open:
                yield opened(wall_ns, piped=piped)
                is_open = True
            payload = line.exact("raw") if "raw" in line else text_bytes(line.text("text"))
            yield frame(_DIRECTIONS[kind], payload, wall_ns, piped=piped)
        else:
            source.passed_over["events of another kind"] += 1


# Plain JSON-RPC, one message per line, as `export --to jsonrpc` and many other programs write it.


def _plain_knows(start: bytes) -> bool:
    first = first_members(start)
    if "jsonrpc" in first:
        return "_meta" not in first
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") and b'"jsonrpc"' in start.split(b"\n", 1)[0][:4096]


def _plain_read(source: ImportSource) -> Iterator[ImportedItem]:
    directions = Directions()
    yield opened(None)
    for line in source.lines():
        yield frame(directions.of(line), line, None)


# The log of a server in Claude Desktop, `mcp-server-NAME.log`: messages of both sides, mixed with stderr.


def _claude_desktop_knows(start: bytes) -> bool:
    lines = [line for line in start.split(b"\n")[:200] if b"] " in line]
    return any(
        _DESKTOP_LINE.match(line) and (b"] Message from " in line or b"] Initializing server" in line) for line in lines
    )


def _claude_desktop_read(source: ImportSource) -> Iterator[ImportedItem]:
    is_open, at = False, None
    for line in source.lines():
        found = _DESKTOP_LINE.fullmatch(line)
        if found is None:
            yield ImportedItem(at, Stderr(line))
            continue
        at, text = moment(found.group(1).decode()), found.group(3)
        message = _DESKTOP_MESSAGE.fullmatch(text)
        if message is not None or text.startswith(b"Initializing server"):
            if not is_open:
                yield opened(at, argv=(_name(found.group(2)),))
                is_open = True
            if message is not None:
                sent = message.group(1) == b"client"
                yield frame(Direction.TO_SERVER if sent else Direction.FROM_SERVER, message.group(2), at)
        elif text.startswith(b"Server transport closed") and is_open:
            yield closed(at, text.partition(b" {")[0].decode("utf-8", "replace")[:300])
            is_open = False
        else:
            source.passed_over["remarks of Claude Desktop"] += 1


def _name(brackets: bytes) -> str:
    """Return the server's name: the bracket that is not a log level."""
    names = re.findall(r"\[([^\[\]]*)\]", brackets.decode("utf-8", "replace"))
    return next((each for each in names if each not in ("info", "warn", "error", "debug")), "")


# Server output in VS Code with log level Trace or Debug: messages of both sides, mixed with stderr.


def _vscode_knows(start: bytes) -> bool:
    for line in start.split(b"\n")[:200]:
        found = _VSCODE_LINE.fullmatch(line.rstrip(b"\r"))
        if found and (
            _VSCODE_MESSAGE.match(found.group(3)) or found.group(3).startswith((b"Starting server ", _VSCODE_STDERR))
        ):
            return True
    return False


def _vscode_read(source: ImportSource) -> Iterator[ImportedItem]:
    is_open = False
    for line in source.lines():
        found = _VSCODE_LINE.fullmatch(line)
        if found is None:
            source.passed_over["lines without a time"] += 1
            continue
        at, text = moment(found.group(1).decode()), found.group(3)
        if text.startswith(_VSCODE_STDERR):
            yield ImportedItem(at, Stderr(text.removeprefix(_VSCODE_STDERR)))
        elif command := _VSCODE_COMMAND.fullmatch(text):
            yield opened(at, argv=tuple(command.group(1).decode("utf-8", "replace").split()))
            is_open = True
        elif message := _VSCODE_MESSAGE.fullmatch(text):
            if not is_open:
                yield opened(at)
                is_open = True
            sent = message.group(1) in _VSCODE_SENT
            yield frame(Direction.TO_SERVER if sent else Direction.FROM_SERVER, message.group(2), at)
        elif text.startswith((b"Connection state: Stopped", b"Connection state: Error")) and is_open:
            yield closed(at, text.decode("utf-8", "replace")[:300])
            is_open = False
        else:
            source.passed_over["remarks of VS Code"] += 1


# A recording of `mcporter record`: messages with a `_meta` of its own: direction, server, time.


def _mcporter_knows(start: bytes) -> bool:
    return {"dir", "server", "ts"} <= first_members(start).inner("_meta").keys()


def _mcporter_read(source: ImportSource) -> Iterator[ImportedItem]:
    server, is_open = "", False
    for line in source.objects():
        meta = line.inner("_meta")
        way, at, whose = meta.text("dir"), meta.moment("ts"), meta.text("server")
        server = server or whose
        if whose != server:
            source.passed_over["messages of another server"] += 1
        elif way in _MCPORTER_DIRECTIONS:
            if not is_open:
                yield opened(at, argv=(server,))
                is_open = True
            yield frame(_MCPORTER_DIRECTIONS[way], _without(line, "_meta"), at)
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


# The log of supergateway 4: “[supergateway] StreamableHttp → Child: {…}”, for some servers with a time before it.


def _supergateway_knows(start: bytes) -> bool:
    return any(_GATEWAY_LINE.match(line) for line in start.split(b"\n")[:200])


def _supergateway_read(source: ImportSource) -> Iterator[ImportedItem]:
    is_open, at, command = False, None, ()
    for line in source.lines():
        found = _GATEWAY_LINE.fullmatch(line)
        if found is None:
            source.passed_over["lines without “[supergateway]”"] += 1
            continue
        at, text = moment((found.group(1) or b"").decode()) or at, found.group(2)
        message = _GATEWAY_MESSAGE.fullmatch(text)
        if message is not None and b"Child" in message.groups()[:2]:
            if members(message.group(3)) is None:
                source.passed_over["messages that were not logged as JSON"] += 1
                continue
            if not is_open:
                yield opened(at, argv=command)
                is_open = True
            sent = message.group(2) == b"Child"
            yield frame(Direction.TO_SERVER if sent else Direction.FROM_SERVER, message.group(3), at)
        elif started := _GATEWAY_COMMAND.fullmatch(text):
            command = tuple(started.group(1).decode("utf-8", "replace").split())
        elif text.startswith(_GATEWAY_STDERR):
            yield ImportedItem(at, Stderr(text.removeprefix(_GATEWAY_STDERR)))
        elif text.startswith(_GATEWAY_END) and is_open:
            yield closed(at, text.decode("utf-8", "replace")[:300])
            is_open = False
        else:
            source.passed_over["remarks of supergateway"] += 1


# Formats in the order in which they are tried: the most specific ones first, bare lines last.

READERS: dict[str, Reader] = {
    each.name: each
    for each in (
        Reader(
            "mcp-cassette",
            "a cassette of mcp-cassette",
            (
                "the exact bytes: messages were serialized again",
                "HTTP: headers, which exchange carried what, event ids and keep-alives",
                "stderr and how the server's process ended",
                "what was redacted, and times finer than a millisecond",
            ),
            _cassette_knows,
            _cassette_read,
        ),
        Reader(
            "mcpsnoop",
            "a log of mcpsnoop",
            (
                "line ends, and white space within messages",
                "HTTP: headers, status and which exchange carried what",
                "how the server's process ended",
                "what mcpsnoop has redacted",
            ),
            _mcpsnoop_knows,
            _mcpsnoop_read,
        ),
        HAR,
        OFFICIAL,
        Reader(
            "claude-desktop",
            "a log of Claude Desktop",
            (
                "the exact bytes: messages were serialized again",
                "long messages: Claude Desktop cuts out their middle, and such a one is shown as what is left of it",
                "invalid messages on the server's stdout",
                "the server's command, and the times of stderr: each line has that of the line before it",
            ),
            _claude_desktop_knows,
            _claude_desktop_read,
        ),
        Reader(
            "vscode",
            "a log of VS Code",
            (
                "the exact bytes: messages were serialized again",
                "the time zone: times are read as those of this machine",
                "headers, status, and invalid messages",
                "the arguments of the server's command",
            ),
            _vscode_knows,
            _vscode_read,
        ),
        Reader(
            "mcporter",
            "a recording of mcporter",
            (
                "the exact bytes: messages were serialized again",
                "the server's command, its stderr and how it ended",
                "HTTP: headers, status and which exchange carried what",
                "messages of other servers in the same file",
            ),
            _mcporter_knows,
            _mcporter_read,
        ),
        Reader(
            "supergateway",
            "a log of supergateway",
            (
                "when anything crossed, unless another program put a time before each line",
                "HTTP: headers, sessions, status and which exchange carried what",
                "responses of the SSE and client modes, which are not logged as JSON",
                "the exact bytes of messages to the server: they were serialized again",
            ),
            _supergateway_knows,
            _supergateway_read,
        ),
        Reader(
            "jsonrpc",
            "plain JSON-RPC lines",
            (
                "when anything crossed: all has the time of the file",
                "who sent a message: that is worked out from methods and ids",
                "how it was carried, and which server it was",
            ),
            _plain_knows,
            _plain_read,
        ),
    )
}


def formats() -> str:
    """Return what can be imported, as the end of a sentence."""
    *titles, last = (each.title for each in READERS.values())
    return f"{', '.join(titles)}, or {last}"


def recognised(start: bytes) -> Reader | None:
    """Return the format of a file with this beginning; None if unknown."""
    return next((each for each in READERS.values() if each.knows(start)), None)
