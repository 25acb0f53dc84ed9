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
from inspector.features.blame.edits import MADE_BY_PLAYER
from inspector.features.blame.json_text import with_member
from inspector.features.blame.script import (
    SESSION,
    ClientScript,
    Outcome,
    Step,
    json_value,
    outcome_of,
    replies_of,
    requests_in,
)
from inspector.protocol import jsonrpc, peek
from inspector.protocol.conversation import Conversation
from inspector.protocol.credentials import is_masked
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, Headers, HttpEvent, HttpFact, InheritedState
from inspector.protocol.frames import Channel, Direction, Eol, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Request, ResultResponse
from inspector.transports.base import Expects, Outgoing
from inspector.transports.ending import ShutdownTimeouts
from inspector.transports.http.sse import EventTooLong, SseEvent, SseParser
from inspector.transports.inherited import inherited_state
from inspector.transports.own_status import own_status
from inspector.transports.stdio import StdioTransport

_LONGEST_PAUSE_S = 5.0
_QUIET_S = 0.15
"""How long the server may still send something after the last response: an exit, or a late error."""
_GRACE = ShutdownTimeouts(stdin_close=0.3, term=0.3)
_LAST_GRACE = ShutdownTimeouts(stdin_close=3.0, term=0.3)
"""For a last message without a line end: its response comes once stdin is closed."""
_MOST_BODY = 16 * 1024 * 1024
_NAMES = {"host": "Host", "content-length": "Content-Length", SESSION: "Mcp-Session-Id"}


class ResponseWaits(msgspec.Struct, frozen=True):
    """Seconds to wait for a response."""

    first_s: float
    """For the first response: the server may be starting."""
    later_s: float


class PlayedScript(msgspec.Struct, frozen=True):
    outcome: Outcome
    seconds: float
    waits: ResponseWaits = ResponseWaits(0.0, 0.0)
    """Longest waits for a response that came."""
    replies: Mapping[str, dict[str, Any]] = {}
    """Result or error of each request that got one, by its key."""


class ScriptPlayer:
    """Plays scripts against one target."""

    def __init__(
        self, target: Target, environ: Mapping[str, str], timeout_s: float, *, uses_recorded_commands: bool = False
    ) -> None:
        """`timeout_s`: seconds without a response after which a request counts as not answered."""
        self.target = target
        self.full_waits = self.waits = ResponseWaits(timeout_s, timeout_s)
        """After which a request counts as not answered; `waits` may be shorter."""
        self.keeps_pauses = False
        """Whether the pauses of a script are kept; without, a message follows as soon as the responses are there."""
        self.watched: frozenset[str] = frozenset()
        """What of the response to the opening is part of the outcome."""
        self._environ = environ
        self._uses_recorded_commands = uses_recorded_commands

    async def play(
        self, script: ClientScript, capture: Path | None = None, *, waits: ResponseWaits | None = None
    ) -> PlayedScript:
        """Start a server, send the script, end the server; return the outcome. `waits` are other than the player's.

        Raises: ConnectError if the server can't be started, UsageError if the capture can't be written.
        """
        journal = start_capture(capture)
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            run = self.run(script, journal)
            run.waits = waits or self.waits
            await run.go()
            seconds, outcome = loop.time() - began, outcome_of(journal, self.watched)
            return PlayedScript(outcome, seconds, ResponseWaits(run.first_s, run.later_s), replies_of(journal))
        finally:
            journal.close()

    def run(self, script: ClientScript, journal: Journal) -> "ScriptRun":
        return (_HttpRun if isinstance(self.target, HttpTarget) else _StdioRun)(self, script, journal)

    def transport(self, script: ClientScript) -> StdioTransport:
        """Return the transport for the server of a script, with its variables and directory."""
        assert isinstance(self.target, StdioTarget)
        values = dict(self.target.environment.values)
        if script.environment is not None:
            values = {name: value for name in script.environment if (value := self.value_of(name)) is not None}
        cwd = script.cwd if script.cwd and os.path.isdir(script.cwd) else self.target.cwd
        argv = script.argv if self._uses_recorded_commands and script.argv else self.target.argv
        grace = _LAST_GRACE if script.steps and script.steps[-1].eol is Eol.NONE else _GRACE
        return StdioTransport(argv, env=values, cwd=cwd, grace=grace, inherited=_changed(script.inherited))

    def value_of(self, name: str) -> str | None:
        """Return the value of a variable: that of the target or of this process, because a capture has none."""
        values = self.target.environment.values if isinstance(self.target, StdioTarget) else {}
        return values.get(name, self._environ.get(name))


_Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def _changed(state: InheritedState | None) -> InheritedState | None:
    """Return what a server must inherit in place of our own; None if that is the same."""
    own = inherited_state(own_status()[0])
    return None if state is None or own is None or state == own else state


class ScriptRun:
    """One run of a script."""

    def __init__(self, player: ScriptPlayer, script: ClientScript, journal: Journal) -> None:
        self.player, self.script, self.journal = player, script, journal
        self.changed = asyncio.Event()
        self.requests = 0
        self.responses = 0
        self.waits = player.waits
        self.first_s, self.later_s = 0.0, 0.0
        """Longest waits for a response that came: for the first one, and for later ones."""
        self.is_over = False
        self._asked: list[Request] = []
        self._cursor: Any = None
        journal.listen(self._seen)

    def _seen(self, entry: Any, events: Any) -> None:
        what = entry.what
        if isinstance(what, Frame) and what.direction is Direction.FROM_SERVER:
            for message in jsonrpc.read(what.payload):
                if isinstance(message, ResultResponse | ErrorResponse):
                    self.responses += 1
                elif isinstance(message, Request):
                    self._asked.append(message)
            self._cursor = peek.at(json_value(what.payload), "result", "nextCursor")
        elif isinstance(what, ConnectionFact) and what.event in (ConnectionEvent.CLOSE, ConnectionEvent.ABORT):
            self.is_over = True
        self.changed.set()

    async def go(self) -> None:
        """Send all messages, each once what preceded it has come, and wait for the responses."""
        for step in self.script.steps:
            await self._until(self.requests - step.waiting)
            if self.player.keeps_pauses and step.pause_s > 0:
                await self.pause(min(step.pause_s, _LONGEST_PAUSE_S))
            if self.is_over:
                return
            self.requests += requests_in(json_value(step.payload))
            await self.send(self._with_cursor(step))
            if step.eol is Eol.NONE:
                return
        await self._until(self.requests)
        with suppress(TimeoutError):  # what the server does once it has answered everything
            await asyncio.wait_for(self._ends(), _QUIET_S)

    def _with_cursor(self, step: Step) -> Step:
        """Return a request for the next page with the cursor of this server."""
        if not step.is_next_page or self._cursor is None:
            return step
        text = step.payload.decode("utf-8", "surrogateescape")
        payload = with_member(text, ("params", "cursor"), self._cursor).encode("utf-8", "surrogateescape")
        return replace(step, payload=payload)

    async def send(self, step: Step) -> None:
        raise NotImplementedError

    async def pause(self, seconds: float) -> None:
        """Wait as the client did."""
        await asyncio.sleep(seconds)

    async def _ends(self) -> None:
        while not self.is_over:
            await self._next()

    async def _until(self, count: int) -> None:
        """Wait for so many responses; respond to the server's requests meanwhile."""
        began, is_first = asyncio.get_running_loop().time(), self.responses == 0
        try:
            async with asyncio.timeout(self.waits.first_s if is_first else self.waits.later_s):
                while self.responses < count and not self.is_over:
                    await self._next()
            waited = asyncio.get_running_loop().time() - began
            self.first_s = max(self.first_s, waited) if is_first else self.first_s
            self.later_s = self.later_s if is_first else max(self.later_s, waited)
        except TimeoutError:
            self.responses = max(self.responses, count)  # one that is missing is waited for once

    async def _next(self) -> None:
        while self._asked:
            asked = self._asked.pop(0)
            if (payload := self.script.replies.get(asked.method)) is not None:
                value = json_value(payload)
                await self.send(Step("", jsonrpc.encode({**value, "id": asked.id}), headers=self._headers()))
        self.changed.clear()
        await self.changed.wait()

    def _headers(self) -> Headers:
        return self.script.steps[-1].headers


class _StdioRun(ScriptRun):
    async def go(self) -> None:
        self._transport = self.player.transport(self.script)
        await self._transport.open(self.journal)
        try:
            await super().go()
        finally:
            await self._transport.close()

    async def send(self, step: Step) -> None:
        expects = Expects.ANSWER if requests_in(json_value(step.payload)) else Expects.NOTHING
        with suppress(Disconnected, ConnectError):  # the outcome says so
            await self._transport.send(Outgoing(step.payload, expects, eol=step.eol))


class _HttpRun(ScriptRun):
    """Writes the heads itself: names, case, order and values of headers are as recorded."""

    def __init__(self, player: ScriptPlayer, script: ClientScript, journal: Journal) -> None:
        super().__init__(player, script, journal)
        assert isinstance(player.target, HttpTarget)
        self._target = player.target
        self._where = urlsplit(self._target.url)
        self._session = ""
        self._exchanges = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._is_listening = False
        self._idle: list[_Wire] = []

    async def go(self) -> None:
        self.journal.fact(ConnectionFact(ConnectionEvent.OPEN, "http", url=self._target.url))
        async with asyncio.TaskGroup() as self._group:
            await super().go()
            if self.script.deletes and self._session:
                await asyncio.wait([self._begin("DELETE", self._headers(), b"")], timeout=self.waits.later_s)
            for task in self._tasks:
                task.cancel()
        for _, writer in self._idle:
            writer.close()
        self.journal.fact(ConnectionFact(ConnectionEvent.CLOSE, "http"))

    async def _ends(self) -> None:
        """Wait for nothing: the server was running before, and continues."""

    async def send(self, step: Step) -> None:
        if self.script.listens and self.responses and not self._is_listening:
            self._is_listening = True
            self._begin("GET", step.headers, b"")
        done = self._begin("POST", step.headers, step.payload)
        if not requests_in(json_value(step.payload)):
            await asyncio.wait([done], timeout=self.waits.later_s)

    def _begin(self, method: str, headers: Headers, body: bytes) -> asyncio.Task[None]:
        task = self._group.create_task(self._exchange(method, headers, body))
        self._tasks.append(task)
        return task

    async def _exchange(self, method: str, headers: Headers, body: bytes) -> None:
        self._exchanges += 1
        number = self._exchanges
        sent = self._head(method, headers, body)
        where = self._where
        path = where.path + (f"?{where.query}" if where.query else "") or "/"
        head = "".join(f"{name}: {value}\r\n" for name, value in sent)
        self.journal.fact(HttpFact(HttpEvent.REQUEST, number, method, self._target.url, headers=sent))
        if body:
            self.journal.frame(Direction.TO_SERVER, Channel.POST, body, http=number)
        try:
            wire = await self._connected()
            is_whole = False
            try:
                wire[1].write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "replace") + body)
                is_whole = await self._read(number, method, wire[0])
            finally:
                if is_whole and self.script.reuses is not False:
                    self._idle.append(wire)
                else:
                    wire[1].close()
        except (OSError, EventTooLong, h11.RemoteProtocolError) as error:
            self.journal.fact(HttpFact(HttpEvent.ERROR, number, why=str(error)))
        asked = json_value(body)
        if requests_in(asked) == 1 and not isinstance(asked, list) and not self._has_response(asked["id"]):
            self.responses += 1  # none will come
        self.changed.set()

    async def _connected(self) -> "_Wire":
        if self._idle:
            return self._idle.pop()
        tls = ssl.create_default_context() if self._where.scheme == "https" else None
        port = self._where.port or (443 if tls else 80)
        return await asyncio.open_connection(self._where.hostname, port, ssl=tls)

    def _head(self, method: str, headers: Headers, body: bytes) -> Headers:
        """Return the headers as recorded, with the values that belong to this exchange and this server."""
        own = {"host": self._where.netloc.rpartition("@")[2]}
        if method == "POST":
            own["content-length"] = str(len(body))
        if self._session and self.script.keeps_session:
            own[SESSION] = self._session
        given = {name.lower(): value for name, value in self._target.headers}
        sent, left = [], dict(own)
        for name, value in headers:
            key = name.lower()
            if key in given or (is_masked(value) and key not in own):
                continue
            if key not in MADE_BY_PLAYER:
                sent.append((name, value))
            elif key in left:
                sent.append((name, left.pop(key)))
        host = [("Host", left.pop("host"))] if "host" in left else []
        return (*host, *sent, *self._target.headers, *[(_NAMES[key], value) for key, value in left.items()])

    def _has_response(self, id_: Any) -> bool:
        exchanges = self.journal.conversation.exchanges
        return any(each.id == id_ and each.answer_frame for each in exchanges if each.sender is Direction.TO_SERVER)

    async def _read(self, number: int, method: str, reader: asyncio.StreamReader) -> bool:
        """Read a response; return whether the connection can be used again."""
        parser = h11.Connection(h11.CLIENT)
        parser.send(h11.Request(method=method, target="/", headers=[("Host", "x")]))
        parser.send(h11.EndOfMessage())
        body, events = b"", None
        while True:
            event = parser.next_event()
            if event is h11.NEED_DATA:
                parser.receive_data(await reader.read(65536))
            elif isinstance(event, h11.Response):
                names = {name.decode().lower(): value.decode("latin-1") for name, value in event.headers}
                self._session = names.get(SESSION, self._session)
                if names.get("content-type", "").startswith("text/event-stream"):
                    events = SseParser(_MOST_BODY)
                self.journal.fact(HttpFact(HttpEvent.RESPONSE, number, status=event.status_code))
            elif isinstance(event, h11.Data) and events is not None:
                for item in events.feed(bytes(event.data)):
                    if isinstance(item, SseEvent) and item.data:
                        self.journal.frame(Direction.FROM_SERVER, Channel.SSE, item.data, http=number)
            elif isinstance(event, h11.Data):
                body = (body + bytes(event.data))[-_MOST_BODY:]
            elif not isinstance(event, h11.InformationalResponse):
                break
        if body.strip():
            self.journal.frame(Direction.FROM_SERVER, Channel.REPLY, body, http=number)
        self.journal.fact(HttpFact(HttpEvent.END, number))
        return isinstance(event, h11.EndOfMessage) and parser.their_state is h11.DONE


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


def harmless_tools(conversation: Conversation) -> frozenset[str]:
    """Return the names of the tools that declare to be read-only or not destructive."""
    tools = conversation.catalogue.listings["tools"].items
    return frozenset(
        peek.text(each, "name") or ""
        for each in tools
        if peek.flag(each, "annotations", "readOnlyHint") or peek.flag(each, "annotations", "destructiveHint") is False
    )
