"""The rest of the server: resources, prompts, HTTP, and the size of everything."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation

from inspector.checks.definitions.confusable import confusable_pairs
from inspector.features.cost.cost import ToolSearch, read_queries, tool_cost
from inspector.serve.http import guarded, new_token, serve_http
from inspector.serve.server import INSTRUCTIONS, server_of
from inspector.serve.table import TOOLS
from inspector.text import estimate_tokens
from tests.serve.agent import Agent, agent, script, sessions_for
from tests.waiting import until


def test_all_definitions_together_cost_at_most_3000_tokens() -> None:
    assert estimate_tokens(len(INSTRUCTIONS) + sum(tool_cost(each.listed).size for each in TOOLS)) <= 3000
    assert all(each.description and len(each.description) < 145 for each in TOOLS)


def test_each_of_30_questions_finds_its_tool_by_the_words_of_the_definitions() -> None:
    questions = read_queries(Path(__file__).with_name("questions.txt").read_text().splitlines())
    search = ToolSearch([each.listed for each in TOOLS])
    ranks = {each.text: search.search(each).rank for each in questions}
    assert len(ranks) == 30
    assert {text: rank for text, rank in ranks.items() if not 1 <= rank <= 5} == {}
    assert [*ranks.values()].count(1) >= 24


def test_sentences_of_authors_find_their_tools_among_the_first_three() -> None:
    sentences = read_queries(Path(__file__).with_name("sentences.txt").read_text().splitlines())
    search = ToolSearch([each.listed for each in TOOLS])
    found = [1 <= search.search(each).rank <= 3 for each in sentences]
    assert len(found) == 96
    assert sum(found[:36]) >= 32  # the others share few words with the definitions: docs/agents.md


def test_no_two_tools_are_confusable() -> None:
    assert [*confusable_pairs([each.listed for each in TOOLS])] == []


async def test_a_capture_is_a_resource_without_the_secrets_in_it() -> None:
    async with agent(script("conforming")) as use:
        opened = await use("open")
        await use("call", name="echo", arguments={"password": "hunter2hunter2"})
        uris = [str(each.uri) for each in (await use.client.list_resources()).resources]
        assert uris == ["mcpcap://list", f"mcpcap://{opened['capture']}"]
        assert len((await use.client.list_resource_templates()).resource_templates) == 2
        page = json.loads((await use.client.read_resource(uris[1])).contents[0].text)  # type: ignore[union-attr]
        entry = next(each["entry"] for each in page["requests"] if each["method"] == "tools/call")
        sent: Any = (await use.client.read_resource(f"{uris[1]}/{entry}")).contents[0]
        assert json.loads(sent.text)["params"]["name"] == "echo"
        assert "hunter2" not in sent.text
        with pytest.raises(MCPError, match="no capture"):
            await use.client.read_resource("mcpcap://nowhere")


async def test_a_prompt_contains_its_argument_and_needs_it() -> None:
    async with agent(script("conforming")) as use:
        assert [each.name for each in (await use.client.list_prompts()).prompts] == ["debug", "fails_in_client"]
        prompt = await use.client.get_prompt("fails_in_client", {"client": "codex"})
        assert "client=codex" in prompt.messages[0].content.text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="needs symptom"):
            await use.client.get_prompt("debug", {})


async def test_over_http_only_requests_with_the_token_are_served() -> None:
    sessions, token = sessions_for(script("conforming")), new_token()
    app = server_of(sessions).streamable_http_app()
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _OPENING}
    try:
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(guarded(app, token))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:1", headers=_HEADERS) as http:
                assert (await http.post("/mcp", json=hello)).status_code == 401
                assert (await http.post(f"/{token[:-1]}/mcp", json=hello)).status_code == 401
                assert (await http.post(f"/{token}/mcp", json=hello)).status_code == 200
                own = {"Authorization": f"Bearer {token}"}
                assert (await http.post("/mcp", json=hello, headers=own)).status_code == 200
                foreign = {**own, "Host": "evil.example"}
                assert (await http.post("/mcp", json=hello, headers=foreign)).status_code == 421
    finally:
        await sessions.close_all()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_over_http_the_newest_session_is_that_of_the_same_client(mode: Any) -> None:
    announced: list[str] = []
    sessions = sessions_for(script("conforming"))
    async with asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(serve_http(sessions, 0, new_token(), announced.append))
        await until(lambda: announced, "it listens")
        one, other = (
            Client(announced[0].split()[0], mode=mode, client_info=Implementation(name=name, version="1"))
            for name in ("one", "other")
        )
        async with one, other:
            await Agent(one, sessions)("open")
            assert "no session of this client is open" in await Agent(other, sessions).refused("traffic")
            await Agent(other, sessions)("open")
            assert (await Agent(one, sessions)("traffic"))["session"] == "s1"
        serving.cancel()


_HEADERS = {"Accept": "application/json, text/event-stream"}
_OPENING = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


async def test_an_idle_session_is_closed() -> None:
    async with agent(script("conforming")) as use:
        await use("open")
        await use.sessions.close_idle(3600)
        assert len((await use("sessions"))["sessions"]) == 1
        await use.sessions.close_idle(-1)
        assert not (await use("sessions"))["sessions"]
