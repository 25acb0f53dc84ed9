"""A server of the first transport: POST is refused, GET names another address; newer clients do not speak that."""
# expects: sse-transport
# exit: 0
# url: /sse

import asyncio
import json
from collections.abc import AsyncIterator

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import STREAM
from tests.servers.streams import HELLO, answer_to

_outbox: asyncio.Queue[bytes] = asyncio.Queue()
TOOLS = {"tools": [{"name": "work", "description": "Does the work.", "inputSchema": {"type": "object"}}]}
RESULTS = {"ping": {}, "initialize": HELLO | {"protocolVersion": "2024-11-05"}, "tools/list": TOOLS}


async def _events() -> AsyncIterator[bytes]:
    yield b"event: endpoint\ndata: /messages?session=1\n\n"
    while True:
        yield b"event: message\ndata: " + await _outbox.get() + b"\n\n"


async def answer(request: HttpRequest) -> HttpResponse:
    """The stream at one address, messages at another."""
    if request.method == "GET":
        return HttpResponse(200, STREAM, _events())
    if not request.target.startswith("/messages"):
        return HttpResponse(405, (("Allow", "GET"),))
    method = json.loads(request.body)["method"]
    if method in RESULTS:
        _outbox.put_nowait(answer_to(request, RESULTS[method]))
    return HttpResponse(202, (), b"Accepted")
