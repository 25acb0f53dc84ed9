"""What the handshake era keeps between two HTTP requests: sessions of Streamable HTTP and of HTTP+SSE.

A session is one DemoServer, and an outbox for what belongs to no request. Nothing is kept for a client that
lost its stream: this server gives its events no ids, so there is nothing to resume.
"""

import asyncio
import dataclasses
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from inspector.demo import eras
from inspector.demo.call import INVALID_REQUEST, Options, Refusal, parse
from inspector.demo.server import DemoServer
from inspector.demo.station import Station
from inspector.demo.streams import EVENT_STREAM, Outbox, as_json, refused, respond
from inspector.transports.http.listener import HttpRequest, HttpResponse

SESSION = "Mcp-Session-Id"


@dataclass(slots=True)
class Session:
    """One client, from its `initialize` to its DELETE."""

    server: DemoServer
    outbox: Outbox
    listening: bool = False
    """A GET stream is open; there is one at most."""
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    """What ends with it (HTTP+SSE alone)."""


class Sessions:
    """The legacy shape of Streamable HTTP: POST, GET and DELETE on one address."""

    def __init__(self, tasks: asyncio.TaskGroup, station: Station, options: Options) -> None:
        self._tasks = tasks
        self._station = station
        self._options = dataclasses.replace(options, modern=False)
        self.open: dict[str, Session] = {}

    async def post(self, request: HttpRequest, message: Any) -> HttpResponse:
        """Answer a message, or a batch of them."""
        if _method(message) == "initialize" and request.header(SESSION) is None:
            return await self._initialize(message)
        session = self._find(request)
        if isinstance(session, HttpResponse):
            return session
        if not _asks(message):
            return await _tell(session, message)
        outbox = Outbox()
        work = session.server.handle(message, outbox.put)
        # "Disconnection SHOULD NOT be interpreted as the client cancelling its request" (2025-11-25 transports)
        return await respond(self._tasks, work, outbox, ends_with_stream=False)

    async def _initialize(self, message: Any) -> HttpResponse:
        outbox, answers = Outbox(), list[Any]()

        async def keep(answer: Any) -> None:
            answers.append(answer)

        server = DemoServer(self._station, self._options, outbox.put)
        await server.handle(message, keep)
        if server.link.era is None:
            return as_json(answers[-1], 400) if answers else HttpResponse(202)
        name = secrets.token_hex(16)
        self.open[name] = Session(server, outbox)
        return as_json(answers[-1], 200, (SESSION, name))

    def _find(self, request: HttpRequest) -> Session | HttpResponse:
        name = request.header(SESSION)
        if name is None:
            return refused(400, Refusal(INVALID_REQUEST, f"{SESSION} is missing; initialize first"))
        if name not in self.open:
            return refused(404, Refusal(INVALID_REQUEST, "There is no such session; initialize again"))
        version = request.header("mcp-protocol-version") or eras.ASSUMED_OVER_HTTP.name
        if version not in eras.LEGACY:
            return refused(400, Refusal(INVALID_REQUEST, f"Unsupported MCP-Protocol-Version: {version}"))
        return self.open[name]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Open the stream for what belongs to no request."""
        session = self._find(request)
        if isinstance(session, HttpResponse):
            return session
        if "text/event-stream" not in (request.header("accept") or ""):
            return refused(406, Refusal(INVALID_REQUEST, "Accept must name text/event-stream"))
        if session.listening:
            return refused(409, Refusal(INVALID_REQUEST, "This session has its stream already"))
        session.listening = True
        return HttpResponse(200, EVENT_STREAM, _listen(session))

    def delete(self, request: HttpRequest) -> HttpResponse:
        """End a session; its id is unknown from now on."""
        session = self._find(request)
        if isinstance(session, HttpResponse):
            return session
        del self.open[str(request.header(SESSION))]
        session.server.close()
        session.outbox.end()
        return HttpResponse(204)


async def _tell(session: Session, message: Any) -> HttpResponse:
    """Take what wants no answer; if it gets one, it was nothing that could be taken."""
    complaints = Outbox()
    await session.server.handle(message, complaints.put)
    complaints.end()
    complaint = await complaints.take(1)
    return HttpResponse(202) if complaint is None else as_json(complaint, 400)


async def _listen(session: Session) -> AsyncIterator[bytes]:
    try:
        yield b": listening\n\n"
        async for piece in session.outbox.events():
            yield piece
    finally:
        session.listening = False


def _method(message: Any) -> object:
    return message.get("method") if isinstance(message, dict) else None


def _asks(message: Any) -> bool:
    """Whether a request is among what was sent."""
    return any("id" in part and "method" in part for part in _parts(message))


def _parts(message: Any) -> list[dict[str, Any]]:
    return [part for part in (message if isinstance(message, list) else [message]) if isinstance(part, dict)]


class OldSessions:
    """HTTP+SSE: a stream that names the address to post to, and carries everything that comes back."""

    def __init__(self, tasks: asyncio.TaskGroup, station: Station, options: Options) -> None:
        self._tasks = tasks
        self._station = station
        self._options = dataclasses.replace(options, modern=False)
        self.open_sessions: dict[str, Session] = {}

    def open(self) -> HttpResponse:
        """Open a stream, and with it a session."""
        name, outbox = secrets.token_hex(16), Outbox()
        session = Session(DemoServer(self._station, self._options, outbox.put), outbox)
        return HttpResponse(200, EVENT_STREAM, self._stream(name, session))

    async def _stream(self, name: str, session: Session) -> AsyncIterator[bytes]:
        self.open_sessions[name] = session
        try:
            yield f"event: endpoint\ndata: /messages?session={name}\n\n".encode()
            async for piece in session.outbox.events():
                yield piece
        finally:
            del self.open_sessions[name]
            session.server.close()
            for task in tuple(session.tasks):
                task.cancel()

    def post(self, name: str, request: HttpRequest) -> HttpResponse:
        """Take a message; whatever answers it goes out on the session's stream."""
        session = self.open_sessions.get(name)
        if session is None:
            return HttpResponse(404, (("Content-Type", "text/plain"),), b"There is no such session\n")
        try:
            message = parse(request.body)
        except Refusal as refusal:
            return refused(400, refusal)
        task = self._tasks.create_task(session.server.handle(message, session.outbox.put))
        session.tasks.add(task)
        task.add_done_callback(session.tasks.discard)
        return HttpResponse(202, (("Content-Type", "text/plain"),), b"Accepted")
