"""A name in one line."""

import pytest
from textual.app import App

from inspector.tui.screens.name import NameScreen
from tests.tui.screen_text import text
from tests.waiting import until


@pytest.mark.parametrize(("pressed", "answer"), [((" ", "b", " ", "enter"), "a b"), (("escape",), None)])
async def test_a_name_is_what_is_typed(pressed: tuple[str, ...], answer: str | None) -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        answers: list[str | None] = []
        await app.push_screen(NameScreen("How is it called?", "a"), answers.append)
        await until(lambda: "How is it called?" in text(app), "the question")
        await pilot.press(*pressed)
        await until(lambda: answers == [answer], "the answer")
