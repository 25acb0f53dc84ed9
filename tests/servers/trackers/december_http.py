"""Servers over HTTP of the sixth round."""

import json

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import modern
from tests.servers.http_fixtures import JSON, Handler, stream
from tests.servers.streams import event
from tests.servers.trackers import Run
from tests.servers.trackers.advent_http import keeps_listening
from tests.servers.trackers.written_http import handler_of, older

_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)


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


SERVERS: dict[str, Run] = {
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
    "handshake-is-not-wanted": lambda: modern(initialize=_wants_no_handshake, subscriptions_listen=keeps_listening),
}
