"""The session of an agent in `mcp-inspect attach`, live, with held messages."""

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from inspector.features.tap.client import TapClient, find
from tests.cli.running import inspect
from tests.serve.agent import Agent, agent, script
from tests.waiting import until


@pytest.fixture(autouse=True)
def short_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place for sockets, whose paths may have 103 bytes."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="mi-") as place:
        monkeypatch.setenv("MCP_INSPECT_HOME", place)
        monkeypatch.setitem(os.environ, "MCP_INSPECT_HOME", place)
        yield


@asynccontextmanager
async def _attached() -> AsyncIterator[TapClient]:
    """An interface that controls the newest session, and renews its lease as a screen does."""
    client = await asyncio.to_thread(TapClient, find("agent")["socket"])
    await asyncio.to_thread(client.ask, "control")

    async def renew() -> None:
        while True:
            await asyncio.to_thread(client.ask, "status")
            await asyncio.sleep(0.1)

    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(renew())
            yield client
            task.cancel()
    finally:
        client.close()


async def _held(use: Agent, client: TapClient) -> dict[str, object]:
    """Call a tool whose calls are held, and return the held message."""
    hold = {"name": "stop", "action": "hold", "side": "request", "when": "method == tools/call"}
    await asyncio.to_thread(client.ask, "set_rule", rule=hold)
    called = await use("call", name="echo", arguments={"text": "production"}, wait_s=0)
    assert called["state"] == "running"
    found: list[dict[str, object]] = []

    def look() -> bool:
        found[:] = client.ask("status")["held"]
        return bool(found)

    await until(look, "the call is held")
    return found[0]


def _answered(use: Agent) -> bool:
    exchanges = list(use.sessions.all[0].journal.conversation.exchanges)
    return any(each.method == "tools/call" and each.answer_frame is not None for each in exchanges)


async def test_a_person_edits_a_held_call_of_the_agent() -> None:
    async with agent(script("conforming")) as use:
        await use("open")
        async with _attached() as client:
            held = await _held(use, client)
            assert "held" not in json.dumps((await use("traffic", filter="method == tools/call"))["rows"])
            text = str(held["payload"]).replace("production", "sandbox")
            await asyncio.to_thread(client.ask, "release", held=held["held"], payload=text)
            await until(lambda: _answered(use), "it is answered")
            rows = (await use("traffic", filter="method == tools/call", fields=["/params/arguments"]))["rows"]
            assert rows[0]["fields"] == {"/params/arguments": {"text": "sandbox"}}


async def test_a_person_answers_a_held_call_in_place_of_the_server() -> None:
    async with agent(script("conforming")) as use:
        await use("open")
        async with _attached() as client:
            held = await _held(use, client)
            result = {"content": [{"type": "text", "text": "from a person"}]}
            await asyncio.to_thread(client.ask, "respond", held=held["held"], result=result)
            await until(lambda: _answered(use), "it is answered")
            rows = (await use("traffic", filter="method == tools/call"))["rows"]
            assert rows[-1]["text"] == "from a person"
            checked = await use("check")
            assert checked["counts"]["error"] == 0, checked


async def test_attach_lists_and_follows_a_session_until_it_is_closed() -> None:
    async with agent(script("conforming")) as use:
        await use("open")
        listed = await asyncio.to_thread(inspect, "tap", "list", "--json")
        assert [each["label"] for each in listed.data["taps"]] == ["agent"]
        found = await asyncio.to_thread(inspect, "attach", "agent", "--until", "method == tools/list", "--json")
        assert found.status == 0
        sent = await asyncio.to_thread(inspect, "attach", "agent", "--send", "tools/list")
        assert sent.status == 0
        await use("close", session="s1")
        assert not (await asyncio.to_thread(inspect, "tap", "list", "--json")).data["taps"]
