"""The desk: who answers server requests, who waits, and what happens to withdrawn ones."""

import asyncio
import gc
import weakref
from typing import Any

import msgspec
import pytest

from inspector.errors import RequestFailed
from inspector.protocol.questions import (
    ErrorReply,
    Question,
    Reply,
    RequestKind,
    Result,
    Root,
    accepted,
    declined,
    sampled,
    text_block,
    unattended,
)
from inspector.sampler.chat import ModelReply
from inspector.sampler.choice import Approve
from inspector.session.desk import BY_NOBODY, BY_PERSON, BY_ROOTS, MOST_OVER, Desk, ProposalState, Proposer, TicketState
from tests.waiting import until


def asks(kind: RequestKind = RequestKind.ELICITATION, *, exchange: int = 1) -> Question:
    return Question(kind, None, exchange, exchange, 0)


class Params(dict[str, str]):
    """Params that can be asked whether they are still there."""


async def says_yes(question: Question) -> Reply | None:
    return accepted()


async def leaves_it(question: Question) -> Reply | None:
    return None


async def never_ends(question: Question) -> Reply | None:
    await asyncio.Event().wait()
    return None


async def test_policies_are_asked_in_order_and_the_one_that_answered_is_named() -> None:
    desk = Desk([("first", leaves_it), ("second", says_yes)], has_person=True)
    assert await desk.ask(asks()) == accepted()
    (ticket,) = desk.tickets
    assert (ticket.state, ticket.by, ticket.reply) == (TicketState.ANSWERED, "second", accepted())


async def test_without_a_person_an_unanswered_question_is_refused_at_once() -> None:
    reply = await Desk([("none", leaves_it)]).ask(asks(RequestKind.SAMPLING))
    assert reply == ErrorReply(-1, "no user to respond to sampling, and no response was prepared")


async def test_without_a_person_an_elicitation_is_cancelled_at_once() -> None:
    desk = Desk([("none", leaves_it)])
    reply = await desk.ask(asks(RequestKind.ELICITATION))
    assert isinstance(reply, Result)
    assert reply.value == {"action": "cancel"}
    assert desk.tickets[0].why == "no user to respond to elicitation, and no response was prepared"


async def test_without_a_person_the_ticket_says_that_nobody_answered() -> None:
    desk = Desk()
    await desk.ask(asks())
    assert desk.tickets[0].by == BY_NOBODY


async def test_roots_are_listed_as_they_are_now() -> None:
    desk = Desk(roots=[Root("file:///a", "A")], has_person=True)
    assert await desk.ask(asks(RequestKind.ROOTS)) == Result({"roots": [{"uri": "file:///a", "name": "A"}]})
    desk.roots = (Root("file:///b"),)
    assert await desk.ask(asks(RequestKind.ROOTS)) == Result({"roots": [{"uri": "file:///b"}]})
    assert [ticket.by for ticket in desk.tickets] == [BY_ROOTS, BY_ROOTS]


async def test_fifty_questions_wait_at_once_and_each_gets_its_own_answer() -> None:
    desk = Desk(has_person=True)
    asking = asyncio.gather(*(desk.ask(asks(exchange=n)) for n in range(50)))
    await until(lambda: len(desk.waiting) == 50, "all of them wait")
    for ticket in reversed(desk.waiting):
        assert desk.answer(ticket, accepted({"n": ticket.question.exchange}))
    assert [*await asking] == [accepted({"n": n}) for n in range(50)]
    assert [ticket.number for ticket in desk.tickets] == list(range(1, 51))
    assert {ticket.by for ticket in desk.tickets} == {BY_PERSON}


async def test_a_ticket_is_answered_once() -> None:
    desk = Desk(has_person=True)
    asking = asyncio.gather(desk.ask(asks()))
    await until(lambda: desk.waiting, "it waits")
    (ticket,) = desk.waiting
    assert desk.answer(ticket, accepted())
    assert not desk.answer(ticket, declined())
    assert [*await asking] == [accepted()]


async def test_what_is_withdrawn_takes_no_answer_and_says_why() -> None:
    desk = Desk(has_person=True)
    asking = asyncio.gather(desk.ask(asks(exchange=1)), desk.ask(asks(exchange=2)))
    await until(lambda: len(desk.waiting) == 2, "both wait")
    first, second = desk.waiting
    desk.withdraw("the server cancelled its request", exchange=1)
    assert (first.state, first.why) == (TicketState.WITHDRAWN, "the server cancelled its request")
    assert not desk.answer(first, accepted())
    assert desk.waiting == (second,)
    desk.withdraw("the connection is gone")
    assert [*await asking] == [None, None]


async def test_withdrawing_does_not_wait_for_a_slow_policy() -> None:
    desk = Desk([("slow", never_ends)])
    asking = asyncio.gather(desk.ask(asks()))
    await until(lambda: desk.tickets, "it was asked")
    desk.withdraw("the connection is gone")
    assert [*await asking] == [None]


async def test_the_person_may_be_quicker_than_a_slow_policy() -> None:
    desk = Desk([("slow", never_ends)], has_person=True)
    asking = asyncio.gather(desk.ask(asks()))
    await until(lambda: desk.tickets, "it was asked")
    desk.answer(desk.tickets[0], declined())
    assert [*await asking] == [declined()]


async def test_who_stops_waiting_withdraws_the_question() -> None:
    desk = Desk(has_person=True)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(desk.ask(asks()))
        await until(lambda: desk.waiting, "it waits")
        task.cancel()
    assert [ticket.state for ticket in desk.tickets] == [TicketState.WITHDRAWN]
    with pytest.raises(asyncio.CancelledError):
        task.result()


async def test_everything_that_happens_can_be_told_by_one_number() -> None:
    desk = Desk(has_person=True)
    seen = [desk.changes]
    asking = asyncio.gather(desk.ask(asks()), desk.ask(asks(exchange=2)))
    await until(lambda: len(desk.waiting) == 2, "both wait")
    seen.append(desk.changes)
    desk.answer(desk.waiting[0], accepted())
    seen.append(desk.changes)
    desk.withdraw("gone")
    seen.append(desk.changes)
    await asking
    assert seen == sorted(set(seen))


async def test_what_is_over_is_kept_in_small_numbers() -> None:
    """Two thousand answered requests: the newest can be opened as they were, of the others the exchange is known."""
    desk = Desk([("first", says_yes)], has_person=True)
    asked = []
    for n in range(1, 2001):
        params = Params()
        asked.append(weakref.ref(params))
        await desk.ask(msgspec.structs.replace(asks(exchange=n), params=params))
    del params
    gc.collect()
    assert MOST_OVER <= len(desk.tickets) <= 2 * MOST_OVER
    assert desk.tickets[-1].number == 2000
    assert sum(each() is not None for each in asked) <= 2 * MOST_OVER, "what was asked goes with its ticket"
    assert [*desk.earlier, *(each.question.exchange for each in desk.tickets)] == [*range(1, 2001)]
    assert all(each.future is None for each in desk.tickets), "nor is what was waited for kept"


async def test_what_waits_is_never_let_go() -> None:
    desk = Desk(has_person=True)
    async with asyncio.TaskGroup() as group:
        waits = group.create_task(desk.ask(asks(exchange=7)))
        await until(lambda: bool(desk.tickets), "it waits")
        for n in range(3 * MOST_OVER):
            desk.refuse(asks(exchange=10 + n), ErrorReply(-1, "no"))
        (first,) = desk.waiting
        assert (first.number, first.question.exchange) == (1, 7)
        assert desk.answer(first, accepted())
        assert await waits == accepted()


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

    async def answer(self, params: Any) -> ModelReply:
        self.asked.append(params)
        await self.go.wait()
        if self.fails:
            raise RequestFailed("HTTP 500: oh no", hint="Look there.")
        return ModelReply(SALT)


def sampling(exchange: int = 1) -> Question:
    return Question(RequestKind.SAMPLING, ASKED, exchange, exchange, 0)


async def test_with_a_person_the_model_is_asked_only_when_he_says_so_and_its_answer_waits_for_him() -> None:
    model = Model()
    desk = Desk(has_person=True, proposer=Proposer(model))
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(desk.ask(sampling()))
        await until(lambda: desk.waiting, "it waits")
        (ticket,) = desk.waiting
        assert model.asked == []
        await desk.request_proposal(ticket, {"messages": ["edited"]})
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
        await desk.request_proposal(ticket, ASKED)
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
        assert await desk.ask(Question(RequestKind.ELICITATION, {}, 2, 2, 0)) == unattended()


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
    assert reply == ErrorReply(-1, "the sampling model gave no response")
    assert (desk.tickets[0].by, desk.tickets[0].why) == (BY_NOBODY, "HTTP 500: oh no")


@pytest.mark.parametrize("ends", ["withdrawn", "answered", "stopped"])
async def test_a_proposal_that_nobody_wants_any_more_is_given_up(ends: str) -> None:
    desk = Desk(has_person=True, proposer=Proposer(Model(waits=True)))
    async with asyncio.TaskGroup() as group:
        group.create_task(desk.ask(sampling()))
        await until(lambda: desk.waiting, "it waits")
        (ticket,) = desk.waiting
        consulting = group.create_task(desk.request_proposal(ticket, ASKED))
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
    await desk.request_proposal(desk.tickets[0], ASKED)
    assert model.asked == []
