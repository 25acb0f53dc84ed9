"""The demo over HTTP: `/mcp` for Streamable HTTP in both eras, `/sse` and `/messages` for HTTP+SSE."""

import asyncio
import base64
import binascii
import dataclasses
import secrets
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from inspector.demo import call, methods, tools
from inspector.demo.call import (
    HEADER_MISMATCH,
    INVALID_REQUEST,
    META,
    METHOD_NOT_FOUND,
    DemoConnection,
    DemoError,
    DemoOptions,
    Json,
    dump,
    parse,
    write_stderr,
)
from inspector.demo.methods import DemoServer
from inspector.demo.state import DemoState, emit_changes
from inspector.demo.toolkit import DemoTool
from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener

PATIENCE = 0.25
"""Seconds that a response may take without becoming a stream."""
KEEP_ALIVE = 15.0
"""Seconds of silence after which a stream sends a comment."""
STILL_HERE = b": the lamp is still lit\n\n"
EVENT_STREAM = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"))
SESSION = "Mcp-Session-Id"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Mcp-Name repeats this param, by method."""

_START, _END = "=?base64?", "?="
BAD_REQUEST, NOT_FOUND, NOT_ALLOWED, NOT_ACCEPTABLE, WRONG_TYPE = 400, 404, 405, 406, 415


class DemoOutbox:
    """Messages waiting for the stream that carries them."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Any] = asyncio.Queue()

    async def put(self, message: Any) -> None:
        """Add a message; never blocks."""
        self._waiting.put_nowait(message)

    def end(self) -> None:
        """Mark the end: nothing follows."""
        self._waiting.put_nowait(None)

    async def take(self, seconds: float) -> Any:
        """Return the next message, or None at the end. Raises: TimeoutError if there is none in time."""
        async with asyncio.timeout(seconds):
            return await self._waiting.get()

    async def events(self) -> AsyncIterator[bytes]:
        """Yield each message as an event until the end, and a comment now and then during silence."""
        while True:
            try:
                message = await self.take(KEEP_ALIVE)
            except TimeoutError:
                yield STILL_HERE
                continue
            if message is None:
                return
            yield event(message)


@dataclass(slots=True)
class DemoSession:
    """One client, from its `initialize` to its DELETE."""

    server: DemoServer
    outbox: DemoOutbox
    listening: bool = False
    """Whether a GET stream is open; there is at most one."""
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    """Tasks that end with the session (HTTP+SSE only)."""


def event(message: Any) -> bytes:
    """Return a message as an event of a stream."""
    return b"event: message\ndata: " + dump(message) + b"\n\n"


def as_json(message: Any, status: int = 200, *headers: tuple[str, str]) -> HttpResponse:
    """Return a response whose whole body is a message."""
    return HttpResponse(status, (("Content-Type", "application/json"), *headers), dump(message))


def refused(status: int, refusal: DemoError, request_id: object = None) -> HttpResponse:
    """Return a response whose whole body is an error; without an id if the request is unknown."""
    answer: Json = {"jsonrpc": "2.0"}
    if isinstance(request_id, (str, int)) and not isinstance(request_id, bool):
        answer["id"] = request_id
    return as_json({**answer, "error": refusal.as_error()}, status)


def is_last(message: Any) -> bool:
    """Return whether the message is the response to a POST (or to its batch), so that nothing follows."""
    return not (isinstance(message, dict) and "method" in message)


async def respond(
    tasks: asyncio.TaskGroup, work: Coroutine[Any, Any, None], outbox: DemoOutbox, *, ends_with_stream: bool
) -> HttpResponse:
    """Run `work`, which fills the outbox; return the HTTP response that carries the messages.

    `ends_with_stream`: the work ends when the client disconnects (stateless era); otherwise it continues unheard.
    """
    task = tasks.create_task(_run(work, outbox))
    try:
        first = await outbox.take(PATIENCE)
    except TimeoutError:
        return HttpResponse(200, EVENT_STREAM, _stream(task, outbox, ends_with_stream))
    except asyncio.CancelledError:
        if ends_with_stream:
            task.cancel()
        raise
    if first is not None and is_last(first):
        return as_json(first)
    if first is not None:
        return HttpResponse(200, EVENT_STREAM, _stream(task, outbox, ends_with_stream, event(first)))
    return HttpResponse(200, EVENT_STREAM, b"")


async def _run(work: Coroutine[Any, Any, None], outbox: DemoOutbox) -> None:
    try:
        await work
    finally:
        outbox.end()


async def _stream(
    task: asyncio.Task[None], outbox: DemoOutbox, ends_with_stream: bool, first: bytes = b""
) -> AsyncIterator[bytes]:
    try:
        yield first or STILL_HERE
        async for piece in outbox.events():
            yield piece
    finally:
        if ends_with_stream:
            task.cancel()


# Sessions of Streamable HTTP and HTTP+SSE


class DemoSessions:
    """Streamable HTTP of the handshake era: POST, GET and DELETE on one address."""

    def __init__(self, tasks: asyncio.TaskGroup, station: DemoState, options: DemoOptions) -> None:
        self._tasks = tasks
        self._station = station
        self._options = dataclasses.replace(options, modern=False)
        self.open: dict[str, DemoSession] = {}

    async def post(self, request: HttpRequest, message: Any) -> HttpResponse:
        """Respond to a message, or a batch of them."""
        if _method(message) == "initialize" and request.header(SESSION) is None:
            return await self._initialize(message)
        session = self._find(request)
        if isinstance(session, HttpResponse):
            return session
        if not _asks(message):
            return await _tell(session, message)
        outbox = DemoOutbox()
        work = session.server.handle(message, outbox.put)
        # "Disconnection SHOULD NOT be interpreted as the client cancelling its request" (2025-11-25 transports)
        return await respond(self._tasks, work, outbox, ends_with_stream=False)

    async def _initialize(self, message: Any) -> HttpResponse:
        outbox, answers = DemoOutbox(), list[Any]()

        async def keep(answer: Any) -> None:
            answers.append(answer)

        server = DemoServer(self._station, self._options, outbox.put)
        await server.handle(message, keep)
        if server.link.era is None:
            return as_json(answers[-1], 400) if answers else HttpResponse(202)
        name = secrets.token_hex(16)
        self.open[name] = DemoSession(server, outbox)
        return as_json(answers[-1], 200, (SESSION, name))

    def _find(self, request: HttpRequest) -> DemoSession | HttpResponse:
        name = request.header(SESSION)
        if name is None:
            return refused(400, DemoError(INVALID_REQUEST, f"{SESSION} is missing; send initialize first"))
        if name not in self.open:
            return refused(404, DemoError(INVALID_REQUEST, "Unknown session; send initialize again"))
        version = request.header("mcp-protocol-version") or call.ASSUMED_OVER_HTTP
        if version not in call.LEGACY:
            return refused(400, DemoError(INVALID_REQUEST, f"Unsupported MCP-Protocol-Version: {version}"))
        return self.open[name]

    def get(self, request: HttpRequest) -> HttpResponse:
        """Open the stream for messages that belong to no request."""
        session = self._find(request)
        if isinstance(session, HttpResponse):
            return session
        if "text/event-stream" not in (request.header("accept") or ""):
            return refused(406, DemoError(INVALID_REQUEST, "Accept must name text/event-stream"))
        if session.listening:
            return refused(409, DemoError(INVALID_REQUEST, "This session already has a stream"))
        session.listening = True
        return HttpResponse(200, EVENT_STREAM, _listen(session))

    def delete(self, request: HttpRequest) -> HttpResponse:
        """End a session; its id becomes unknown."""
        session = self._find(request)
        if isinstance(session, HttpResponse):
            return session
        del self.open[str(request.header(SESSION))]
        session.server.close()
        session.outbox.end()
        return HttpResponse(204)


async def _tell(session: DemoSession, message: Any) -> HttpResponse:
    """Handle a message that expects no response; if it gets one, it was invalid."""
    complaints = DemoOutbox()
    await session.server.handle(message, complaints.put)
    complaints.end()
    complaint = await complaints.take(1)
    return HttpResponse(202) if complaint is None else as_json(complaint, 400)


async def _listen(session: DemoSession) -> AsyncIterator[bytes]:
    try:
        yield b": listening\n\n"
        async for piece in session.outbox.events():
            yield piece
    finally:
        session.listening = False


def _method(message: Any) -> object:
    return message.get("method") if isinstance(message, dict) else None


def _asks(message: Any) -> bool:
    """Return whether the message is a request, or a batch with one."""
    return any("id" in part and "method" in part for part in _parts(message))


def _parts(message: Any) -> list[dict[str, Any]]:
    return [part for part in (message if isinstance(message, list) else [message]) if isinstance(part, dict)]


class OldSessions:
    """HTTP+SSE: a stream that names the address to post to, and carries all responses."""

    def __init__(self, tasks: asyncio.TaskGroup, station: DemoState, options: DemoOptions) -> None:
        self._tasks = tasks
        self._station = station
        self._options = dataclasses.replace(options, modern=False)
        self.open_sessions: dict[str, DemoSession] = {}

    def open(self) -> HttpResponse:
        """Open a stream and its session."""
        name, outbox = secrets.token_hex(16), DemoOutbox()
        session = DemoSession(DemoServer(self._station, self._options, outbox.put), outbox)
        return HttpResponse(200, EVENT_STREAM, self._stream(name, session))

    async def _stream(self, name: str, session: DemoSession) -> AsyncIterator[bytes]:
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
        """Accept a message; its response is sent on the session's stream."""
        session = self.open_sessions.get(name)
        if session is None:
            return HttpResponse(404, (("Content-Type", "text/plain"),), b"There is no such session\n")
        try:
            message = parse(request.body)
        except DemoError as refusal:
            return refused(400, refusal)
        task = self._tasks.create_task(session.server.handle(message, session.outbox.put))
        session.tasks.add(task)
        task.add_done_callback(session.tasks.discard)
        return HttpResponse(202, (("Content-Type", "text/plain"),), b"Accepted")


# Headers of stateless requests (2026-07-28, basic/transports)


def check(message: Json, headers: Mapping[str, str], schema: Any = None) -> None:
    """Compare the headers with a request.

    `headers` has lower-case names; `schema` is the input schema of the called tool, if there is one.

    Raises: DemoError.
    """
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    _same("MCP-Protocol-Version", (meta if isinstance(meta, dict) else {}).get(META + "protocolVersion"), headers)
    _same("Mcp-Method", message["method"], headers)
    name = params.get(NAMED_BY.get(message["method"], ""))
    if isinstance(name, str):
        _same("Mcp-Name", name, headers, encoded=True)
    if message["method"] == "tools/call":
        arguments = params.get("arguments")
        for suffix, value in _mirrored(schema, arguments if isinstance(arguments, dict) else {}):
            _param(f"Mcp-Param-{suffix}", value, headers)


def _same(name: str, wanted: object, headers: Mapping[str, str], *, encoded: bool = False) -> None:
    found = headers.get(name.lower())
    if found is None:
        raise DemoError(HEADER_MISMATCH, f"Header mismatch: {name} is missing, the body has {wanted!r}")
    if (decode(found) if encoded else found) != wanted:
        raise DemoError(HEADER_MISMATCH, f"Header mismatch: {name} is {found!r}, the body has {wanted!r}")


def _param(name: str, value: object, headers: Mapping[str, str]) -> None:
    if value is None:
        if name.lower() in headers:
            raise DemoError(HEADER_MISMATCH, f"Header mismatch: {name} is present, but the body has no such argument")
    elif isinstance(value, bool):
        _same(name, "true" if value else "false", headers, encoded=True)
    elif isinstance(value, (str, int)):
        _same(name, str(value), headers, encoded=True)


def _mirrored(schema: Any, value: Any) -> Iterator[tuple[str, object]]:
    """Yield the suffix of each header that the schema requires, and the argument that it repeats."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for key, inner in (properties if isinstance(properties, dict) else {}).items():
        held = value.get(key) if isinstance(value, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get("x-mcp-header"), str):
            yield inner["x-mcp-header"], held
        yield from _mirrored(inner, held)


def decode(value: str) -> str:
    """Decode the value of a header. Raises: DemoError if it is marked as base64 and is not."""
    if not (value.startswith(_START) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_START) : -len(_END)], validate=True).decode()
    except (binascii.Error, ValueError):
        raise DemoError(HEADER_MISMATCH, f"Header mismatch: {value!r} is not base64 of UTF-8") from None


async def serve(port: int, options: DemoOptions) -> None:
    """Serve on a local port (0: a free one) until cancelled. The URL is the first line on stderr."""
    station = DemoState()
    async with asyncio.TaskGroup() as tasks, Listener(DemoSite(tasks, options, station).answer, port=port) as listener:
        tasks.create_task(emit_changes(station, options.weather))
        write_stderr(f"{methods.IDENTITY['title']} listens at {listener.url}/mcp")
        if options.legacy:
            write_stderr(f"HTTP+SSE: {listener.url}/sse")
        await asyncio.Event().wait()


class DemoSite:
    """Handles HTTP requests. Running calls live in `tasks`."""

    def __init__(self, tasks: asyncio.TaskGroup, options: DemoOptions, station: DemoState | None = None) -> None:
        self.station = station or DemoState()
        self._tasks = tasks
        self._options = options
        self._stateless_options = dataclasses.replace(options, legacy=False)
        self.sessions = DemoSessions(tasks, self.station, options)
        self.old_sessions = OldSessions(tasks, self.station, options)

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """Handle a request of a Listener."""
        where = urlsplit(request.target)
        match where.path, request.method:
            case "/mcp", "POST":
                return await self._post(request)
            case "/mcp", "GET" | "DELETE" if self._options.legacy and not _is_stateless(request, None):
                return self.sessions.get(request) if request.method == "GET" else self.sessions.delete(request)
            case "/sse", "GET" if self._options.legacy:
                return self.old_sessions.open()
            case "/messages", "POST" if self._options.legacy:
                return self.old_sessions.post(parse_qs(where.query).get("session", [""])[0], request)
            case "/mcp" | "/sse" | "/messages", _:
                return _plain(NOT_ALLOWED, "Method not allowed")
            case _:
                return _plain(NOT_FOUND, "Not found; the server is at /mcp")

    async def _post(self, request: HttpRequest) -> HttpResponse:
        if fault := _carelessness(request):
            return fault
        try:
            message = parse(request.body)
        except DemoError as refusal:
            return refused(BAD_REQUEST, refusal)
        if self._options.modern and (not self._options.legacy or _is_stateless(request, message)):
            return await self._stateless(request, message)
        return await self.sessions.post(request, message)

    async def _stateless(self, request: HttpRequest, message: Any) -> HttpResponse:
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            return refused(BAD_REQUEST, DemoError(INVALID_REQUEST, "The body must be one request"))
        if "id" not in message:
            return HttpResponse(202)
        try:
            self._vet(request, message)
        except DemoError as refusal:
            return refused(NOT_FOUND if refusal.code == METHOD_NOT_FOUND else BAD_REQUEST, refusal, message["id"])
        outbox = DemoOutbox()
        server = DemoServer(self.station, self._stateless_options, outbox.put)
        return await respond(self._tasks, server.handle(message, outbox.put), outbox, ends_with_stream=True)

    def _vet(self, request: HttpRequest, message: Json) -> None:
        """Check what has an HTTP status of its own, before the request is handled. Raises: DemoError."""
        params = message.get("params", {})
        params = params if isinstance(params, dict) else {}
        methods.era_of(message["method"], params, DemoConnection(DemoOutbox().put), self._stateless_options)
        check(message, _lowered(request), self._schema_of(params.get("name")))
        if message["method"] not in methods.MODERN:
            raise DemoError(METHOD_NOT_FOUND, f"Method not found: {message['method']}")
        if message["method"] == "tools/call":
            self._vet_tool(params)

    def _vet_tool(self, params: Json) -> None:
        tool, arguments = self._tool(params.get("name")), params.get("arguments")
        if tool is not None and tool.needs is not None:
            needed = tool.needs(arguments if isinstance(arguments, dict) else {})
            call.demand(params["_meta"][META + "clientCapabilities"], needed, stateless=True)

    def _schema_of(self, name: object) -> Any:
        tool = self._tool(name)
        return None if tool is None else tool.input_schema

    def _tool(self, name: object) -> DemoTool | None:
        there = tools.catalogue(self.station)
        return next((tool for tool in there if tool.name == name), None)


def _lowered(request: HttpRequest) -> Mapping[str, str]:
    return {name.lower(): value for name, value in reversed(request.headers)}


def _is_stateless(request: HttpRequest, message: Any) -> bool:
    """Return whether the body declares a revision, or a header names a stateless one."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    declares = isinstance(meta, dict) and META + "protocolVersion" in meta
    return declares or request.header("mcp-protocol-version") in call.MODERN


def _carelessness(request: HttpRequest) -> HttpResponse | None:
    """Check the headers of a POST: both content types accepted, and JSON sent. Return an error response or None."""
    accepted = {part.partition(";")[0].strip() for part in (request.header("accept") or "").split(",")}
    if "*/*" not in accepted and not accepted >= {"application/json", "text/event-stream"}:
        return _plain(NOT_ACCEPTABLE, "Accept must name application/json and text/event-stream")
    if (request.header("content-type") or "").partition(";")[0].strip().lower() != "application/json":
        return _plain(WRONG_TYPE, "Content-Type must be application/json")
    return None


def _plain(status: int, words: str) -> HttpResponse:
    return HttpResponse(status, (("Content-Type", "text/plain; charset=utf-8"),), words.encode() + b"\n")
