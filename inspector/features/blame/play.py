"""Plays a script against a fresh server, byte for byte, and records the session."""

import asyncio
import os
import ssl
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import h11
import msgspec
from msgspec.structs import replace

from inspector.capture.journal import Journal, start_capture
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.errors import ConnectError, Disconnected
from inspector.features.blame.script import ClientScript, Outcome, Step, json_value, outcome_of
from inspector.protocol import jsonrpc, peek
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Headers, HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Request, ResultResponse
from inspector.transports.base import Expects, Outgoing
from inspector.transports.stdio import Ladder, StdioTransport

_LONGEST_PAUSE_S = 5.0
_QUIET_S = 0.15
"""How long the server may still send something after the last response: an exit, or a late error."""
_GRACE = Ladder(stdin_close=0.5, term=0.5)
_MOST_BODY = 16 * 1024 * 1024


class PlayedScript(msgspec.Struct, frozen=True):
    outcome: Outcome
    seconds: float


class ScriptPlayer:
    """Plays scripts against one target."""

    def __init__(self, target: Target, environ: Mapping[str, str], timeout_s: float) -> None:
        self.target = target
        self.keeps_pauses = False
        """Whether the pauses of a script are kept; without, a message follows as soon as the responses are there."""
        self._environ = environ
        self._timeout_s = timeout_s

    async def play(self, script: ClientScript, capture: Path | None = None) -> PlayedScript:
        """Start a server, send the script, end the server; return the outcome.

        Raises: ConnectError if the server can't be started, UsageError if the capture can't be written.
        """
        journal = start_capture(capture)
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            run = _HttpRun if isinstance(self.target, HttpTarget) else _StdioRun
            await run(self, script, journal).go()
            return PlayedScript(outcome_of(journal), loop.time() - began)
        finally:
            journal.close()

    def transport(self, script: ClientScript) -> StdioTransport:
        """Return the transport for the server of a script, with its variables and directory."""
        assert isinstance(self.target, StdioTarget)
        values = dict(self.target.environment.values)
        if script.environment is not None:
            values = {name: value for name in script.environment if (value := self._value(name, values)) is not None}
        cwd = script.cwd if script.cwd and os.path.isdir(script.cwd) else self.target.cwd
        return StdioTransport(self.target.argv, env=values, cwd=cwd, grace=_GRACE)

    def _value(self, name: str, values: Mapping[str, str]) -> str | None:
        """Return the value of a variable; a capture has none, so it is that of the target or of this process."""
        return values.get(name, self._environ.get(name))

    @property
    def timeout_s(self) -> float:
        """Seconds without a response after which a request counts as not answered."""
        return self._timeout_s


class _Run:
    """One run of a script."""

    def __init__(self, player: ScriptPlayer, script: ClientScript, journal: Journal) -> None:
        self.player, self.script, self.journal = player, script, journal
        self.changed = asyncio.Event()
        self.requests = 0
        self.responses = 0
        self.is_over = False
        self._asked: list[Request] = []
        journal.listen(self._seen)

    def _seen(self, entry: Any, events: Any) -> None:
        what = entry.what
        if isinstance(what, Frame) and what.direction is Direction.FROM_SERVER:
            for message in jsonrpc.read(what.payload):
                if isinstance(message, ResultResponse | ErrorResponse):
                    self.responses += 1
                elif isinstance(message, Request):
                    self._asked.append(message)
        elif isinstance(what, ConnectionFact) and what.event in (ConnectionEvent.CLOSE, ConnectionEvent.ABORT):
            self.is_over = True
        self.changed.set()

    async def go(self) -> None:
        """Send all messages, each once what preceded it has come, and wait for the responses."""
        for step in self.script.steps:
            await self._until(min(step.answered, self.requests))
            if self.player.keeps_pauses and step.pause_s > 0:
                await asyncio.sleep(min(step.pause_s, _LONGEST_PAUSE_S))
            if self.is_over:
                return
            self.requests += _is_request(step.payload)
            await self.send(step)
        await self._until(self.requests)
        with suppress(TimeoutError):  # what the server does once it has answered everything
            await asyncio.wait_for(self._ends(), _QUIET_S)

    async def send(self, step: Step) -> None:
        """Send one message."""
        raise NotImplementedError

    async def _ends(self) -> None:
        while not self.is_over:
            await self._next()

    async def _until(self, count: int) -> None:
        """Wait for so many responses; respond to the server's requests meanwhile."""
        try:
            async with asyncio.timeout(self.player.timeout_s):
                while self.responses < count and not self.is_over:
                    await self._next()
        except TimeoutError:
            return

    async def _next(self) -> None:
        while self._asked:
            asked = self._asked.pop(0)
            if (payload := self.script.replies.get(asked.method)) is not None:
                value = json_value(payload)
                await self.send(Step("", jsonrpc.encode({**value, "id": asked.id})))
        self.changed.clear()
        await self.changed.wait()


def _is_request(payload: bytes) -> bool:
    value = json_value(payload)
    return isinstance(value, dict) and "method" in value and "id" in value


class _StdioRun(_Run):
    async def go(self) -> None:
        self._transport = self.player.transport(self.script)
        await self._transport.open(self.journal)
        try:
            await super().go()
        finally:
            await self._transport.close()

    async def send(self, step: Step) -> None:
        with suppress(Disconnected, ConnectError):  # the outcome says so
            payload = step.payload + (b"\r" if step.crlf else b"")
            expects = Expects.ANSWER if _is_request(step.payload) else Expects.NOTHING
            await self._transport.send(Outgoing(payload, expects))


class _HttpRun(_Run):
    """Writes the heads itself: names, case, order and values of headers are as recorded."""

    def __init__(self, player: ScriptPlayer, script: ClientScript, journal: Journal) -> None:
        super().__init__(player, script, journal)
        assert isinstance(player.target, HttpTarget)
        self._target = player.target
        self._session = ""
        self._exchanges = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._is_listening = False

    async def go(self) -> None:
        self.journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=self._target.url))
        async with asyncio.TaskGroup() as self._group:
            await super().go()
            for task in self._tasks:
                task.cancel()
        self.journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "http"))

    async def send(self, step: Step) -> None:
        if self.script.listens and self.responses and not self._is_listening:
            self._is_listening = True
            self._begin("GET", step.headers, b"")
        done = self._begin("POST", step.headers, step.payload)
        if not _is_request(step.payload):
            await asyncio.wait([done], timeout=self.player.timeout_s)

    def _begin(self, method: str, headers: Headers, body: bytes) -> asyncio.Task[None]:
        task = self._group.create_task(self._exchange(method, headers, body))
        self._tasks.append(task)
        return task

    async def _exchange(self, method: str, headers: Headers, body: bytes) -> None:
        self._exchanges += 1
        number = self._exchanges
        where = urlsplit(self._target.url)
        sent = [("Host", where.netloc), *headers, *self._target.headers]
        if self._session:
            sent.append(("Mcp-Session-Id", self._session))
        if method == "POST":
            sent.append(("Content-Length", str(len(body))))
        path = where.path + (f"?{where.query}" if where.query else "") or "/"
        head = "".join(f"{name}: {value}\r\n" for name, value in sent)
        self.journal.fact(HttpFact(HttpEvent.REQUEST, number, method, self._target.url, headers=tuple(sent)))
        if body:
            self.journal.frame(Direction.TO_SERVER, Channel.POST, body, http=number)
        try:
            tls = ssl.create_default_context() if where.scheme == "https" else None
            port = where.port or (443 if tls else 80)
            reader, writer = await asyncio.open_connection(where.hostname, port, ssl=tls)
            try:
                writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
                await self._read(number, method, reader)
            finally:
                writer.close()
        except (OSError, h11.RemoteProtocolError) as error:
            self.journal.fact(HttpFact(HttpEvent.ERROR, number, why=str(error)))
        if _is_request(body) and not self._has_response(json_value(body)["id"]):
            self.responses += 1  # none will come
        self.changed.set()

    def _has_response(self, id_: Any) -> bool:
        exchanges = self.journal.conversation.exchanges
        return any(each.id == id_ and each.answer_frame for each in exchanges if each.sender is Direction.TO_SERVER)

    async def _read(self, number: int, method: str, reader: asyncio.StreamReader) -> None:
        parser = h11.Connection(h11.CLIENT)
        parser.send(h11.Request(method=method, target="/", headers=[("Host", "x")]))
        parser.send(h11.EndOfMessage())
        body, is_stream = b"", False
        while True:
            event = parser.next_event()
            if event is h11.NEED_DATA:
                parser.receive_data(await reader.read(65536))
            elif isinstance(event, h11.Response):
                names = {name.decode().lower(): value.decode("latin-1") for name, value in event.headers}
                self._session = names.get("mcp-session-id", self._session)
                is_stream = names.get("content-type", "").startswith("text/event-stream")
                self.journal.fact(HttpFact(HttpEvent.RESPONSE, number, status=event.status_code))
            elif isinstance(event, h11.Data):
                body = (body + bytes(event.data))[-_MOST_BODY:]
                if is_stream:
                    body = self._take_events(number, body)
            else:
                break
        if body.strip() and not is_stream:
            self.journal.frame(Direction.FROM_SERVER, Channel.REPLY, body, http=number)
        self.journal.fact(HttpFact(HttpEvent.END, number))

    def _take_events(self, number: int, body: bytes) -> bytes:
        """Report each whole event; return the rest."""
        *whole, rest = body.replace(b"\r\n", b"\n").split(b"\n\n")
        for event in whole:
            lines = [line[5:].lstrip(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
            if any(lines):
                self.journal.frame(Direction.FROM_SERVER, Channel.SSE, b"\n".join(lines), http=number)
        return rest


def without_calls(script: ClientScript, keys: frozenset[str]) -> ClientScript:
    """Return a script without some of its messages."""
    return replace(script, steps=tuple(each for each in script.steps if each.key not in keys))


def destructive_calls(script: ClientScript, read_only: frozenset[str]) -> frozenset[str]:
    """Return the keys of calls of tools that are not known to be harmless."""
    return frozenset(
        each.key
        for each in script.steps
        if peek.text(json_value(each.payload), "method") == "tools/call"
        and peek.text(json_value(each.payload), "params", "name") not in read_only
    )
