"""Toasts are one line where their words allow, and stand above the lines that are there for good."""

import re

from inspector.tui.app import InspectApp
from inspector.tui.subject import Stage
from inspector.tui.toasts import Toasts
from tests.captures.record import sample
from tests.tui.screen_text import lines, text
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


async def test_the_last_word_of_a_toast_is_seen_however_its_words_fit_the_width() -> None:
    app = InspectApp(replay=sample("lighthouse"))
    async with app.run_test(size=(80, 24), notifications=True):
        await until(lambda: app.subject.stage is Stage.RECORDED, "the capture was read")
        for columns in range(68, 80):
            app.clear_notifications()
            words = f"{'w' * (columns - 7)} end{columns}."
            app.notify(words, timeout=60, markup=False)
            await until(lambda: f"end{columns}." in text(app), f"all of {words}")  # noqa: B023 - waited for at once
    await app.subject.end()
