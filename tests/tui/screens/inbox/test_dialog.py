"""A question as a dialog."""

import pytest
from textual.screen import ModalScreen

from inspector.protocol.server_requests import accepted, declined
from inspector.tui.screens.inbox.dialog import QuestionScreen
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.asking import Asking
from tests.tui.widgets.showing import Showing
from tests.waiting import until


@pytest.fixture
async def subject() -> Asking:
    return Asking()


async def test_one_question_follows_the_other_until_none_waits(subject: Asking) -> None:
    first, second = subject.ask_city(), subject.ask_city("And then?")
    async with (app := Showing()).run_test(size=(80, 40)) as pilot:
        await app.push_screen(QuestionScreen(subject, first))
        await shows(app, "Which city?", "Esc Later")
        await press(pilot, *"Oslo", "ctrl+j", shows="And then?")
        await pilot.press("ctrl+d")
        await until(lambda: not isinstance(app.screen, QuestionScreen), "the dialog is closed")
    assert (first.reply, second.reply) == (accepted({"city": "Oslo"}), declined())


async def test_question_that_comes_a_moment_after_the_answer_is_shown_by_the_same_dialog(
    subject: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.tui.screens.inbox.dialog._TICKS_PER_SECOND", 1e-6)
    async with (app := Showing()).run_test(size=(80, 40)) as pilot:
        await app.push_screen(dialog := QuestionScreen(subject, subject.ask_city()))
        await press(pilot, *"Oslo", "ctrl+j", shows="Oslo")
        await until(lambda: not subject.inbox.waiting, "it is answered")
        await dialog._tick()
        subject.ask_city("And then?")
        await dialog._tick()
        await shows(app, "And then?")
        await press(pilot, *"Rome", "ctrl+j", shows="Rome")
        await until(lambda: not subject.inbox.waiting, "that is answered, too")
        await dialog._tick()
        assert app.screen is dialog
        await dialog._tick()
        await until(lambda: app.screen is not dialog, "the dialog is closed")


async def test_withdrawn_request_stays_on_the_screen_with_the_reason_until_escape(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Showing()).run_test(size=(80, 24)) as pilot:
        await app.push_screen(QuestionScreen(subject, ticket))
        subject.withdraw(ticket, "timeout")
        await shows(app, "Withdrawn", "timeout", "Esc Close")
        assert "Later" not in text(app)
        await pilot.press(*"Oslo", "enter")
        assert isinstance(app.screen, QuestionScreen), "what is typed is no key of the screen below"
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, QuestionScreen), "the dialog is closed")


async def test_text_typed_while_the_request_is_withdrawn_is_no_key_of_the_screen_below(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := WithBack()).run_test(size=(80, 30), notifications=True) as pilot:
        await app.push_screen(QuestionScreen(subject, ticket))
        await until(lambda: app.focused is not None and "Value" in type(app.focused).__name__, "a field has the focus")
        await pilot.press(*"Oslo")
        subject.withdraw(ticket, "the server ended")
        await shows(app, "Withdrawn", "the server ended", "filled in when the server asks the same again")
        await pilot.press(*"abq", "enter", "ctrl+j")
        assert isinstance(app.screen, QuestionScreen)
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, QuestionScreen), "the dialog is closed")
        await app.push_screen(QuestionScreen(subject, subject.ask_city()))
        await shows(app, "Oslo", "Respond ^j")
    assert ticket.reply is None


async def test_response_that_was_left_unsent_is_shown_again_in_dialog_and_inbox(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Showing()).run_test(size=(120, 30)) as pilot:
        await app.push_screen(QuestionScreen(subject, ticket))
        await until(lambda: app.focused is not None and "Value" in type(app.focused).__name__, "a field has the focus")
        await press(pilot, *"Oslo", "escape")
        await app.push_screen(QuestionScreen(subject, ticket))
        await shows(app, "Oslo")
        await press(pilot, *" 2", "ctrl+j")
        await until(lambda: not isinstance(app.screen, QuestionScreen), "the dialog is closed")
        assert ticket.reply == accepted({"city": "Oslo 2"})
        await app.push_screen(QuestionScreen(subject, subject.ask_city()))
        await shows(app, "Which city?", "unset")
        assert "Oslo" not in text(app)


class WithBack(Showing):
    """An app that has a way back of its own, for what is below the dialog."""

    went_back = False

    async def action_back(self) -> None:
        self.went_back = True


async def test_escape_leaves_the_dialog_from_within_a_field_too(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := WithBack()).run_test(size=(80, 24)) as pilot:
        await app.push_screen(QuestionScreen(subject, ticket))
        await until(lambda: app.focused is not None and "Value" in type(app.focused).__name__, "a field has the focus")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, QuestionScreen), "the dialog is closed")
        assert not app.went_back
    assert ticket.reply is None


async def test_screen_above_a_withdrawn_request_stays(subject: Asking) -> None:
    ticket = subject.ask_city()
    app, over = Showing(), ModalScreen[None]()
    async with app.run_test(size=(80, 24)):
        server_request = QuestionScreen(subject, ticket)
        await app.push_screen(server_request)
        await app.push_screen(over)
        subject.withdraw(ticket, "timeout")
        await server_request._tick()
        assert app.screen is over
        over.dismiss()
        await shows(app, "Withdrawn", "timeout")
