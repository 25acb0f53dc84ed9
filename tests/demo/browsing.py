"""Speaking to the demo over HTTP from a test: a Site behind a Listener in this process, and httpx in front."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from inspector.demo.call import DemoOptions
from inspector.demo.http import NAMED_BY, DemoSite
from inspector.transports.http.listener import Listener
from tests.demo.driving import MODERN, opening
from tests.waiting import PATIENCE_S

BOTH = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def site(**options: Any) -> AsyncIterator[tuple[DemoSite, httpx.AsyncClient]]:
    """Serve a Site with these options; the client's addresses are relative to it."""
    async with asyncio.TaskGroup() as tasks:
        there = DemoSite(tasks, DemoOptions(**options))
        async with Listener(there.answer) as listener:
            async with httpx.AsyncClient(base_url=listener.url, headers=BOTH, timeout=PATIENCE_S) as client:
                yield there, client


def mirrored(message: dict[str, Any], **more: str) -> dict[str, str]:
    """The headers that a stateless POST of this message needs."""
    made = {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
    named = message["params"].get(NAMED_BY.get(message["method"], ""))
    return made | ({"Mcp-Name": named} if named else {}) | more


async def post(client: httpx.AsyncClient, message: dict[str, Any], **more: str) -> httpx.Response:
    """POST a stateless message with all its headers."""
    return await client.post("/mcp", json=message, headers=mirrored(message, **more))


async def session(client: httpx.AsyncClient, version: str) -> dict[str, str]:
    """Initialize a session and return the headers that belong to it."""
    response = await client.post("/mcp", json=opening(version))
    assert response.status_code == 200
    return {"Mcp-Session-Id": response.headers["mcp-session-id"], "MCP-Protocol-Version": version}


async def events(response: httpx.Response) -> AsyncIterator[tuple[str, str]]:
    """Yield type and data of each event of a stream; the demo's data is one line."""
    kind = "message"
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if name == "event":
            kind = value
        elif name == "data":
            yield kind, value


async def messages(response: httpx.Response) -> list[Any]:
    """Everything on a stream, to its end."""
    assert response.headers["content-type"] == "text/event-stream"
    return [json.loads(data) async for _, data in events(response)]
