"""Servers over HTTP of the twelfth round."""

import asyncio

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.http_fixtures import Handler, stream
from tests.servers.trackers import Run
from tests.servers.trackers.may_http import _login
from tests.servers.trackers.written_http import handler_of


def _has_one_worker() -> Handler:
    """The stream of GET keeps the only worker."""
    inner, free = handler_of({}, "legacy", events=False), asyncio.Lock()

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            await free.acquire()
            return stream(b": open\n\n", asyncio.Event().wait, headers=(("X-Accel-Buffering", "no"),))
        async with free:
            return await inner(request)

    return handler


def _blocks() -> Handler:
    """A call of which the event loop sees nothing: whatever comes meanwhile waits."""
    inner, free = handler_of({}, "legacy", events=False), asyncio.Lock()

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            return HttpResponse(405)
        async with free:
            if b"tools/call" in request.body:
                await asyncio.Event().wait()
            return await inner(request)

    return handler


SERVERS: dict[str, Run] = {
    "tool-blocks-the-loop": _blocks,
    "called-tool-blocks-the-loop": _blocks,
    "stream-takes-the-only-place": _has_one_worker,
    "endpoint-brings-its-own-resource": _login(
        about={"authorization_endpoint": "{here}/authorize?resource=https%3A%2F%2Fbackboard.example.com"}
    ),
    "methods-of-challenges-are-a-text": _login(about={"code_challenge_methods_supported": "S256"}),
    "challenge-names-nothing": _login(
        challenge='Bearer resource_metadata="{here}/.well-known/oauth-protected-resource/v2/mcp"'
    ),
}
