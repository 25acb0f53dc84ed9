"""Servers over HTTP with faults that were reported in 2025 and 2026, the fourth round."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable

from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from tests.servers import streams
from tests.servers.faulty.authorization._house import PROTECTED, house
from tests.servers.faulty.http._healthy import TOOL, legacy, modern
from tests.servers.http_fixtures import JSON, STREAM, Handler
from tests.servers.streams import Peculiar, answer_to
from tests.servers.trackers import Run

_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)
_VERSION = "mcp-protocol-version"
_META = {"io.modelcontextprotocol/serverInfo": streams.WHO}
_HELLO = {"protocolVersion": "2025-11-25", "serverInfo": streams.WHO, "capabilities": {"tools": {}}}


def _method(request: HttpRequest) -> str:
    return str(json.loads(request.body).get("method")) if request.method == "POST" else request.method


def _refusal(request: HttpRequest, code: int, message: str, status: int = 400) -> HttpResponse:
    id_ = json.loads(request.body or b"{}").get("id")
    body = {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
    return HttpResponse(status, JSON, json.dumps(body).encode())


def _but(peculiar: Callable[[HttpRequest], HttpResponse | None], inner: Handler) -> Handler:
    """What a function answers before the server itself."""

    async def handler(request: HttpRequest) -> HttpResponse:
        return peculiar(request) or await inner(request)

    return handler


def _knows_no_newer(request: HttpRequest) -> HttpResponse | None:
    """As servers of the handshake era do."""
    if request.header(_VERSION) == "2026-07-28":
        return _refusal(request, -32600, "Bad Request: Unsupported protocol version: 2026-07-28")
    return None


def _keeps_the_encoding(request: HttpRequest) -> HttpResponse:
    head = (*JSON, ("Content-Encoding", "gzip"))
    return HttpResponse(200, head, answer_to(request, _HELLO))


def _lives_on_another_pod(request: HttpRequest) -> HttpResponse | None:
    """The balancer sends what follows initialize to the other one."""
    method = _method(request)
    if request.header("mcp-session-id") is None or method in ("initialize", "tools/list", "ping", "GET", "DELETE"):
        return _knows_no_newer(request)
    return _refusal(request, -32001, "Session not found", 404)


def _begins_a_session(request: HttpRequest) -> HttpResponse:
    return HttpResponse(200, (*JSON, ("Mcp-Session-Id", "3f2a")), answer_to(request, _HELLO))


def _gets_the_version_of_another(request: HttpRequest) -> HttpResponse | None:
    """The gateway passes on the version that the client spoke first."""
    if request.header(_VERSION) == "2026-07-28" or _method(request) not in ("initialize", "GET", "DELETE"):
        known = "2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25"
        said = f"Bad Request: Unsupported protocol version: 2026-07-28. Supported versions: {known}"
        return HttpResponse(400, _TEXT, said.encode())
    return None


def _never_sees_the_version(request: HttpRequest) -> HttpResponse | None:
    """A proxy drops the header, so the oldest version is assumed."""
    if _method(request) in ("initialize", "server/discover", "GET", "DELETE"):
        return _knows_no_newer(request)
    return _refusal(request, -32600, "Unsupported MCP protocol version: 2025-03-26. Supported versions: [2025-11-25]")


def _sees_the_version_twice(request: HttpRequest) -> HttpResponse | None:
    """A proxy adds the header again."""
    if _method(request) in ("initialize", "server/discover", "GET", "DELETE"):
        return _knows_no_newer(request)
    return _refusal(request, -32600, "Unsupported protocol version: 2025-11-25, 2025-11-25")


def _one_newline_is_missing(request: HttpRequest) -> HttpResponse:
    async def body() -> AsyncIterator[bytes]:
        yield b"event: message\ndata: " + answer_to(request, _HELLO) + b"\n"
        await asyncio.sleep(60)

    return HttpResponse(200, STREAM, body())


def _without_a_name(result: object) -> Peculiar:
    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, STREAM, b"data: " + answer_to(request, result) + b"\n\n")

    return answer


def _is_not_json(request: HttpRequest) -> HttpResponse:
    return HttpResponse(200, _TEXT, b"this is not json")


def _belongs_to_another() -> Handler:
    said = 'Bearer error="invalid_token", error_description="Token is bound to a different resource"'

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.target != "/mcp":
            return HttpResponse(404, _TEXT, b"not found")
        return HttpResponse(401, (*JSON, ("WWW-Authenticate", said)), b'{"error":"invalid_token"}')

    return handler


def _wants_a_session(request: HttpRequest) -> HttpResponse | None:
    if _method(request) == "server/discover":
        body = {
            "jsonrpc": "2.0",
            "id": None,
            "error": {"code": -32000, "message": "Bad Request: Mcp-Session-Id header is required"},
        }
        return HttpResponse(400, JSON, json.dumps(body).encode())
    return None


def _empty_400(request: HttpRequest) -> HttpResponse | None:
    return HttpResponse(400) if request.header(_VERSION) == "2026-07-28" else None


def _get_is_dropped(request: HttpRequest) -> HttpResponse:
    raise HangUp


def _asks_without_being_allowed(request: HttpRequest) -> HttpResponse:
    form = {
        "method": "elicitation/create",
        "params": {"mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": {}}},
    }
    result = {"resultType": "input_required", "inputRequests": {"who": form}, "requestState": "s1", "_meta": _META}
    return HttpResponse(200, JSON, answer_to(request, result))


def _names_no_event() -> Handler:
    """HTTP as it was at first, behind a proxy that drops the lines that begin with event."""

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.target != "/sse" or request.method != "GET":
            return HttpResponse(405, _TEXT, b"Method Not Allowed")

        async def body() -> AsyncIterator[bytes]:
            yield b"data: /messages/?session_id=7f7ad4150c504c3bb9b9741f1930403f\n\n"
            await asyncio.sleep(60)

        return HttpResponse(200, STREAM, body())

    return handler


def _method_undefined(request: HttpRequest) -> HttpResponse:
    return HttpResponse(400, _TEXT, b"Method not found: undefined")


def _always(status: int, kind: tuple[tuple[str, str], ...], body: bytes) -> Run:
    async def handler(request: HttpRequest) -> HttpResponse:
        return HttpResponse(status, kind, body)

    return lambda: handler


def _one_stream_only(request: HttpRequest) -> HttpResponse:
    error = {"code": -32000, "message": "Conflict: Only one SSE stream is allowed per session"}
    return HttpResponse(409, JSON, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())


def _serialized_exception(request: HttpRequest) -> HttpResponse:
    trace = [{"className": "io.modelcontextprotocol.spec.McpError", "methodName": "<init>", "lineNumber": 28}]
    error = {"code": -32600, "message": "Invalid message format", "data": None}
    body = {"cause": None, "stackTrace": trace, "jsonRpcError": error, "message": "Invalid message format"}
    return HttpResponse(400, JSON, json.dumps(body | {"suppressed": [], "localizedMessage": "x"}).encode())


def _knows_no_session(request: HttpRequest) -> HttpResponse | None:
    """Each request comes to the pod that did not begin the session."""
    if request.header("mcp-session-id") is None:
        return _knows_no_newer(request)
    return _refusal(request, -32001, "Session not found", 404)


def _crashes(request: HttpRequest) -> HttpResponse:
    raise HangUp


def _keeps_sessions(request: HttpRequest) -> HttpResponse | None:
    """A stateful server of the Go SDK: it answers the discovery, and refuses all else of that version."""
    if request.header(_VERSION) != "2026-07-28" or request.method != "POST":
        return None
    if _method(request) == "server/discover":
        result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}
        more = {"ttlMs": 0, "cacheScope": "private", "_meta": _META}
        return HttpResponse(200, JSON, answer_to(request, result | more))
    said = b'Bad Request: protocol version "2026-07-28" is only supported on stateless HTTP servers '
    return HttpResponse(400, _TEXT, said + b"(set StreamableHTTPOptions.Stateless = true)\n")


def _sees_another_method(request: HttpRequest) -> HttpResponse | None:
    if request.method != "POST":
        return None
    named = request.header("mcp-method") or ""
    said = f"Header mismatch: Mcp-Method header value '{named}' does not match body value 'initialize'"
    return _refusal(request, -32020, said)


_counter = itertools.count(1)


def _begins_sessions_always(result: object) -> Peculiar:
    def reply(request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, (*JSON, ("Mcp-Session-Id", f"s-{next(_counter)}")), answer_to(request, result))

    return reply


_NO_ROUTE = {
    "code": "rest_no_route",
    "message": "No route was found matching the URL and request method.",
    "data": {"status": 404},
}
_HUNG = (
    b"Error: The Workers runtime canceled this request because it detected that your Worker's code had hung and would "
    b"never generate a response."
)

SERVERS: dict[str, Run] = {
    "stateful-server-of-go": lambda: _but(_keeps_sessions, legacy()),
    "gateway-sees-another-method": lambda: _but(_sees_another_method, legacy()),
    "session-with-each-response": lambda: _but(
        _knows_no_newer,
        legacy(initialize=_begins_sessions_always(_HELLO), tools_list=_begins_sessions_always({"tools": [TOOL]})),
    ),
    "metadata-with-a-slash": lambda: house(
        challenge='Bearer resource_metadata="{here}/.well-known/oauth-protected-resource/mcp/"',
        instead={
            PROTECTED: HttpResponse(404, _TEXT, b"Not Found"),
            PROTECTED + "/": HttpResponse(404, _TEXT, b"Not Found"),
        },
    ),
    "older-transport-answers-its-posts": lambda: _older_with_bodies(),
    "encoding-of-a-decoded-body": lambda: _but(_knows_no_newer, legacy(initialize=_keeps_the_encoding)),
    "session-on-another-pod": lambda: _but(_lives_on_another_pod, legacy(initialize=_begins_a_session)),
    "version-of-the-first-client": lambda: _but(_gets_the_version_of_another, legacy()),
    "version-does-not-arrive": lambda: _but(_never_sees_the_version, legacy()),
    "version-arrives-twice": lambda: _but(_sees_the_version_twice, legacy()),
    "event-without-its-end": lambda: _but(_knows_no_newer, legacy(initialize=_one_newline_is_missing)),
    "events-without-a-name": lambda: _but(
        _knows_no_newer, legacy(initialize=_without_a_name(_HELLO), tools_list=_without_a_name({"tools": [TOOL]}))
    ),
    "text-in-place-of-a-response": lambda: _but(_knows_no_newer, legacy(initialize=_is_not_json)),
    "token-of-another-resource": _belongs_to_another,
    "discovery-wants-a-session": lambda: _but(_wants_a_session, legacy()),
    "discovery-gets-an-empty-400": lambda: _but(_empty_400, legacy()),
    "get-gets-no-status-line": lambda: _but(_knows_no_newer, legacy(GET=_get_is_dropped)),
    "question-to-a-client-without-forms": lambda: modern(tools_call=_asks_without_being_allowed),
    "proxy-drops-the-name-of-the-event": _names_no_event,
    "notification-has-no-method": lambda: _but(_knows_no_newer, legacy(notifications_initialized=_method_undefined)),
    "no-such-route-of-wordpress": _always(404, JSON, json.dumps(_NO_ROUTE).encode()),
    "second-stream-is-a-conflict": lambda: _but(_knows_no_newer, legacy(GET=_one_stream_only)),
    "exception-as-a-body": lambda: _but(_knows_no_newer, legacy(initialize=_serialized_exception)),
    "each-request-on-another-pod": lambda: _but(_knows_no_session, legacy(initialize=_begins_a_session)),
    "resource-has-another-scheme": lambda: house(protected={"resource": "https://api.acme.example/mcp"}),
    "challenge-names-the-resource": lambda: house(
        challenge='Bearer resource_metadata="{here}/app"',
        instead={"/app": HttpResponse(200, _TEXT, b"OK"), PROTECTED: HttpResponse(404, _TEXT, b"Not Found")},
    ),
    "get-is-not-allowed": lambda: _but(_knows_no_newer, legacy()),
    "gateway-crashes-in-the-list": lambda: _but(_knows_no_newer, legacy(tools_list=_crashes)),
    "worker-hangs": _always(500, _TEXT, _HUNG),
}


def _older_with_bodies() -> Handler:
    """HTTP as it was at first; the 202 to a message has a body, of which nothing is said."""
    outbox: asyncio.Queue[bytes] = asyncio.Queue()
    results = {"initialize": _HELLO, "tools/list": {"tools": [TOOL]}, "ping": {}}

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":

            async def body() -> AsyncIterator[bytes]:
                yield b"event: endpoint\ndata: /messages/?session_id=3f2a\n\n"
                while True:
                    yield b"event: message\ndata: " + await outbox.get() + b"\n\n"

            return HttpResponse(200, STREAM, body())
        if not request.target.startswith("/messages/"):
            return HttpResponse(405, JSON, b'{"detail":"Method Not Allowed"}')
        message = json.loads(request.body)
        if "id" in message and message["method"] in results:
            outbox.put_nowait(answer_to(request, results[message["method"]]))
        elif "id" in message:
            error = {"code": -32601, "message": "Method not found"}
            outbox.put_nowait(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode())
        return HttpResponse(202, JSON, request.body if "params" in message else b'{"message":"Accepted"}')

    return handler
