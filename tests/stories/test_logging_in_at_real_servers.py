"""Logging in at authorization servers that were not written here: with the browser here, and with one elsewhere."""

from pathlib import Path

import pytest

from inspector.config.targets import HttpTarget
from inspector.protocol.revisions._shape import Era
from tests.servers.real import argv, reason_to_skip
from tests.stories.commands import mcp_inspect
from tests.stories.logins import logging_in
from tests.stories.real_targets import HARBOUR, Real, running

pytestmark = [pytest.mark.real, pytest.mark.skipif(bool(reason_to_skip()), reason=reason_to_skip() or "none")]
_LODGE = str(Path(argv.__code__.co_filename).with_name("lodge.py"))
LODGES = [
    Real(name, "http", HARBOUR, Era.LEGACY, (_LODGE, "http", "{port}"), "/mcp") for name in ("fastmcp", "mcp1", "mcp2")
]


@pytest.mark.parametrize("real", LODGES, ids=str)
async def test_the_browser_finds_back_and_then_every_command_gets_in(real: Real, tmp_path: Path) -> None:
    async with running(real, tmp_path) as target:
        assert isinstance(target, HttpTarget)
        explained = await mcp_inspect("auth", "explain", target.url, place=tmp_path)
        refused = await mcp_inspect("call", "rest", target.url, place=tmp_path)
        async with logging_in(target.url, tmp_path) as person:
            assert "can be closed" in (await person.browses()).text
            assert await person.ends() == 0, person.stderr
        called = await mcp_inspect("call", "rest", target.url, place=tmp_path)
        renewed = await mcp_inspect("auth", "refresh", target.url, place=tmp_path)
        again = await mcp_inspect("call", "rest", target.url, place=tmp_path)
    assert (explained.status, refused.status) == (0, 3)
    assert "All steps OK" in explained.stdout.decode()
    assert "auth login" in refused.messages
    assert (called.status, again.status) == (0, 0)
    assert "rested" in called.stdout.decode()
    assert "token renewal" in renewed.messages


@pytest.mark.parametrize("real", LODGES, ids=str)
async def test_pasted_redirect_url_completes_the_login_at_a_real_server(real: Real, tmp_path: Path) -> None:
    async with running(real, tmp_path) as target:
        assert isinstance(target, HttpTarget)
        async with logging_in(target.url, tmp_path) as person:
            await person.pastes_from_elsewhere()
            assert await person.ends() == 0, person.stderr
        called = await mcp_inspect("call", "rest", target.url, place=tmp_path)
    assert called.status == 0
    assert "rested" in called.stdout.decode()
