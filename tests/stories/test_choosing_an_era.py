"""The choice of an era or a protocol version: what is opened, and what is on the wire."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import HttpTarget, StdioTarget, Target
from inspector.errors import ConnectError
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import ROWS, newest_of
from inspector.session.open import open_session
from inspector.session.options import Settings
from inspector.session.session import Session
from tests.demo.browsing import site
from tests.servers.real import ROOT
from tests.stories.real_targets import Asking, filled_in, named, running
from tests.stories.visits import Seen, seen

ADD = Asking("add", {"a": 2, "b": 40}, "42")
UNHEARD_OF = "2099-01-01"


@asynccontextmanager
async def target_of(name: str, place: Path) -> AsyncIterator[Target]:
    """The demo, by "demo-stdio" or "demo-http", or a real server by its name."""
    if name == "demo-stdio":
        environment = build_environment(os.environ, inherit_all=False)
        yield StdioTarget((sys.executable, "-m", "inspector.demo"), environment, str(ROOT))
    elif name == "demo-http":
        async with site() as (_, client):
            yield HttpTarget(str(client.base_url.join("/mcp")))
    else:
        async with running(named(name), place) as target:
            yield target


async def used(name: str, place: Path, **settings: Any) -> Seen:
    """Connect, call one tool, leave; what the journal held. Raises: what `connect` raises."""
    wish = ADD if name.startswith("demo") else named(name).wishes.nested
    journal = start_capture(None)
    async with target_of(name, place) as target:
        session = open_session(target, journal, Settings(**settings))
        called, refused = await _called(session, wish, place)
    saw = seen(journal)
    journal.close()
    if refused is not None:
        raise refused
    assert wish.shows in json.dumps(called, separators=(",", ":"))
    return saw


async def _called(session: Session, wish: Asking, place: Path) -> tuple[Any, ConnectError | None]:
    """The result, or why there was no connection: told and not raised, since a server's context may wrap it."""
    async with session:
        try:
            await session.connect()
        except ConnectError as error:
            return None, error
        called = await session.call("tools/call", {"name": wish.name, "arguments": filled_in(wish.arguments, place)})
    assert isinstance(called.reply, Replied)
    assert isinstance(called.reply.message, ResultResponse)
    return called.reply.message.result, None


BOTH_ERAS = [
    "demo-stdio",
    "demo-http",
    *(pytest.param(name, marks=pytest.mark.real) for name in ("mcp2-stdio", "mcp2-http", "fastmcp-http")),
]
OLD = [pytest.param(name, marks=pytest.mark.real) for name in ("mcp1-stdio", "mcp1-http", "everything-http")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.date)
@pytest.mark.parametrize("name", BOTH_ERAS)
@pytest.mark.slow
async def test_a_pinned_revision_is_spoken_and_no_other(name: str, row: Any, tmp_path: Path) -> None:
    saw = await used(name, tmp_path, revision=row.date)
    assert saw.opening is not None
    assert (saw.opening.revision.date, saw.opening.offered) == (row.date, "" if row.era is Era.MODERN else row.date)
    assert saw.methods() == ["server/discover" if row.era is Era.MODERN else "initialize", "tools/call"]
    assert saw.exchanges[1].revision == row.date
    assert not saw.probes


@pytest.mark.parametrize("era", Era)
@pytest.mark.parametrize("name", BOTH_ERAS)
async def test_a_server_of_both_eras_is_spoken_to_in_the_one_that_was_chosen(
    name: str, era: Era, tmp_path: Path
) -> None:
    saw = await used(name, tmp_path, era=era)
    assert saw.opening is not None
    assert saw.opening.revision.date == newest_of(era).date
    assert saw.methods()[0] == ("server/discover" if era is Era.MODERN else "initialize")
    assert not saw.probes


@pytest.mark.parametrize("name", OLD)
async def test_legacy_server_with_modern_era_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConnectError, match="does not open in the stateless era") as raised:
        await used(name, tmp_path, era=Era.MODERN)
    assert "--era auto" in raised.value.hint


@pytest.mark.parametrize("name", BOTH_ERAS)
async def test_unknown_revision_is_refused_by_a_modern_server(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConnectError, match=f"does not take {UNHEARD_OF} and names {newest_of(Era.MODERN).date}"):
        await used(name, tmp_path, revision=UNHEARD_OF)


@pytest.mark.parametrize("name", OLD)
async def test_unknown_revision_is_countered_by_a_legacy_server(name: str, tmp_path: Path) -> None:
    saw = await used(name, tmp_path, revision=UNHEARD_OF)
    assert saw.opening is not None
    assert saw.sent("initialize")[0]["params"]["protocolVersion"] == UNHEARD_OF
    assert saw.opening.revision.date == newest_of(Era.LEGACY).date


@pytest.mark.parametrize("remembered", Era)
@pytest.mark.parametrize("name", [*BOTH_ERAS[:2], *OLD])
async def test_a_wrong_memory_costs_a_question_and_nothing_else(name: str, remembered: Era, tmp_path: Path) -> None:
    saw = await used(name, tmp_path, remembered=remembered)
    assert saw.opening is not None
    expected = Era.LEGACY if remembered is Era.LEGACY else Era.MODERN
    assert saw.opening.era is (expected if name.startswith("demo") else Era.LEGACY)


@pytest.mark.parametrize(("options", "era"), [({"modern": False}, Era.LEGACY), ({"legacy": False}, Era.MODERN)])
@pytest.mark.parametrize("remembered", [None, *Era])
async def test_a_server_of_one_era_is_found_in_it_whatever_is_remembered(
    options: dict[str, bool], era: Era, remembered: Era | None
) -> None:
    journal = start_capture(None)
    async with site(**options) as (_, client):
        target = HttpTarget(str(client.base_url.join("/mcp")))
        async with open_session(target, journal, Settings(remembered=remembered)) as session:
            assert (await session.connect()).era is era


@pytest.mark.real
@pytest.mark.parametrize("name", ["everything-sse", "mcp1-sse"])
async def test_an_address_of_the_old_kind_is_recognized_without_saying_so(name: str, tmp_path: Path) -> None:
    journal = start_capture(None)
    async with running(named(name), tmp_path) as target:
        assert isinstance(target, HttpTarget)
        async with open_session(HttpTarget(target.url), journal, Settings()) as session:
            opening = await session.connect()
            assert (session.transport.kind, opening.era) == ("sse", Era.LEGACY)
            assert (await session.list_all("tools")).items
