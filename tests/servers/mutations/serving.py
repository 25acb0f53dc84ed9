"""The conforming server with one mutation, over stdio without a process, and over HTTP on loopback."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from inspector.errors import ConnectError, Disconnected
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Direction
from inspector.transports.base import Delivery, Observer, Outgoing
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from inspector.transports.lines import LineSplitter
from tests.servers.conforming import Conforming
from tests.servers.http_fixtures import Handler
from tests.servers.mutations.mutants import Mutation, mutated_text

_PID = 4711
_DELAY_S = 0.15
_HTML = b"<!DOCTYPE html><html><head><title>Welcome</title></head><body><p>It works.</p></body></html>"
Note = Callable[[str, Any], None]
"""Called with the method and each message that the server means to send, before it is mutated."""


def method_of(asked: Any, said: Any) -> str:
    """Return the name of a message: its method, or that of the request, with the tool of a call."""
    if "method" in said:
        return str(said["method"])
    name = asked.get("params", {}).get("name", "") if asked["method"] == "tools/call" else ""
    return f"{asked['method']} {name}".strip()


class PipeTransport:
    """A server over stdio without a process: what it writes passes through the mutation as bytes."""

    kind = "stdio"

    def __init__(self, server: Conforming, mutation: Mutation | None, note: Note) -> None:
        self._server, self._mutation, self._note = server, mutation, note
        self._observer: Observer | None = None
        self._lines = LineSplitter()
        self._ended = asyncio.Event()
        self._held = b""

    async def open(self, observer: Observer) -> None:
        """Begin."""
        if self._observer is not None:
            raise ConnectError("This connection was opened before.")
        self._observer = observer
        argv, names = ("conforming",), ("HOME", "PATH")
        observer.fact(ConnectionFact(ConnectionEvent.OPEN, self.kind, argv, "/srv", env_names=names))
        observer.fact(ProcessFact(ProcessEvent.SPAWN, _PID))

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Send one message."""
        if self._observer is None or self._ended.is_set():
            raise Disconnected("Nothing can be sent over this connection.")
        self._observer.frame(Direction.TO_SERVER, Channel.STDIN, outgoing.payload, cause=outgoing.cause)
        asyncio.get_running_loop().call_soon(self._respond, outgoing.payload)
        await asyncio.sleep(0)
        return Delivery(answer_may_follow=True)

    async def close(self) -> None:
        """End it, as a server that reads the end of its stdin."""
        if self._ended.is_set() or self._observer is None:
            self._ended.set()
            return
        self._ended.set()
        if (rest := self._lines.rest()) is not None:
            self._observer.frame(Direction.FROM_SERVER, Channel.STDOUT, rest.payload, eol=rest.eol)
        for event in (ProcessEvent.STDIN_EOF, ProcessEvent.STDOUT_EOF, ProcessEvent.STDERR_EOF):
            self._observer.fact(ProcessFact(event, _PID))
        self._observer.fact(ProcessFact(ProcessEvent.EXIT, _PID, code=0))
        self._observer.fact(ConnectionFact(ConnectionEvent.CLOSE, self.kind))

    async def wait_closed(self) -> str:
        """Wait for the end."""
        await self._ended.wait()
        return ""

    def _respond(self, payload: bytes) -> None:
        asked = json.loads(payload)
        for said in self._server.answer(asked):
            method = method_of(asked, said)
            self._note(method, said)
            mutation = self._mutation if self._mutation is not None and self._mutation.method == method else None
            if mutation is not None and mutation.kind == "line":
                self._write_line(json.dumps(said).encode(), mutation.operator)
                continue
            text = json.dumps(said) if mutation is None else mutated_text(said, mutation)
            held, self._held = self._held, b""
            self._write(text.encode() + b"\n" + held)

    def _write(self, chunk: bytes) -> None:
        assert self._observer is not None
        if not self._ended.is_set():
            self._observer.burst(Direction.FROM_SERVER, Channel.STDOUT, self._lines.feed(chunk))

    def _write_line(self, line: bytes, operator: str) -> None:
        if operator == "reorder":
            self._held = line + b"\n"
        elif operator == "delay":
            asyncio.get_running_loop().call_later(_DELAY_S, self._write, line + b"\n")
        else:
            self._write(_LINES[operator](line))


_LINES: dict[str, Callable[[bytes], bytes]] = {
    "drop": lambda line: b"",
    "duplicate": lambda line: (line + b"\n") * 2,
    "truncate": lambda line: line[: len(line) // 2] + b"\n",
    "split": lambda line: line.replace(b", ", b",\n", 1) + b"\n",
    "join": lambda line: line + line + b"\n",
    "no newline": lambda line: line,
    "text before": lambda line: b"Handling the request\n" + line + b"\n",
    "text after": lambda line: line + b" (done)\n",
    "blank line": lambda line: b"\n" + line + b"\n",
    "carriage return": lambda line: line + b"\r\n",
    "byte order mark": lambda line: b"\xef\xbb\xbf" + line + b"\n",
    "invalid UTF-8": lambda line: line.replace(b'"jsonrpc"', b'"\xff": 1, "jsonrpc"', 1) + b"\n",
    "NUL byte": lambda line: line + b"\x00\n",
    "Content-Length": lambda line: b"Content-Length: %d\r\n\r\n%s\n" % (len(line), line),
    "batch": lambda line: b"[" + line + b"]\n",
    "string": lambda line: json.dumps(line.decode()).encode() + b"\n",
    "terminal code": lambda line: b"\x1b[32m" + line + b"\x1b[0m\n",
}


def mutating(inner: Handler, mutation: Mutation | None, note: Note) -> Handler:
    """Serve what `inner` serves, with a mutation of the responses to POST."""

    async def handle(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        asked = json.loads(request.body) if request.method == "POST" and request.body else {}
        if "method" not in asked:
            return response
        if "id" not in asked:
            if mutation is not None and mutation.method == asked["method"]:
                return _status(response, mutation) if mutation.kind == "status" else response
            note(asked["method"], None)
            return response
        if isinstance(response.body, bytes):
            return await _plain(response, asked, mutation, note)
        return HttpResponse(*_head(response, asked, mutation), _events(response.body, asked, mutation, note))

    return handle


async def _plain(response: HttpResponse, asked: Any, mutation: Mutation | None, note: Note) -> HttpResponse:
    assert isinstance(response.body, bytes)
    said = json.loads(response.body)
    note(method_of(asked, said), said)
    status, headers = _head(response, asked, mutation)
    if mutation is None or mutation.method != method_of(asked, said):
        return HttpResponse(status, headers, response.body)
    body = response.body
    if mutation.kind == "member":
        body = mutated_text(said, mutation).encode()
    elif mutation.kind == "body" and mutation.operator == "delay":
        await asyncio.sleep(_DELAY_S)
    elif mutation.kind == "body":
        body = _BODIES[mutation.operator](body)
    elif mutation.kind == "status" and int(mutation.place) in (204, 304):
        body = b""
    return HttpResponse(status, headers, body)


_BODIES: dict[str, Callable[[bytes], bytes]] = {
    "drop": lambda body: b"",
    "truncate": lambda body: body[: len(body) // 2],
    "duplicate": lambda body: body * 2,
    "HTML": lambda body: _HTML,
    "text": lambda body: b"OK",
    "byte order mark": lambda body: b"\xef\xbb\xbf" + body,
    "invalid UTF-8": lambda body: body.replace(b'"jsonrpc"', b'"\xff": 1, "jsonrpc"', 1),
    "batch": lambda body: b"[" + body + b"]",
}


def _head(response: HttpResponse, asked: Any, mutation: Mutation | None) -> tuple[int, tuple[tuple[str, str], ...]]:
    status, headers = response.status, response.headers
    if mutation is None or mutation.method != method_of(asked, {}):
        return status, headers
    if mutation.kind == "status":
        return int(mutation.place), headers
    if mutation.kind != "header":
        return status, headers
    changed: list[tuple[str, str]] = []
    for name, value in headers:
        if name.lower() != mutation.place.lower():
            changed.append((name, value))
            continue
        match mutation.operator:
            case "rename":
                changed.append((f"X-{name}", value))
            case "retype":
                changed.append((name, "text/plain" if name.lower() == "content-type" else "7"))
            case "empty":
                changed.append((name, ""))
            case "duplicate":
                changed += [(name, value)] * 2
            case "truncate":
                changed.append((name, value[: len(value) // 2]))
    return status, tuple(changed)


def _status(response: HttpResponse, mutation: Mutation) -> HttpResponse:
    return HttpResponse(int(mutation.place), response.headers, response.body)


async def _events(
    pieces: AsyncIterator[bytes], asked: Any, mutation: Mutation | None, note: Note
) -> AsyncIterator[bytes]:
    async for piece in pieces:
        if not piece.startswith(b"data: "):
            yield piece
            continue
        said = json.loads(piece.removeprefix(b"data: "))
        method = method_of(asked, said)
        note(method, said)
        if mutation is None or mutation.method != method or mutation.kind not in ("member", "event"):
            yield piece
        elif mutation.kind == "member":
            yield b"data: " + mutated_text(said, mutation).encode() + b"\n\n"
        elif mutation.operator == "hang up":
            raise HangUp
        else:
            if mutation.operator == "delay":
                await asyncio.sleep(_DELAY_S)
            yield _EVENTS[mutation.operator](piece)


_EVENTS: dict[str, Callable[[bytes], bytes]] = {
    "drop": lambda event: b"",
    "duplicate": lambda event: event * 2,
    "truncate": lambda event: event[: len(event) // 2] + b"\n\n",
    "rename event": lambda event: b"event: response\n" + event,
    "retype event": lambda event: b"event: 7\n" + event,
    "rename data": lambda event: event.replace(b"data:", b"dat:", 1),
    "split data": lambda event: event.replace(b", ", b",\ndata: ", 1),
    "comment": lambda event: b": a comment\n\n" + event,
    "delay": lambda event: event,
}
