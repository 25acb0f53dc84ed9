"""Servers over HTTP that are in the table itself: see `written`."""

import json
from typing import Any

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import legacy, modern
from tests.servers.http_fixtures import JSON, STREAM, Handler

_NEWER = {"error": {"code": -32600, "message": "Bad Request: Unsupported protocol version: 2026-07-28"}, "status": 400}


def handler_of(answers: dict[str, Any], era: str, events: bool) -> Handler:
    """What is named is answered so, the rest as by a healthy server of that era."""
    healthy = modern() if era == "modern" else legacy()
    known = ({} if era == "modern" else {"2026-07-28": _NEWER}) | answers

    async def handler(request: HttpRequest) -> HttpResponse:
        message = json.loads(request.body) if request.method == "POST" else {}
        wanted = (request.header("mcp-protocol-version"), message.get("method"), request.method, "*")
        answer = next((known[each] for each in wanted if each in known), None)
        return await healthy(request) if answer is None else _response(answer, message, events)

    return handler


def _response(answer: dict[str, Any], message: dict[str, Any], events: bool) -> HttpResponse:
    status, given = answer.get("status", 200), answer.get("headers", {})
    body = answer.get("body")
    if body is None:
        what = {"error": answer["error"]} if "error" in answer else {"result": answer}
        body = json.dumps({"jsonrpc": "2.0", "id": message.get("id")} | what)
        body = f"data: {body}\n\n" if events else body
        given = dict(STREAM if events else JSON) | given
    return HttpResponse(status, tuple(given.items()), body.replace('"$ID"', json.dumps(message.get("id"))).encode())
