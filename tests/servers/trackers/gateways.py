"""Components in front of a server: gateways, balancers, firewalls, and the addresses that lead to them."""

import json

from inspector.transports.http.listener import HttpRequest, HttpResponse, Pairs
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, Handler, json_answer
from tests.servers.streams import HELLO, Peculiar, answer_to
from tests.servers.trackers import Run

_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_SESSION = (("Mcp-Session-Id", "8bbb3df0"),)


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


SERVERS: dict[str, Run] = {
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
    "sent-to-a-login-page": _redirects_to_a_login,
    "https-to-an-http-port": lambda: legacy(),
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
    "session-changes": _changing_session,
    "session-id-twice": lambda: legacy(initialize=_issues_twice),
    "result-with-status-500": lambda: legacy(tools_list=_result_as_500),
    "empty-object-for-a-request": lambda: legacy(tools_list=lambda request: HttpResponse(200, JSON, b"{}")),
    "scope-for-the-list": lambda: legacy(
        tools_list=lambda request: HttpResponse(
            403,
            (*JSON, ("WWW-Authenticate", 'Bearer error="insufficient_scope", scope="tools:read"')),
            b'{"error":"insufficient_scope"}',
        )
    ),
}
