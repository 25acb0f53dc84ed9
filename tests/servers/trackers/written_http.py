"""Servers over HTTP that are in the table itself: see `written`."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import TOOL, WHOLE, legacy, modern
from tests.servers.http_fixtures import JSON, STREAM, Handler, stream
from tests.servers.streams import WHO

TEXT = (("Content-Type", "text/plain; charset=utf-8"),)
HELLO = {"protocolVersion": "2025-11-25", "serverInfo": WHO, "capabilities": {"tools": {}}}

_NEWER = {"error": {"code": -32600, "message": "Bad Request: Unsupported protocol version: 2026-07-28"}, "status": 400}
_STRICT = {  # refuses what `doctor` tries
    r"~^host: (?!127)|^origin: [^\n]*invalid": {"status": 403, "body": "Forbidden"},
    r"~^mcp-protocol-version: [^\n]*no-such": {
        "status": 400,
        "error": {"code": -32600, "message": "Unsupported version"},
    },
    r'~"cursor"|^POST \S+ tools/call(?!.*"name": ?"work")': {"error": {"code": -32602, "message": "Invalid params"}},
    r"~^POST \S+ (resources|prompts|mcp-inspect)/": {"error": {"code": -32601, "message": "Method not found"}},
}


def older(path: str, refused: HttpResponse, first: bytes = b"", capabilities: Any = None) -> Handler:
    """HTTP as it was at first; a POST without a session gets this response."""
    outbox: asyncio.Queue[bytes] = asyncio.Queue()
    hello = HELLO | {"capabilities": capabilities or {"tools": {}}}
    results = {"initialize": hello, "tools/list": {"tools": [TOOL]}, "ping": {}}

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":

            async def body() -> AsyncIterator[bytes]:
                yield b"event: endpoint\ndata: " + path.encode() + b"?sessionId=3f2a\n\n" + first
                while True:
                    yield b"event: message\ndata: " + await outbox.get() + b"\n\n"

            return HttpResponse(200, STREAM, body()) if request.target == path else HttpResponse(404)
        if "sessionId=" not in request.target:
            return refused
        message = json.loads(request.body)
        if "id" in message and "method" in message:
            known = results.get(message["method"])
            error = {"error": {"code": -32601, "message": "Method not found"}}
            what = error if known is None else {"result": known}
            outbox.put_nowait(json.dumps({"jsonrpc": "2.0", "id": message["id"]} | what).encode())
        return HttpResponse(202, TEXT, b"Accepted")

    return handler


def handler_of(answers: dict[str, Any], era: str, events: bool) -> Handler:
    """What is named is answered so, the rest as by a healthy server of that era."""
    older_one = older("/sse", HttpResponse(404, TEXT, b"Not Found"))
    healthy, turns = {"modern": modern(), "older": older_one}.get(era, legacy()), Counter[str]()
    known: dict[str, Any] = (
        ({} if era == "modern" else {"2026-07-28": _NEWER}) | (_STRICT if era == "strict" else {}) | answers
    )

    async def handler(request: HttpRequest) -> HttpResponse:
        message = json.loads(request.body) if request.method == "POST" else {}
        wanted = (request.header("mcp-protocol-version"), message.get("method"), request.method, "*")
        fitting = [*(each for each in known if each[0] == "~" and re.search(each[1:], _as_text(request), re.M | re.S))]
        for key in (*fitting, *(each for each in wanted if each in known)):
            turns[key] += 1
            answer = json.loads(json.dumps(known[key]).replace("$HOST", request.header("host") or ""))
            if answer.pop("after", 0) < turns[key] <= answer.pop("times", turns[key]):
                if (more := answer.pop("also", None)) is None:
                    return _response(answer, message, events)
                usual = await healthy(request)
                return HttpResponse(usual.status, (*usual.headers, *more.items()), usual.body)
        return await healthy(request)

    return handler


def _as_text(request: HttpRequest) -> str:
    """The request as the patterns of a table see it: verb, target and method, headers, a blank line, the body."""
    body = request.body.decode("utf-8", "replace")
    method = re.search(r'"method": ?"([^"]*)"', body)
    head = [f"{name.lower()}: {value}" for name, value in request.headers]
    return "\n".join((f"{request.method} {request.target} {method[1] if method else ''}", *head, "", body))


def _response(answer: dict[str, Any], message: dict[str, Any], events: bool) -> HttpResponse:
    status, given, held = answer.pop("status", 200), answer.pop("headers", {}), answer.pop("held", False)
    body = answer.pop("body", None)
    if body is None:
        answer = WHOLE | answer["whole"] if "whole" in answer else answer
        what = {"error": answer["error"]} if "error" in answer else {"result": answer.get("result", answer)}
        body = json.dumps({"jsonrpc": "2.0", "id": message.get("id")} | what)
        body = f"data: {body}\n\n" if events else body
        given = dict(STREAM if events else JSON) | given
    whole = body.replace('"$ID"', json.dumps(message.get("id"))).encode()
    if held:
        more = tuple(each for each in given.items() if each not in STREAM)
        return stream(*filter(None, (whole,)), asyncio.Event().wait, headers=more)
    return HttpResponse(status, tuple(given.items()), whole)
