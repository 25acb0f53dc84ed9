"""Where to go."""

from inspector.errors import FilterError
from inspector.tui.screens.go_to import GoToScreen
from tests.tui.screen_text import text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


def _entry(wanted: str) -> int:
    if not wanted.isdecimal():
        raise FilterError("\x1b[2Jno such [/] place", 0)
    return int(wanted)


async def test_a_number_is_answered_and_what_is_wrong_is_said() -> None:
    answers: list[int | None] = []
    app = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(GoToScreen(_entry), answers.append)
        await pilot.pause()
        await pilot.press("x", "enter")
        await until(lambda: "␛[2Jno such [/] place" in text(app), "it is said")
        await pilot.press("backspace", *"17", "enter")
        await until(lambda: answers == [17], "it is answered")


async def test_escape_and_an_empty_line_stay() -> None:
    answers: list[int | None] = []
    app = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("escape", "enter"):
            app.push_screen(GoToScreen(_entry), answers.append)
            await pilot.pause()
            await pilot.press(key)
        await until(lambda: answers == [None, None], "nothing is chosen")
