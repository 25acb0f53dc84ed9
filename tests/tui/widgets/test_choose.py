"""One of many."""

from inspector.tui.widgets.choose import ChooseScreen
from tests.tui.screen_text import press, shows
from tests.tui.widgets.showing import Showing
from tests.waiting import until

LABELS = [f"port {number}" for number in range(500)]


async def test_searching_and_enter_choose() -> None:
    answers: list[int | None] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(ChooseScreen("harbour", LABELS), answers.append)
        await pilot.pause()
        await press(pilot, *"t 12", "enter", shows="11")
        await pilot.press("j", "enter")
        await until(lambda: answers == [120], "the second hit is chosen")


async def test_the_only_hit_is_chosen_at_once() -> None:
    answers: list[int | None] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(ChooseScreen("harbour", LABELS), answers.append)
        await pilot.pause()
        await pilot.press(*"499", "enter")
        await until(lambda: answers == [499], "it is chosen")


async def test_escape_chooses_nothing() -> None:
    answers: list[int | None] = []
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        app.push_screen(ChooseScreen("har[/]bour", ["\x1b[2J[bold]"]), answers.append)
        await shows(app, "␛[2J[bold]")
        await pilot.press("x", "escape")
        await until(lambda: answers == [None], "nothing is chosen")
