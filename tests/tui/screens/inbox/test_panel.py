"""The Inbox: waiting server requests as a list, in full, and their responses."""

import re

import pytest
from textual.pilot import Pilot

from inspector.protocol.server_requests import ErrorReply, Result, Root, accepted, declined, dismissed
from inspector.session.inbox import TicketState
from inspector.tui.screens.inbox.panel import InboxPanel
from tests.present.tape import Tape
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.asking import Asking
from tests.tui.staging import Staged
from tests.tui.widgets.showing import ShowingPanel
from tests.waiting import until


class Inbox(ShowingPanel[InboxPanel]):
    """An app with the panel alone."""

    def __init__(self, subject: Asking) -> None:
        super().__init__(InboxPanel(subject))


@pytest.fixture
async def subject() -> Asking:
    return Asking()


async def opened(pilot: Pilot[None], app: Inbox, word: str) -> None:
    await shows(app, word)
    await pilot.press("enter")
    await until(lambda: app.panel.pane.has_focus_within, "the question has the focus")


async def test_empty_inbox_explains_itself(subject: Asking) -> None:
    async with (app := Inbox(subject)).run_test(size=(80, 24)):
        await shows(app, "No server requests", "1 root  x R")


async def test_request_of_an_earlier_connection_is_gone_with_it(subject: Asking) -> None:
    await subject.inbox.answer(subject.ask_city("First?"), declined())
    async with (app := Inbox(subject)).run_test(size=(120, 24)):
        await shows(app, "First?", "received")
        app.panel.rebind(Staged(Tape()))
        app.panel.sync()
        await shows(app, "No server requests")
        await until(lambda: "First?" not in text(app), "the request is gone")


async def test_waiting_requests_precede_ended_ones(subject: Asking) -> None:
    await subject.inbox.answer(subject.ask_city("First?"), declined())
    subject.withdraw(subject.ask_city("Second?"), "gone")
    subject.ask_city("Third?")
    subject.ask_model("Fourth?")
    async with (app := Inbox(subject)).run_test(size=(80, 24)):
        await shows(app, "2 waiting", "Third?", "Fourth?", "Second?", "First?")
        shown = text(app)
        order = [shown.index(word) for word in ("Third?", "Fourth?", "Second?", "First?")]
        assert order == sorted(order)
        assert "Declined" in shown
        assert "Withdrawn" in shown


async def test_a_form_is_filled_in_and_accepted(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Which city?")
        await shows(app, "harbour", "tools/call book", "servers must not request this in a form")
        await pilot.press(*"Oslo", "ctrl+j")
        await until(lambda: ticket.state is TicketState.ANSWERED, "it is answered")
        assert ticket.reply == accepted({"city": "Oslo"})
        await shows(app, "Accepted", "0 waiting")


@pytest.mark.parametrize(("key", "reply"), [("ctrl+d", declined()), ("ctrl+x", dismissed())])
async def test_no_and_neither_have_keys_of_their_own(subject: Asking, key: str, reply: Result) -> None:
    ticket = subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(80, 24)) as pilot:
        await opened(pilot, app, "Which city?")
        await pilot.press(key)
        await until(lambda: ticket.reply is not None, "it is answered")
        assert ticket.reply == reply


async def test_with_selected_text_the_key_of_cancel_cuts_and_sends_nothing(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Which city?")
        await pilot.press(*"Oslo", "shift+home", "ctrl+x", *"Bergen", "ctrl+j")
        await until(lambda: ticket.reply is not None, "it is answered")
        assert ticket.reply == accepted({"city": "Bergen"})


async def test_problems_are_shown_first_and_sent_on_second_press(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Which city?")
        await press(pilot, "x", "ctrl+j", shows="Respond anyway")
        assert ticket.reply is None
        await pilot.press("ctrl+j")
        await until(lambda: ticket.reply is not None, "it is answered")
        assert ticket.reply == accepted({"city": "x"})


async def test_escape_leaves_the_question_where_it_is_with_what_was_typed(subject: Asking) -> None:
    ticket = subject.ask_city()
    subject.ask_city("Other?")
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Which city?")
        await press(pilot, *"Rome", "escape", shows="2 waiting")
        await pilot.press("j")
        await until(
            lambda: app.panel.pane.server_request is subject.inbox.tickets[1].server_request, "the other question"
        )
        await pilot.press("k")
        await until(lambda: app.panel.pane.server_request is ticket.server_request, "the first question")
        await pilot.press("enter", "ctrl+j")
        await until(lambda: ticket.reply is not None, "it is answered")
        assert ticket.reply == accepted({"city": "Rome"})


async def test_withdrawn_request_loses_its_form(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(80, 24)) as pilot:
        await opened(pilot, app, "Which city?")
        subject.withdraw(ticket, "the server cancelled its request")
        await shows(app, "Withdrawn", "the server cancelled its request")
        await pilot.press("ctrl+j")
        assert ticket.reply is None


async def test_a_model_s_answer_is_written_by_hand_or_rejected(subject: Asking) -> None:
    first, second = subject.ask_model(), subject.ask_model("And now?")
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Why is the sea salt?")
        await pilot.press(*"Rivers", "ctrl+j")
        await until(lambda: first.reply is not None, "it is answered")
        assert isinstance(first.reply, Result)
        assert first.reply.value["content"] == {"type": "text", "text": "Rivers"}
        await until(lambda: app.panel.pane.server_request is second.server_request, "the next question is shown")
        await pilot.press("x i")
        await until(lambda: app.panel.pane.form.arguments != {}, "the last answer is filled in")
        await pilot.press("ctrl+d")
        await until(lambda: second.reply is not None, "it is rejected")
        assert isinstance(second.reply, ErrorReply)
        assert second.reply.code == -1


async def test_a_link_is_opened_on_its_key_only_and_never_if_it_is_no_web_address(
    subject: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    went: list[str] = []

    def opened_at(url: str) -> bool:
        went.append(url)
        return True

    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    monkeypatch.setattr("webbrowser.open", opened_at)
    bad, good = subject.ask_link("file:///etc/passwd"), subject.ask_link()
    async with (app := Inbox(subject)).run_test(size=(80, 24)) as pilot:
        await opened(pilot, app, "Please pay.")
        await shows(app, "only http and https are opened")
        await pilot.press("x o", "ctrl+x")
        await until(lambda: bad.reply is not None, "it is answered")
        assert went == []
        await until(lambda: app.panel.pane.server_request is good.server_request, "the next question is shown")
        await opened(pilot, app, "Please pay.")
        await shows(app, "pay.example")
        assert went == []
        await pilot.press("x o")
        await until(lambda: went, "the browser was asked")
        assert went == ["https://pay.example/x"]
        assert good.reply is None
        await pilot.press("ctrl+j")
        await until(lambda: good.reply == accepted(), "it is accepted")


async def test_roots_are_edited_in_place(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await shows(app, "Which city?")
        await press(pilot, "x R", shows=("List these roots", "file:///srv"))
        await until(lambda: app.panel.pane.has_focus_within, "the form has the focus")
        await pilot.press("end", *"/a", "ctrl+d", "ctrl+j")
        await until(lambda: subject.inbox.roots == (Root("file:///srv/a"),), "other roots are listed")
        await shows(app, "1 waiting")
        assert ticket.reply is None


async def test_from_the_roots_escape_leads_back_to_the_questions(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await shows(app, "Which city?")
        await pilot.press("x R")
        await until(lambda: app.panel.pane.has_focus_within, "the form has the focus")
        await pilot.press("escape")
        await until(lambda: app.panel.pane.server_request is ticket.server_request, "the question is shown again")
        await pilot.press("ctrl+d")
        await until(lambda: ticket.reply == declined(), "it is declined")
    assert subject.inbox.roots == (Root("file:///srv"),)


async def test_wide_terminals_show_list_and_question_side_by_side(subject: Asking) -> None:
    subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(160, 30)):
        await shows(app, "Waiting for you", "In call", "Respond", "Decline", "Cancel")


async def test_an_answered_request_has_the_time_of_day_for_ages_are_painted_again_and_again(subject: Asking) -> None:
    ticket = subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(160, 30)) as pilot:
        await shows(app, "Waiting for you")
        await pilot.press("ctrl+d")
        await until(lambda: ticket.reply == declined(), "it is declined")
        await until(lambda: re.search(r"received \d\d:\d\d:\d\d\.\d{3}", text(app)) is not None, "when it came")


async def test_fifty_questions_are_fifty_rows(subject: Asking) -> None:
    for number in range(50):
        subject.ask_city(f"Question {number}?")
    async with (app := Inbox(subject)).run_test(size=(80, 24)) as pilot:
        await shows(app, "50 waiting", "Question 0?")
        await press(pilot, "G", shows="Question 49?")


async def test_a_visit_shows_at_once_that_the_server_calls_it_complete(subject: Asking) -> None:
    subject.ask(mode="url", message="Please pay.", url="https://pay.example", elicitationId="e1")
    async with (app := Inbox(subject)).run_test(size=(160, 30)):
        await shows(app, "Please pay.", "not yet")
        subject.tape.notify("notifications/elicitation/complete", {"elicitationId": "e1"})
        await shows(app, "Complete")


async def test_a_key_that_comes_before_the_question_was_drawn_still_leads_to_its_first_field(subject: Asking) -> None:
    subject.ask_city()
    async with (app := Inbox(subject)).run_test(size=(80, 40)):
        async with app.panel._drawing:  # a slow machine: the row is there, its form is not yet
            await shows(app, "Which city?")
            await until(lambda: app.panel._list.has_focus, "the list has the focus")
            app.simulate_key("enter")
            await until(lambda: app.panel.frame.is_open, "the key has arrived")
        await until(lambda: app.panel.pane.form.has_focus_within, "the first field has the focus")


async def test_after_an_answer_the_next_question_is_shown_even_while_the_focus_is_still_on_its_way(
    subject: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject.ask_city("First?")
    second = subject.ask_city("Second?")
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "First?")
        monkeypatch.setattr(app.panel._list, "focus", lambda *args, **more: None)  # it comes too late
        await pilot.press("ctrl+d")
        await until(lambda: app.panel.pane.server_request is second.server_request, "the next question is shown")
