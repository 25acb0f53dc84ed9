"""Servers over HTTP of the sixth round."""

import asyncio
import json

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import modern
from tests.servers.http_fixtures import JSON, Handler, stream
from tests.servers.streams import answer_to, event
from tests.servers.trackers import Run
from tests.servers.trackers.advent_http import keeps_listening, older
from tests.servers.trackers.written_http import handler_of

_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)


def _stops_after_its_headers() -> Handler:
    inner = handler_of({}, "legacy", events=True)

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "POST" and json.loads(request.body).get("method") == "tools/list":
            return stream(asyncio.Event().wait)
        return await inner(request)

    return handler


def _leads_to_itself() -> Handler:
    async def handler(request: HttpRequest) -> HttpResponse:
        return HttpResponse(301, (("Location", f"http://{request.header('host')}{request.target}"),))

    return handler


def _drops_its_stream() -> Handler:
    inner = handler_of({}, "legacy", events=True)

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            return stream(ConnectionResetError("ERR_HTTP_HEADERS_SENT"))
        return await inner(request)

    return handler


def _wants_no_handshake(request: HttpRequest) -> HttpResponse:
    about = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
    error = {"code": -32022, "message": "Unsupported protocol version", "data": about}
    body = {"jsonrpc": "2.0", "id": json.loads(request.body)["id"], "error": error}
    return HttpResponse(400, JSON, json.dumps(body).encode())


_LOG = {
    "jsonrpc": "2.0",
    "method": "notifications/message",
    "params": {"data": "SSE Connection established", "level": "info"},
}


def _opens_and_says_nothing() -> Handler:
    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return HttpResponse(405)
        if json.loads(request.body).get("method") == "initialize":
            return stream(asyncio.Event().wait)
        return HttpResponse(400, _TEXT, b"Bad Request: Unsupported protocol version")

    return handler


def _keeps_alive() -> Handler:
    inner = handler_of({}, "legacy", events=True)

    async def handler(request: HttpRequest) -> HttpResponse:
        message = json.loads(request.body or b"{}")
        if message.get("method") == "tools/call":
            done = {"content": [{"type": "text", "text": "done"}]}
            return stream(b"event: ping\ndata: \n\n", event(answer_to(request, done)))
        return await inner(request)

    return handler


def _is_an_application() -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.target == "/mcp":
            return await inner(request)
        page = b"<!DOCTYPE html><html><head><title>Outline</title></head><body><div id=root></div></body></html>"
        return HttpResponse(200, (("Content-Type", "text/html; charset=utf-8"),), page)

    return handler


def _has_no_delete() -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "DELETE":
            page = b"<!DOCTYPE HTML><html><head><title>Error response</title></head><body><h1>Error response</h1>"
            page += b"<p>Error code: 501</p><p>Message: Unsupported method ('DELETE').</p></body></html>"
            return HttpResponse(501, (("Content-Type", "text/html;charset=utf-8"),), page)
        response = await inner(request)
        if request.method == "POST" and json.loads(request.body).get("method") == "initialize":
            return HttpResponse(response.status, (*response.headers, ("Mcp-Session-Id", "3f2a")), response.body)
        return response

    return handler


def _loses_its_session() -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "POST" and request.header("mcp-session-id") is not None:
            return HttpResponse(
                404, JSON, json.dumps({"jsonrpc": "2.0", "id": json.loads(request.body).get("id")}).encode()
            )
        response = await inner(request)
        if request.method == "POST" and json.loads(request.body).get("method") == "initialize":
            return HttpResponse(response.status, (*response.headers, ("Mcp-Session-Id", "3f2a")), response.body)
        return response

    return handler


def _keeps_its_sessions() -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "DELETE":
            return HttpResponse(405, (("Allow", "GET, POST"),))
        response = await inner(request)
        if request.method == "POST" and json.loads(request.body).get("method") == "initialize":
            return HttpResponse(response.status, (*response.headers, ("Mcp-Session-Id", "3f2a")), response.body)
        return response

    return handler


SERVERS: dict[str, Run] = {
    "policy-buffers-the-list": _stops_after_its_headers,
    "https-behind-https": _leads_to_itself,
    "stream-dies-after-its-headers": _drops_its_stream,
    "advice-for-reconnecting": lambda: older(
        "/sse", HttpResponse(405, _TEXT, b"Method Not Allowed"), first=b"retry: 10000\n\n"
    ),
    "log-before-the-handshake": lambda: older(
        "/sse",
        HttpResponse(405, _TEXT, b"Method Not Allowed"),
        first=event(json.dumps(_LOG).encode(), event="message"),
        capabilities={"tools": {}, "logging": {}},
    ),
    "stream-of-initialize-stays-empty": _opens_and_says_nothing,
    "keeps-alive-by-an-event": _keeps_alive,
    "application-for-every-path": _is_an_application,
    "delete-is-not-implemented": _has_no_delete,
    "lost-session-has-no-error": _loses_its_session,
    "sessions-can-not-be-ended": _keeps_its_sessions,
    "handshake-is-not-wanted": lambda: modern(initialize=_wants_no_handshake, subscriptions_listen=keeps_listening),
}
