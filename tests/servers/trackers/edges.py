"""Servers over HTTP behind proxies and gateways, or reported to clients: addresses, challenges, statuses, streams."""

import asyncio
import json
from typing import Any

from inspector.transports.http.listener import HttpRequest, HttpResponse
from tests.servers.faulty.authorization._house import PROTECTED, house
from tests.servers.faulty.http._healthy import TOOL, legacy, modern
from tests.servers.http_fixtures import JSON, STREAM, Handler, json_answer, stream
from tests.servers.streams import HELLO, answer_to
from tests.servers.trackers import Run

_GITHUB = "https://github.com/"
_TEXT = (("Content-Type", "text/plain"),)
_SESSION = (("Mcp-Session-Id", "8bbb3df0"),)
_TOOLS = {"tools": [TOOL]}


def _notified(answer: Any) -> Run:
    """Notifications get this."""

    def make() -> Handler:
        inner = legacy()

        async def handler(request: HttpRequest) -> HttpResponse:
            if request.method == "POST" and "id" not in json.loads(request.body):
                return HttpResponse(200, JSON, json.dumps(answer).encode())
            return await inner(request)

        return handler

    return make


def _older(endpoint: str) -> Run:
    """HTTP as it was at first; its stream names this address."""

    def make() -> Handler:
        async def handler(request: HttpRequest) -> HttpResponse:
            if request.method != "GET":
                return HttpResponse(405)

            async def body() -> Any:
                yield f"event: endpoint\ndata: {endpoint}\n\n".encode()
                await asyncio.sleep(60)

            return HttpResponse(200, STREAM, body())

        return handler

    return make


def _heartbeat(request: HttpRequest) -> HttpResponse:
    beat = b'data: {"type":"heartbeat","timestamp":"2025-10-31T11:30:41.100Z"}\n\n'
    return stream(beat, b"data: " + answer_to(request, _TOOLS) + b"\n\n")


def _without_hints(request: HttpRequest) -> HttpResponse:
    meta = {"io.modelcontextprotocol/serverInfo": {"name": "claw", "version": "1"}}
    return json_answer(answer_to(request, {"resultType": "complete", "_meta": meta, **_TOOLS}))


def _own_challenge(challenge: str) -> Run:
    return lambda: house(challenge=challenge)


def _silent_to_discover() -> Handler:
    inner = legacy()

    async def handler(request: HttpRequest) -> HttpResponse:
        if b"server/discover" in request.body:
            await asyncio.sleep(60)
        return await inner(request)

    return handler


_CONNECTED = (
    b'{"statusCode":500,"error":"Internal Server Error","message":"Already connected to a transport. Call close()'
    b' before connecting to a new transport, or use a separate Protocol instance per connection."}'
)

SERVERS: dict[str, Run] = {
    "metadata-built-from-the-local-port": lambda: house(protected={"resource": "http://127.0.0.1:8080/mcp"}),
    "challenge-names-an-internal-host": _own_challenge(
        'Bearer resource_metadata="http://my-server.agent-gateway.svc.cluster.local:45450/.well-known/'
        'oauth-protected-resource/my-server/mcp"'
    ),
    "challenge-with-a-malformed-address": _own_challenge(
        'Bearer resource_metadata="https:mcp.ops.example/.well-known/oauth-protected-resource/"'
    ),
    "challenge-names-its-metadata-twice": _own_challenge(
        'Bearer realm="OAuth", resource_metadata="{here}/.well-known/oauth-protected-resource", '
        'error="invalid_token", error_description="Missing or invalid access token", '
        f'resource_metadata="{{here}}{PROTECTED}"'
    ),
    "challenge-without-metadata": _own_challenge(
        'Bearer error="invalid_token", error_description="Missing Authorization header"'
    ),
    "resource-on-another-host": lambda: house(protected={"resource": "https://gateway.manifest.example/api/v1/mcp"}),
    "endpoint-of-the-container": _older("http://127.0.0.1:10105/api/mcp/servers/1/message?session=2"),
    "endpoint-of-the-listener": _older("http://0.0.0.0:5025/message?sessionId=1"),
    "404-in-front-of-the-server": lambda: legacy(
        tools_list=lambda request: HttpResponse(404, JSON, b'{"detail":"Not Found"}')
    ),
    "notification-gets-the-last-response": _notified({"jsonrpc": "2.0", "id": 1, "result": HELLO}),
    "notification-gets-a-result": _notified({"jsonrpc": "2.0", "result": {}}),
    "heartbeats-as-messages": lambda: legacy(tools_list=_heartbeat),
    "get-refused-by-400": lambda: legacy(
        GET=lambda request: HttpResponse(
            400, JSON, b'{"jsonrpc":"2.0","error":{"code":-32001,"message":"No session"},"id":null}'
        )
    ),
    "shared-server-object-in-the-second-request": lambda: legacy(
        tools_list=lambda request: HttpResponse(500, JSON, _CONNECTED)
    ),
    "no-cache-hints": lambda: modern(tools_list=_without_hints),
    "discover-hangs": _silent_to_discover,
    "origin-of-another-scheme": lambda: house(protected={"resource": "http://mcp.acme.example/mcp"}),
    "only-on-ipv6": lambda: legacy(),
}
