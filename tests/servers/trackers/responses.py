"""HTTP responses that strict clients reject, and redirects that lead nowhere."""

import json

from inspector.transports.http.listener import HttpRequest, HttpResponse, Pairs
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, STREAM, Handler, json_answer, stream
from tests.servers.streams import HELLO, answer_to
from tests.servers.trackers import Run


def _tools(status: int, body: bytes, headers: Pairs = JSON) -> Run:
    return lambda: legacy(tools_list=lambda request: HttpResponse(status, headers, body))


def _redirects(location: str) -> Run:
    def make() -> Handler:
        async def handler(request: HttpRequest) -> HttpResponse:
            return HttpResponse(307, (("Location", location),))

        return handler

    return make


def _enveloped(request: HttpRequest) -> HttpResponse:
    inner = json.loads(answer_to(request, HELLO))
    return json_answer(json.dumps({"code": 0, "message": "success", "data": inner}).encode())


def _without_session() -> Handler:
    """The header of the session is not ASCII."""
    return legacy(
        initialize=lambda request: json_answer(
            answer_to(request, HELLO), headers=(("Mcp-Session-Id", "session 1 of team a"),)
        )
    )


def _another_id(request: HttpRequest) -> bytes:
    return answer_to(request, {"tools": [TOOL]}).replace(b'"id": ', b'"id": 9')


def _host(request: HttpRequest) -> HttpResponse:
    return json_answer(
        b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Forbidden: Invalid Host header"}}', 403
    )


SERVERS: dict[str, Run] = {
    "host-rejected-in-json-rpc": lambda: legacy(initialize=_host, server_discover=_host, tools_list=_host),
    "api-envelope": lambda: legacy(initialize=_enveloped),
    "notification-answered-by-null": lambda: legacy(notifications_initialized=lambda request: json_answer(b"null")),
    "redirect-to-another-scheme": _redirects("http://127.0.0.1:1/mcp/"),
    "redirect-to-itself": _redirects("/mcp"),
    "session-id-with-spaces": _without_session,
    "another-id-over-http": lambda: legacy(tools_list=lambda request: json_answer(_another_id(request))),
    "rejection-of-the-plan": _tools(402, b'{"error":{"message":"Please upgrade your plan to use MCP"}}'),
    "backend-refuses-in-a-page": _tools(
        502, b"<html><head><title>502 Bad Gateway</title></head></html>", (("Content-Type", "text/html"),)
    ),
    "error-in-the-stream-of-a-call": lambda: legacy(
        tools_call=lambda request: stream(b'event: error\ndata: {"message":"function timed out after 10 s"}\n\n')
    ),
    "old-client-rejected-in-plain-text": lambda: legacy(
        initialize=lambda request: HttpResponse(400, STREAM, b""),
        server_discover=lambda request: HttpResponse(400, STREAM, b""),
    ),
}
