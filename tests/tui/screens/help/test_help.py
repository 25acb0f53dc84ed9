"""The help explains the keys of the place, the signs and the words, on any size of terminal."""

import pytest
from textual.app import App
from textual.pilot import Pilot

from inspector.tui import keys
from inspector.tui import theme as styles
from inspector.tui.actions import ActionScope
from inspector.tui.screens.help.help import HelpScreen
from tests.tui.screen_text import text

PLACES = (ActionScope.EVERYWHERE, ActionScope.TRAFFIC, ActionScope.LIST)


class Asked(App[None]):
    """An app with the help over it."""

    def __init__(self, theme: str = styles.DARK_NAME) -> None:
        super().__init__()
        for known in styles.THEMES:
            self.register_theme(known)
        self.theme = theme

    def on_mount(self) -> None:
        self.push_screen(HelpScreen(PLACES))


async def screen(pilot: Pilot[None]) -> str:
    await pilot.pause()
    await pilot.pause()
    return text(pilot.app)


@pytest.mark.parametrize("theme", [styles.DARK_NAME, styles.LIGHT_NAME])
async def test_keys_signs_and_words_are_explained(theme: str) -> None:
    async with Asked(theme).run_test(size=(160, 120)) as pilot:
        shown = await screen(pilot)
    for place in PLACES:
        assert place in shown
    for action in keys.ACTIONS:
        assert (action.tooltip[:30] in shown) == (action.where in PLACES), action.id
    for word in ("Frame", "Message", "Exchange", "Operation", "Conversation", "Question", "Revision"):
        assert word in shown
    assert "from the server" in shown


async def test_at_80_columns_everything_is_reached_by_scrolling() -> None:
    async with Asked().run_test(size=(80, 24)) as pilot:
        assert "Traffic" in await screen(pilot)
        assert "Revision" not in text(pilot.app)
        await pilot.press("G")
        assert "Revision" in await screen(pilot)
        await pilot.press("k", "pageup", "g")
        assert "Traffic" in await screen(pilot)


@pytest.mark.parametrize("key", ["escape", "question_mark"])
async def test_escape_and_the_key_that_opened_it_close_it(key: str) -> None:
    async with Asked().run_test(size=(80, 24)) as pilot:
        await screen(pilot)
        assert isinstance(pilot.app.screen, HelpScreen)
        await pilot.press(key)
        await pilot.pause()
        assert not isinstance(pilot.app.screen, HelpScreen)
