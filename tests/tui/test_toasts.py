"""Toasts are one line where their words allow, and stand above the lines that are there for good."""

import re

from inspector.tui.app import InspectApp
from inspector.tui.toasts import Toasts
from tests.tui.screen_text import lines
from tests.tui.several import aboard
from tests.waiting import until


def _row(app: InspectApp, words: str) -> int:
    return next((y for y, line in enumerate(lines(app)) if words in line), -1)


async def test_a_toast_is_one_line_above_the_bars_and_lower_again_without_them() -> None:
    async with aboard("gulls", size=(80, 24)) as (app, pilot, _):
        assert isinstance(app, Toasts)
        app.clear_notifications()
        app.notify("Something was done, and this says so at the length of a line or so.", timeout=60)
        await until(lambda: _row(app, "Something was done") == 21, "above status line and footer")
        row = lines(app)[21]
        assert re.search(r"Something was done, .* a line or so\. *$", row), "it is one line"
        assert lines(app)[20].strip() == "", "nothing is covered beyond it"
        await pilot.press("2", "slash", *"plan_supper", "enter", "enter", "ctrl+j")
        await until(lambda: _row(app, "What is for supper?") >= 21, "the server asks")
        await until(lambda: 0 < _row(app, "Something was done") < 21, "above the line that says so")
        await until(lambda: _row(app, "← you") > 0, "who waits on whom is told")
        await until(lambda: _row(app, "Something was done") < _row(app, "← you"), "above that, too")
        assert "asks: What" in lines(app)[_row(app, "What is for supper?")]
        assert sum("What is for supper?" in line for line in lines(app)) == 1, (
            "what the line says is no toast beside it"
        )
