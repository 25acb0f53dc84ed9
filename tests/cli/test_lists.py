"""Fetching lists: what a server declares, and the items as they stood in the frames."""

import io
from typing import Any

import pytest

from inspector.cli.env import CliEnv
from inspector.cli.headless import CommandSession
from inspector.cli.lists import FetchedList, declared, fetch
from inspector.cli.output import Output
from inspector.config.targets import HttpTarget
from inspector.errors import Disconnected
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.revisions.table import NEWEST
from tests.session.talking import answering, session

_TARGET = HttpTarget("http://127.0.0.1:1/mcp")


async def _fetched(answers: dict[str, Any]) -> tuple[FetchedList, str]:
    """The tools that such a server gives, and what was said about it."""
    stderr = io.StringIO()
    output = Output(CliEnv(None, {}, io.StringIO(), io.StringIO(), stderr))
    async with session(answering(answers)) as live:
        assert live.opening is not None
        return await fetch(CommandSession(live, live.opening, output, _TARGET), "tools"), stderr.getvalue()


def test_declared_kinds_follow_the_capabilities() -> None:
    assert declared(Opening(NEWEST)) == ()
    assert declared(Opening(NEWEST, capabilities={"resources": {}, "logging": {}})) == ("resources", "templates")


async def test_exact_items_are_the_servers_own_bytes_over_all_pages() -> None:
    pages = iter([b'{"tools":[{"n":1.50}],"nextCursor":"2"}', b'{"tools":[ [2] ]}'])
    fetched, said = await _fetched({"tools/list": lambda: next(pages)})
    assert [bytes(item) for item in fetched.exact] == [b'{"n":1.50}', b"[2]"]
    assert fetched.items == ({"n": 1.5}, [2])
    assert (fetched.error, fetched.refusal, said) == (None, "", "")


async def test_an_error_is_data_and_a_sentence() -> None:
    fetched, _ = await _fetched({})
    assert (fetched.items, fetched.exact) == ((), ())
    assert fetched.refusal == "tools/list failed with JSON-RPC error -32601: no such method"


async def test_a_page_that_never_comes_is_raised() -> None:
    async with session(answering({"tools/list": "the end"})) as live:
        assert live.opening is not None
        with pytest.raises(Disconnected, match="no response to tools/list"):
            await fetch(CommandSession(live, live.opening, Output(), _TARGET), "tools")
