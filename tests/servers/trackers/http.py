"""Servers over HTTP: types, lengths, streams, statuses whose body names the cause."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator

from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import TOOL, legacy
from tests.servers.http_fixtures import JSON, STREAM, Handler, json_answer, pieces, stream
from tests.servers.streams import HELLO, Peculiar, answer_to
from tests.servers.trackers import Run

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


def _short(request: HttpRequest) -> HttpResponse:
    body = answer_to(request, _TOOLS)
    return HttpResponse(200, (*JSON, ("Content-Length", str(len(body) + 10))), pieces((body,)))


def _counted_in_characters(request: HttpRequest) -> HttpResponse:
    """The length is that of the text, and the text has characters of several bytes."""
    message = json.loads(answer_to(request, {"tools": [TOOL | {"description": "Zeigt das Wetter für Köln – täglich"}]}))
    text = json.dumps(message, ensure_ascii=False)
    body = text.encode()[: len(text)]
    return HttpResponse(200, JSON, body)


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

SERVERS: dict[str, Run] = {
    "half-modern": _half_modern(
        HttpResponse(400, _TEXT, b'Bad Request: "2026-07-28" is only supported on stateless HTTP servers')
    ),
    "half-modern-session": _half_modern(HttpResponse(400, JSON, _NO_SESSION)),
    "event-without-its-blank-line": _tools(lambda request: _open(b"data: " + answer_to(request, _TOOLS) + b"\n")),
    "event-without-its-blank-line-and-an-end": _tools(
        lambda request: stream(b"event: message\ndata: " + answer_to(request, _TOOLS) + b"\n")
    ),
    "shorter-than-its-length": _tools(_short),
    "length-in-characters": _tools(_counted_in_characters),
    "text-plain": _hello(lambda request: HttpResponse(200, _TEXT, answer_to(request, HELLO))),
    "no-content-type": _hello(lambda request: HttpResponse(200, (), answer_to(request, HELLO))),
    "gzip-that-is-none": _tools(
        lambda request: json_answer(answer_to(request, _TOOLS), headers=(("Content-Encoding", "gzip"),))
    ),
    "gzip-without-its-header": _tools(lambda request: json_answer(gzip.compress(answer_to(request, _TOOLS)))),
    "json-called-an-event-stream": _hello(lambda request: HttpResponse(200, STREAM, answer_to(request, HELLO))),
    "events-called-json": _tools(
        lambda request: json_answer(b"event: message\ndata: " + answer_to(request, _TOOLS) + b"\n\n")
    ),
    "data-over-several-lines": _tools(
        lambda request: stream(
            b"data: " + json.dumps(json.loads(answer_to(request, _TOOLS)), indent=2).encode() + b"\n\n"
        )
    ),
    "event-of-another-name": _tools(
        lambda request: stream(b"event: response\ndata: " + answer_to(request, _TOOLS) + b"\n\n")
    ),
    "cut-in-the-middle-of-json": _tools(
        lambda request: HttpResponse(
            200, (*JSON, ("Transfer-Encoding", "chunked")), pieces((b'{"jsonrpc":"2.0","id', HangUp()))
        )
    ),
}
