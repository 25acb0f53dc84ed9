"""Components in front of a server: gateways, balancers, firewalls, and the addresses that lead to them."""

import json

from inspector.transports.http.listener import HttpRequest, HttpResponse, Pairs
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, Handler, json_answer
from tests.servers.streams import HELLO, Peculiar, answer_to
from tests.servers.trackers import Fault, Run

_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_SESSION = (("Mcp-Session-Id", "8bbb3df0"),)


def _all(status: int, body: bytes, headers: Pairs = JSON) -> Run:
    def make() -> Handler:
        async def handler(request: HttpRequest) -> HttpResponse:
            return HttpResponse(status, headers, body)

        return handler

    return make


def _with_session(**peculiar: Peculiar) -> Run:
    return lambda: legacy(
        initialize=lambda request: json_answer(answer_to(request, HELLO), headers=_SESSION), **peculiar
    )


def _issues_twice(request: HttpRequest) -> HttpResponse:
    return json_answer(answer_to(request, HELLO), headers=(*_SESSION, ("mcp-session-id", _SESSION[0][1])))


def _result_as_500(request: HttpRequest) -> HttpResponse:
    answer = json_answer(answer_to(request, {"tools": [TOOL]}))
    return HttpResponse(500, answer.headers, answer.body)


def _redirects_to_a_login() -> Handler:
    async def handler(request: HttpRequest) -> HttpResponse:
        if request.target.startswith("/login"):
            return HttpResponse(200, _HTML, b"<!doctype html><title>Acme single sign-on</title><form></form>")
        return HttpResponse(302, (("Location", "/login?next=/mcp"),))

    return handler


def _error(message: str) -> bytes:
    """A JSON-RPC error without an id."""
    return json.dumps({"jsonrpc": "2.0", "error": {"code": -32000, "message": message}, "id": None}).encode()


_TOO_MANY = b'"error": {"code": -32000, "message": "Too many requests"}'


def _too_large(request: HttpRequest) -> HttpResponse:
    return HttpResponse(413, _HTML, b"<html><head><title>413 Request Entity Too Large</title></head></html>")


def _changing_session() -> Handler:
    known = [0]

    def issued() -> Pairs:
        known[0] += 1
        return (("Mcp-Session-Id", f"s{known[0]}"),)

    def initialize(request: HttpRequest) -> HttpResponse:
        known[0] = 0
        return json_answer(answer_to(request, HELLO), headers=issued())

    def tools_list(request: HttpRequest) -> HttpResponse:
        given = next((value for name, value in request.headers if name.lower() == "mcp-session-id"), "")
        if given != f"s{known[0]}":
            return HttpResponse(404, JSON, _error("Session not found"))
        return json_answer(answer_to(request, {"tools": [TOOL], "nextCursor": "2"}), headers=issued())

    return legacy(initialize=initialize, tools_list=tools_list)


_ERR = (
    b'{"error":"Already connected to a transport. Call close() before connecting to a new transport, or use another"}'
)


FAULTS = (
    Fault(
        "shared-server-object",
        "The first client works; the second gets HTTP 500, because one McpServer serves all sessions.",
        "confluentinc/mcp-confluent#122",
        ("server-object-shared",),
        ("Already connected to a transport",),
        _all(500, _ERR),
        url="/mcp",
    ),
    Fault(
        "entities",
        "A page whose title has entities.",
        "gateways with pages of their own",
        ("html-response",),
        ("Blocked by policy – ask your admin",),
        _all(403, b"<title>Blocked&nbsp;by policy &ndash; ask your admin</title>", _HTML),
        url="/mcp",
    ),
    Fault(
        "session-of-another-replica-404",
        "Every other request fails: sessions are in the memory of one of two replicas.",
        "agentic-community/mcp-gateway-registry#960",
        ("session-expired",),
        ("session", "no longer knows"),
        _with_session(
            tools_list=lambda request: HttpResponse(
                404,
                JSON,
                b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}',
            )
        ),
        url="/mcp",
    ),
    Fault(
        "session-refused-by-400",
        "The same, and the status is 400: clients do not begin anew.",
        "mark3labs/mcp-go#689",
        ("unknown-session-status", "expired-session-status"),
        ("session", "400"),
        _with_session(
            tools_list=lambda request: HttpResponse(400, (("Content-Type", "text/plain"),), b"Invalid session ID\n")
        ),
        url="/mcp",
    ),
    Fault(
        "session-refused-with-an-empty-answer",
        "404 with an answer that has neither result nor error.",
        "helidon-io/helidon-mcp#152",
        ("session-expired",),
        ("session",),
        _with_session(tools_list=lambda request: HttpResponse(404, JSON, b'{"jsonrpc":"2.0","id":1}')),
        url="/mcp",
    ),
    Fault(
        "session-header-removed",
        "The client sends its session, and the server says that there is none: a gateway has removed the header.",
        "Laisky/one-api#340",
        ("session-id-not-forwarded",),
        ("Mcp-Session-Id|session", "was sent|removed|gateway|proxy"),
        _with_session(
            tools_list=lambda request: HttpResponse(
                400,
                JSON,
                _error("Bad Request: Mcp-Session-Id header is required"),
            )
        ),
        url="/mcp",
    ),
    Fault(
        "session-never-passed-on",
        "The gateway drops the header of the response, and the server wants it back.",
        "higress-group/wasm-go#32",
        ("session-id-not-issued",),
        ("session",),
        lambda: legacy(
            tools_list=lambda request: HttpResponse(
                400,
                JSON,
                _error("Bad Request: No valid session ID provided"),
            )
        ),
        url="/mcp",
    ),
    Fault(
        "missing-authentication-token",
        "The path is wrong; the gateway of a cloud calls that a missing token.",
        "servers behind Amazon API Gateway",
        ("http-request-rejected",),
        ("403", "Missing Authentication Token"),
        _all(403, b'{"message":"Missing Authentication Token"}'),
        url="/mcp",
    ),
    Fault(
        "forbidden-for-a-missing-token",
        "403 in the place of 401: clients never begin a login.",
        "servers behind gateways",
        ("http-request-rejected",),
        ("403", "bearer token"),
        _all(403, b'{"error":"Forbidden: missing bearer token"}'),
        url="/mcp",
    ),
    Fault(
        "firewall",
        "A firewall wants to see a browser.",
        "servers behind Cloudflare",
        ("html-response",),
        ("Just a moment|Cloudflare", "403"),
        _all(
            403,
            b"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>",
            (*_HTML, ("Server", "cloudflare")),
        ),
        url="/mcp",
    ),
    Fault(
        "tunnel-is-offline",
        "The tunnel's other end does not run.",
        "servers behind ngrok",
        ("html-response",),
        ("ngrok|offline", "404"),
        _all(
            404,
            b"<!DOCTYPE html><html><head><title>ngrok - tunnel acme.ngrok.app is offline</title></head></html>",
            (*_HTML, ("ngrok-error-code", "ERR_NGROK_3200")),
        ),
        url="/mcp",
    ),
    Fault(
        "sent-to-a-login-page",
        "A redirect to the page of a single sign-on.",
        "servers behind single sign-on",
        ("html-response", "http-redirect"),
        ("login|sign-on",),
        _redirects_to_a_login,
        url="/mcp",
    ),
    Fault(
        "http-to-an-https-port",
        "http:// for a port that speaks TLS.",
        "servers behind nginx",
        ("html-response",),
        ("HTTPS",),
        _all(
            400,
            b"<html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>\r\n</html>",
            (*_HTML, ("Server", "nginx")),
        ),
        url="/mcp",
    ),
    Fault(
        "https-to-an-http-port",
        "https:// for a port that does not speak TLS.",
        "users of local servers",
        ("certificate-untrusted",),
        ("TLS",),
        lambda: legacy(),
        url="https://127.0.0.1:{port}/mcp",
        exit=4,
    ),
    Fault(
        "websocket-wanted",
        "The address is that of a WebSocket.",
        "servers of the time before HTTP",
        ("http-request-rejected",),
        ("426|Upgrade",),
        _all(426, b"Upgrade Required", (("Content-Type", "text/plain"), ("Upgrade", "websocket"))),
        url="/ws",
    ),
    Fault(
        "post-not-allowed",
        "A static site, or a route for GET alone.",
        "users of many servers",
        ("http-request-rejected",),
        ("405", "POST"),
        _all(405, b"Method Not Allowed", (("Content-Type", "text/plain"), ("Allow", "GET, HEAD"))),
        url="/mcp",
    ),
    Fault(
        "body-too-large",
        "Long arguments are refused by the proxy.",
        "servers behind nginx",
        ("http-request-rejected",),
        ("413",),
        lambda: legacy(tools_call=_too_large),
        url="/mcp",
        options="--call work={}",
    ),
    Fault(
        "gateway-loses-the-answer",
        "The gateway waits for the server, and gives up with a document of its own.",
        "servers behind Amazon API Gateway",
        ("http-server-error",),
        ("504", "gateway"),
        lambda: legacy(
            tools_list=lambda request: HttpResponse(504, JSON, b'{"message": "Endpoint request timed out"}')
        ),
        url="/mcp",
    ),
    Fault(
        "gateway-cannot-reach-upstream",
        "The gateway answers for a server that it can't reach, as a JSON-RPC error.",
        "IBM/mcp-context-forge and others",
        ("handshake-rejected",),
        ("initialize", "connect|upstream"),
        lambda: legacy(
            initialize=lambda request: json_answer(
                json.dumps(
                    {
                        "jsonrpc": "2.0",
                        "id": json.loads(request.body)["id"],
                        "error": {
                            "code": -32603,
                            "message": "upstream connect error: connection refused: weather:8080",
                        },
                    }
                ).encode()
            )
        ),
        url="/mcp",
        exit=4,
    ),
    Fault(
        "no-tools-through-the-gateway",
        "The gateway hides that the login at the server behind it failed: an empty list.",
        "BerriAI/litellm#31921",
        ("empty-tool-list",),
        ("tool list", "empty"),
        lambda: legacy(tools_list=lambda request: json_answer(answer_to(request, {"tools": []}))),
        url="/mcp",
    ),
    Fault(
        "list-is-rate-limited",
        "The first list is over the limit of a free plan, and clients show no tools.",
        "servers behind gateways with quotas",
        ("rate-limited",),
        ("tools/list", "429", "Retry-After: 30", "quota exceeded"),
        lambda: legacy(
            tools_list=lambda request: HttpResponse(
                429, (("Content-Type", "text/plain"), ("Retry-After", "30")), b"quota exceeded"
            )
        ),
        url="/mcp",
        exit=4,
    ),
    Fault(
        "list-is-rate-limited-in-json-rpc",
        "The limit is reported in a JSON-RPC error, whose status is 429.",
        "servers on limiters for Express",
        ("rate-limited",),
        ("tools/list", "429", "Too many requests"),
        lambda: legacy(
            tools_list=lambda request: HttpResponse(
                429, JSON, answer_to(request, None).replace(b'"result": null', _TOO_MANY)
            )
        ),
        url="/mcp",
        exit=1,
    ),
    Fault(
        "host-not-allowed",
        "Behind an ingress every request gets 421: the server only knows localhost.",
        "PrefectHQ/fastmcp#4468",
        ("host-rejected",),
        ("Host", "421"),
        _all(421, b"Invalid Host header", (("Content-Type", "text/plain"),)),
        url="/mcp",
        exit=4,
    ),
    Fault(
        "csrf",
        "A framework wants a token of its forms, and says so in the page alone.",
        "servers in Django",
        ("html-response",),
        ("403", "CSRF verification failed"),
        _all(403, b"<title>403 Forbidden</title><h1>Forbidden</h1><p>CSRF verification <b>failed</b>.</p>", _HTML),
        url="/mcp",
        exit=3,
    ),
    Fault(
        "session-changes",
        "The second call fails: each response issues another session, and only the newest is known.",
        "DotHarness/dotcraft#57",
        ("session-id-changed",),
        ("Mcp-Session-Id changes",),
        _changing_session,
        url="/mcp",
    ),
    Fault(
        "session-id-twice",
        "Clients that join equal headers send “id, id” back, and get 404: the proxy adds the header a second time.",
        "https://github.com/bcurts/agentchattr/issues/80",
        ("header-repeated",),
        ("Mcp-Session-Id 2 times",),
        lambda: legacy(initialize=_issues_twice),
        url="/mcp",
    ),
    Fault(
        "result-with-status-500",
        "Each response is right, but clients see HTTP 500 and end the session without reading it.",
        "https://github.com/agentgateway/agentgateway/issues/2082",
        ("result-status-invalid",),
        ("tools/list", "500"),
        lambda: legacy(tools_list=_result_as_500),
        url="/mcp",
    ),
    Fault(
        "empty-object-for-a-request",
        "The call never ends: HTTP 200 with {} counts as an acknowledgement.",
        "https://github.com/modelcontextprotocol/rust-sdk/pull/1208",
        ("json-rpc-envelope-missing", "result-and-error"),
        ("tools/list|no result",),
        lambda: legacy(tools_list=lambda request: HttpResponse(200, JSON, b"{}")),
        url="/mcp",
    ),
    Fault(
        "unknown-version-refused-by-400",
        "Every newer client fails: an unknown version is refused before it can be negotiated.",
        "xpzouying/xiaohongshu-mcp#697",
        ("http-request-rejected", "no-common-version"),
        ("Unsupported protocol version", "2025-06-18"),
        _all(
            400,
            b"Bad Request: Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26)",
            (("Content-Type", "text/plain"),),
        ),
        url="/mcp",
        exit=4,
    ),
)
