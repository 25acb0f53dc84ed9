"""The mock over HTTP, on loopback only: sessions (initialize) and stateless requests.

An immediate response is sent as JSON. If another message precedes the response, or the response is delayed, it
becomes an event stream. The events of a session have ids, so that an interrupted stream can be resumed.
"""

import asyncio
import base64
import binascii
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from inspector.features.mock.connection import INVALID_REQUEST, MockConnection
from inspector.features.mock.openings import served_modern
from inspector.features.mock.shared import MockShared, Serves
from inspector.features.mock.streams import (
    HttpTape,
    MockStream,
    StreamItem,
    StreamItemKind,
    StreamOutbox,
    Streams,
    event,
    still_here,
)
from inspector.protocol import jsonrpc
from inspector.protocol.frames import Channel
from inspector.protocol.headers import headers_for
from inspector.protocol.jsonrpc import Message, Notification, Request, read
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.openings import HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION
from inspector.protocol.revisions.table import dates, find
from inspector.protocol.tracking.opening import declared_revision
from inspector.text import cut
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse, Listener, Pairs

Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]
"""Starts work that ends with the mock."""

logger = logging.getLogger(__name__)

MESSAGES = "/messages"
STREAM: Pairs = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"))
_TEXT: Pairs = (("Content-Type", "text/plain; charset=utf-8"),)
_STATUS = {-32601: 404, HEADER_MISMATCH: 400, MISSING_CAPABILITY: 400, UNSUPPORTED_VERSION: 400}
"""HTTP status of a stateless error response, by error code; 200 for all others."""
_MARK, _END = "=?base64?", "?="
INTERNAL_ERROR = -32603
SESSION, VERSION, LAST = "Mcp-Session-Id", "MCP-Protocol-Version", "Last-Event-ID"
PATH, OLD_PATH = "/mcp", "/sse"
_PATIENCE_S = 0.25
"""Seconds after which a response becomes an event stream."""
_JSON = (("Content-Type", "application/json"),)
_ALLOWED = (("Allow", "GET, POST, DELETE"),)
_OWN = "own"
"""Name of the stream that belongs to no request."""


# HTTP+SSE (2024-11-05)


class LegacySseSite:
    """Answers requests of clients that use HTTP+SSE."""

    def __init__(self, shared: MockShared, tape: HttpTape, spawn: Spawn, outbox: Callable[[], StreamOutbox]) -> None:
        self._shared, self._tape, self._spawn, self._outbox = shared, tape, spawn, outbox
        self._sessions: dict[str, tuple[MockConnection, StreamOutbox]] = {}

    def open(self, number: int) -> HttpResponse:
        """Open the event stream of a new client."""
        self._tape.answered(number, 200, STREAM)
        return HttpResponse(200, STREAM, self._heard(number))

    def take(self, request: HttpRequest, number: int, entry: int) -> HttpResponse:
        """Process a message that a client posts."""
        session = self._sessions.get(parse_qs(urlsplit(request.target).query).get("session_id", [""])[0])
        if session is None:
            return self._text_response(number, 404, "Unknown session; open the stream again")
        connection, common = session
        self._spawn(connection.take(request.body, common, entry))
        return self._text_response(number, 202, "Accepted")

    async def _heard(self, number: int) -> AsyncIterator[bytes]:
        name, common = secrets.token_hex(16), self._outbox()
        connection = MockConnection(self._shared, common, self._spawn)
        self._sessions[name] = connection, common
        try:
            yield event(f"{MESSAGES}?session_id={name}".encode(), name="endpoint")
            async for piece in MockStream(common).flow(self._tape, number, Channel.SSE):
                yield piece
        finally:
            del self._sessions[name]
            connection.close()
            self._tape.ended(number)

    def _text_response(self, number: int, status: int, words: str) -> HttpResponse:
        self._tape.answered(number, status, _TEXT)
        self._tape.ended(number)
        return HttpResponse(status, _TEXT, words.encode())


# Headers and status codes of stateless requests


class MockSession(msgspec.Struct):
    """The session of one client, from its `initialize` to its DELETE."""

    connection: MockConnection
    own: MockStream
    streams: Streams
    listening: bool = False


def status_of(payload: bytes) -> int:
    """Return the HTTP status of a stateless response."""
    first = read(payload)[0]
    return _STATUS.get(first.code or 0, 200) if isinstance(first, jsonrpc.ErrorResponse) else 200


def header_fault(request: HttpRequest, message: Request) -> str:
    """Return how the headers of a stateless request contradict its body; "" if they match.

    Source: 2026-07-28, basic/transports/http. Headers that mirror arguments are not checked, because only the server
    knows which ones a tool requires.
    """
    declared = declared_revision(message.params)
    revision = find(declared) if declared is not None else None
    if revision is None:
        return ""  # another error lists the supported versions
    for name, wanted in headers_for(revision, message.method, message.params).items():
        found = request.header(name)
        if found is None:
            return f"Header mismatch: {name} is missing, the body says {cut(_plain(wanted), 60)!r}"
        if _plain(found) != _plain(wanted):
            return f"Header mismatch: {name} is {cut(found, 60)!r}, the body says {cut(_plain(wanted), 60)!r}"
    return ""


def _plain(value: str) -> str:
    """Return a header's value, decoded if it is in base64 form; unchanged if it can't be decoded."""
    if not (value.startswith(_MARK) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_MARK) : -len(_END)], validate=True).decode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        return value


class MockSite:
    """Answers HTTP requests. Running turns are tasks of `tasks`."""

    def __init__(self, shared: MockShared, tasks: asyncio.TaskGroup, tape: HttpTape) -> None:
        self._shared = shared
        self._tasks = tasks
        self._tape = tape
        self.sessions: dict[str, MockSession] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._stateless = MockConnection(shared, _Nowhere(), self._spawn)
        self._old = LegacySseSite(shared, tape, self._spawn, self._outbox)
        self._old_paths = {OLD_PATH, *([shared.script.path] if shared.script.old_carriage else [])} - {""}
        if shared.settings.serves is Serves.MODERN:
            self._old_paths.clear()
        self._paths = {PATH, shared.script.path or PATH} - self._old_paths

    async def answer(self, request: HttpRequest) -> HttpResponse:
        """Handle a request of the Listener."""
        number, entry = self._tape.came(request)
        path = urlsplit(request.target).path
        if path in self._old_paths and request.method == "GET":
            return self._old.open(number)
        if path == MESSAGES and request.method == "POST":
            return self._old.take(request, number, entry)
        if path in self._old_paths or path == MESSAGES:
            return self._text_response(
                number, 405, "Method not allowed", (("Allow", "GET" if path != MESSAGES else "POST"),)
            )
        if path not in self._paths:
            return self._text_response(number, 404, "Nothing is played here")
        if request.method == "POST":
            return await self._post(request, number, entry)
        if request.method not in ("GET", "DELETE") or self._shared.settings.serves is Serves.MODERN:
            return self._text_response(number, 405, "Method not allowed", _ALLOWED)
        session = self._find(request, number)
        if isinstance(session, HttpResponse):
            return session
        return self._get(session, request, number) if request.method == "GET" else self._delete(request, number)

    def close(self) -> None:
        """Cancel all running work."""
        for task in tuple(self._running):
            task.cancel()

    async def _post(self, request: HttpRequest, number: int, entry: int) -> HttpResponse:
        messages = read(request.body)
        first = messages[0]
        if isinstance(first, Request) and declared_revision(first.params) is not None:
            if wrong := header_fault(request, first):
                return self._refused(number, 400, HEADER_MISMATCH, wrong, first.id)
            return await self._respond(self._stateless, request, number, entry)
        name = ""
        if isinstance(first, Request) and first.method == "initialize" and request.header(SESSION) is None:
            if not self._shared.refusal_of(Era.LEGACY):
                name = secrets.token_hex(16)
            session = self._new_session(name)
        elif isinstance(first, Request) and first.method == "server/discover":
            return await self._respond(self._stateless, request, number, entry)
        elif not isinstance(first, Request) and request.header(VERSION) in served_modern(self._shared.script):
            return self._taken(number)
        else:
            found = self._find(request, number)
            if isinstance(found, HttpResponse):
                return found
            session = found
        if not any(isinstance(message, Request) for message in messages):
            await session.connection.take(request.body, session.own.outbox, entry)
            return self._taken(number)
        headers = ((SESSION, name),) if name else ()
        return await self._respond(session.connection, request, number, entry, headers=headers, session=session)

    def _taken(self, number: int) -> HttpResponse:
        self._tape.answered(number, 202, ())
        self._tape.ended(number)
        return HttpResponse(202)

    def _new_session(self, name: str) -> MockSession:
        own, streams = MockStream(self._outbox(), _OWN), Streams()
        session = MockSession(MockConnection(self._shared, own.outbox, self._spawn), streams.add(own), streams)
        if name:
            self.sessions[name] = session
        return session

    def _find(self, request: HttpRequest, number: int) -> MockSession | HttpResponse:
        name = request.header(SESSION)
        if name is None:
            missing = f"{SESSION} is missing; initialize first"
            return self._refused(number, 400, INVALID_REQUEST, missing)
        if name not in self.sessions:
            return self._refused(number, 404, INVALID_REQUEST, "Unknown session; initialize again")
        version = request.header(VERSION)
        if version is not None and version not in dates(Era.LEGACY):
            return self._refused(number, 400, INVALID_REQUEST, f"Unsupported {VERSION}: {cut(version, 40)}")
        return self.sessions[name]

    def _get(self, session: MockSession, request: HttpRequest, number: int) -> HttpResponse:
        """Open the session's own stream, or resume an interrupted one after its last event.

        This exists from 2025-03-26 to 2025-11-25.
        """
        stream, after = session.streams.find(request.header(LAST) or "") or (session.own, None)
        if stream is session.own and session.listening:
            return self._refused(number, 409, INVALID_REQUEST, "This session has its stream already")
        self._tape.answered(number, 200, STREAM)
        return HttpResponse(200, STREAM, self._listened(session, stream, number, after))

    async def _listened(
        self, session: MockSession, stream: MockStream, number: int, after: int | None
    ) -> AsyncIterator[bytes]:
        session.listening = session.listening or stream is session.own
        try:
            yield still_here()
            async for piece in stream.flow(self._tape, number, Channel.GET, after):
                yield piece
        finally:
            if stream is session.own:
                session.listening = False
            self._tape.ended(number)

    def _delete(self, request: HttpRequest, number: int) -> HttpResponse:
        session = self.sessions.pop(request.header(SESSION) or "")
        session.connection.close()
        session.own.outbox.end()
        self._tape.answered(number, 204, ())
        self._tape.ended(number)
        return HttpResponse(204)

    async def _respond(
        self,
        connection: MockConnection,
        request: HttpRequest,
        number: int,
        entry: int,
        *,
        headers: Pairs = (),
        session: MockSession | None = None,
    ) -> HttpResponse:
        """Play the response to a request and return the HTTP response that carries it.

        Without a session, the work is cancelled when the HTTP response ends.
        """
        outbox = self._outbox()
        task = self._spawn(_run(connection, request.body, outbox, entry))
        try:
            first = await outbox.peek(_PATIENCE_S)
        except asyncio.CancelledError:
            if session is None:
                task.cancel()
            raise
        if first is not None and not _begins_a_stream(first.payload):
            return self._replied(first, number, headers, stateless=session is None)
        stream = session.streams.add(MockStream(outbox, str(number))) if session is not None else MockStream(outbox)
        self._tape.answered(number, 200, (*STREAM, *headers))
        body = self._streamed(task, stream, number, begun=first is not None, stateless=session is None)
        return HttpResponse(200, (*STREAM, *headers), body)

    def _replied(self, first: StreamItem, number: int, headers: Pairs, *, stateless: bool) -> HttpResponse:
        """Return an immediate response as JSON."""
        status = status_of(first.payload) if stateless else 200
        self._tape.answered(number, status, (*_JSON, *headers))
        payload = first.payload
        if first.kind is StreamItemKind.CUT:
            payload = payload[: len(payload) // 2]
        self._tape.sent(number, payload, Channel.REPLY)
        self._tape.ended(number)
        return HttpResponse(
            status, (*_JSON, *headers), _broken(payload) if first.kind is StreamItemKind.CUT else payload
        )

    async def _streamed(
        self, task: asyncio.Task[None], stream: MockStream, number: int, *, begun: bool, stateless: bool
    ) -> AsyncIterator[bytes]:
        try:
            if not begun:
                yield still_here()
            async for piece in stream.flow(self._tape, number, Channel.SSE):
                yield piece
        finally:
            if stateless:
                task.cancel()
            self._tape.ended(number)

    def _outbox(self) -> StreamOutbox:
        return StreamOutbox(
            lambda: self._shared.report_once("what the server wrote beside its messages has no place over HTTP")
        )

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._tasks.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def _text_response(self, number: int, status: int, words: str, more: Pairs = ()) -> HttpResponse:
        headers = (("Content-Type", "text/plain; charset=utf-8"), *more)
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
    """Outlet for messages that no stream carries. A stateless client receives them only on a stream that it opened."""

    async def send(self, payload: bytes) -> None:
        """Drop it."""

    async def write(self, payload: bytes) -> None:
        """Drop it."""

    async def cut(self, payload: bytes) -> None:
        """Drop it."""


async def _run(connection: MockConnection, body: bytes, outbox: StreamOutbox, entry: int) -> None:
    """Answer one client's message. Errors affect only this client."""
    try:
        await connection.take(body, outbox, entry)
    except Exception:  # the boundary of the mock: one request must not end the server for all clients
        logger.exception("the mock failed to answer a request")
        await outbox.send(jsonrpc.write_error(None, INTERNAL_ERROR, "The mock failed to answer; see its log"))
    finally:
        outbox.end()


async def _broken(payload: bytes) -> AsyncIterator[bytes]:
    yield payload
    raise HangUp


def _begins_a_stream(payload: bytes) -> bool:
    first: Message = read(payload)[0]
    return isinstance(first, Request | Notification)


async def serve(shared: MockShared, port: int, announce: Callable[[str], None]) -> None:
    """Serve on a local port (0: any free one) until cancelled. Its address is announced.

    Raises: OSError if the port is taken.
    """
    tape, sites = HttpTape(shared.tape), list[MockSite]()
    listener = Listener(lambda request: sites[0].answer(request), port=port)
    await listener.start()  # outside of the group, so that a taken port raises a plain error and not a group
    tape.open(f"{listener.url}{PATH}")
    try:
        async with asyncio.TaskGroup() as tasks:
            sites.append(MockSite(shared, tasks, tape))
            announce(f"playing at {listener.url}{PATH}")
            if shared.settings.serves is not Serves.MODERN:
                announce(f"for clients of the older HTTP+SSE: {listener.url}{OLD_PATH}")
            await asyncio.Event().wait()
    finally:
        await listener.close()
        tape.close()
