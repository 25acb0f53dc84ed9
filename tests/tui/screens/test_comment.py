"""A colour and a comment."""

import pytest
from textual.app import App

from inspector.tui.screens.comment import CommentScreen
from tests.waiting import until


@pytest.mark.parametrize(
    ("pressed", "answer"),
    [
        (("enter",), ("red", "was")),
        ((*" there", "enter"), ("red", "was there")),
        (("down", "right", "up", "x", "enter"), ("green", "wasx")),
        (("x", "escape"), None),
    ],
)
async def test_what_is_typed_and_chosen_is_the_answer(pressed: tuple[str, ...], answer: tuple[str, str] | None) -> None:
    app = App[None]()
    async with app.run_test() as pilot:
        answers: list[tuple[str, str] | None] = []
        await app.push_screen(CommentScreen(3, "red", "was"), answers.append)
        await pilot.press(*pressed)
        await until(lambda: answers == [answer], "the answer")
