"""The inbox: which server requests wait, who answers them, and withdrawn ones."""

import asyncio
import gc
import weakref
from typing import Any

import msgspec
import pytest

from inspector.errors import RequestFailed
from inspector.protocol.server_requests import (
    ErrorReply,
    Reply,
    RequestKind,
    Result,
    Root,
    ServerRequest,
    accepted,
    declined,
    sampled,
    text_block,
    unattended,
)
from inspector.sampler.chat import ModelReply
from inspector.sampler.choice import Approve
from inspector.session.inbox import (
    BY_NOBODY,
    BY_PERSON,
    BY_ROOTS,
    MOST_OVER,
    Inbox,
    ProposalState,
    Proposer,
    TicketState,
)
from tests.waiting import until


def asks(kind: RequestKind = RequestKind.ELICITATION, *, exchange: int = 1) -> ServerRequest:
    return ServerRequest(kind, None, exchange, exchange, 0)


class Params(dict[str, str]):
    """Params that can be asked whether they are still there."""


async def says_yes(server_request: ServerRequest) -> Reply | None:
    return accepted()


async def leaves_it(server_request: ServerRequest) -> Reply | None:
    return None


async def never_ends(server_request: ServerRequest) -> Reply | None:
    await asyncio.Event().wait()
    return None


async def test_inbox_policies_apply_in_order() -> None:
    inbox = Inbox([("first", leaves_it), ("second", says_yes)], has_person=True)
    assert await inbox.ask(asks()) == accepted()
    (ticket,) = inbox.tickets
    assert (ticket.state, ticket.by, ticket.reply) == (TicketState.ANSWERED, "second", accepted())


async def test_without_a_person_an_unanswered_question_is_refused_at_once() -> None:
    reply = await Inbox([("none", leaves_it)]).ask(asks(RequestKind.SAMPLING))
    assert reply == ErrorReply(-1, "no user to respond to sampling, and no response was prepared")


async def test_without_a_person_an_elicitation_is_cancelled_at_once() -> None:
    inbox = Inbox([("none", leaves_it)])
    reply = await inbox.ask(asks(RequestKind.ELICITATION))
    assert isinstance(reply, Result)
    assert reply.value == {"action": "cancel"}
    assert inbox.tickets[0].why == "no user to respond to elicitation, and no response was prepared"


async def test_ticket_without_a_user_is_unanswered() -> None:
    inbox = Inbox()
    await inbox.ask(asks())
    assert inbox.tickets[0].by == BY_NOBODY


async def test_roots_are_listed_as_they_are_now() -> None:
    inbox = Inbox(roots=[Root("file:///a", "A")], has_person=True)
    assert await inbox.ask(asks(RequestKind.ROOTS)) == Result({"roots": [{"uri": "file:///a", "name": "A"}]})
    inbox.roots = (Root("file:///b"),)
    assert await inbox.ask(asks(RequestKind.ROOTS)) == Result({"roots": [{"uri": "file:///b"}]})
    assert [ticket.by for ticket in inbox.tickets] == [BY_ROOTS, BY_ROOTS]


async def test_fifty_questions_wait_at_once_and_each_gets_its_own_answer() -> None:
    inbox = Inbox(has_person=True)
    asking = asyncio.gather(*(inbox.ask(asks(exchange=n)) for n in range(50)))
    await until(lambda: len(inbox.waiting) == 50, "all of them wait")
    for ticket in reversed(inbox.waiting):
        assert inbox.answer(ticket, accepted({"n": ticket.server_request.exchange}))
    assert [*await asking] == [accepted({"n": n}) for n in range(50)]
    assert [ticket.number for ticket in inbox.tickets] == list(range(1, 51))
    assert {ticket.by for ticket in inbox.tickets} == {BY_PERSON}


async def test_a_ticket_is_answered_once() -> None:
    inbox = Inbox(has_person=True)
    asking = asyncio.gather(inbox.ask(asks()))
    await until(lambda: inbox.waiting, "it waits")
    (ticket,) = inbox.waiting
    assert inbox.answer(ticket, accepted())
    assert not inbox.answer(ticket, declined())
    assert [*await asking] == [accepted()]


async def test_withdrawn_ticket_takes_no_response() -> None:
    inbox = Inbox(has_person=True)
    asking = asyncio.gather(inbox.ask(asks(exchange=1)), inbox.ask(asks(exchange=2)))
    await until(lambda: len(inbox.waiting) == 2, "both wait")
    first, second = inbox.waiting
    inbox.withdraw("the server cancelled its request", exchange=1)
    assert (first.state, first.why) == (TicketState.WITHDRAWN, "the server cancelled its request")
    assert not inbox.answer(first, accepted())
    assert inbox.waiting == (second,)
    inbox.withdraw("the connection is gone")
    assert [*await asking] == [None, None]


async def test_withdrawing_does_not_wait_for_a_slow_policy() -> None:
    inbox = Inbox([("slow", never_ends)])
    asking = asyncio.gather(inbox.ask(asks()))
    await until(lambda: inbox.tickets, "it was asked")
    inbox.withdraw("the connection is gone")
    assert [*await asking] == [None]


async def test_the_person_may_be_quicker_than_a_slow_policy() -> None:
    inbox = Inbox([("slow", never_ends)], has_person=True)
    asking = asyncio.gather(inbox.ask(asks()))
    await until(lambda: inbox.tickets, "it was asked")
    inbox.answer(inbox.tickets[0], declined())
    assert [*await asking] == [declined()]


async def test_cancelled_wait_withdraws_the_ticket() -> None:
    inbox = Inbox(has_person=True)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(inbox.ask(asks()))
        await until(lambda: inbox.waiting, "it waits")
        task.cancel()
    assert [ticket.state for ticket in inbox.tickets] == [TicketState.WITHDRAWN]
    with pytest.raises(asyncio.CancelledError):
        task.result()


async def test_inbox_changes_count_every_event() -> None:
    inbox = Inbox(has_person=True)
    seen = [inbox.changes]
    asking = asyncio.gather(inbox.ask(asks()), inbox.ask(asks(exchange=2)))
    await until(lambda: len(inbox.waiting) == 2, "both wait")
    seen.append(inbox.changes)
    inbox.answer(inbox.waiting[0], accepted())
    seen.append(inbox.changes)
    inbox.withdraw("gone")
    seen.append(inbox.changes)
    await asking
    assert seen == sorted(set(seen))


async def test_closed_tickets_are_kept_in_small_numbers() -> None:
    """Two thousand answered requests: the newest can be opened as they were, of the others the exchange is known."""
    inbox = Inbox([("first", says_yes)], has_person=True)
    asked = []
    for n in range(1, 2001):
        params = Params()
        asked.append(weakref.ref(params))
        await inbox.ask(msgspec.structs.replace(asks(exchange=n), params=params))
    del params
    gc.collect()
    assert MOST_OVER <= len(inbox.tickets) <= 2 * MOST_OVER
    assert inbox.tickets[-1].number == 2000
    assert sum(each() is not None for each in asked) <= 2 * MOST_OVER, "what was asked goes with its ticket"
    assert [*inbox.earlier, *(each.server_request.exchange for each in inbox.tickets)] == [*range(1, 2001)]
    assert all(each.future is None for each in inbox.tickets), "nor is what was waited for kept"


async def test_waiting_ticket_is_never_dropped() -> None:
    inbox = Inbox(has_person=True)
    async with asyncio.TaskGroup() as group:
        waits = group.create_task(inbox.ask(asks(exchange=7)))
        await until(lambda: bool(inbox.tickets), "it waits")
        for n in range(3 * MOST_OVER):
            inbox.refuse(asks(exchange=10 + n), ErrorReply(-1, "no"))
        (first,) = inbox.waiting
        assert (first.number, first.server_request.exchange) == (1, 7)
        assert inbox.answer(first, accepted())
        assert await waits == accepted()


SALT = sampled(text_block("Rivers."), model="tide-1")
ASKED: dict[str, Any] = {"messages": []}


class Model:
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


def sampling(exchange: int = 1) -> ServerRequest:
    return ServerRequest(RequestKind.SAMPLING, ASKED, exchange, exchange, 0)


async def test_proposal_with_full_approval_waits_for_the_user_twice() -> None:
    model = Model()
    inbox = Inbox(has_person=True, proposer=Proposer(model))
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(inbox.ask(sampling()))
        await until(lambda: inbox.waiting, "it waits")
        (ticket,) = inbox.waiting
        assert model.asked == []
        await inbox.request_proposal(ticket, {"messages": ["edited"]})
        assert model.asked == [{"messages": ["edited"]}]
        assert ticket.proposal is not None
        assert (ticket.proposal.state, ticket.proposal.result) == (ProposalState.READY, SALT)
        assert ticket.state is TicketState.WAITING
        inbox.answer(ticket, SALT)
    assert (asking.result(), ticket.by) == (SALT, BY_PERSON)


async def test_proposal_with_request_approval_is_sent_directly() -> None:
    inbox = Inbox(has_person=True, proposer=Proposer(Model(), Approve.REQUEST))
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(inbox.ask(sampling()))
        await until(lambda: inbox.waiting, "it waits")
        (ticket,) = inbox.waiting
        await inbox.request_proposal(ticket, ASKED)
    assert (asking.result(), ticket.by) == (SALT, "tide at here")


@pytest.mark.parametrize("has_person", [True, False])
async def test_without_consent_the_model_answers_by_itself_and_only_sampling(has_person: bool) -> None:
    inbox = Inbox(has_person=has_person, proposer=Proposer(Model(), Approve.NEVER))
    assert await inbox.ask(sampling()) == SALT
    (ticket,) = inbox.tickets
    assert ticket.by == "tide at here"
    assert ticket.proposal is not None
    assert ticket.proposal.took_ns > 0
    if not has_person:
        assert await inbox.ask(ServerRequest(RequestKind.ELICITATION, {}, 2, 2, 0)) == unattended()


async def test_prepared_answers_come_before_the_model() -> None:
    async def prepared(server_request: ServerRequest) -> Any:
        return sampled(text_block("Prepared."), model="none")

    model = Model()
    await Inbox([("file", prepared)], proposer=Proposer(model, Approve.NEVER)).ask(sampling())
    assert model.asked == []


async def test_a_model_that_fails_leaves_the_question_to_the_person() -> None:
    inbox = Inbox(has_person=True, proposer=Proposer(Model(fails=True), Approve.NEVER))
    async with asyncio.TaskGroup() as group:
        group.create_task(inbox.ask(sampling()))
        await until(lambda: inbox.waiting and inbox.waiting[0].proposal, "the model was asked")
        (ticket,) = inbox.waiting
        proposal = ticket.proposal
        assert proposal is not None
        await until(lambda: proposal.state is ProposalState.FAILED, "it failed")
        assert (proposal.why, proposal.hint) == ("HTTP 500: oh no", "Look there.")
        inbox.answer(ticket, SALT)


async def test_without_a_person_a_model_that_fails_is_a_refusal_that_quotes_nothing_to_the_server() -> None:
    inbox = Inbox(proposer=Proposer(Model(fails=True), Approve.NEVER))
    reply = await inbox.ask(sampling())
    assert reply == ErrorReply(-1, "the sampling model gave no response")
    assert (inbox.tickets[0].by, inbox.tickets[0].why) == (BY_NOBODY, "HTTP 500: oh no")


@pytest.mark.parametrize("ends", ["withdrawn", "answered", "stopped"])
async def test_unwanted_proposal_is_stopped(ends: str) -> None:
    inbox = Inbox(has_person=True, proposer=Proposer(Model(waits=True)))
    async with asyncio.TaskGroup() as group:
        group.create_task(inbox.ask(sampling()))
        await until(lambda: inbox.waiting, "it waits")
        (ticket,) = inbox.waiting
        consulting = group.create_task(inbox.request_proposal(ticket, ASKED))
        await until(lambda: ticket.proposal, "the model is asked")
        assert ticket.proposal is not None
        if ends == "stopped":
            ticket.proposal.stop()
        elif ends == "withdrawn":
            inbox.withdraw("gone")
        else:
            inbox.answer(ticket, SALT)
        await consulting
        assert ticket.proposal.state is ProposalState.STOPPED
        inbox.answer(ticket, SALT)


async def test_closed_ticket_requests_no_proposal() -> None:
    model = Model()
    inbox = Inbox(proposer=Proposer(model, Approve.ALWAYS))
    await inbox.ask(sampling())
    await inbox.request_proposal(inbox.tickets[0], ASKED)
    assert model.asked == []
