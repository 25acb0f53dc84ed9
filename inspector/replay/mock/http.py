"""The mock over HTTP, on this machine alone: sessions for clients with a handshake, single requests for the others.

An answer that comes at once goes out as JSON. As soon as something else comes first, or nothing for a moment, the
response becomes a stream. Events have no ids, so a stream that was cut can't be resumed.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any
from urllib.parse import urlsplit

import msgspec

from inspector.protocol import jsonrpc, peek
from inspector.protocol.frames import Channel
from inspector.protocol.jsonrpc import Message, Notification, Request, read
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION
from inspector.protocol.revisions.table import dates
from inspector.protocol.tracking.opening import declared_revision
from inspector.replay.mock.actor import INVALID_REQUEST, Actor
from inspector.replay.mock.http_tape import HttpTape
from inspector.replay.mock.openings import served_modern
from inspector.replay.mock.outbox import Kind, Outbox, event, still_here
from inspector.replay.mock.stage import Stage
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse, Listener, Pairs

SESSION, VERSION = "Mcp-Session-Id", "MCP-Protocol-Version"
PATH = "/mcp"
_PATIENCE_S = 0.25
"""Seconds that an answer may take and still be no stream."""
_JSON = (("Content-Type", "application/json"),)
_STREAM = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"))
_STATUS = {-32601: 404, HEADER_MISMATCH: 400, MISSING_CAPABILITY: 400, UNSUPPORTED_VERSION: 400}
"""By error code: what a stateless answer has as HTTP status, where that is not 200."""


class Session(msgspec.Struct):
    """One client, from its `initialize` to its DELETE."""

    actor: Actor
    common: Outbox
    listening: bool = False


class Site:
    """Answers HTTP requests. Running turns live in `tasks`."""

    def __init__(self, stage: Stage, tasks: asyncio.TaskGroup, tape: HttpTape) -> None:
        self._stage = stage
        self._tasks = tasks
        self._tape = tape
        self.sessions: dict[str, Session] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._stateless = Actor(stage, _Nowhere(), self._spawn)
        self._paths = {PATH, stage.script.path or PATH}

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """The handler of a Listener."""
        number, entry = self._tape.came(request)
        path = urlsplit(request.target).path
        if path not in self._paths:
            return self._said(number, 404, "Nothing is played here")
        match request.method:
            case "POST":
                return await self._post(request, number, entry)
            case "GET" | "DELETE":
                session = self._find(request, number)
                if isinstance(session, HttpResponse):
                    return session
                return self._get(session, number) if request.method == "GET" else self._delete(request, number)
            case _:
                return self._said(number, 405, "Method not allowed")

    def close(self) -> None:
        """End whatever still runs."""
        for task in tuple(self._running):
            task.cancel()

    async def _post(self, request: HttpRequest, number: int, entry: int) -> HttpResponse:
        messages = read(request.body)
        first = messages[0]
        if isinstance(first, Request) and declared_revision(first.params) is not None:
            if wrong := _header_fault(request, first):
                return self._refused(number, 400, HEADER_MISMATCH, wrong, first.id)
            return await self._respond(self._stateless, request, number, entry, stateless=True)
        name = ""
        if isinstance(first, Request) and first.method == "initialize" and request.header(SESSION) is None:
            if not self._stage.refusal_of(Era.LEGACY):
                name = secrets.token_hex(16)
            session = self._new_session(name)
        elif isinstance(first, Request) and first.method == "server/discover":
            return await self._respond(self._stateless, request, number, entry, stateless=True)
        elif not isinstance(first, Request) and request.header(VERSION) in served_modern(self._stage.script):
            return self._taken(number)
        else:
            found = self._find(request, number)
            if isinstance(found, HttpResponse):
                return found
            session = found
        if not any(isinstance(message, Request) for message in messages):
            await session.actor.take(request.body, session.common, entry)
            return self._taken(number)
        headers = ((SESSION, name),) if name else ()
        return await self._respond(session.actor, request, number, entry, headers=headers)

    def _taken(self, number: int) -> HttpResponse:
        self._tape.answered(number, 202, ())
        self._tape.ended(number)
        return HttpResponse(202)

    def _new_session(self, name: str) -> Session:
        common = self._outbox()
        session = Session(Actor(self._stage, common, self._spawn), common)
        if name:
            self.sessions[name] = session
        return session

    def _find(self, request: HttpRequest, number: int) -> Session | HttpResponse:
        name = request.header(SESSION)
        if name is None:
            missing = f"{SESSION} is missing; initialize first"
            return self._refused(number, 400, INVALID_REQUEST, missing)
        if name not in self.sessions:
            return self._refused(number, 404, INVALID_REQUEST, "There is no such session; initialize again")
        version = request.header(VERSION)
        if version is not None and version not in dates(Era.LEGACY):
            return self._refused(number, 400, INVALID_REQUEST, f"Unsupported {VERSION}: {version[:40]}")
        return self.sessions[name]

    def _get(self, session: Session, number: int) -> HttpResponse:
        if session.listening:
            return self._refused(number, 409, INVALID_REQUEST, "This session has its stream already")
        session.listening = True
        self._tape.answered(number, 200, _STREAM)
        return HttpResponse(200, _STREAM, self._listened(session, number))

    async def _listened(self, session: Session, number: int) -> AsyncIterator[bytes]:
        try:
            yield still_here()
            async for piece in self._pieces(session.common, number, Channel.GET):
                yield piece
        finally:
            session.listening = False
            self._tape.ended(number)

    def _delete(self, request: HttpRequest, number: int) -> HttpResponse:
        session = self.sessions.pop(request.header(SESSION) or "")
        session.actor.close()
        session.common.end()
        self._tape.answered(number, 204, ())
        self._tape.ended(number)
        return HttpResponse(204)

    async def _respond(
        self,
        actor: Actor,
        request: HttpRequest,
        number: int,
        entry: int,
        *,
        headers: Pairs = (),
        stateless: bool = False,
    ) -> HttpResponse:
        """Play what answers a request; the response that carries it."""
        outbox = self._outbox()
        task = self._spawn(_run(actor, request.body, outbox, entry))
        try:
            first = await outbox.take(_PATIENCE_S)
            if first is None:  # the client has given it up by a notification
                outbox.end()
        except TimeoutError:
            first = None
        except asyncio.CancelledError:
            if stateless:
                task.cancel()
            raise
        if first is not None and not _begins_a_stream(first.payload):
            status = _status_of(first.payload) if stateless else 200
            self._tape.answered(number, status, (*_JSON, *headers))
            self._tape.sent(number, first.payload, Channel.REPLY)
            self._tape.ended(number)
            body: bytes | AsyncIterator[bytes] = first.payload
            if first.kind is Kind.CUT:
                body = _broken(first.payload)
            return HttpResponse(status, (*_JSON, *headers), body)
        self._tape.answered(number, 200, (*_STREAM, *headers))
        begin = b"" if first is None else first.payload
        return HttpResponse(200, (*_STREAM, *headers), self._streamed(task, outbox, number, begin, stateless))

    async def _streamed(
        self, task: asyncio.Task[None], outbox: Outbox, number: int, first: bytes, stateless: bool
    ) -> AsyncIterator[bytes]:
        try:
            if first:
                self._tape.sent(number, first, Channel.SSE)
            yield event(first) if first else still_here()
            async for piece in self._pieces(outbox, number, Channel.SSE):
                yield piece
        finally:
            if stateless:
                task.cancel()
            self._tape.ended(number)

    async def _pieces(self, outbox: Outbox, number: int, channel: Channel) -> AsyncIterator[bytes]:
        async for item in outbox.items():
            if item is None:
                yield still_here()
                continue
            self._tape.sent(number, item.payload, channel)
            if item.kind is Kind.CUT:
                yield event(item.payload).rstrip(b"\n")
                raise HangUp
            yield event(item.payload)

    def _outbox(self) -> Outbox:
        return Outbox(lambda: self._stage.tell_once("what the server wrote beside its messages has no place over HTTP"))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._tasks.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def _said(self, number: int, status: int, words: str) -> HttpResponse:
        headers = (("Content-Type", "text/plain; charset=utf-8"),)
        self._tape.answered(number, status, headers)
        self._tape.ended(number)
        return HttpResponse(status, headers, words.encode() + b"\n")

    def _refused(self, number: int, status: int, code: int, message: str, id_: Any = None) -> HttpResponse:
        body = jsonrpc.write_error(id_, code, message)
        self._tape.answered(number, status, _JSON)
        self._tape.sent(number, body, Channel.REPLY)
        self._tape.ended(number)
        return HttpResponse(status, _JSON, body)


class _Nowhere:
    """Where messages go that no stream carries: a stateless client hears them only where it listens."""

    async def send(self, payload: bytes) -> None:
        """Lose it."""

    async def write(self, payload: bytes) -> None:
        """Lose it."""

    async def cut(self, payload: bytes) -> None:
        """Lose it."""


async def _run(actor: Actor, body: bytes, outbox: Outbox, entry: int) -> None:
    try:
        await actor.take(body, outbox, entry)
    finally:
        outbox.end()


async def _broken(payload: bytes) -> AsyncIterator[bytes]:
    yield payload
    raise HangUp


def _begins_a_stream(payload: bytes) -> bool:
    first: Message = read(payload)[0]
    return isinstance(first, Request | Notification)


def _status_of(payload: bytes) -> int:
    first = read(payload)[0]
    return _STATUS.get(first.code or 0, 200) if isinstance(first, jsonrpc.ErrorAnswer) else 200


def _header_fault(request: HttpRequest, message: Request) -> str:
    """How headers and body of a stateless request disagree; "" if they don't."""
    for name, wanted in ((VERSION, declared_revision(message.params)), ("Mcp-Method", message.method)):
        found = request.header(name)
        if found is not None and found != wanted:
            return f"Header mismatch: {name} is {found[:60]!r}, the body says {wanted!r}"
    named = peek.text(message.params, "name") if message.method in ("tools/call", "prompts/get") else None
    header = request.header("Mcp-Name")
    if named is not None and header is not None and "?" not in header and header != named:
        return f"Header mismatch: Mcp-Name is {header[:60]!r}, the body says {named!r}"
    return ""


async def serve(stage: Stage, port: int, announce: Callable[[str], None]) -> None:
    """Play on a port of this machine (0: a free one) until cancelled. Its address is told.

    Raises: OSError if the port is taken.
    """
    tape, sites = HttpTape(stage.tape), list[Site]()
    listener = Listener(lambda request: sites[0].answer(request), port=port)
    await listener.start()  # outside of the group, so that a port that is taken is one error and not several
    tape.open(f"{listener.url}{PATH}")
    try:
        async with asyncio.TaskGroup() as tasks:
            sites.append(Site(stage, tasks, tape))
            announce(f"playing at {listener.url}{PATH}")
            await asyncio.Event().wait()
    finally:
        await listener.close()
        tape.close()
