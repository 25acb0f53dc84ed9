"""Servers over HTTP whose faults were reported in the summer and autumn of 2026."""

import asyncio
import json
from collections.abc import AsyncIterator

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.authorization._house import house
from tests.servers.faulty.http._healthy import TOOL, legacy, modern
from tests.servers.http_fixtures import JSON, STREAM, Handler
from tests.servers.streams import AnswersOnGet
from tests.servers.trackers import Run

_GITHUB = "https://github.com/"
_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)


def _error(request: HttpRequest, code: int, message: str, status: int = 400) -> HttpResponse:
    id_ = json.loads(request.body).get("id")
    body = {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
    return HttpResponse(status, JSON, json.dumps(body).encode())


def _answers_on_the_stream() -> Handler:
    """The list comes on the standalone stream alone; the POST gets an empty one."""
    late = AnswersOnGet({"tools": [TOOL]})

    def nothing(request: HttpRequest) -> HttpResponse:
        late.call(request)
        return HttpResponse(200, STREAM, b"")

    return legacy(tools_list=nothing, GET=late.get)


def _text_for_a_notification(request: HttpRequest) -> HttpResponse:
    return HttpResponse(202, _TEXT, b"Accepted")


def _asked_for_the_header(request: HttpRequest) -> HttpResponse:
    """The gateway compares the header with the method of the first request of the connection."""
    return _error(request, -32600, "mcp: Mcp-Method header/body mismatch")


def _refuses_the_probe() -> Handler:
    """A version that the SDK does not know is refused under an id of its own."""
    inner = legacy()

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.header("mcp-protocol-version") == "2026-07-28":
            error = {"code": -32600, "message": "Bad Request: Unsupported protocol version: 2026-07-28"}
            return HttpResponse(
                400, JSON, json.dumps({"jsonrpc": "2.0", "id": "server-error", "error": error}).encode()
            )
        return await inner(request)

    return handler


def _mounted_below() -> Handler:
    """HTTP as it was at first, mounted below /mcp; its stream names the path that it has by itself."""

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.target != "/mcp/sse" or request.method != "GET":
            return HttpResponse(404, _TEXT, b"Not Found")

        async def body() -> AsyncIterator[bytes]:
            yield b"event: endpoint\ndata: /messages/?session_id=3f2a\n\n"
            await asyncio.sleep(60)

        return HttpResponse(200, STREAM, body())

    return handler


def _validates_with_another_model() -> Handler:
    """A web framework validates the message against a model of its own."""
    detail = [{"type": "missing", "loc": ["body", "tool_name"], "msg": "Field required", "input": {}}]

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return HttpResponse(405, JSON, b'{"detail":"Method Not Allowed"}')
        return HttpResponse(422, JSON, json.dumps({"detail": detail}).encode())

    return handler


SERVERS: dict[str, Run] = {
    "response-on-the-other-stream": _answers_on_the_stream,
    "text-for-a-notification": lambda: legacy(notifications_initialized=_text_for_a_notification),
    "gateway-compares-with-an-older-method": lambda: modern(tools_list=_asked_for_the_header),
    "probe-refused-under-another-id": _refuses_the_probe,
    "address-without-its-prefix": _mounted_below,
    "validated-as-something-else": _validates_with_another_model,
    "metadata-without-resource": lambda: house(protected={"resource": None}),
    "metadata-of-another-path": lambda: house(protected={"resource": "https://mcp.acme.example/mcp/v1"}),
}
