"""One question before something that is claimed to be destructive."""

import pytest

from inspector.tui.widgets.dialogs import ConfirmScreen
from tests.tui.screen_text import text
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
