"""Real servers that are restarted or crash: what is shown, and what continues."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from inspector.capture.journal import start_capture
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.facts import ProcessFact
from inspector.protocol.flows.steps import Broken, Refused, Replied
from inspector.session.open import open_session
from inspector.session.options import SessionState, Settings
from tests.stories.real_targets import free_port, named, running
from tests.stories.visits import seen
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.real


@pytest.mark.parametrize(
    ("name", "between"), [("mcp1-http", ["initialize", "tools/list"]), ("mcp2-http", []), ("fastmcp-http", [])]
)
async def test_a_server_that_was_restarted_is_gone_on_with(name: str, between: list[str], tmp_path: Path) -> None:
    real, port, journal = named(name), free_port(), start_capture(None)
    async with running(real, tmp_path, port) as target:
        session = open_session(target, journal, Settings())
        await session.__aenter__()
        await session.connect()
        before = await session.list_all("tools")
    async with running(real, tmp_path, port):
        after = await session.list_all("tools")
        await session.__aexit__(None, None, None)
    methods = seen(journal).methods()
    assert after.items == before.items
    first = methods.index("tools/list")
    assert methods[first:] == ["tools/list", "tools/list", *between]


@pytest.mark.parametrize("name", ["mcp1-http", "mcp1-sse", "mcp2-http"])
async def test_a_server_that_dies_in_a_call_over_http_loses_that_call(name: str, tmp_path: Path) -> None:
    real, journal = named(name), start_capture(None)
    exchanges: list[Exchange] = []
    async with running(real, tmp_path) as target:
        session = open_session(target, journal, Settings())
        await session.__aenter__()
        await session.connect()
        params = {"name": "wait_for_wind", "arguments": {}}
        calling = asyncio.get_running_loop().create_task(session.call("tools/call", params, opened=exchanges.append))
        await until(lambda: exchanges and exchanges[0].progress, "it tells how far it is")
    called = await asyncio.wait_for(calling, PATIENCE_S)
    assert isinstance(called.reply, Refused | Broken)
    assert called.reply.why
    assert exchanges[0].state is ExchangeState.LOST
    again = await session.call("tools/list")
    assert not isinstance(again.reply, Replied)
    await session.__aexit__(None, None, None)


@pytest.mark.parametrize("name", ["everything-stdio", "mcp1-stdio", "fastmcp-stdio"])
async def test_a_server_that_is_killed_ends_the_session_with_the_reason(name: str, tmp_path: Path) -> None:
    journal = start_capture(None)
    async with running(named(name), tmp_path) as target:
        async with open_session(target, journal, Settings()) as session:
            await session.connect()
            (spawned,) = [entry.what for entry in journal.processes]
            assert isinstance(spawned, ProcessFact)
            os.kill(spawned.pid, signal.SIGKILL)
            await asyncio.wait_for(session.ended.wait(), PATIENCE_S)
            assert session.state is SessionState.CLOSED
            assert "SIGKILL" in session.why
            called = await session.call("tools/list")
            assert isinstance(called.reply, Broken)
