"""A colour and a comment."""

import pytest
from textual.app import App

from inspector.capture.format.notes import COLOURS, Mark, View
from inspector.tui.conversation import ConversationStage
from inspector.tui.notes import notes_of
from inspector.tui.screens.notes.dialogs import MarksScreen
from inspector.tui.widgets.prompts import CommentScreen, NameScreen
from tests.present.tape import Tape
from tests.tui.screen_text import shows, text
from tests.tui.staging import Staged, handshake
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
async def test_comment_dialog_returns_text_and_colour(pressed: tuple[str, ...], answer: tuple[str, str] | None) -> None:
    async with (app := App[None]()).run_test() as pilot:
        answers: list[tuple[str, str] | None] = []
        await app.push_screen(CommentScreen(3, "red", "was", COLOURS), answers.append)
        await pilot.press(*pressed)
        await until(lambda: answers == [answer], "the answer")


async def test_notes_dialog_without_notes_explains_itself(tape: Tape) -> None:
    subject = Staged(handshake(tape), stage=ConversationStage.OPEN)
    async with (app := App[None]()).run_test(size=(100, 20)) as pilot:
        answers: list[Mark | View | None] = []
        noted = notes_of(subject)
        await app.push_screen(MarksScreen(subject, noted, None), answers.append)
        await shows(app, "No marks.", "m marks an entry of Traffic, x n with a comment.")
        assert "saves the current view" not in text(app)
        assert "not recorded: lost when the session ends" in text(app)
        noted.mark(2, text="hm")
        await pilot.press("s", "m", "x d", "escape")
        await until(lambda: answers == [None], "back")
        await app.push_screen(MarksScreen(subject, noted, None), answers.append)
        await until(lambda: "hm" in text(app) and "1 mark, 0 views" in text(app), "the mark")
        await pilot.press("enter")
        await until(lambda: isinstance(answers[-1], Mark) and answers[-1].n == 2, "where to go")


@pytest.mark.parametrize(("pressed", "answer"), [((" ", "b", " ", "enter"), "a b"), (("escape",), None)])
async def test_a_name_is_what_is_typed(pressed: tuple[str, ...], answer: str | None) -> None:
    async with (app := App[None]()).run_test() as pilot:
        answers: list[str | None] = []
        await app.push_screen(NameScreen("How is it called?", "a"), answers.append)
        await until(lambda: "How is it called?" in text(app), "the question")
        await pilot.press(*pressed)
        await until(lambda: answers == [answer], "the answer")
