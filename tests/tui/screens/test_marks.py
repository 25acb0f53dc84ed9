"""The list of marks and views; `test_marking` goes the whole way."""

from textual.app import App

from inspector.capture.notes import Mark, View
from inspector.tui.noting import noted_of
from inspector.tui.screens.marks import MarksScreen
from inspector.tui.subject import Stage
from tests.tui.screen_text import text
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape
from tests.waiting import until


async def test_without_any_it_says_how_and_where_they_are_kept(tape: Tape) -> None:
    subject = Staged(handshake(tape), stage=Stage.OPEN)
    app = App[None]()
    async with app.run_test(size=(100, 20)) as pilot:
        answers: list[Mark | View | None] = []
        noted = noted_of(subject)
        await app.push_screen(MarksScreen(subject, noted, None), answers.append)
        await until(lambda: "Nothing is marked." in text(app) and "gone with it" in text(app), "what to do")
        noted.mark(2, text="hm")
        await pilot.press("S", "c", "d", "escape")
        await until(lambda: answers == [None], "back")
        await app.push_screen(MarksScreen(subject, noted, None), answers.append)
        await until(lambda: "hm" in text(app) and "1 mark, 0 views" in text(app), "the mark")
        await pilot.press("enter")
        await until(lambda: isinstance(answers[-1], Mark) and answers[-1].n == 2, "where to go")
