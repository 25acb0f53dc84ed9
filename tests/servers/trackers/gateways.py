"""Components in front of a server: gateways, balancers, firewalls, and the addresses that lead to them."""

import json

from inspector.transports.http.listener import HttpRequest, HttpResponse, Pairs
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, Handler, json_answer
from tests.servers.streams import HELLO, Peculiar, answer_to
from tests.servers.trackers import Run

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

SERVERS: dict[str, Run] = {
    "shared-server-object": _all(500, _ERR),
    "entities": _all(403, b"<title>Blocked&nbsp;by policy &ndash; ask your admin</title>", _HTML),
    "session-of-another-replica-404": _with_session(
        tools_list=lambda request: HttpResponse(
            404, JSON, b'{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}'
        )
    ),
    "session-refused-by-400": _with_session(
        tools_list=lambda request: HttpResponse(400, (("Content-Type", "text/plain"),), b"Invalid session ID\n")
    ),
    "session-refused-with-an-empty-answer": _with_session(
        tools_list=lambda request: HttpResponse(404, JSON, b'{"jsonrpc":"2.0","id":1}')
    ),
    "session-header-removed": _with_session(
        tools_list=lambda request: HttpResponse(400, JSON, _error("Bad Request: Mcp-Session-Id header is required"))
    ),
    "session-never-passed-on": lambda: legacy(
        tools_list=lambda request: HttpResponse(400, JSON, _error("Bad Request: No valid session ID provided"))
    ),
    "missing-authentication-token": _all(403, b'{"message":"Missing Authentication Token"}'),
    "forbidden-for-a-missing-token": _all(403, b'{"error":"Forbidden: missing bearer token"}'),
    "firewall": _all(
        403,
        b"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>",
        (*_HTML, ("Server", "cloudflare")),
    ),
    "tunnel-is-offline": _all(
        404,
        b"<!DOCTYPE html><html><head><title>ngrok - tunnel acme.ngrok.app is offline</title></head></html>",
        (*_HTML, ("ngrok-error-code", "ERR_NGROK_3200")),
    ),
    "sent-to-a-login-page": _redirects_to_a_login,
    "http-to-an-https-port": _all(
        400,
        b"<html>\r\n<head><title>400 The plain HTTP request was sent to HTTPS port</title></head>\r\n</html>",
        (*_HTML, ("Server", "nginx")),
    ),
    "https-to-an-http-port": lambda: legacy(),
    "websocket-wanted": _all(426, b"Upgrade Required", (("Content-Type", "text/plain"), ("Upgrade", "websocket"))),
    "post-not-allowed": _all(405, b"Method Not Allowed", (("Content-Type", "text/plain"), ("Allow", "GET, HEAD"))),
    "body-too-large": lambda: legacy(tools_call=_too_large),
    "gateway-loses-the-answer": lambda: legacy(
        tools_list=lambda request: HttpResponse(504, JSON, b'{"message": "Endpoint request timed out"}')
    ),
    "gateway-cannot-reach-upstream": lambda: legacy(
        initialize=lambda request: json_answer(
            json.dumps(
                {
                    "jsonrpc": "2.0",
                    "id": json.loads(request.body)["id"],
                    "error": {"code": -32603, "message": "upstream connect error: connection refused: weather:8080"},
                }
            ).encode()
        )
    ),
    "no-tools-through-the-gateway": lambda: legacy(
        tools_list=lambda request: json_answer(answer_to(request, {"tools": []}))
    ),
    "list-is-rate-limited": lambda: legacy(
        tools_list=lambda request: HttpResponse(
            429, (("Content-Type", "text/plain"), ("Retry-After", "30")), b"quota exceeded"
        )
    ),
    "list-is-rate-limited-in-json-rpc": lambda: legacy(
        tools_list=lambda request: HttpResponse(
            429, JSON, answer_to(request, None).replace(b'"result": null', _TOO_MANY)
        )
    ),
    "host-not-allowed": _all(421, b"Invalid Host header", (("Content-Type", "text/plain"),)),
    "csrf": _all(403, b"<title>403 Forbidden</title><h1>Forbidden</h1><p>CSRF verification <b>failed</b>.</p>", _HTML),
    "session-changes": _changing_session,
    "session-id-twice": lambda: legacy(initialize=_issues_twice),
    "result-with-status-500": lambda: legacy(tools_list=_result_as_500),
    "empty-object-for-a-request": lambda: legacy(tools_list=lambda request: HttpResponse(200, JSON, b"{}")),
    "unknown-version-refused-by-400": _all(
        400,
        b"Bad Request: Unsupported protocol version (supported versions: 2025-06-18, 2025-03-26)",
        (("Content-Type", "text/plain"),),
    ),
    "redirect-to-the-container": _all(307, b"", (("Location", "http://weather:8080/mcp/"),)),
    "origin-does-not-answer-cloudflare": _all(522, b"error code: 522", (("Content-Type", "text/plain"),)),
    "key-of-a-gateway": _all(
        401, b'{"message":"No API key found in request"}', (*JSON, ("WWW-Authenticate", 'Key realm="kong"'))
    ),
    "scope-for-the-list": lambda: legacy(
        tools_list=lambda request: HttpResponse(
            403,
            (*JSON, ("WWW-Authenticate", 'Bearer error="insufficient_scope", scope="tools:read"')),
            b'{"error":"insufficient_scope"}',
        )
    ),
}
