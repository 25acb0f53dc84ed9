"""Keys typed ahead behind a search that finds nothing: they stay in its line, and act on nothing that was selected."""

import os
import sys
from typing import Any, NamedTuple

import pytest
from textual.widgets import Input

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.capabilities import ALL
from inspector.protocol.revisions._shape import Era
from inspector.tui.app import InspectApp
from tests.servers.real import ROOT
from tests.settling import settled
from tests.stories.persons import Person, at_the_screen
from tests.waiting import until


class Search(NamedTuple):
    """A search or filter of a screen."""

    way: tuple[str, ...]
    """Keys to the screen with the selection that the burst must not use."""
    ready: str
    """Shown once the screen can be used."""
    opens: tuple[str, ...] = ("slash",)
    """Keys that open the line, in the burst."""


SEARCHES = {
    "traffic filter": Search(("1",), "tools/list"),
    "traffic search": Search(("1",), "tools/list", ("f", "slash")),
    "payload": Search(("1", "enter"), '"jsonrpc"'),
    "tools": Search(("2",), " text "),
    "result": Search(("2", "enter", "ctrl+j"), "✓ OK"),
    "resources": Search(("3",), "port"),
    "prompts": Search(("4",), " greet "),
    "log": Search(("7",), "No log messages"),
    "findings": Search(("8",), "Findings"),
    "palette": Search(("2",), " text ", ("colon",)),
    "help": Search(("2",), " text ", ("f1",)),
    "long choice of a field": Search(("2", "slash", *"picker", "enter", "enter"), "unset  ⏎ choose", ("enter",)),
}
BEHIND = ("enter", "enter", "3", "q", "9", "ctrl+j", "down", "enter", "2", "ctrl+j")
"""Screens, the end of the program and requests, for whatever is selected."""


@pytest.mark.parametrize(
    ("size", "names"), [((80, 24), ("traffic filter", "payload", "tools")), ((160, 45), tuple(SEARCHES))]
)
async def test_keys_behind_a_search_without_a_match_stay_in_its_line(
    size: tuple[int, int], names: tuple[str, ...]
) -> None:
    environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    target = StdioTarget((sys.executable, "-m", "tests.servers.fields"), environment, str(ROOT))
    more: dict[str, Any] = {"offers": frozenset(ALL), "has_person": True, "era": Era.LEGACY}
    async with at_the_screen(target, None, size, **more) as person:
        await person.sees("● Connected", "→ tools/list")
        for name in names:
            try:
                await _type_ahead(person, SEARCHES[name])
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}\n{person.screen}") from error


async def _type_ahead(person: Person, search: Search) -> None:
    app: Any = person.pilot.app
    assert isinstance(app, InspectApp)
    await person.press(*search.way, shows=search.ready)
    await settled(app)
    shown, sent = app.tab.shown, len(person.wire().frames)
    await person.press_quickly(*search.opens, *"zqzq", *BEHIND)
    await until(lambda: isinstance(app.focused, Input) and "zqzq" in app.focused.value, "the line has the focus")
    await settled(app)
    assert isinstance(app.focused, Input)
    assert app.focused.value == "zqzq3q92"
    assert app.tab.shown == shown
    assert len(person.wire().frames) == sent
    await person.press("escape", "escape", "escape", "escape")
    await until(lambda: not app.screen.is_modal and not isinstance(app.focused, Input), "the search is left")


async def test_a_second_enter_leaves_a_filter_that_nothing_matches_yet() -> None:
    environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={ROOT}"])
    target = StdioTarget((sys.executable, "-m", "tests.servers.fields"), environment, str(ROOT))
    async with at_the_screen(target, None, (120, 36), era=Era.LEGACY) as person:
        app = person.pilot.app
        assert isinstance(app, InspectApp)
        await person.sees("● Connected", "→ tools/list")
        await person.press_quickly("slash", *"tools/call", "enter", shows="No match: ⏎ again keeps it, Esc clears")
        assert isinstance(app.focused, Input)
        await person.press("enter")
        await until(lambda: not isinstance(app.focused, Input), "the rows have the focus")
        await person.press("2", shows=(" text ", "Call ^j"))
        await person.press("ctrl+j", shows="✓ OK")
        await person.press("1", shows=("filter tools/call", "→ tools/call"))
