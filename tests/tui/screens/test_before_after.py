"""The screen of a comparison: it comes at once, and its lines when they are made."""

import threading

from textual.app import App

from inspector.tui.screens.before_after import BeforeAfterScreen
from inspector.viewmodels.lines import Line
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_it_says_that_it_compares_until_it_has() -> None:
    gate = threading.Event()

    def compare() -> list[Line]:
        gate.wait(10)
        return [(("+ new", "added"),)]

    app: App[None] = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(BeforeAfterScreen("a:b", compare))
        await until(lambda: "comparing" in text(app), "it says so")
        assert "a:b" in text(app)
        gate.set()
        await until(lambda: "+ new" in text(app), "the lines are there")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, BeforeAfterScreen), "it is gone")
