"""Lines to be read: they wrap and are copied."""

from inspector.tui.screens.lines import LinesScreen
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


async def test_they_are_read_copied_and_left() -> None:
    app = Showing()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        app.push_screen(LinesScreen("3 values", [(("a word " * 30, "text"),), (("the end", "error"),)]))
        await until(lambda: "the end" in text(app) and "3 values" in text(app), "the lines")
        await pilot.press("y")
        await until(lambda: "Copied" in text(app), "that it is copied")
        assert app.clipboard.endswith("the end")
        await pilot.press("escape")
        await until(lambda: "the end" not in text(app), "that it is left")
