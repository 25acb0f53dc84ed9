"""Servers over HTTP with faults that were reported in 2025 and 2026, the fifth round."""

import asyncio
import json
from collections.abc import AsyncIterator

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers import streams
from tests.servers.faulty.authorization._house import ABOUT, PROTECTED, house
from tests.servers.faulty.http._healthy import legacy, modern
from tests.servers.http_fixtures import JSON, STREAM, Handler, stream
from tests.servers.streams import answer_to, event, granted_to
from tests.servers.trackers import Run
from tests.servers.trackers.written_http import HELLO, handler_of, older

_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)
_PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


def _refuses_responses() -> Handler:
    """Pings in the stream of a call, and wants no response."""
    inner, came = handler_of({}, "legacy", events=False), asyncio.Event()

    async def handler(request: HttpRequest) -> HttpResponse:
        message = json.loads(request.body or b"{}")
        if request.method == "POST" and "method" not in message:
            came.set()
            return HttpResponse(400, _TEXT, b"Invalid or malformed MCP request\n")
        if message.get("method") == "tools/call":
            done = {"content": [{"type": "text", "text": "done"}]}
            return stream(event(_PING), came.wait, event(answer_to(request, done)))
        return await inner(request)

    return handler


def _demands_newer_headers() -> Handler:
    """Does without them in initialize; all else has to have the headers of 2026-07-28."""
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        message = json.loads(request.body or b"{}")
        newer = request.header("mcp-protocol-version") == "2026-07-28"
        if request.method != "POST" or newer or message.get("method") == "initialize" or request.header("mcp-method"):
            return await inner(request)
        error = {"code": -32020, "message": "Header mismatch: Mcp-Method header is required"}
        body = {"jsonrpc": "2.0", "id": message.get("id"), "error": error}
        return HttpResponse(400, JSON, json.dumps(body).encode())

    return handler


def _moved() -> Handler:
    """POST is redirected by 301; GET at the new address is refused."""
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.target == "/mcp":
            return HttpResponse(301, (("Location", "/v1/mcp"),))
        return await inner(request)

    return handler


def _does_not_listen() -> Handler:
    """Refuses the stream of changes, and declares none."""
    whole = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
    about = {"io.modelcontextprotocol/serverInfo": streams.WHO}
    discovered = whole | {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "_meta": about}
    inner = modern(server_discover=lambda request: HttpResponse(200, JSON, answer_to(request, discovered)))

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "POST" and json.loads(request.body).get("method") == "subscriptions/listen":
            error = {"code": -32601, "message": "Method not found: subscriptions/listen"}
            body = {"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "error": error}
            return HttpResponse(404, JSON, json.dumps(body).encode())
        return await inner(request)

    return handler


def _repeats() -> Handler:
    """Sends each response of a POST once more on the stream of GET."""
    inner, outbox = legacy(initialize=_begins_a_session), asyncio.Queue[bytes]()

    async def repeated() -> AsyncIterator[bytes]:
        while True:
            yield event(await outbox.get())

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            return HttpResponse(200, STREAM, repeated())
        if request.header("mcp-protocol-version") == "2026-07-28":
            return HttpResponse(400, _TEXT, b"Bad Request: Unsupported protocol version")
        response = await inner(request)
        if request.header("mcp-session-id") and isinstance(response.body, bytes) and response.body:
            outbox.put_nowait(response.body)
        return response

    return handler


def _begins_a_session(request: HttpRequest) -> HttpResponse:
    return HttpResponse(200, (*JSON, ("Mcp-Session-Id", "3f2a")), answer_to(request, HELLO))


def _sticks_by_a_cookie() -> Handler:
    """Another machine answers requests without the cookie, and does not know the session."""
    cookie = ("Set-Cookie", "AWSALB=kQ4n; Path=/; Expires=Sun, 06 Dec 2026 10:00:00 GMT")
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        message = json.loads(request.body or b"{}")
        if message.get("method") == "initialize":
            return HttpResponse(200, (*JSON, ("Mcp-Session-Id", "3f2a"), cookie), answer_to(request, HELLO))
        if request.header("mcp-session-id") and "AWSALB=" not in (request.header("cookie") or ""):
            error = {"code": -32001, "message": "Session not found"}
            body = {"jsonrpc": "2.0", "id": message.get("id"), "error": error}
            return HttpResponse(404, (*JSON, cookie), json.dumps(body).encode())
        return await inner(request)

    return handler


_NOT_FOUND = HttpResponse(404, _TEXT, b"Not Found")


def keeps_listening(request: HttpRequest) -> HttpResponse:
    return stream(granted_to(request), asyncio.Event().wait, headers=(("X-Accel-Buffering", "no"),))


SERVERS: dict[str, Run] = {
    "no-authorization-endpoint": lambda: house(about={"authorization_endpoint": None}),
    "get-repeats-what-post-got": _repeats,
    "balancer-wants-its-cookie": _sticks_by_a_cookie,
    "metadata-is-not-allowed": lambda: house(
        challenge=None, instead={PROTECTED: HttpResponse(405, _TEXT, b"Method Not Allowed"), ABOUT: _NOT_FOUND}
    ),
    "event-of-its-own": lambda: older(
        "/sse",
        HttpResponse(405, _TEXT, b"Method Not Allowed"),
        first=b"id: stream-3f2a\nevent: mobile-mcp-stream\ndata: {}\n\n",
    ),
    "listens-and-nothing-changes": lambda: modern(subscriptions_listen=keeps_listening),
    "response-of-the-client-is-refused": _refuses_responses,
    "headers-of-the-newer-version-demanded": _demands_newer_headers,
    "redirect-makes-get-of-post": _moved,
    "listening-is-refused": _does_not_listen,
    "older-transport-at-the-same-address": lambda: older(
        "/", HttpResponse(400, _TEXT, b"sessionId query parameter is not provided")
    ),
    "pings-count-as-well": lambda: older(
        "/sse",
        HttpResponse(405, _TEXT, b"Method Not Allowed"),
        first=event(_PING, event="message") + event(_PING.replace(b'"id": 1', b'"id": 2'), event="message"),
    ),
}
