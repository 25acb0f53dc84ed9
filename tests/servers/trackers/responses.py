"""HTTP responses that strict clients reject, and redirects that lead nowhere."""

import json

from inspector.transports.http.listener import HttpRequest, HttpResponse, Pairs
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, STREAM, Handler, json_answer, stream
from tests.servers.streams import HELLO, answer_to
from tests.servers.trackers import Fault, Run


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


FAULTS = (
    Fault(
        "host-rejected-in-json-rpc",
        "Each request gets -32600: the guard against DNS rebinding does not know the public name.",
        "ruby-ui/ruby_ui#481",
        ("host-rejected",),
        ("Host", "403"),
        lambda: legacy(initialize=_host, server_discover=_host, tools_list=_host),
        url="/mcp",
        exit=3,
    ),
    Fault(
        "api-envelope",
        "The web framework wraps every response in its own envelope.",
        "OpenDCAI/DataFlow-WebUI#81",
        ("json-rpc-envelope-missing",),
        ("JSON-RPC", "code, data, message|data|wrapped"),
        lambda: legacy(initialize=_enveloped),
        url="/mcp",
        exit=4,
    ),
    Fault(
        "notification-answered-by-null",
        "The body of the response to a notification is the word null.",
        "patvice/ruby_llm-mcp#72",
        ("notification-not-accepted",),
        ("null|200", "202"),
        lambda: legacy(notifications_initialized=lambda request: json_answer(b"null")),
        url="/mcp",
    ),
    Fault(
        "redirect-to-another-scheme",
        "The slash at the end leads to http:// behind a proxy that ends TLS; nothing listens there.",
        "dbcls/togomcp#175",
        ("http-redirect", "server-unreachable"),
        ("127.0.0.1:1", "307|refuses"),
        _redirects("http://127.0.0.1:1/mcp/"),
        url="/mcp",
        exit=4,
    ),
    Fault(
        "redirect-to-itself",
        "With and without the slash lead to each other.",
        "PrefectHQ/fastmcp#991",
        ("http-redirect", "http-request-rejected"),
        ("redirect|leads on", "/mcp"),
        _redirects("/mcp"),
        url="/mcp",
        exit=4,
    ),
    Fault(
        "session-id-with-spaces",
        "The session's id has characters that a header may not have for strict clients.",
        "servers that name sessions by hand",
        ("session-id-characters",),
        ("Mcp-Session-Id|session", "visible ASCII|character|space"),
        _without_session,
        url="/mcp",
    ),
    Fault(
        "another-id-over-http",
        "The response has the id of another request, and the client drops it.",
        "gateways that multiplex sessions",
        ("response-on-wrong-post",),
        ("tools/list", "id"),
        lambda: legacy(tools_list=lambda request: json_answer(_another_id(request))),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "rejection-of-the-plan",
        "402: the plan does not include the tools.",
        "gateways with payment",
        ("http-request-rejected",),
        ("tools/list", "402", "upgrade your plan"),
        _tools(402, b'{"error":{"message":"Please upgrade your plan to use MCP"}}'),
        url="/mcp",
    ),
    Fault(
        "backend-refuses-in-a-page",
        "The proxy has no server behind it, and says so in a page.",
        "servers behind nginx and Traefik",
        ("http-server-error",),
        ("502", "Bad Gateway"),
        _tools(502, b"<html><head><title>502 Bad Gateway</title></head></html>", (("Content-Type", "text/html"),)),
        url="/mcp",
        exit=4,
    ),
    Fault(
        "error-in-the-stream-of-a-call",
        "The stream of a call ends with an event called error, and no response.",
        "modelcontextprotocol/typescript-sdk, servers on serverless platforms",
        ("json-rpc-envelope-missing",),
        ("tools/call", "function timed out"),
        lambda: legacy(
            tools_call=lambda request: stream(b'event: error\ndata: {"message":"function timed out after 10 s"}\n\n')
        ),
        url="/mcp",
        options="--call work={}",
    ),
    Fault(
        "old-client-rejected-in-plain-text",
        "Cursor shows “Cannot read Json element”: 400 and an empty body to each message.",
        "modelcontextprotocol/kotlin-sdk#356",
        ("http-request-rejected",),
        ("400", "initialize"),
        lambda: legacy(
            initialize=lambda request: HttpResponse(400, STREAM, b""),
            server_discover=lambda request: HttpResponse(400, STREAM, b""),
        ),
        url="/mcp",
        exit=4,
    ),
)
