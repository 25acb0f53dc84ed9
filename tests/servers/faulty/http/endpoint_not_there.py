"""The older transport, mounted below /weather: the address that it names lacks that part, and is not there."""
# expects: wrong-endpoint-event
# exit: 4
# url: /weather/sse

import asyncio
from collections.abc import AsyncIterator

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import STREAM


async def _events() -> AsyncIterator[bytes]:
    yield b"event: endpoint\ndata: /messages?session=1\n\n"
    await asyncio.sleep(60)


async def answer(request: HttpRequest) -> HttpResponse:
    """The stream is there, the rest is not."""
    if request.method == "GET" and request.target == "/weather/sse":
        return HttpResponse(200, STREAM, _events())
    return HttpResponse(405 if request.target == "/weather/sse" else 404, (("Content-Type", "text/plain"),), b"no")
