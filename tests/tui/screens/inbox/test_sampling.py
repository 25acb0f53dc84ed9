"""Responses of a real model from the Inbox: its prompt and its answer can be edited first."""

from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.protocol.server_requests import ErrorReply, RequestKind, Result, sampled, text_block
from inspector.sampler.chat import ModelReply
from inspector.sampler.choice import Approve
from inspector.session.inbox import ProposalState, Ticket
from inspector.tui.screens.inbox.rows import RequestRow
from inspector.tui.screens.inbox.sampling import answered_by, asks_now, proposal_of, proposal_section
from tests.tui.screen_text import press, shows, text
from tests.tui.screens.asking import Asking, model
from tests.tui.screens.inbox.test_panel import Inbox, opened
from tests.waiting import until

SALT = ModelReply(sampled(text_block("Rivers."), model="tide-1"), (), 12, 3)
USE: dict[str, Any] = {"type": "tool_use", "id": "c7", "name": "tide", "input": {"port": "Oslo"}}


@pytest.fixture
async def subject() -> Asking:
    made = Asking()
    made.inbox.proposer = model()
    return made


async def asked(pilot: Pilot[None], app: Inbox, subject: Asking) -> None:
    await opened(pilot, app, "Why is the sea salt?")
    await shows(app, "Ask the model")
    await press(pilot, "ctrl+k", shows=("Request for", "maxTokens"))
    await pilot.press("ctrl+j")
    await until(lambda: subject.inbox.consulted, "the model is asked")


async def test_the_request_is_seen_first_and_the_answer_is_edited_before_it_is_sent(subject: Asking) -> None:
    ticket = subject.ask_model()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await asked(pilot, app, subject)
        assert subject.inbox.consulted == [ticket.server_request.params]
        await shows(app, "waiting for tide at here", "Stop")
        subject.inbox.propose(ticket, SALT)
        await shows(app, "Response of the model", "tide at here in 1.50 s (12 tokens in, 3 out)", "Rivers.")
        assert ticket.reply is None
        await until(
            lambda: app.focused is not None and "Edit" in type(app.focused).__name__, "the result has the focus"
        )
        await pilot.press("!", "ctrl+j")
        await until(lambda: ticket.reply is not None, "it is answered")
        assert ticket.reply == sampled(text_block("!Rivers."), model="tide-1")


async def test_sampling_request_can_be_edited(subject: Asking) -> None:
    subject.ask_model()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Why is the sea salt?")
        await press(pilot, "ctrl+k", shows="Request for")
        app.panel.pane.form.query_one(".form--json").text = '{"messages": [], "maxTokens": 3}'  # type: ignore[attr-defined]
        await until(lambda: app.panel.pane.form.arguments == {"messages": [], "maxTokens": 3}, "it is taken")
        await pilot.press("ctrl+k")
        await until(lambda: not app.panel.pane.edits_request, "back at the answer")
        await press(pilot, "ctrl+k", shows='"maxTokens": 3')
        await pilot.press("ctrl+j")
        await until(lambda: subject.inbox.consulted, "the model is asked")
        assert subject.inbox.consulted == [{"messages": [], "maxTokens": 3}]


async def test_json_that_can_t_be_read_asks_no_model(subject: Asking) -> None:
    subject.ask_model()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Why is the sea salt?")
        await press(pilot, "ctrl+k", shows="Request for")
        await pilot.press("x", "ctrl+j")
        assert subject.inbox.consulted == []


async def test_sampling_answer_can_be_edited_as_json(subject: Asking) -> None:
    ticket = subject.ask(
        RequestKind.SAMPLING, messages=[{"role": "user", "content": text_block("Why is the sea salt?")}]
    )
    said = ModelReply(sampled([text_block("I look."), USE], model="tide-1", stop_reason="toolUse"))
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Why is the sea salt?")
        await pilot.press("ctrl+k", "ctrl+j")
        await until(lambda: subject.inbox.consulted, "the model is asked")
        subject.inbox.propose(ticket, said)
        await shows(app, '"tool_use"', '"port": "Oslo"')
        await pilot.press("ctrl+j")
        await until(lambda: ticket.reply is not None, "it is answered")
        assert ticket.reply == said.result
        other = subject.ask_city()
        await until(lambda: app.panel.pane.server_request is other.server_request, "the next question is shown")
        assert not app.panel.pane.form.as_json


async def test_failed_model_leaves_a_manual_answer(subject: Asking) -> None:
    ticket = subject.ask_model()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await asked(pilot, app, subject)
        subject.inbox.propose(ticket, state=ProposalState.FAILED, why="HTTP 429: Slow [red]down[/red]")
        await shows(app, "No response from the model", "HTTP 429: Slow [red]down[/red]", "Respond ^j")
        await until(
            lambda: app.focused is not None and "Edit" in type(app.focused).__name__, "the result has the focus"
        )
        await pilot.press(*"By hand", "ctrl+j")
        await until(lambda: ticket.reply is not None, "it is answered")
        assert ticket.reply == sampled(text_block("By hand"), model="written by hand")


async def test_running_proposal_can_be_stopped(subject: Asking) -> None:
    ticket = subject.ask_model()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await asked(pilot, app, subject)
        await shows(app, "Stop")
        await pilot.press("ctrl+j")
        assert ticket.reply is None
        await press(pilot, "ctrl+k", shows=("Model request cancelled", "Respond ^j"))
        await pilot.press("ctrl+d")
        await until(lambda: isinstance(ticket.reply, ErrorReply), "it is rejected")


async def test_escape_leads_from_the_request_to_the_answer_and_then_to_the_list(subject: Asking) -> None:
    subject.ask_model()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Why is the sea salt?")
        await press(pilot, *"Half", "ctrl+k", shows="Request for")
        await press(pilot, "escape", shows=("Half", "Respond ^j"))
        assert app.panel.pane.form.arguments != {}
        await until(lambda: app.panel.pane.has_focus_within, "the form has the focus")
        await press(pilot, "escape", shows="1 waiting")


async def test_direct_sending_is_announced(subject: Asking) -> None:
    subject.inbox.proposer = model(Approve.REQUEST)
    subject.ask_model()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Why is the sea salt?")
        await press(pilot, "ctrl+k", shows="Its response is sent to the server directly.")


async def test_without_a_model_there_is_no_button_and_the_key_does_nothing(subject: Asking) -> None:
    subject.inbox.proposer = None
    subject.ask_model()
    async with (app := Inbox(subject)).run_test(size=(80, 40)) as pilot:
        await opened(pilot, app, "Why is the sea salt?")
        await app.panel.pane.do("model")
        await shows(app, "Respond ^j")
        assert "Ask the model" not in text(app)
        assert not app.panel.pane.can("model")
        assert not app.panel.pane.edits_request


def standing(ticket: Ticket) -> tuple[object, ...]:
    shown = RequestRow(ticket.server_request, ticket)
    return proposal_of(shown), asks_now(shown), answered_by(proposal_of(shown)), proposal_section(ticket)


async def test_proposal_state_starts_empty(subject: Asking) -> None:
    ticket = subject.ask_model()
    assert standing(ticket) == (None, False, None, None)
    assert proposal_of(None) is None
    await subject.inbox.request_proposal(ticket, {})
    subject.inbox.propose(ticket, SALT)
    assert isinstance(standing(ticket)[2], Result)
