"""Fifty questions: which one is shown, and no to all of them."""

import pytest
from textual.widgets import Input

from inspector.protocol.questions import Question, Refusal, Reply, accepted, declined
from inspector.session.desk import Ticket
from inspector.tui.panels.many_questions import DecliningAll, place_of, waiting
from tests.tui.panels.asking import Asking
from tests.tui.panels.test_inbox import Inbox, opened, seen
from tests.waiting import until


@pytest.fixture
async def subject() -> Asking:
    return Asking()


async def test_the_place_is_told_where_several_wait(subject: Asking) -> None:
    first = subject.ask_city()
    assert place_of(first, subject) == ""
    second = subject.ask_city()
    assert (place_of(first, subject), place_of(second, subject), place_of(None, subject)) == ("1 of 2", "2 of 2", "")
    await subject.answer(first, declined())
    assert (place_of(first, subject), place_of(second, subject)) == ("", "")
    subject.journal.close()


async def test_the_second_press_declines_exactly_what_the_first_one_saw(subject: Asking) -> None:
    for _ in range(3):
        subject.ask_city()
    declining = DecliningAll()
    assert "all 3" in await declining.press(subject)
    model = subject.ask_model()
    assert "all 4" in await declining.press(subject)
    assert len(waiting(subject)) == 4
    assert "4 questions were declined" in await declining.press(subject)
    assert waiting(subject) == ()
    assert subject.tickets[0].reply == declined()
    assert isinstance(model.reply, Refusal)
    assert "Nothing waits" in await declining.press(subject)
    subject.journal.close()


async def test_fifty_at_once_are_counted_answered_one_by_one_and_then_declined_together(subject: Asking) -> None:
    tickets = [subject.ask_city(f"Question {number}?") for number in range(50)]
    app = Inbox(subject)
    async with app.run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Question 0?")
        await seen(app, "1 of 50")
        for number, city in enumerate(("Oslo", "Rome")):
            await pilot.press(*city, "ctrl+j")
            await seen(app, f"1 of {49 - number}", f"Question {number + 1}?")  # the next form, without a key
            assert tickets[number].reply == accepted({"city": city})
            await until(lambda: _typing_in(app, tickets[number + 1].question), "its first field has the focus")  # noqa: B023
        await pilot.press("escape")
        await seen(app, "48 waiting", "all no  D")
        await pilot.press("D", "D")
        await until(lambda: all(ticket.reply is not None for ticket in tickets), "all are declined")
        await seen(app, "0 waiting")
        assert [ticket.reply for ticket in tickets[2:]] == [declined()] * 48
    subject.journal.close()


async def test_the_next_form_opens_though_the_screen_looks_before_the_focus_has_left_the_last_one(
    subject: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    tickets = [subject.ask_city(f"Question {number}?") for number in range(3)]
    app = Inbox(subject)
    answer = subject.answer

    async def answer_and_look(ticket: Ticket, reply: Reply) -> bool:
        done = await answer(ticket, reply)
        app.panel.sync()
        return done

    monkeypatch.setattr(subject, "answer", answer_and_look)
    async with app.run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Question 0?")
        await pilot.press(*"Oslo", "ctrl+j")
        await until(lambda: _typing_in(app, tickets[1].question), "the next form has the focus")
    subject.journal.close()


def _typing_in(app: Inbox, question: Question) -> bool:
    """Whether keys go into an empty field of a question's form."""
    field = app.focused
    return app.panel.pane.question is question and isinstance(field, Input) and not field.value
