"""A model's proposals: made, failed, and given up when nobody wants them any more."""

import asyncio
from typing import Any

import pytest

from inspector.errors import RequestFailed
from inspector.protocol.questions import Kind, Question, Refusal, sampled, text_block, unattended
from inspector.sampler.choice import Approve
from inspector.sampler.completion import Said
from inspector.session.desk import BY_NOBODY, BY_PERSON, Desk, TicketState
from inspector.session.proposals import ProposalState, Proposer
from tests.waiting import until

SALT = sampled(text_block("Rivers."), model="tide-1")
ASKED: dict[str, Any] = {"messages": []}


class Model:
    """Answers as it is told to."""

    label = "tide at here"

    def __init__(self, *, fails: bool = False, waits: bool = False) -> None:
        self.asked: list[Any] = []
        self.fails = fails
        self.go = asyncio.Event()
        if not waits:
            self.go.set()

    async def answer(self, params: Any) -> Said:
        self.asked.append(params)
        await self.go.wait()
        if self.fails:
            raise RequestFailed("HTTP 500: oh no", hint="Look there.")
        return Said(SALT)


def sampling(exchange: int = 1) -> Question:
    return Question(Kind.SAMPLING, ASKED, exchange, exchange, 0)


async def test_with_a_person_the_model_is_asked_only_when_he_says_so_and_its_answer_waits_for_him() -> None:
    model = Model()
    desk = Desk(has_person=True, proposer=Proposer(model))
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(desk.ask(sampling()))
        await until(lambda: desk.waiting, "it waits")
        (ticket,) = desk.waiting
        assert model.asked == []
        await desk.consult(ticket, {"messages": ["edited"]})
        assert model.asked == [{"messages": ["edited"]}]
        assert ticket.proposal is not None
        assert (ticket.proposal.state, ticket.proposal.result) == (ProposalState.READY, SALT)
        assert ticket.state is TicketState.WAITING
        desk.answer(ticket, SALT)
    assert (asking.result(), ticket.by) == (SALT, BY_PERSON)


async def test_where_only_the_request_needs_consent_the_answer_goes_out_at_once() -> None:
    desk = Desk(has_person=True, proposer=Proposer(Model(), Approve.REQUEST))
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(desk.ask(sampling()))
        await until(lambda: desk.waiting, "it waits")
        (ticket,) = desk.waiting
        await desk.consult(ticket, ASKED)
    assert (asking.result(), ticket.by) == (SALT, "tide at here")


@pytest.mark.parametrize("has_person", [True, False])
async def test_without_consent_the_model_answers_by_itself_and_only_sampling(has_person: bool) -> None:
    desk = Desk(has_person=has_person, proposer=Proposer(Model(), Approve.NEVER))
    assert await desk.ask(sampling()) == SALT
    (ticket,) = desk.tickets
    assert ticket.by == "tide at here"
    assert ticket.proposal is not None
    assert ticket.proposal.took_ns > 0
    if not has_person:
        assert await desk.ask(Question(Kind.ELICITATION, {}, 2, 2, 0)) == unattended()


async def test_prepared_answers_come_before_the_model() -> None:
    async def prepared(question: Question) -> Any:
        return sampled(text_block("Prepared."), model="none")

    model = Model()
    await Desk([("file", prepared)], proposer=Proposer(model, Approve.NEVER)).ask(sampling())
    assert model.asked == []


async def test_a_model_that_fails_leaves_the_question_to_the_person() -> None:
    desk = Desk(has_person=True, proposer=Proposer(Model(fails=True), Approve.NEVER))
    async with asyncio.TaskGroup() as group:
        group.create_task(desk.ask(sampling()))
        await until(lambda: desk.waiting and desk.waiting[0].proposal, "the model was asked")
        (ticket,) = desk.waiting
        proposal = ticket.proposal
        assert proposal is not None
        await until(lambda: proposal.state is ProposalState.FAILED, "it failed")
        assert (proposal.why, proposal.hint) == ("HTTP 500: oh no", "Look there.")
        desk.answer(ticket, SALT)


async def test_without_a_person_a_model_that_fails_is_a_refusal_that_quotes_nothing_to_the_server() -> None:
    desk = Desk(proposer=Proposer(Model(fails=True), Approve.NEVER))
    reply = await desk.ask(sampling())
    assert reply == Refusal(-1, "the model that answers here gave no answer")
    assert (desk.tickets[0].by, desk.tickets[0].why) == (BY_NOBODY, "HTTP 500: oh no")


@pytest.mark.parametrize("ends", ["withdrawn", "answered", "stopped"])
async def test_a_proposal_that_nobody_wants_any_more_is_given_up(ends: str) -> None:
    desk = Desk(has_person=True, proposer=Proposer(Model(waits=True)))
    async with asyncio.TaskGroup() as group:
        group.create_task(desk.ask(sampling()))
        await until(lambda: desk.waiting, "it waits")
        (ticket,) = desk.waiting
        consulting = group.create_task(desk.consult(ticket, ASKED))
        await until(lambda: ticket.proposal, "the model is asked")
        assert ticket.proposal is not None
        if ends == "stopped":
            ticket.proposal.stop()
        elif ends == "withdrawn":
            desk.withdraw("gone")
        else:
            desk.answer(ticket, SALT)
        await consulting
        assert ticket.proposal.state is ProposalState.STOPPED
        desk.answer(ticket, SALT)


async def test_what_is_over_asks_no_model() -> None:
    model = Model()
    desk = Desk(proposer=Proposer(model, Approve.ALWAYS))
    await desk.ask(sampling())
    await desk.consult(desk.tickets[0], ASKED)
    assert model.asked == []
