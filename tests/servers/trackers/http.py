"""Servers over HTTP: types, lengths, streams, statuses whose body names the cause."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator

from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse, Pairs
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, STREAM, Handler, json_answer, pieces, stream
from tests.servers.streams import HELLO, Peculiar, answer_to
from tests.servers.trackers import Fault, Run

_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)
_TOOLS = {"tools": [TOOL]}


def _tools(make: Peculiar) -> Run:
    """A server that is healthy but for its list of tools."""
    return lambda: legacy(tools_list=make)


def _hello(make: Peculiar) -> Run:
    return lambda: legacy(initialize=make)


def _open(*parts: bytes) -> HttpResponse:
    """A stream that stays open."""

    async def body() -> AsyncIterator[bytes]:
        for part in parts:
            yield part
        await asyncio.sleep(60)

    return HttpResponse(200, STREAM, body())


def _all(status: int, body: bytes, headers: Pairs = JSON) -> Run:
    """A server that gives this to every POST."""

    def make() -> Handler:
        async def handler(request: HttpRequest) -> HttpResponse:
            return HttpResponse(status, headers, body) if request.method == "POST" else HttpResponse(405)

        return handler

    return make


def _short(request: HttpRequest) -> HttpResponse:
    body = answer_to(request, _TOOLS)
    return HttpResponse(200, (*JSON, ("Content-Length", str(len(body) + 10))), pieces((body,)))


def _counted_in_characters(request: HttpRequest) -> HttpResponse:
    """The length is that of the text, and the text has characters of several bytes."""
    message = json.loads(answer_to(request, {"tools": [TOOL | {"description": "Zeigt das Wetter für Köln – täglich"}]}))
    text = json.dumps(message, ensure_ascii=False)
    body = text.encode()[: len(text)]
    return HttpResponse(200, JSON, body)


def _silent_stream() -> Handler:
    """HTTP as it was at first, and its stream never names an address."""

    async def handler(request: HttpRequest) -> HttpResponse:
        return HttpResponse(405) if request.method == "POST" else _open(b": welcome\n\n")

    return handler


def _of_sse(status: int, body: bytes) -> Run:
    """HTTP as it was at first; every POST to the address that its stream names gets this answer."""

    def make() -> Handler:
        async def handler(request: HttpRequest) -> HttpResponse:
            if request.target.startswith("/messages/"):
                return HttpResponse(status, _TEXT, body)
            if request.method != "GET":
                return HttpResponse(405)
            return _open(b"event: endpoint\ndata: /messages/?session_id=1\n\n")

        return handler

    return make


def _half_modern(refusal: HttpResponse) -> Run:
    """Answers `server/discover` for both eras, and refuses all else of 2026-07-28."""

    def make() -> Handler:
        handshake = legacy()

        async def handler(request: HttpRequest) -> HttpResponse:
            message = json.loads(request.body) if request.body else {}
            if message.get("method") == "server/discover":
                return HttpResponse(200, JSON, answer_to(request, _BOTH_ERAS))
            if request.header("mcp-protocol-version") == "2026-07-28":
                return refusal
            return await handshake(request)

        return handler

    return make


_BOTH_ERAS = {
    "resultType": "complete",
    "supportedVersions": ["2025-06-18", "2025-11-25", "2026-07-28"],
    "capabilities": {"tools": {}},
    "ttlMs": 0,
    "cacheScope": "private",
}
_NO_SESSION = (
    b'{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}'
)


FAULTS = (
    Fault(
        "half-modern",
        "server/discover names 2026-07-28, but a stateful server refuses its requests in plain text.",
        "modelcontextprotocol/go-sdk",
        ("named-version-refused",),
        ("2026-07-28", "HTTP 400", "only supported on stateless"),
        _half_modern(
            HttpResponse(400, _TEXT, b'Bad Request: "2026-07-28" is only supported on stateless HTTP servers')
        ),
        url="/mcp",
        exit=0,
    ),
    Fault(
        "half-modern-session",
        "A gateway answers server/discover, the server behind it wants a session.",
        "modelcontextprotocol/typescript-sdk",
        ("named-version-refused",),
        ("2026-07-28", "No valid session ID"),
        _half_modern(HttpResponse(400, JSON, _NO_SESSION)),
        url="/mcp",
        exit=0,
    ),
    Fault(
        "event-without-its-blank-line",
        "The client hangs: the event is there, the blank line that ends it never comes.",
        "vercel/ai#16865",
        ("unterminated-event",),
        ("blank line",),
        _tools(lambda request: _open(b"data: " + answer_to(request, _TOOLS) + b"\n")),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "event-without-its-blank-line-and-an-end",
        "The same, and the stream ends.",
        "vercel/ai#16909",
        ("unterminated-event",),
        ("blank line",),
        _tools(lambda request: stream(b"event: message\ndata: " + answer_to(request, _TOOLS) + b"\n")),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "shorter-than-its-length",
        "The connection closes before as many bytes have come as Content-Length says.",
        "flop-labs/technocore-chat#667",
        ("body-truncated",),
        ("Content-Length",),
        _tools(_short),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "length-in-characters",
        "Content-Length counts characters, and the last bytes are cut off as soon as there is an umlaut.",
        "servers written without a framework",
        ("body-truncated",),
        ("Content-Length|cut", "characters|bytes|middle"),
        _tools(_counted_in_characters),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "text-plain",
        "The client waits for ever: the answer is JSON, and is labelled text/plain.",
        "modelcontextprotocol/python-sdk#2432",
        ("response-type-unsupported",),
        ("text/plain",),
        _hello(lambda request: HttpResponse(200, _TEXT, answer_to(request, HELLO))),
        url="/mcp",
    ),
    Fault(
        "no-content-type",
        "Unsupported Content-Type: None.",
        "helidon-io/helidon-mcp#97",
        ("response-type-unsupported",),
        ("Content-Type", "no|without"),
        _hello(lambda request: HttpResponse(200, (), answer_to(request, HELLO))),
        url="/mcp",
    ),
    Fault(
        "empty-body",
        "initialize is answered by 200 and nothing.",
        "obot-platform/nanobot#19",
        ("empty-body",),
        ("empty|no body|nothing", "initialize|200"),
        _hello(lambda request: HttpResponse(200, JSON, b"")),
        url="/mcp",
    ),
    Fault(
        "notification-answered-by-204",
        "A client crashes on 204 to notifications/initialized.",
        "egoist/chatwise-releases#1360",
        ("notification-not-accepted",),
        ("204", "202"),
        lambda: legacy(notifications_initialized=lambda request: HttpResponse(204)),
        url="/mcp",
    ),
    Fault(
        "notification-answered-by-200",
        "rmcp clients fail in the handshake: 200 without a type to notifications/initialized.",
        "zai-org/zai-coding-plugins#38",
        ("notification-not-accepted",),
        ("200", "202"),
        lambda: legacy(notifications_initialized=lambda request: HttpResponse(200)),
        url="/mcp",
    ),
    Fault(
        "exception-as-body",
        "An exception, written as JSON, with its stack; not a JSON-RPC error.",
        "modelcontextprotocol/java-sdk#955",
        ("http-request-rejected",),
        ("400", "Both application/json and text/event-stream required"),
        _all(
            400,
            b'{"cause":null,"stackTrace":[{"classLoaderName":"app"}],"jsonRpcError":{"code":-32601,"message":"Both'
            b' application/json and text/event-stream required in Accept header"},"message":"Both application/json and'
            b' text/event-stream required in Accept header"}',
        ),
        url="/mcp",
    ),
    Fault(
        "reason-in-the-body",
        "“Response status code does not indicate success: 400”; the reason stands in the body.",
        "modelcontextprotocol/csharp-sdk#816",
        ("http-request-rejected",),
        ("400", "tenant header"),
        _all(400, b'{"detail":"The tenant header X-Acme-Tenant is missing"}'),
        url="/mcp",
    ),
    Fault(
        "gzip-that-is-none",
        "Content-Encoding: gzip, and the body is plain.",
        "servers behind two proxies",
        ("body-encoding-invalid",),
        ("gzip|compress|Content-Encoding",),
        _tools(lambda request: json_answer(answer_to(request, _TOOLS), headers=(("Content-Encoding", "gzip"),))),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "gzip-without-its-header",
        "A gateway drops Content-Encoding: clients get bytes that are no text.",
        "servers behind caching gateways",
        ("stdout-encoding",),
        ("compressed with gzip", "Content-Encoding"),
        _tools(lambda request: json_answer(gzip.compress(answer_to(request, _TOOLS)))),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "json-called-an-event-stream",
        "The header is that of a stream, and the body a JSON object: clients wait for an event.",
        "serverless functions with a fixed header",
        ("content-type-mismatch",),
        ("initialize is plain JSON", "text/event-stream"),
        _hello(lambda request: HttpResponse(200, STREAM, answer_to(request, HELLO))),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "events-called-json",
        "The body has events, and the header is that of JSON.",
        "gateways that set the type of all responses",
        ("content-type-mismatch",),
        ("tools/list is an event stream", "application/json"),
        _tools(lambda request: json_answer(b"event: message\ndata: " + answer_to(request, _TOOLS) + b"\n\n")),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "data-over-several-lines",
        "Indented JSON in an event; only its first line has data:.",
        "servers that write events by hand",
        ("multiline-event-data",),
        ("data:", "line"),
        _tools(
            lambda request: stream(
                b"data: " + json.dumps(json.loads(answer_to(request, _TOOLS)), indent=2).encode() + b"\n\n"
            )
        ),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "event-of-another-name",
        "The answer comes as an event called “response”: clients read those called “message” alone.",
        "servers that write events by hand",
        ("unknown-event-name",),
        ("event", "response", "message"),
        _tools(lambda request: stream(b"event: response\ndata: " + answer_to(request, _TOOLS) + b"\n\n")),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "no-endpoint-event",
        "HTTP+SSE: the stream opens, and never names the address to post to.",
        "Hmbown/Codewhale#1309",
        ("endpoint-event-missing",),
        ("endpoint",),
        _silent_stream,
        url="/sse",
        options="--timeout 3 --transport sse",
    ),
    Fault(
        "rest-greeting",
        "The address is that of the REST API, not of MCP.",
        "users of many servers",
        ("json-rpc-envelope-missing",),
        ("JSON-RPC|not an MCP", "Welcome|message"),
        _all(200, b'{"message":"Welcome to the Acme API","version":"3.1"}'),
        url="/",
    ),
    Fault(
        "fastapi-not-found",
        "The URL lacks /mcp.",
        "modelcontextprotocol/swift-sdk#115",
        ("http-request-rejected",),
        ("404",),
        _all(404, b'{"detail":"Not Found"}'),
        url="/",
        exit=4,
    ),
    Fault(
        "unauthorized-in-a-200",
        "Clients never begin a login: 401 is told as a JSON-RPC error with status 200.",
        "rekog-labs/MCP-Nest#75",
        ("handshake-rejected",),
        ("401|Unauthorized", "200|initialize"),
        _hello(
            lambda request: json_answer(
                json.dumps(
                    {
                        "jsonrpc": "2.0",
                        "id": json.loads(request.body)["id"],
                        "error": {"code": 401, "message": "Unauthorized"},
                    }
                ).encode()
            )
        ),
        url="/mcp",
        exit=4,
    ),
    Fault(
        "cut-in-the-middle-of-json",
        "The server dies in the middle of a body without a length.",
        "servers that run out of memory",
        ("body-truncated",),
        ("tools/list", "incomplete"),
        _tools(
            lambda request: HttpResponse(
                200, (*JSON, ("Transfer-Encoding", "chunked")), pieces((b'{"jsonrpc":"2.0","id', HangUp()))
            )
        ),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "initialized-not-found",
        "Clients on rmcp close the connection: notifications/initialized gets 404.",
        "hechtcarmel/jetbrains-index-mcp-plugin#53",
        ("notification-not-accepted",),
        ("notification", "404", "202"),
        lambda: legacy(notifications_initialized=lambda request: HttpResponse(404, _TEXT, b"404 page not found")),
        url="/mcp",
    ),
    Fault(
        "json-for-get",
        "“Invalid SSE response”: GET is answered with JSON.",
        "spring-projects/spring-ai#5239",
        ("get-response-invalid",),
        ("GET", "200", "405"),
        lambda: legacy(GET=lambda request: HttpResponse(200, JSON, b'{"info": "return 200 for GET /mcp."}')),
        url="/mcp",
        exit=0,
    ),
    Fault(
        "error-event",
        "The stream has an event called error in place of a response; clients wait for ever.",
        "gateways that pass on upstream errors",
        ("unknown-event-name",),
        ("'error'", "tools/list", "upstream connect error: 503"),
        _tools(lambda request: stream(b'event: error\ndata: {"error": "upstream connect error: 503"}\n\n')),
        url="/mcp",
        options="--timeout 3",
    ),
    Fault(
        "prefix-lost",
        "HTTP+SSE: the address to post to lacks the prefix under which the server is mounted.",
        "modelcontextprotocol/python-sdk#412",
        ("wrong-endpoint-event",),
        ("/messages/", "404"),
        _of_sse(404, b"Not Found"),
        url="/mcp/sse",
    ),
    Fault(
        "session-of-another-instance",
        "HTTP+SSE: the POST reaches another instance, which does not know the session.",
        "modelcontextprotocol/python-sdk, servers with several workers",
        ("wrong-endpoint-event",),
        ("/messages/", "404", "Could not find session"),
        _of_sse(404, b"Could not find session"),
        url="/sse",
    ),
    Fault(
        "accepted-and-silent",
        "HTTP+SSE: the POST is accepted, and the stream stays empty.",
        "microsoft/vscode#246753",
        ("server-silent",),
        ("initialize", "202", "event stream"),
        _of_sse(202, b"Accepted"),
        url="/sse",
        options="--timeout 3",
        exit=7,
    ),
)
