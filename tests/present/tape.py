"""A journal filled by hand, with messages and times that the test chooses."""

import json
from typing import Any

from inspector.capture.journal import Journal, start_capture
from inspector.protocol.facts import (
    ConnectionEvent,
    ConnectionFact,
    Fact,
    HttpEvent,
    HttpFact,
    ProcessEvent,
    ProcessFact,
    Stderr,
)
from inspector.protocol.frames import Cause, Channel, Direction, Eol

MIDNIGHT = 1_795_305_600_000_000_000
"""Some midnight, UTC, in nanoseconds since 1970."""
ARGV = ("python", "server.py", "--verbose")


class Tape:
    """Records frames and facts; `wait` lets time pass."""

    def __init__(self, *, http: bool = False) -> None:
        self.now = 1_000_000_000
        self.http = http
        self.journal: Journal = start_capture(None, clock=lambda: self.now, wall=lambda: MIDNIGHT + self.now)

    def clock(self) -> int:
        return self.now

    def wait(self, milliseconds: float) -> "Tape":
        self.now += round(milliseconds * 1_000_000)
        return self

    def to_server(
        self, message: Any, *, http: int | None = None, probe: bool = False, cause: Cause = Cause.UNKNOWN
    ) -> int:
        channel = Channel.POST if self.http else Channel.STDIN
        self.journal.frame(
            Direction.TO_SERVER, channel, _payload(message), http=http, cause=Cause.PROBE if probe else cause
        )
        return self.journal.count

    def from_server(self, message: Any, *, http: int | None = None, probe: bool = False) -> int:
        channel = Channel.SSE if self.http else Channel.STDOUT
        self.journal.frame(
            Direction.FROM_SERVER, channel, _payload(message), http=http, cause=Cause.PROBE if probe else Cause.UNKNOWN
        )
        return self.journal.count

    def request(self, id_: int | str, method: str, params: Any = None, **more: Any) -> int:
        return self.to_server(_request(id_, method, params), **more)

    def answer(self, id_: int | str, result: Any, **more: Any) -> int:
        return self.from_server({"jsonrpc": "2.0", "id": id_, "result": result}, **more)

    def error(self, id_: int | str, code: int, message: str, **more: Any) -> int:
        return self.from_server({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}, **more)

    def flood(self, count: int) -> int:
        """Log messages that come in one piece."""
        logs = [
            _payload({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": n}}) for n in range(count)
        ]
        channel = Channel.SSE if self.http else Channel.STDOUT
        self.journal.burst(Direction.FROM_SERVER, channel, [(payload, Eol.LF) for payload in logs])
        return self.journal.count

    def notify(self, method: str, params: Any = None, *, by_client: bool = False, **more: Any) -> int:
        message = {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})
        return (self.to_server if by_client else self.from_server)(message, **more)

    def server_request(self, id_: int | str, method: str, params: Any = None, **more: Any) -> int:
        return self.from_server(_request(id_, method, params), **more)

    def client_answer(self, id_: int | str, result: Any, **more: Any) -> int:
        return self.to_server({"jsonrpc": "2.0", "id": id_, "result": result}, **more)

    def call(self, id_: int, tool: str, arguments: Any = None, **more: Any) -> int:
        params = {"name": tool, "arguments": {} if arguments is None else arguments, "_meta": {"progressToken": id_}}
        return self.request(id_, "tools/call", params, **more)

    def fact(self, fact: Fact) -> int:
        self.journal.fact(fact)
        return self.journal.count

    def stderr(self, line: bytes) -> int:
        return self.fact(Stderr(line))

    def started(self, argv: tuple[str, ...] = ARGV, cwd: str = "/srv", pid: int = 4711) -> "Tape":
        self.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv, cwd, env_names=("PATH", "API_TOKEN")))
        self.fact(ProcessFact(ProcessEvent.SPAWN, pid))
        return self

    def connected(self, url: str) -> "Tape":
        self.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=url))
        return self

    def initialized(self, revision: str, server: Any = None, **result: Any) -> "Tape":
        client = {"protocolVersion": revision, "capabilities": {"roots": {}}, "clientInfo": {"name": "mcp-inspect"}}
        self.request(0, "initialize", client)
        self.wait(12)
        info = {"name": "lighthouse", "version": "1.2.3"} if server is None else server
        self.answer(0, {"protocolVersion": revision, "serverInfo": info, "capabilities": {"tools": {}}} | result)
        self.notify("notifications/initialized", by_client=True)
        return self

    def died(self, code: int | None = 1, signal: str = "", why: str = "the server ended", pid: int = 4711) -> "Tape":
        self.fact(ProcessFact(ProcessEvent.EXIT, pid, code, signal))
        self.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why=why))
        return self

    def posted(self, http: int, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> "Tape":
        sent = (("Content-Type", "application/json"), ("Authorization", "Bearer s3cr3t-t0ken"))
        self.fact(HttpFact(HttpEvent.REQUEST, http, "POST", "https://example.test/mcp", headers=sent))
        self.fact(HttpFact(HttpEvent.RESPONSE, http, status=status, reason="", headers=headers))
        return self


def _request(id_: int | str, method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method} | ({} if params is None else {"params": params})


def _payload(message: Any) -> bytes:
    return message if isinstance(message, bytes) else json.dumps(message, separators=(",", ":")).encode()
