"""The palette lists the actions of all screens, finds them by the words of other programs, and goes to their screen."""

import pytest

from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.screens.help.palette import SYNONYMS, CommandRows
from inspector.tui.screens.traffic.waterfall import WaterfallScreen
from tests.captures.record import sample
from tests.tui.screen_text import press, text
from tests.waiting import until

DIALOGS = {
    *(ActionScope.DIALOG, "Help", "Confirmation", ActionScope.SEARCH, "Open a server"),
    *(ActionScope.START, "Comparison of captures"),
}
"""Scopes that only exist while a dialog or another program's screen is open."""


async def _read(app: InspectApp) -> None:
    await until(
        lambda: app.conversation.stage is ConversationStage.RECORDED and "1 Traffic" in text(app), "the capture"
    )


async def test_palette_on_traffic_has_every_action_of_every_screen() -> None:
    async with (app := InspectApp(replay=sample("evening"))).run_test(size=(120, 36)):
        await _read(app)
        offered = {command.id for command in app.commands()}
        wanted = {
            each.id
            for each in keys.all_actions()
            if each.where not in DIALOGS
            and each.keys[0] != "escape"
            and each.id != "palette"
            and each.where not in (ActionScope.MOVING, ActionScope.LIST)
        }
        assert wanted - offered == set()
    await app.conversation.end()


@pytest.mark.parametrize(
    ("word", "identifier"),
    [
        ("hold", "tap.propose"),
        ("breakpoint", "tap.propose"),
        ("intercept", "tap.held"),
        ("token", "screen.network"),
        ("header", "screen.network"),
        ("schema", "tools.schema"),
        ("export", "export"),
        ("curl", "export"),
        ("invoke", "tools.send"),
        ("retry", "traffic.resend"),
        ("elicitation", "respond"),
        ("disconnect", "tabs.close"),
        ("subscribe", "resources.subscribe"),
        ("dark mode", "theme"),
    ],
)
async def test_palette_finds_an_action_by_a_synonym_on_any_screen(word: str, identifier: str) -> None:
    async with (app := InspectApp(replay=sample("evening"), show="log")).run_test(size=(120, 36)):
        await _read(app)
        rows = CommandRows(app.commands())
        rows.search(word)
        assert identifier in [command.id for command in rows.found][:12]
    await app.conversation.end()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_action_of_another_screen_goes_there_and_runs(size: tuple[int, int]) -> None:
    async with (app := InspectApp(replay=sample("lighthouse"), show="log")).run_test(size=size) as pilot:
        await _read(app)
        await until(lambda: app.conversation.checks.is_done, "all is checked")
        await pilot.press("ctrl+p", *"silence", "enter")
        await until(lambda: app.header.shown == "findings", "the screen of the action is shown")
        await until(lambda: "1 muted" in text(app), "the action has run")
        await pilot.press("ctrl+p", *"gantt", "enter")
        await until(lambda: isinstance(app.screen, WaterfallScreen), "the view of Traffic is open")
    await app.conversation.end()


async def test_action_for_a_tap_explains_its_need() -> None:
    async with (app := InspectApp(replay=sample("evening"))).run_test(size=(120, 36), notifications=True) as pilot:
        await _read(app)
        await press(pilot, "ctrl+p", *"breakpoint", "enter", shows="Needs an attached tap")
    await app.conversation.end()


def test_synonyms_and_screens_name_known_actions_and_scopes() -> None:
    known = {each.id for each in keys.all_actions()} | {"screenshot"}
    assert set(SYNONYMS) - known == set()
    assert set(keys.OPENED_BY.values()) - known == set()
    assert not set(keys.SCREEN_OF) & set(keys.OPENED_BY)
