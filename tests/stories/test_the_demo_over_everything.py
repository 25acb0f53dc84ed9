"""The demo over both transports and all revisions: each tool once, and its result, live and replayed."""

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.format.verify import verify
from inspector.capture.journal import start_capture
from inspector.capture.store.load import load
from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.facts import HttpEvent, HttpFact, Stderr
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.table import ROWS
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.session.session import Session
from tests.demo.browsing import site
from tests.servers.real import ROOT
from tests.stories.visits import Seen, seen

CALLS: Mapping[str, tuple[dict[str, Any], str]] = {
    "echo": ({"text": "ahoy", "times": 2}, "ahoy … ahoy"),
    "add": ({"a": 2, "b": 40}, "42 fathoms"),
    "long_running": ({"steps": 3, "seconds_per_step": 0}, "3 sweeps"),
    "image_result": ({"harbour": "Teal Bay", "hours": 2}, "iVBORw0KGgo"),
    "audio_result": ({"seconds": 0.1}, "audio/wav"),
    "all_content": ({}, "Keeper's report"),
    "update_resource": ({"entry": "fog"}, "Entry"),
    "log_messages": ({}, "All quiet"),
    "toggle_tool": ({}, "cellar is open"),
    "extra_tool": ({}, "41 barrels"),
    "tool_error": ({}, '"isError":true'),
    "invalid_output": ({}, "sideways"),
    "hostile_text": ({}, "stolen"),
}
"""Tool → arguments, and what stands in its result."""


@asynccontextmanager
async def demo(transport: str, **options: Any) -> AsyncIterator[Target]:
    """The demo over a transport; over stdio by its flags."""
    if transport == "http":
        async with site(**options) as (_, client):
            yield HttpTarget(str(client.base_url.join("/mcp")))
    else:
        flags = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
        command = (sys.executable, "-m", "inspector.demo", *flags)
        yield StdioTarget(command, build_environment(os.environ, inherit_all=False), str(ROOT))


async def use_all(session: Session) -> dict[str, str]:
    """List, call every tool, list again; tool → result as JSON without spaces."""
    await session.list_all("tools")
    results = {}
    for tool, (arguments, _) in CALLS.items():
        called = await session.call("tools/call", {"name": tool, "arguments": arguments})
        assert isinstance(called.reply, Replied)
        assert isinstance(called.reply.message, ResultResponse), tool
        results[tool] = json.dumps(called.reply.message.result, separators=(",", ":"), ensure_ascii=False)
    refused = await session.call("tools/call", {"name": "jsonrpc_error", "arguments": {}})
    assert isinstance(refused.reply, Replied)
    assert not isinstance(refused.reply.message, ResultResponse)
    await session.list_all("tools")
    return results


async def used(transport: str, row: Revision, capture: Path) -> tuple[dict[str, str], Seen]:
    """The results of all tools in a revision, and what the journal held."""
    journal = start_capture(capture)
    try:
        async with demo(transport) as target:
            async with open_session(target, journal, Settings(revision=row.date)) as session:
                await session.connect()
                results = await use_all(session)
        return results, seen(journal)
    finally:
        journal.close()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.date)
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_every_demo_tool_is_recorded_as_called(transport: str, row: Revision, tmp_path: Path) -> None:
    capture = tmp_path / "demo.mcpcap"
    results, saw = await used(transport, row, capture)
    for tool, (_, shows) in CALLS.items():
        assert shows in results[tool], tool
    assert {each.state for each in saw.exchanges} == {ExchangeState.ANSWERED, ExchangeState.ERROR}
    assert {each.revision for each in saw.exchanges} - {None} == {row.date}
    heard = next(each.progress for each in saw.exchanges if each.target == "long_running")
    assert heard is not None
    assert (heard.count, heard.progress, heard.total) == (3, 3, 3)
    assert verify(capture).covered == len(saw.frames)
    journal = load(capture)
    again = seen(journal)
    journal.close()
    assert (again.entries, again.exchanges, again.opening) == (saw.entries, saw.exchanges, saw.opening)
    assert (again.tree, again.wire) == (saw.tree, saw.wire)


def requests(saw: Seen) -> list[dict[str, str]]:
    """The headers of each POST, names in lower case."""
    facts = [entry.what for entry in saw.entries if isinstance(entry.what, HttpFact)]
    posts = [fact for fact in facts if fact.event is HttpEvent.REQUEST and fact.method == "POST"]
    return [{name.lower(): value for name, value in fact.headers} for fact in posts]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.date)
async def test_requests_over_http_carry_the_headers_of_their_revision(row: Revision, tmp_path: Path) -> None:
    _, saw = await used("http", row, tmp_path / "demo.mcpcap")
    first, *others = requests(saw)
    assert ("mcp-protocol-version" in first) == (row.era is Era.MODERN)
    for headers in others:
        assert headers.get("mcp-protocol-version") == (row.date if row.version_header else None)
        assert ("mcp-method" in headers) == row.routing_headers
        assert ("mcp-session-id" in headers) == (row.era is Era.LEGACY)
    named = [headers for headers in others if headers.get("mcp-name") == "image_result"]
    assert [headers["mcp-param-harbour"] for headers in named] == (["Teal Bay"] if row.routing_headers else [])


async def test_demo_stderr_is_recorded_in_its_place(tmp_path: Path) -> None:
    _, saw = await used("stdio", ROWS[-1], tmp_path / "demo.mcpcap")
    places = [entry.n for entry in saw.entries if isinstance(entry.what, Stderr) and b"stair" in entry.what.payload]
    watch = next(each for each in saw.exchanges if each.target == "log_messages")
    assert len(places) == 3
    assert all(watch.request_frame < place for place in places)


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_pages_add_up_to_the_whole_list(transport: str) -> None:
    lists = {}
    for size in (0, 4):
        journal = start_capture(None)
        async with demo(transport, page_size=size) as target:
            async with open_session(target, journal, Settings()) as session:
                await session.connect()
                lists[size] = await session.list_all("tools")
        journal.close()
    assert lists[0].items == lists[4].items
    assert (lists[0].pages, lists[4].pages) == (1, 5)
