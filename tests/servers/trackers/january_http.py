"""Servers over HTTP of the seventh round."""

import asyncio
import json

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.http._healthy import modern
from tests.servers.http_fixtures import STREAM, Handler, always, stream
from tests.servers.streams import event
from tests.servers.trackers import Run
from tests.servers.trackers.written_http import handler_of

_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)
_TRACE = b"""\
Traceback (most recent call last):
  File "/app/.venv/lib/python3.12/site-packages/starlette/middleware/errors.py", line 164, in __call__
    await self.app(scope, receive, _send)
  File "/app/.venv/lib/python3.12/site-packages/starlette/routing.py", line 460, in handle
    await self.app(scope, receive, send)
  File "/app/.venv/lib/python3.12/site-packages/mcp/server/streamable_http_manager.py", line 137, in handle_request
    raise RuntimeError("Task group is not initialized. Make sure to use run().")
RuntimeError: Task group is not initialized. Make sure to use run().
"""


def _method(request: HttpRequest) -> str | None:
    return json.loads(request.body).get("method") if request.method == "POST" else None


def _polled() -> Handler:
    inner, kept = handler_of({}, "legacy", events=False), dict[str | None, bytes]()

    async def handler(request: HttpRequest) -> HttpResponse:
        last = request.header("last-event-id")
        if request.method == "GET" and last in kept:
            return HttpResponse(200, STREAM, event(kept[last], id=f"{last}-1"))
        response = await inner(request)
        if _method(request) not in ("tools/call", "tools/list") or not isinstance(response.body, bytes):
            return response
        number = str(len(kept) + 1)
        kept[number] = response.body
        return HttpResponse(200, STREAM, f"id: {number}\nretry: 50\ndata:\n\n".encode())

    return handler


def _sticky() -> Handler:
    inner = handler_of({}, "legacy", events=False)

    async def handler(request: HttpRequest) -> HttpResponse:
        response = await inner(request)
        more = (
            ("Set-Cookie", "AWSALB=vQ8m; Expires=Mon, 07 Dec 2026 10:00:00 GMT; Path=/"),
            ("Mcp-Session-Id", "3f2a"),
        )
        newer = request.header("mcp-protocol-version") == "2026-07-28"
        return HttpResponse(response.status, (*response.headers, *more[: 1 if newer else 2]), response.body)

    return handler


def _pings() -> Handler:
    inner, sent = handler_of({}, "legacy", events=False), dict[str, asyncio.Event]()

    async def handler(request: HttpRequest) -> HttpResponse:
        if request.method == "POST" and "method" not in json.loads(request.body):
            sent[json.loads(request.body)["id"]].set()
            return HttpResponse(202)
        if _method(request) == "tools/list":
            id_ = f"s-{len(sent)}"
            sent[id_] = asyncio.Event()
            ping = json.dumps({"jsonrpc": "2.0", "id": id_, "method": "ping"}).encode()
            listed = await inner(request)
            assert isinstance(listed.body, bytes)
            return stream(event(ping), sent[id_].wait, event(listed.body))
        return await inner(request)

    return handler


SERVERS: dict[str, Run] = {
    "lifespan-never-ran": lambda: always(HttpResponse(500, _TEXT, _TRACE)),
    "stream-is-polled": _polled,
    "subscription-without-an-acknowledgement": lambda: modern(
        subscriptions_listen=lambda _: stream(b": open\n\n", asyncio.Event().wait)
    ),
    "balancer-sets-a-cookie": _sticky,
    "server-pings-in-the-stream-of-a-list": _pings,
}
