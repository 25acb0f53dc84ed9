"""Lists of servers that others wrote change at run time: by themselves, on demand, and page by page."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.revisions._shape import Era
from inspector.session.options import ListOptions
from tests.architecture.sources import ROOT
from tests.servers.real import NotInstalled, is_ci
from tests.stories.persons import Person, at_the_screen
from tests.stories.real_targets import named, running
from tests.waiting import until

_QUAY = Path(__file__).parents[1] / "servers" / "real" / "quay.py"
_DEMO = (sys.executable, "-m", "inspector.demo")


@asynccontextmanager
async def at_the_quay(package: str, place: Path, **settings: Any) -> AsyncIterator[Person]:
    """A person before the app on the quay, in the handshake era, where nobody needs to listen for changes."""
    real = replace(named(f"{package}-stdio"), words=(str(_QUAY), "stdio"))
    try:
        async with running(real, place) as target, at_the_screen(target, None, era=Era.LEGACY, **settings) as person:
            await person.sees("● Connected", "→ tools/list")
            yield person
    except NotInstalled as error:
        if is_ci():
            pytest.fail(f"{real}: {error}")
        pytest.skip(str(error))


@asynccontextmanager
async def before_the_demo(*words: str, **settings: Any) -> AsyncIterator[Person]:
    """A person before the app on our own server."""
    environment = build_environment({}, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    target = StdioTarget((*_DEMO, *words), environment, str(ROOT))
    async with at_the_screen(target, None, **settings) as person:
        await person.sees("● Connected", "→ tools/list")
        yield person


async def go_to(person: Person, tool: str) -> None:
    """Go to the tools and find one."""
    await person.press("2", shows=(" Tool", tool))
    await person.press("slash")
    await person.types(tool, shows=f"▌ {tool}")
    await person.press("enter")


async def let_the_tide_turn(person: Person) -> None:
    """Call the tool that changes the list, and go back to the whole list."""
    await go_to(person, "turn")
    await person.press("ctrl+j", shows="high tide")
    await person.press("escape", "escape", "escape")


def listings(person: Person) -> list[Any]:
    """The cursors with which tools were listed, in order."""
    return [(each.get("params") or {}).get("cursor") for each in person.wire().sent("tools/list")]


@pytest.mark.real
@pytest.mark.parametrize("package", ["mcp1", "mcp2"])
async def test_a_list_that_changes_is_fetched_and_its_changes_are_shown(package: str, tmp_path: Path) -> None:
    async with at_the_quay(package, tmp_path) as person:
        await let_the_tide_turn(person)
        await person.sees("1 new, 1 gone, 1 changed: ", "unload + new", "sail ◆ changed")
        assert "row" not in person.screen.split("Result")[0].split("▌")[0]
        assert listings(person) == [None, None]
        await person.press("g", "d", shows=("1 tool added", "+ unload", "1 tool removed", "− row"))
        await person.sees("− Sail for [two] miles at [low] tide.", "+ Sail for [three] miles at [high] tide.")
        await person.sees('inputSchema.properties.miles.type: "string" → "integer"')
        await person.press("escape")


@pytest.mark.real
async def test_manual_list_waits_for_the_refresh_key(tmp_path: Path) -> None:
    async with at_the_quay("mcp1", tmp_path, lists=ListOptions(by_itself=False)) as person:
        await let_the_tide_turn(person)
        await person.sees("▲ changed: r refreshes")
        assert "unload" not in person.screen
        assert listings(person) == [None]
        await person.press("r", shows=("1 new, 1 gone, 1 changed: ", "unload + new"))
        assert listings(person) == [None, None]


@pytest.mark.real
async def test_a_tool_whose_form_is_open_can_be_called_after_it_has_gone(tmp_path: Path) -> None:
    async with at_the_quay("mcp1", tmp_path, lists=ListOptions(by_itself=False)) as person:
        await let_the_tide_turn(person)
        await go_to(person, "row")
        await person.press("enter", shows="strokes")
        await person.types("7", "escape")
        await person.press("x", "u", shows=("no longer listed", "Call anyway ^j"))
        await person.press("ctrl+j")
        await until(lambda: "row" in [each.target for each in person.journal.conversation.exchanges], "it is called")
        await person.sees("row")
        sent = person.wire().sent("tools/call")[-1]["params"]
        assert (sent["name"], sent["arguments"]) == ("row", {"strokes": 7})


@pytest.mark.parametrize("era", [Era.LEGACY, Era.MODERN])
async def test_pages_come_one_by_one_when_that_is_wished(era: Era) -> None:
    async with before_the_demo("--page-size", "2", era=era, lists=ListOptions(page_by_page=True)) as person:
        await person.press("2", shows=("2 tools", "page 1, more: x + fetches the next"))
        assert len(listings(person)) == 1
        await person.press("x", "+", shows=("4 tools", "page 2, more: x + fetches the next"))
        first, second = listings(person)
        assert first is None
        assert second is not None


async def test_stateless_list_shows_its_ttl() -> None:
    async with before_the_demo("--modern-only", era=Era.MODERN) as person:
        await person.press("2", shows="i Info")
        await person.press("i", shows="TTL")
