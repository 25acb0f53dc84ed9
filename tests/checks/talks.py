"""Conversations by hand, as short as can be: what the client asks, what the server sends, what happens beside."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from inspector.checks.findings import Finding
from inspector.checks.runner import Inspection
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
from inspector.protocol.frames import Channel, Direction, Eol, Frame, SseFacts
from inspector.protocol.jsonrpc import encode
from inspector.protocol.revisions.table import ROWS

META = "io.modelcontextprotocol/"
CAPABILITIES: dict[str, Any] = {
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "logging": {},
    "completions": {},
}
CLIENT: dict[str, Any] = {"roots": {}, "sampling": {}, "elicitation": {}}


class Entry(msgspec.Struct, frozen=True):
    """What the checks are given."""

    n: int
    time_ns: int
    what: Frame | Fact


class Talk:
    """A conversation in one row of the table of revisions, open unless `opened` is False."""

    def __init__(
        self,
        row: int = 4,
        *,
        capabilities: Mapping[str, Any] = CAPABILITIES,
        client: Mapping[str, Any] = CLIENT,
        transport: str = "stdio",
        opened: bool = True,
        ready: bool = True,
        connection: ConnectionFact | None = None,
    ) -> None:
        self.row, self.client, self.transport = row, client, transport
        self.entries: list[Entry] = []
        self.now = 1_000_000_000
        self._next = 0
        self.http = self.through = 0  # exchange, and number of the connection to a proxy
        self.fact(connection or ConnectionFact(ConnectionEvent.OPEN, transport, argv=("server",), cwd="/srv"))
        if opened and row < len(ROWS):
            self.ask("initialize", initialize(row, client))
            self.answer(initialized(row, capabilities))
            if ready:
                self.inform("notifications/initialized")
        elif opened:
            self.ask("server/discover")
            self.answer({"supportedVersions": [ROWS[-1].date], "capabilities": dict(capabilities)})

    def fact(self, fact: Fact) -> "Talk":
        """Something happened beside the frames."""
        self.entries.append(Entry(len(self.entries) + 1, self.now, fact))
        return self

    def frame(self, payload: bytes, direction: Direction = Direction.FROM_SERVER, **more: Any) -> "Talk":
        """Bytes crossed the wire."""
        self.now += 1000
        channel = Channel.STDIN if direction is Direction.TO_SERVER else Channel.STDOUT
        if self.http:
            channel = Channel.POST if direction is Direction.TO_SERVER else Channel.REPLY
            more.setdefault("http", self.http)
        more = {"channel": channel, "eol": Eol.NONE if self.http else Eol.LF} | more
        n = len(self.entries) + 1
        self.entries.append(Entry(n, self.now, Frame(n, self.now, self.now, direction, payload=payload, **more)))
        return self

    def wait(self, seconds: float) -> "Talk":
        """Time goes by."""
        self.now += int(seconds * 1e9)
        return self

    def ask(self, method: str, params: Mapping[str, Any] | None = None, id_: Any = None, **meta: Any) -> "Talk":
        """The client sends a request; in the stateless era it declares itself."""
        self._next = self._next + 1 if id_ is None else id_
        sent: dict[str, Any] = dict(params or {})
        if self.row == len(ROWS) and "_meta" not in sent:
            sent["_meta"] = {
                META + "protocolVersion": ROWS[-1].date,
                META + "clientCapabilities": dict(self.client),
            } | meta
        elif meta:
            sent["_meta"] = meta
        body = {"jsonrpc": "2.0", "id": self._next, "method": method} | ({"params": sent} if sent else {})
        return self.frame(encode(body), Direction.TO_SERVER)

    def inform(self, method: str, params: Any = None) -> "Talk":
        """The client sends a notification."""
        more = {} if params is None else {"params": params}
        return self.frame(encode({"jsonrpc": "2.0", "method": method} | more), Direction.TO_SERVER)

    def answer(self, result: Any, id_: Any = None, *, bare: bool = False, **how: Any) -> "Talk":
        """The server answers, the request before unless another is named; `bare`: without what each result needs."""
        if isinstance(result, dict) and self.row == len(ROWS) and not bare:
            needed = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
            result = needed | {"_meta": {META + "serverInfo": {"name": "s", "version": "1"}}} | result
        return self.frame(encode({"jsonrpc": "2.0", "id": self._next if id_ is None else id_, "result": result}), **how)

    def error(self, code: Any, message: Any = "no", data: Any = None, **more: Any) -> "Talk":
        """The server refuses the request before."""
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        return self.frame(encode({"jsonrpc": "2.0", "id": self._next, "error": error} | more))

    def tell(self, method: str, params: Any = None, **how: Any) -> "Talk":
        """The server sends a notification."""
        more = {} if params is None else {"params": params}
        return self.frame(encode({"jsonrpc": "2.0", "method": method} | more), **how)

    def demand(self, method: str, params: Any = None, id_: Any = 900) -> "Talk":
        """The server sends a request."""
        more = {} if params is None else {"params": params}
        return self.frame(encode({"jsonrpc": "2.0", "id": id_, "method": method} | more))

    def said(self, *lines: str) -> "Talk":
        """The child writes to stderr."""
        for line in lines:
            self.fact(Stderr(line.encode()))
        return self

    def exit(self, code: int | None = 0, signal: str = "", after: float = 0.1, why: str = "it exited") -> "Talk":
        """The child ends, and the connection with it."""
        self.wait(after).fact(ProcessFact(ProcessEvent.EXIT, 1, code, signal))
        return self.close(why)

    def close(self, why: str = "") -> "Talk":
        """The connection ends; `why` is "" if the client wanted it."""
        return self.fact(
            ConnectionFact(ConnectionEvent.ABORT if why else ConnectionEvent.CLOSE, self.transport, why=why)
        )

    def post(self, method: str = "POST", target: str = "http://host/mcp", **headers: str) -> "Talk":
        """An HTTP exchange begins; what is sent and answered next belongs to it."""
        self.http += 1
        named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        return self.fact(HttpFact(HttpEvent.REQUEST, self.http, method, target, headers=named, connection=self.through))

    def fetch(self, target: str, document: bytes | None = None, status: int = 200) -> "Talk":
        """A login looks for metadata."""
        self.post("GET", target).head(status)
        return self.fact(HttpFact(HttpEvent.END, self.http, document=document))

    def head(self, status: int = 200, kind: str = "application/json", **headers: str) -> "Talk":
        named = [(name.replace("_", "-"), value) for name, value in headers.items()]
        all_ = (("Content-Type", kind), *named)
        return self.fact(HttpFact(HttpEvent.RESPONSE, self.http, status=status, headers=all_))

    def over(self, why: str = "") -> "Talk":
        return self.fact(HttpFact(HttpEvent.END, self.http, why=why))

    def note(self, raw: bytes = b"", **facts: Any) -> "Talk":
        """An event without a message, or a comment, comes on the stream."""
        return self.fact(SseNote(self.http, raw, **facts))

    def event(self, payload: bytes, **facts: Any) -> "Talk":
        """A message comes as an event of a stream."""
        return self.frame(payload, channel=Channel.SSE, sse=SseFacts(**facts))

    def findings(self) -> list[Finding]:
        """All that the checks find, the end included."""
        inspection = Inspection()
        found = inspection.take(self.entries) + inspection.finish()
        assert not inspection.disabled_checks
        return found


def initialize(row: int, client: Mapping[str, Any] = CLIENT) -> dict[str, Any]:
    """The params of `initialize`."""
    info = {"name": "c", "version": "1"}
    return {"protocolVersion": ROWS[row - 1].date, "capabilities": dict(client), "clientInfo": info}


def initialized(row: int, capabilities: Mapping[str, Any] = CAPABILITIES) -> dict[str, Any]:
    """The result of `initialize`."""
    info = {"name": "s", "version": "1"}
    return {"protocolVersion": ROWS[row - 1].date, "capabilities": dict(capabilities), "serverInfo": info}


Script = Callable[[], Talk]
Case = tuple[Script, Script]
"""A fault and its near miss."""
Cases = dict[str, Case]
"""By the id of a check: what triggers it, and what is near and must not."""


def asked(method: str, result: Any, row: int = 4, params: Mapping[str, Any] | None = None, **how: Any) -> Script:
    return lambda: Talk(row, **how).ask(method, params).answer(result)


def told(method: str, params: Any = None, row: int = 4, **how: Any) -> Script:
    """One notification of the server's."""
    return lambda: Talk(row, **how).tell(method, params)


def ids(talk: Talk) -> set[str]:
    """The checks that find something."""
    return {finding.id for finding in talk.findings()}
