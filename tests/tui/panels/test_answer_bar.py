"""The line of answers below a question."""

from inspector.protocol.questions import Kind, Question
from inspector.tui.panels.answer_bar import AnswerBar, Standing
from tests.tui.widgets.showing import Showing


def asks(kind: Kind = Kind.ELICITATION, **params: object) -> Question:
    return Question(kind, params, 1, 1, 0)


class Bar(Showing):
    def __init__(self) -> None:
        self.bar = AnswerBar()
        super().__init__(self.bar)

    def on_answer_bar_pressed(self, event: AnswerBar.Pressed) -> None:
        self.posted.append(event)

    @property
    def deeds(self) -> list[str]:
        return [event.deed for event in self.posted if isinstance(event, AnswerBar.Pressed)]


async def test_each_kind_of_question_has_its_answers() -> None:
    app = Bar()
    async with app.run_test(size=(90, 3)) as pilot:
        shown = []
        for question in (asks(), asks(mode="url", url="https://a.example"), asks(Kind.SAMPLING), asks(Kind.ROOTS)):
            app.bar.say(question, Standing())
            await pilot.pause()
            shown.append(app.rows()[0])
    assert [word in shown[0] for word in ("Answer ^j", "Decline ^d", "Cancel ^x", "Form / JSON")] == [True] * 4
    assert "Open link o" in shown[1]
    assert "JSON" not in shown[1]
    assert ("Answer ^j" in shown[2], "Decline ^d" in shown[2], "Cancel" in shown[2]) == (True, True, False)
    assert "Answer ^j" in shown[3]


async def test_a_link_that_is_not_opened_has_no_button_for_it() -> None:
    app = Bar()
    async with app.run_test(size=(90, 3)) as pilot:
        app.bar.say(asks(mode="url", url="javascript:1"), Standing())
        await pilot.pause()
        assert "Open" not in app.rows()[0]


async def test_what_a_press_would_do_is_said() -> None:
    app = Bar()
    async with app.run_test(size=(90, 3)) as pilot:
        app.bar.say(asks(), Standing(problems=1))
        await pilot.pause()
        assert "✗ 1 error" in app.rows()[0]
        app.bar.say(asks(), Standing(problems=1, awaited=1))
        await pilot.pause()
        assert "1 required" in app.rows()[0]
        assert "error" not in app.rows()[0]
        app.bar.say(asks(), Standing(problems=2, armed=True))
        await pilot.pause()
        assert "Answer anyway ^j" in app.rows()[0]
        app.bar.say(None, Standing(), roots=True)
        await pilot.pause()
        assert "List these roots ^j" in app.rows()[0]
        app.bar.say(None, Standing())
        await pilot.pause()
        assert app.rows()[0] == ""


async def test_enter_says_yes_and_a_click_does_what_it_hits() -> None:
    app = Bar()
    async with app.run_test(size=(90, 3)) as pilot:
        app.bar.say(asks(), Standing())
        app.bar.focus()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.click(AnswerBar, offset=(app.rows()[0].index("Decline") + 1, 0))
        await pilot.click(AnswerBar, offset=(app.rows()[0].index("JSON"), 0))
        await pilot.pause()
    assert app.deeds == ["accept", "decline", "json"]


async def test_after_a_visit_the_call_is_made_again() -> None:
    app = Bar()
    async with app.run_test(size=(90, 3)) as pilot:
        params = {"mode": "url", "url": "https://a.example"}
        app.bar.say(Question(Kind.ELICITATION, params, 1, 1, 0, visit=True), Standing())
        await pilot.pause()
        assert "Call again ^j" in app.rows()[0]
