"""One question before something that is claimed to be destructive."""

import pytest

from inspector.tui.widgets.dialogs import ConfirmScreen
from inspector.tui.widgets.prompts import NameScreen
from tests.settling import click
from tests.tui.screen_text import lines, text
from tests.tui.widgets.showing import Showing
from tests.waiting import until


@pytest.mark.parametrize(
    ("pressed", "answer"),
    [
        (["ctrl+j"], True),
        (["y", "n", "escape"], False),
        (["escape"], False),
        (["enter"], False),
        (["right", "enter"], True),
        (["right", "left", "enter"], False),
    ],
)
async def test_only_a_yes_is_a_yes(pressed: list[str], answer: bool) -> None:
    answers: list[bool | None] = []
    app = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(ConfirmScreen("Sure?", [[("Call it?", "text")]], "{}"), answers.append)
        await pilot.pause()
        await pilot.press(*pressed)
        await until(lambda: answers == [answer], "it is answered")


async def test_what_is_quoted_is_shown_as_it_is() -> None:
    app = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(ConfirmScreen("Sure [/]?", [[("Call [bold]x[/]?", "strong")]], '{"a": "[@click=app.quit]"}'))
        await pilot.pause()
        assert "Call [bold]x[/]?" in text(app)
        assert '{"a": "[@click=app.quit]"}' in text(app)


def place_of(app: Showing, word: str) -> tuple[int, int]:
    return next((line.index(word), at) for at, line in enumerate(lines(app)) if word in line)


async def test_the_mark_in_the_frame_closes_a_dialog_as_escape_does() -> None:
    answers: list[object] = []
    app = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(ConfirmScreen("Sure?", [[("Call it?", "text")]], "{}"), answers.append)
        await pilot.pause()
        await click(app, place_of(app, "✕"))
        await until(lambda: answers == [False], "it is answered")
        app.push_screen(NameScreen("Name", "mine"), answers.append)
        await pilot.pause()
        x, y = place_of(app, "✕")
        await click(app, (x - 5, y))
        assert answers == [False], "the rest of the frame closes nothing"
        await click(app, (x, y))
        await until(lambda: answers == [False, None], "it is closed")


async def test_a_dialog_with_an_input_line_is_completed_by_its_buttons() -> None:
    answers: list[object] = []
    app = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        for button, answer in (("Save", "mine"), ("Back", None)):
            app.push_screen(NameScreen("Name", "mine"), answers.append)
            await pilot.pause()
            await click(app, place_of(app, f"{button} "))
            await until(lambda: len(answers) > 0, "it is answered")
            assert answers.pop() == answer
