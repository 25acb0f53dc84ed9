"""`tests.servers.conforming` over HTTP, in every form that the specification has: a function makes each handler."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.conforming import LEGACY, META, MODERN, Conforming, acknowledged, changed
from tests.servers.http_fixtures import JSON, Handler

STREAM = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"), ("X-Accel-Buffering", "no"))
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_NEAR = ("127.0.0.1", "localhost", "::1")
Make = Callable[[], Conforming]


def modern(make: Make, *, streams: bool = False) -> Handler:
    """Stateless: one POST for each request; `streams` answers by events where there is more to say."""

    async def handle(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return HttpResponse(405, (("Allow", "POST"),))
        return _stateless(make(), request, streams=streams)

    return _guarded(handle)


def _stateless(server: Conforming, request: HttpRequest, *, streams: bool) -> HttpResponse:
    message = json.loads(request.body)
    if "id" not in message:
        return HttpResponse(202)
    if mismatch := _mismatch(request, message):
        return _refused(message, -32020, mismatch, 400)
    if META + "protocolVersion" not in message.get("params", {}).get("_meta", {}):
        return _refused(message, -32602, "a request declares its protocol version in _meta", 400)
    if message["method"] == "subscriptions/listen":
        return HttpResponse(200, STREAM, _listening(message))
    said = list(server.answer(message))
    if streams and message["method"] in ("tools/call", "tools/list"):
        return HttpResponse(200, STREAM, _events(said))
    code = said[-1].get("error", {}).get("code")
    status = 404 if code == -32601 else 400 if code in (-32020, -32021, -32022) else 200
    return _json(said[-1], status)


def _mismatch(request: HttpRequest, message: Any) -> str:
    """What a header says otherwise than the body; "" for nothing."""
    params = message.get("params", {})
    declared = params.get("_meta", {}).get(META + "protocolVersion")
    if declared is not None and request.header("mcp-protocol-version") != declared:
        return "MCP-Protocol-Version"
    if request.header("mcp-method") != message["method"]:
        return "Mcp-Method"
    named = _NAMED.get(message["method"])
    return "Mcp-Name" if named and request.header("mcp-name") != params.get(named) else ""


async def _listening(message: Any) -> AsyncIterator[bytes]:
    for each in (acknowledged(message), *changed(message)):
        yield _event(each)
    await asyncio.Event().wait()


def session(make: Make, *, streams: bool = False, without_stream: int = 0) -> Handler:
    """With sessions, and a stream by GET; `without_stream` is the status that GET gets instead."""
    sessions: dict[str, Conforming] = {}

    async def handle(request: HttpRequest) -> HttpResponse:
        id_ = request.header("mcp-session-id")
        message = json.loads(request.body) if request.method == "POST" else {}
        if message.get("method") == "initialize":
            id_ = uuid4().hex
            sessions[id_] = make()
            (said,) = sessions[id_].answer(message)
            given = (("Mcp-Session-Id", id_),)
            return HttpResponse(200, STREAM + given, _events([said])) if streams else _json(said, 200, given)
        if id_ is None:
            return _refused(message, -32000, "Bad Request: no session id", 400)
        if id_ not in sessions:
            return _refused(message, -32001, "Session not found", 404)
        if request.header("mcp-protocol-version") not in (None, *LEGACY):
            return _refused(message, -32000, "Bad Request: unsupported protocol version", 400)
        if request.method == "DELETE":
            del sessions[id_]
            return HttpResponse(200)
        if request.method == "GET":
            return HttpResponse(without_stream) if without_stream else HttpResponse(200, STREAM, _silence())
        return _posted(sessions[id_], message, streams=streams)

    return _guarded(handle)


def sessionless(make: Make) -> Handler:
    """Of the handshake era, and without any session."""

    async def handle(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return HttpResponse(405, (("Allow", "POST"),))
        if request.header("mcp-protocol-version") not in (None, *LEGACY):
            return _refused({}, -32000, "Bad Request: unsupported protocol version", 400)
        server = make()
        server.revision = request.header("mcp-protocol-version") or server.revision
        return _posted(server, json.loads(request.body), streams=False)

    return _guarded(handle)


def both(make: Make) -> Handler:
    """Of both eras, at one address: the version in the header tells which a request is of."""
    newer = modern(make)
    older = session(lambda: Conforming(tuple(each for each in make().revisions if each != MODERN)))

    async def handle(request: HttpRequest) -> HttpResponse:
        said = request.header("mcp-protocol-version")
        return await (older if said is None or said in LEGACY else newer)(request)

    return handle


def sse(make: Make) -> Handler:
    """HTTP+SSE: a stream by GET that names where to post to, and brings every response."""
    outboxes: dict[str, tuple[Conforming, asyncio.Queue[dict[str, Any]]]] = {}

    async def events(id_: str) -> AsyncIterator[bytes]:
        yield f"event: endpoint\ndata: /messages?session={id_}\n\n".encode()
        while True:
            yield b"event: message\n" + _event(await outboxes[id_][1].get())

    async def handle(request: HttpRequest) -> HttpResponse:
        parts = urlsplit(request.target)
        if request.method == "GET" and parts.path == "/sse":
            id_ = uuid4().hex
            outboxes[id_] = make(), asyncio.Queue()
            return HttpResponse(200, STREAM, events(id_))
        if request.method != "POST" or parts.path != "/messages":
            return HttpResponse(405 if parts.path == "/sse" else 404)
        server, outbox = outboxes[parse_qs(parts.query)["session"][0]]
        for said in server.answer(json.loads(request.body)):
            outbox.put_nowait(said)
        return HttpResponse(202, (), b"Accepted")

    return _guarded(handle)


def behind_a_token(inner: Handler) -> Handler:
    """A gateway that wants a fixed token for every address, the well-known ones, too."""

    async def handle(request: HttpRequest) -> HttpResponse:
        if request.header("authorization") == "Bearer right":
            return await inner(request)
        challenge = (("WWW-Authenticate", 'Bearer realm="fixed"'),)
        return HttpResponse(401, (*JSON, *challenge), b'{"error":"unauthorized","message":"a token is required"}')

    return handle


def behind_a_login(inner: Handler, *, tenant: str = "", pointer: bool = True) -> Handler:
    """OAuth by the book: metadata is at one of the places where clients look, and 404 with JSON at all others."""

    async def handle(request: HttpRequest) -> HttpResponse:
        here, path = f"http://{request.header('host')}", urlsplit(request.target).path
        protected = "/.well-known/oauth-protected-resource" + ("/mcp" if pointer else "")
        about = f"{tenant}/.well-known/openid-configuration" if tenant else "/.well-known/oauth-authorization-server"
        if path == protected:
            return _json({"resource": f"{here}/mcp", "authorization_servers": [here + tenant]})
        if path == about:
            return _json(_authorization_server(here + tenant))
        if path != "/mcp":
            return _json({"detail": "Not Found"}, 404)
        if request.header("authorization") == "Bearer right":
            return await inner(request)
        named = f'Bearer resource_metadata="{here}{protected}", scope="say"' if pointer else "Bearer"
        return HttpResponse(401, (*JSON, ("WWW-Authenticate", named)), b'{"error":"invalid_token"}')

    return handle


def _authorization_server(issuer: str) -> dict[str, Any]:
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}/authorize",
        "token_endpoint": f"{issuer}/token",
        "registration_endpoint": f"{issuer}/register",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
    }


def _guarded(inner: Handler) -> Handler:
    """Look at Origin and Host, as a server on this machine must and should."""

    async def handle(request: HttpRequest) -> HttpResponse:
        origin = request.header("origin")
        host = urlsplit(f"//{request.header('host')}").hostname
        if (origin is not None and urlsplit(origin).hostname not in _NEAR) or host not in _NEAR:
            return HttpResponse(403, (("Content-Type", "text/plain"),), b"Forbidden")
        return await inner(request)

    return handle


def _posted(server: Conforming, message: Any, *, streams: bool) -> HttpResponse:
    said = list(server.answer(message))
    if not said:
        return HttpResponse(202)
    return HttpResponse(200, STREAM, _events(said)) if streams else _json(said[-1])


def _refused(message: Any, code: int, words: str, status: int) -> HttpResponse:
    error = {"code": code, "message": words}
    named = {"id": message["id"]} if "id" in message else {"id": None}
    return _json({"jsonrpc": "2.0", **named, "error": error}, status)


def _json(value: Any, status: int = 200, more: tuple[tuple[str, str], ...] = ()) -> HttpResponse:
    return HttpResponse(status, JSON + more, json.dumps(value).encode())


def _event(message: Any) -> bytes:
    return b"data: " + json.dumps(message).encode() + b"\n\n"


async def _events(said: list[dict[str, Any]]) -> AsyncIterator[bytes]:
    for each in said:
        yield _event(each)


async def _silence() -> AsyncIterator[bytes]:
    yield b": open\n\n"
    yield _event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    await asyncio.Event().wait()
