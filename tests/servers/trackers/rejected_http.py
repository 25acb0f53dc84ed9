"""Servers over HTTP that one client rejects while another works with them, and legal ones on which a client broke."""

import json
from typing import Any

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, STREAM, json_answer, stream
from tests.servers.streams import HELLO, answer_to
from tests.servers.trackers import Run

_GITHUB = "https://github.com/"
_HTML = (("Content-Type", "text/html; charset=utf-8"),)


def _in_an_array(request: HttpRequest) -> HttpResponse:
    message = json.loads(answer_to(request, {"tools": [TOOL]})) | {"error": None}
    return json_answer(json.dumps([message]).encode())


def _answers_the_notification(request: HttpRequest) -> HttpResponse:
    error = {"code": -32600, "message": "Invalid Request"}
    return HttpResponse(200, JSON, json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode())


def _with_session(request: HttpRequest) -> HttpResponse:
    return json_answer(answer_to(request, HELLO), headers=(("Mcp-Session-Id", "8bbb3df0"),))


def _session_not_found(request: HttpRequest) -> HttpResponse:
    return HttpResponse(200, STREAM, b'event: message\ndata: {"error":"Session not found"}\n\n')


def _redirects_to_a_page() -> Any:
    async def handler(request: HttpRequest) -> HttpResponse:
        if request.target.startswith("/search"):
            return HttpResponse(404, _HTML, b"<!doctype html><title>Earthdata Search</title><h1>Not found</h1>")
        return HttpResponse(301, (("Location", "/search/mcp/v1"),))

    return handler


def _no_content(request: HttpRequest) -> HttpResponse:
    return HttpResponse(204)


def _as_a_stream_with_a_comment(request: HttpRequest) -> HttpResponse:
    return stream(b": hello\n\nid: 1\nevent: message\ndata: " + answer_to(request, HELLO) + b"\n\n")


SERVERS: dict[str, Run] = {
    "response-in-an-array": lambda: legacy(tools_list=_in_an_array),
    "notification-is-answered-with-an-error": lambda: legacy(notifications_initialized=_answers_the_notification),
    "lost-session-as-a-stream": lambda: legacy(initialize=_with_session, tools_list=_session_not_found),
    "redirect-to-a-page": _redirects_to_a_page,
    "page-at-the-stream": lambda: legacy(
        GET=lambda request: HttpResponse(200, _HTML, b"<html><title>Knowledge</title></html>")
    ),
    "no-session-at-the-stream": lambda: legacy(
        GET=lambda request: HttpResponse(400, JSON, b'{"error":"No sessionId"}')
    ),
    "no-content-for-a-notification": lambda: legacy(notifications_initialized=_no_content),
    "opening-in-a-stream": lambda: legacy(initialize=_as_a_stream_with_a_comment),
}
