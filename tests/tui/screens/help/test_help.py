"""The help starts with twelve keys, explains those of the place, signs and terms, and finds and runs any action."""

import pytest
from textual.app import App

from inspector.tui import keys
from inspector.tui import theme as styles
from inspector.tui.actions import ActionScope, Command
from inspector.tui.screens.help.help import HelpScreen
from tests.tui.screen_text import drawn, text
from tests.waiting import until

PLACES = (ActionScope.EVERYWHERE, "Traffic", ActionScope.LIST)


class Asked(App[None]):
    """An app with the help over it."""

    def __init__(self, theme: str = styles.DARK_NAME) -> None:
        super().__init__()
        for known in styles.THEMES:
            self.register_theme(known)
        self.theme = theme
        self.ran: list[str] = []

    def on_mount(self) -> None:
        valid = [Command("Filter", "Show only matching rows.", "/", lambda: self.ran.append("filter"), "", "filter")]
        self.push_screen(HelpScreen(PLACES, (), valid), lambda found: found and found.run())


@pytest.mark.parametrize("theme", [styles.DARK_NAME, styles.LIGHT_NAME])
async def test_twelve_keys_come_first_and_all_keys_of_the_place_are_explained(theme: str) -> None:
    async with Asked(theme).run_test(size=(160, 140)) as pilot:
        shown = await drawn(pilot)
    assert shown.index("Twelve keys") < shown.index("Menus") < shown.index("Traffic")
    for action in keys.ACTIONS:
        if action.where in PLACES:
            assert action.sentence[:30] in shown, action.id
    assert "received from the server" in shown
    assert "Protocol version" in shown


async def test_help_at_80_columns_scrolls_to_everything() -> None:
    async with Asked().run_test(size=(80, 24)) as pilot:
        assert "Twelve keys" in await drawn(pilot)
        assert "Protocol version" not in text(pilot.app)
        await pilot.press(*["pagedown"] * 12)
        assert "Protocol version" in await drawn(pilot)
        await pilot.press(*["pageup"] * 12)
        assert "Twelve keys" in await drawn(pilot)


@pytest.mark.parametrize(("typed", "ran"), [("filter", ["filter"]), ("decode", [])])
async def test_a_search_finds_any_action_and_enter_runs_it_where_it_is_valid(typed: str, ran: list[str]) -> None:
    async with Asked().run_test(size=(100, 30)) as pilot:
        await drawn(pilot)
        await pilot.press(*typed)
        await until(lambda: typed.capitalize() in text(pilot.app), "it is found")
        await pilot.press("enter")
        await until(lambda: not isinstance(pilot.app.screen, HelpScreen), "the help is closed")
        assert pilot.app.ran == ran  # type: ignore[attr-defined]


@pytest.mark.parametrize("key", ["escape", "question_mark", "f1"])
async def test_escape_and_the_keys_that_open_it_close_it(key: str) -> None:
    async with Asked().run_test(size=(80, 24)) as pilot:
        await drawn(pilot)
        assert isinstance(pilot.app.screen, HelpScreen)
        await pilot.press(key)
        assert not isinstance(pilot.app.screen, HelpScreen)
