"""mcp-cassette, versions 1 and 2: a header, then `frame`, `raw` and `chunks` entries, each with milliseconds since.

Known from its documentation and source (docs/cassette-format-v2.md): https://github.com/ivermin1123/mcp-cassette
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from inspector.capture.import_.documents import spans
from inspector.capture.import_.items import (
    LATEST,
    ImportedItem,
    ImportSource,
    Members,
    Reader,
    closed,
    first_members,
    frame,
    is_there,
    members,
    moment,
    opened,
    said,
)
from inspector.capture.import_.logs import Directions
from inspector.errors import CaptureError
from inspector.protocol.facts import Stderr
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
            yield frame(direction, said(line.text("data")), at, piped=tape.piped)
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


CASSETTE = Reader(
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


# --- mcp-rec: `{"ts": seconds, "dir": "client->server", "msg": message}` a line.

_MCP_REC_DIRECTIONS = {"client->server": Direction.TO_SERVER, "server->client": Direction.FROM_SERVER}


def _mcp_rec_knows(start: bytes) -> bool:
    first = first_members(start)
    return {"ts", "dir", "msg"} <= first.keys() and first.text("dir") in _MCP_REC_DIRECTIONS


def _mcp_rec_read(source: ImportSource) -> Iterator[ImportedItem]:
    yield opened(None)
    for line in source.objects():
        direction = _MCP_REC_DIRECTIONS.get(line.text("dir"))
        if direction is None or "msg" not in line:
            source.passed_over["lines without a direction and a message"] += 1
            continue
        message = line.inner("msg")
        unparsed = "_unparsed" in message and "_raw" in message
        payload = said(message.text("_raw")) if unparsed else line.exact("msg")
        yield frame(direction, payload, line.moment("ts"))


MCP_REC = Reader(
    "mcp-rec",
    "a recording of mcp-rec",
    (
        "the exact bytes: each message was written anew, invalid UTF-8 replaced, blank lines left out",
        "which server it was, what it wrote to stderr, and how it ended",
    ),
    _mcp_rec_knows,
    _mcp_rec_read,
)


# --- mcporter: a message a line, to which `_meta` was added: `{"dir": "send", "server": name, "ts": time}`.

_MCPORTER_DIRECTIONS = {"send": Direction.TO_SERVER, "recv": Direction.FROM_SERVER}


def _mcporter_knows(start: bytes) -> bool:
    meta = first_members(start).inner("_meta")
    return {"dir", "ts"} <= meta.keys() and meta.text("dir") in (*_MCPORTER_DIRECTIONS, "lifecycle")


def _mcporter_read(source: ImportSource) -> Iterator[ImportedItem]:
    wall_ns: int | None = None
    server = ""
    for line in source.objects():
        meta = line.inner("_meta")
        line.pop("_meta", None)
        direction = _MCPORTER_DIRECTIONS.get(meta.text("dir"))
        wall_ns = meta.moment("ts")
        named = meta.text("server")
        if direction is None:
            source.passed_over["events of a transport's life"] += 1
            continue
        if named != server or not server:
            if server:
                yield closed(wall_ns, f"the recording goes on with the server {named}", piped=False)
            yield opened(wall_ns, argv=(named,) if named else (), piped=False)
            server = named or "?"
        yield frame(direction, msgspec.json.encode(line), wall_ns, piped=False)


MCPORTER = Reader(
    "mcporter",
    "a recording of mcporter",
    (
        "the exact bytes: each message was written anew, and what is no message was left out",
        "how it was carried: headers, status, stderr",
        "which server it was, beside its name in mcporter's configuration",
        "a _meta of the message's own beside id and method, if it had one",
    ),
    _mcporter_knows,
    _mcporter_read,
)


# --- mcpsnoop: an envelope a line, with direction, transport, time and the message in `raw` or a text in `text`.


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
            yield ImportedItem(wall_ns, Stderr(said(line.text("text"))))
        elif kind in _DIRECTIONS:
            if not is_open:
                yield opened(wall_ns, piped=piped)
                is_open = True
            payload = line.exact("raw") if "raw" in line else said(line.text("text"))
            yield frame(_DIRECTIONS[kind], payload, wall_ns, piped=piped)
        else:
            source.passed_over["events of another kind"] += 1


MCPSNOOP = Reader(
    "mcpsnoop",
    "a log of mcpsnoop",
    (
        "line ends, and blanks between the words of a message",
        "HTTP: headers, status and which exchange carried what",
        "how the server's process ended",
        "what mcpsnoop has redacted",
    ),
    _mcpsnoop_knows,
    _mcpsnoop_read,
)


# --- Plain JSON-RPC, a message a line, as `export --to jsonrpc` and many others write it.


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


PLAIN = Reader(
    "jsonrpc",
    "plain JSON-RPC lines",
    (
        "when anything crossed: all has the time of the file",
        "who sent a message: that is worked out from methods and ids",
        "how it was carried, and which server it was",
    ),
    _plain_knows,
    _plain_read,
)


# --- mcp-recorder, version 1.0: one document with `metadata` and `interactions`, each a request and its response.


class _Interaction(msgspec.Struct):
    type: str = ""
    request: msgspec.Raw = msgspec.Raw(b"")
    response: msgspec.Raw = msgspec.Raw(b"")
    latency_ms: float = 0


class _Metadata(msgspec.Struct):
    recorded_at: str = ""
    server_url: str = ""


_WAY = ("interactions",)
_interaction = msgspec.json.Decoder(_Interaction).decode
_metadata = msgspec.json.Decoder(_Metadata).decode
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _recorder_knows(start: bytes) -> bool:
    return re.match(rb'\s*\{\s*"version"\s*:\s*"', start) is not None and (
        b'"interactions"' in start or b'"recorded_at"' in start
    )


def _recorder_read(source: ImportSource) -> Iterator[ImportedItem]:
    about = _about(source)
    at = moment(about.recorded_at)
    piped = not about.server_url.startswith(("http://", "https://"))
    yield opened(at, url="" if piped else about.server_url, piped=piped)
    for each in _interactions(source):
        if not is_there(each.request) and not is_there(each.response):
            source.passed_over["steps of the HTTP session's life"] += 1
            continue
        if is_there(each.request):
            yield frame(Direction.TO_SERVER, bytes(each.request), at, piped=piped)
        if at is not None:
            at = min(at + round(min(max(each.latency_ms, 0), 1e9) * 1e6), LATEST)
        if is_there(each.response):
            yield frame(Direction.FROM_SERVER, bytes(each.response), at, piped=piped)


def _about(source: ImportSource) -> _Metadata:
    """What stands beside the interactions, before or behind them."""
    for path, start, length in spans(source, _WAY):
        if path == ("metadata",):
            with suppress(*_UNREADABLE):
                return _metadata(source.read(start, length))
    return _Metadata()


def _interactions(source: ImportSource) -> Iterator[_Interaction]:
    for path, start, length in spans(source, _WAY):
        if path == _WAY:
            try:
                yield _interaction(source.read(start, length))
            except _UNREADABLE:
                source.passed_over["interactions that can't be read"] += 1


RECORDER = Reader(
    "mcp-recorder",
    "a cassette of mcp-recorder",
    (
        "the exact bytes: each message was written anew",
        "when a request was sent: only how long each took, one after the other",
        "what the server sent beside answers: notifications, progress, questions",
        "headers, the server's command, stderr, and what was redacted",
    ),
    _recorder_knows,
    _recorder_read,
)
