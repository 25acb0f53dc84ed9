"""The choice of columns."""

from textual.pilot import Pilot

from inspector.errors import FilterError
from inspector.tui.screens.traffic.dialogs import ColumnsScreen, GoToScreen
from tests.tui.screen_text import press, text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

SHOWN = ("seconds", "way", "what", "status")


async def _open(app: Showing, pilot: Pilot[None]) -> list[tuple[str, ...]]:
    told: list[tuple[str, ...]] = []
    app.push_screen(ColumnsScreen(SHOWN, told.append))
    await until(lambda: "Columns" in text(app), "it is open")
    await pilot.pause()
    return told


async def test_columns_dialog_toggles_and_sorts_shown_ones() -> None:
    async with (app := Showing()).run_test(size=(100, 30)) as pilot:
        told = await _open(app, pilot)
        assert text(app).index("[✓] Time") < text(app).index("[ ] #")
        await pilot.press("space")
        assert told == [("way", "what", "status")]
        await pilot.press("space")
        assert told[-1] == ("way", "what", "status", "time")
        assert "▌ [✓] Time" in text(app), "the cursor goes with it"


async def test_the_method_cannot_be_hidden() -> None:
    async with (app := Showing()).run_test(size=(100, 30)) as pilot:
        told = await _open(app, pilot)
        await pilot.press("j", "j", "space")
        assert told == []


async def test_columns_move() -> None:
    async with (app := Showing()).run_test(size=(100, 30)) as pilot:
        told = await _open(app, pilot)
        await pilot.press("<", ">", ">")
        assert told[-1] == ("way", "what", "time", "status")
        await pilot.press("G", ">")
        assert len(told) == 2, "what is not shown has no place"


async def test_field_column_is_added_or_refused() -> None:
    async with (app := Showing()).run_test(size=(100, 30)) as pilot:
        told = await _open(app, pilot)
        await press(pilot, "a", *"argx", "enter", shows="Unknown field argx.")
        await pilot.press(*["backspace"] * 4, *"args.q", "enter")
        await until(lambda: bool(told), "it is chosen")
        assert told[-1][-1] == "=args.q"
        await pilot.press("a", "escape", "escape")
        await until(lambda: "Columns" not in text(app), "it is closed")


async def test_the_width_can_decide_again() -> None:
    async with (app := Showing()).run_test(size=(100, 30)) as pilot:
        told = await _open(app, pilot)
        await pilot.press("0")
        await until(lambda: told == [()], "nothing is chosen any more")


def _entry(wanted: str) -> int:
    if not wanted.isdecimal():
        raise FilterError("\x1b[2Jno such [/] place", 0)
    return int(wanted)


async def test_number_dialog_returns_or_refuses() -> None:
    answers: list[int | None] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(GoToScreen(_entry), answers.append)
        await pilot.pause()
        await press(pilot, "x", "enter", shows="␛[2Jno such [/] place")
        await pilot.press("backspace", *"17", "enter")
        await until(lambda: answers == [17], "it is answered")


async def test_escape_and_an_empty_line_stay() -> None:
    answers: list[int | None] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        for key in ("escape", "enter"):
            app.push_screen(GoToScreen(_entry), answers.append)
            await pilot.pause()
            await pilot.press(key)
        await until(lambda: answers == [None, None], "nothing is chosen")
