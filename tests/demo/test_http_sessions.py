"""Sessions of the handshake era over HTTP."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from inspector.demo.http_sessions import SESSION
from inspector.demo.station import LOGBOOK
from tests.demo.browsing import events, messages, session, site
from tests.demo.driving import LEGACY, opening, request
from tests.waiting import until

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
FOREVER = {"name": "sweep_horizon", "arguments": {"steps": 1000, "seconds_per_step": 60}}


async def call(client: httpx.AsyncClient, headers: dict[str, str], name: str, **arguments: Any) -> httpx.Response:
    """Call a tool within a session."""
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": "t"}}
    return await client.post("/mcp", headers=headers, json=request(9, "tools/call", **params))


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25"])
async def test_a_session_from_its_opening_to_its_end(version: str) -> None:
    async with site() as (there, client):
        headers = await session(client, version)
        assert (await client.post("/mcp", headers=headers, json=INITIALIZED)).status_code == 202
        listed = await client.post("/mcp", headers=headers, json=request(1, "tools/list"))
        assert listed.headers["content-type"] == "application/json"
        assert listed.json()["result"]["tools"]
        assert (await client.delete("/mcp", headers=headers)).status_code == 204
        assert (await client.post("/mcp", headers=headers, json=request(2, "ping"))).status_code == 404
        assert not there.sessions.open


async def test_progress_turns_the_answer_into_a_stream() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        sent = await messages(await call(client, headers, "sweep_horizon", steps=2, seconds_per_step=0))
    assert [message.get("method") for message in sent] == ["notifications/progress", "notifications/progress", None]


async def test_news_come_on_the_stream_that_was_opened_for_them_and_there_is_one() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        only_events = headers | {"Accept": "text/event-stream"}
        async with client.stream("GET", "/mcp", headers=only_events) as stream:
            assert (await client.get("/mcp", headers=only_events)).status_code == 409
            await client.post("/mcp", headers=headers, json=request(1, "resources/subscribe", uri=LOGBOOK))
            await call(client, headers, "write_log", entry="x")
            coming = events(stream)
            _, data = await anext(coming)
            assert json.loads(data)["method"] == "notifications/resources/updated"
            await client.delete("/mcp", headers=headers)
            assert [event async for event in coming] == []


async def test_a_call_is_cancelled_by_a_message_of_its_own() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        async with asyncio.TaskGroup() as tasks:
            slow = tasks.create_task(client.post("/mcp", headers=headers, json=request(5, "tools/call", **FOREVER)))
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
            while not slow.done():
                assert (await client.post("/mcp", headers=headers, json=cancel)).status_code == 202
        assert await messages(slow.result()) == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({SESSION: "nobody"}, 404),
        ({SESSION: ""}, 404),
        ({"MCP-Protocol-Version": "1999-01-01"}, 400),
        ({"Accept": "application/json"}, 406),
        ({"Content-Type": "text/plain"}, 415),
        ({"Origin": "https://lighthouse.invalid"}, 403),
    ],
)
async def test_a_wrong_header_is_refused(change: dict[str, str], status: int) -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        response = await client.post("/mcp", headers=headers | change, json=request(1, "ping"))
    assert response.status_code == status


async def test_without_a_session_there_is_only_initialize() -> None:
    async with site() as (there, client):
        assert (await client.post("/mcp", json=request(1, "tools/list"))).status_code == 400
        assert (await client.get("/mcp", headers={"Accept": "text/event-stream"})).status_code == 400
        assert (await client.delete("/mcp")).status_code == 400
        assert (await client.post("/mcp", json=request(0, "initialize"))).status_code == 400
        assert not there.sessions.open


async def test_a_get_wants_to_accept_events() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        assert (await client.get("/mcp", headers=headers | {"Accept": "application/json"})).status_code == 406


@pytest.mark.parametrize(("version", "status"), [("2025-03-26", 200), ("2025-06-18", 200)])
async def test_a_batch_is_answered_as_one_or_refused(version: str, status: int) -> None:
    async with site() as (_, client):
        headers = await session(client, version)
        batch = [request(1, "ping"), request(2, "tools/list"), INITIALIZED]
        response = await client.post("/mcp", headers=headers, json=batch)
        told = await client.post("/mcp", headers=headers, json=[INITIALIZED])
    assert response.status_code == status
    if version == "2025-03-26":
        assert sorted(answer["id"] for answer in response.json()) == [1, 2]
        assert told.status_code == 202
    else:
        assert "error" in response.json()
        assert told.status_code == 400


async def test_two_sessions_share_the_lighthouse_and_nothing_else() -> None:
    async with site() as (there, client):
        first, second = await session(client, LEGACY), await session(client, "2025-03-26")
        await call(client, first, "write_log", entry="A whale.")
        read = await client.post("/mcp", headers=second, json=request(1, "resources/read", uri=LOGBOOK))
        assert "A whale." in read.json()["result"]["contents"][0]["text"]
        assert len(there.sessions.open) == 2


async def test_the_old_way_in_names_its_address_and_answers_on_the_stream() -> None:
    async with site() as (there, client):
        async with client.stream("GET", "/sse") as stream:
            coming = events(stream)
            kind, address = await anext(coming)
            assert kind == "endpoint"
            posted = await client.post(address, json=opening("2024-11-05"))
            assert (posted.status_code, posted.text) == (202, "Accepted")
            kind, data = await anext(coming)
            assert kind == "message"
            assert json.loads(data)["result"]["protocolVersion"] == "2024-11-05"
            assert (await client.post(address, content=b"{")).status_code == 400
            await client.post(address, json=request(1, "tools/call", **FOREVER))
        await until(lambda: not there.old_sessions.open_sessions, "the session has ended with its stream")
        assert not there.station.listeners
        assert (await client.post(address, json=request(2, "ping"))).status_code == 404
