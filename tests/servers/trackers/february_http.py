"""Servers over HTTP of the eighth round."""

import json
from itertools import count

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import JSON, STREAM, Handler, stream
from tests.servers.streams import event
from tests.servers.trackers import Run
from tests.servers.trackers.january_http import _method
from tests.servers.trackers.written_http import handler_of

_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)


def _with_session(id_: str) -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        if _method(request) == "initialize" and request.header("mcp-protocol-version") != "2026-07-28":
            return HttpResponse(response.status, (*response.headers, ("Mcp-Session-Id", id_)), response.body)
        return response

    return handler


def _answers_in_turn() -> Handler:
    inner, turns = _with_session("3f2a"), count()

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.header("mcp-session-id") is not None and request.method == "POST" and next(turns) % 2:
            lost = {"code": -32600, "message": "Session not found"}
            return HttpResponse(404, JSON, json.dumps({"jsonrpc": "2.0", "id": "server-error", "error": lost}).encode())
        return await inner(request)

    return handler


def _wants_a_login(where: str) -> Handler:
    async def handler(request: HttpRequest) -> HttpResponse:
        path = request.target.partition("?")[0]
        origin = f"http://{request.header('host')}"
        if path == "/.well-known/oauth-protected-resource/mcp":
            found = {"resource": f"{origin}/mcp", "authorization_servers": [origin]}
        elif path == "/.well-known/oauth-authorization-server":
            found = {
                "issuer": origin,
                "authorization_endpoint": f"{origin}/authorize",
                "token_endpoint": f"{origin}/token",
                "registration_endpoint": f"{origin}/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
            }
        elif path == "/mcp":
            place = where.format(origin) + "/.well-known/oauth-protected-resource/mcp"
            challenge = f'Bearer resource_metadata="{place}"'
            return HttpResponse(401, (*_TEXT, ("WWW-Authenticate", challenge)), b"Unauthorized")
        else:
            return HttpResponse(404, _TEXT, b"Not Found")
        return HttpResponse(200, JSON, json.dumps(found).encode())

    return handler


def _in_pieces() -> Handler:
    inner = handler_of({"tools/call": {"content": [{"type": "text", "text": "grüße"}]}}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        if _method(request) not in ("tools/call", "tools/list") or not isinstance(response.body, bytes):
            return response
        body = json.dumps(json.loads(response.body), ensure_ascii=False).encode()
        cut = body.find("ü".encode()) + 1 or 9
        first = b": hello\r\n\r\nretry: 3000\r\nevent: message\r\ndata: " + body[:cut]
        return stream(first, body[cut:] + b"\r\n\r\n: bye\r\n\r\n")

    return handler


def _logs_in_a_stream() -> Handler:
    hello = {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "a", "version": "1"},
        "capabilities": {"tools": {}, "logging": {}},
    }
    inner = handler_of({"initialize": hello, "logging/setLevel": {}}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        if _method(request) != "tools/call" or not isinstance(response.body, bytes):
            return response
        log = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"begun"}}'
        return HttpResponse(200, STREAM, b"id: 1\nretry: 500\ndata:\n\n" + event(log) + event(response.body))

    return handler


def _challenges_readers() -> Handler:
    inner, page = _wants_a_login("{}"), b"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"

    async def handler(request: HttpRequest) -> HttpResponse:
        if "/.well-known/" in request.target:
            return HttpResponse(403, (("Content-Type", "text/html"), ("Cf-Mitigated", "challenge")), page)
        return await inner(request)

    return handler


def _begins_again() -> Handler:
    inner, numbers = handler_of({}, "legacy", events=False), count()

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        if request.method != "POST" or request.header("mcp-protocol-version") == "2026-07-28":
            return response
        return HttpResponse(
            response.status, (*response.headers, ("Mcp-Session-Id", f"s-{next(numbers)}")), response.body
        )

    return handler


def _begins_with_a_mark() -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        if _method(request) != "tools/call" or not isinstance(response.body, bytes):
            return response
        return HttpResponse(200, STREAM, b"\xef\xbb\xbfevent: ping\ndata: {}\n\n" + event(response.body))

    return handler


SERVERS: dict[str, Run] = {
    "metadata-address-is-relative": lambda: _wants_a_login(""),
    "login-works-as-it-should": lambda: _wants_a_login("{}"),
    "two-replicas-in-turn": _answers_in_turn,
    "log-in-the-stream-of-a-call": _logs_in_a_stream,
    "metadata-is-challenged": _challenges_readers,
    "session-for-each-response": _begins_again,
    "events-of-another-kind": _begins_with_a_mark,
    "stream-in-many-pieces": _in_pieces,
}
