"""Components in front of a server: gateways, balancers, firewalls, and the addresses that lead to them."""

import json

from inspector.transports.http.listener import HttpRequest, HttpResponse, Pairs
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, Handler, json_answer
from tests.servers.streams import HELLO, answer_to
from tests.servers.trackers import Run

_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_SESSION = (("Mcp-Session-Id", "8bbb3df0"),)


def _issues_twice(request: HttpRequest) -> HttpResponse:
    return json_answer(answer_to(request, HELLO), headers=(*_SESSION, ("mcp-session-id", _SESSION[0][1])))


def _redirects_to_a_login() -> Handler:
    async def handler(request: HttpRequest) -> HttpResponse:
        if request.target.startswith("/login"):
            return HttpResponse(200, _HTML, b"<!doctype html><title>Acme single sign-on</title><form></form>")
        return HttpResponse(302, (("Location", "/login?next=/mcp"),))

    return handler


def _error(message: str) -> bytes:
    """A JSON-RPC error without an id."""
    return json.dumps({"jsonrpc": "2.0", "error": {"code": -32000, "message": message}, "id": None}).encode()


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
    "sent-to-a-login-page": _redirects_to_a_login,
    "session-changes": _changing_session,
    "session-id-twice": lambda: legacy(initialize=_issues_twice),
}
