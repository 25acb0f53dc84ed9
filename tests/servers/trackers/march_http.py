"""Servers over HTTP of the ninth round."""

import asyncio

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import JSON, Handler
from tests.servers.trackers import Run
from tests.servers.trackers.january_http import _method
from tests.servers.trackers.written_http import handler_of


def _one_at_a_time(other: HttpResponse) -> Handler:
    """What runs beside another call gets this response."""
    inner, running = handler_of({}, "legacy", events=False), list[str]()

    async def handler(request: HttpRequest) -> HttpResponse:
        if _method(request) != "tools/call":
            return await inner(request)
        alone = not running
        running.append("")
        await asyncio.sleep(0.01)
        running.pop()
        return await inner(request) if alone else other

    return handler


_LOST = HttpResponse(200, JSON, b'{"code":-106,"message":"Can not find url, please check your configuration!"}')
_NONE = HttpResponse(503, (("Content-Type", "text/plain"),), b"no available server\n")
SERVERS: dict[str, Run] = {
    "parallel-calls-lose-their-route": lambda: _one_at_a_time(_LOST),
    "no-server-for-more-than-one": lambda: _one_at_a_time(_NONE),
}
