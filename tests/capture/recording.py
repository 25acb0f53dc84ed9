"""Shared helpers of the capture tests: controlled clocks, journals, and a short server session."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspector.capture.format.file import CaptureFile, create_anonymous
from inspector.capture.format.records import FORMAT, VERSION, Head, RecordingTool
from inspector.capture.format.writer import Recorder
from inspector.capture.journal import Journal, start_capture
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
    SseNote,
    Stderr,
)
from inspector.protocol.frames import Cause, Channel, Direction, Eol, SseFacts

SENT, CAME = Direction.TO_SERVER, Direction.FROM_SERVER
HEAD = Head(
    format=FORMAT,
    v=VERSION,
    id="sample",
    tw=1_795_300_000_000_000_000,
    tm=1_000_000_000,
    tool=RecordingTool("mcp-inspect"),
)


def ticking(start: int, step: int = 1_000_000) -> Callable[[], int]:
    """A clock that goes on by `step` nanoseconds at each look."""
    now = start - step

    def look() -> int:
        nonlocal now
        now += step
        return now

    return look


def recorded(path: Path | None = None, **options: Any) -> Journal:
    """A journal that records, with clocks that tick a millisecond a look."""
    return start_capture(path, clock=ticking(HEAD.tm), wall=ticking(HEAD.tw), **options)


def over(file: CaptureFile) -> Journal:
    """A journal over a file of the test's own making, with a fixed head."""
    recorder = Recorder(file, HEAD)
    clock, wall = ticking(HEAD.tm), ticking(HEAD.tw)
    return Journal(file, HEAD, recorder=recorder, path=file.path, clock=clock, wall=wall)


def anonymous(**options: Any) -> CaptureFile:
    return CaptureFile(create_anonymous(), None, **options)


FACTS: tuple[Fact, ...] = (
    ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("srv", "-v"), cwd="/w", env_names=("PATH", "API_KEY")),
    ConnectionFact(ConnectionEvent.OPEN, "http", url="https://example.com/mcp"),
    ConnectionFact(ConnectionEvent.ABORT, "stdio", why="the server ended with exit code 1"),
    ProcessFact(ProcessEvent.SPAWN, 4711),
    ProcessFact(ProcessEvent.EXIT, 4711, code=0),
    ProcessFact(ProcessEvent.EXIT, 4711, signal="SIGKILL"),
    Stderr(b"ready"),
    Stderr(b"\xff\x1b[31m", partial=True),
    HttpFact(HttpEvent.REQUEST, 1, method="POST", target="https://example.com/mcp", headers=(("A", "1"), ("a", "2"))),
    HttpFact(HttpEvent.RESPONSE, 1, status=200, reason="OK", version="HTTP/1.1", headers=(("Content-Type", "x"),)),
    HttpFact(HttpEvent.END, 1, body_bytes=0),
    HttpFact(HttpEvent.END, 1, body_bytes=14, document='{"issuer": "—"}'.encode()),
    HttpFact(HttpEvent.ERROR, 2, why="connection refused"),
    HttpFact(HttpEvent.REQUEST, 3, method="OPTIONS", target="https://example.com/mcp", probe=True),
    SseNote(1, b": ping"),
    SseNote(1, b"retry: 10", event="", id="7", retry=10),
)
"""One of each, and each with something to lose."""


def life(journal: Journal) -> None:
    """A short session over stdio: handshake, list, a call with progress, noise of all kinds, and the end."""
    journal.fact(FACTS[0])
    journal.fact(FACTS[3])
    journal.fact(Stderr(b"starting \x1b[32mup\x1b[0m"))
    came(journal, b"Server listening \xe2\x9c\x93", eol=Eol.CRLF)
    sent(
        journal,
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
        b'"capabilities":{},"clientInfo":{"name":"mcp-inspect","version":"1"}}}',
    )
    came(
        journal,
        b'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},'
        b'"serverInfo":{"name":"sample","version":"1.0"}}}',
    )
    sent(journal, b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    sent(journal, b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}')
    came(
        journal,
        b'{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"add","inputSchema":{"type":"object",'
        b'"properties":{"a":{"type":"number"},"b":{"type":"number"}}}}]}}',
    )
    sent(
        journal,
        b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},'
        b'"_meta":{"progressToken":3}}}',
    )
    came(journal, b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":0.5}}')
    came(journal, b'\xef\xbb\xbf{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"\xff 3"}]}}')
    came(journal, b"")
    sent(journal, b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{}}}')
    came(journal, b'{"jsonrpc":"2.0","id":4,"resu', eol=Eol.NONE)
    journal.fact(ProcessFact(ProcessEvent.EXIT, 4711, code=3))
    journal.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="the server ended with exit code 3"))


def http_life(journal: Journal) -> None:
    """A short session over HTTP without a handshake: a discovery, and a call that is answered by a stream."""
    journal.fact(FACTS[1])
    meta = b'"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}'
    ask = Channel.POST
    journal.fact(FACTS[8])
    journal.frame(
        SENT,
        ask,
        b'{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{%b}}' % meta,
        http=1,
        cause=Cause.PROBE,
    )
    journal.fact(FACTS[9])
    journal.frame(
        CAME,
        Channel.REPLY,
        b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],'
        b'"capabilities":{"tools":{}},"serverInfo":{"name":"sample","version":"2.0"}}}',
        http=1,
        cause=Cause.PROBE,
    )
    journal.fact(FACTS[10])
    journal.fact(HttpFact(HttpEvent.REQUEST, 2, method="POST", target="https://example.com/mcp"))
    journal.frame(
        SENT, ask, b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add",%b}}' % meta, http=2
    )
    journal.fact(HttpFact(HttpEvent.RESPONSE, 2, status=200, headers=(("content-type", "text/event-stream"),)))
    journal.fact(SseNote(2, b": keep-alive"))
    journal.frame(
        CAME,
        Channel.SSE,
        b'{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}}',
        http=2,
        sse=SseFacts("message", "e1", None),
    )
    journal.fact(HttpFact(HttpEvent.END, 2, body_bytes=100))
    journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "http"))


def sent(journal: Journal, payload: bytes, eol: Eol = Eol.LF) -> None:
    journal.frame(SENT, Channel.STDIN, payload, eol=eol)


def came(journal: Journal, payload: bytes, eol: Eol = Eol.LF) -> None:
    journal.frame(CAME, Channel.STDOUT, payload, eol=eol)


def entries(journal: Journal) -> list[Any]:
    """All entries, with their payloads."""
    return [journal.store.entry(n) for n in range(1, journal.count + 1)]
