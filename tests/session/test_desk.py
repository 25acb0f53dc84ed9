"""The desk: who answers, who waits, and what becomes of a question that nobody wants answered any more."""

import asyncio
import gc
import weakref

import msgspec
import pytest

from inspector.protocol.questions import Kind, Question, Refusal, Reply, Result, Root, accepted, declined
from inspector.session.desk import BY_NOBODY, BY_PERSON, BY_ROOTS, MOST_OVER, Desk, TicketState
from tests.waiting import until


def asks(kind: Kind = Kind.ELICITATION, *, exchange: int = 1) -> Question:
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
    reply = await Desk([("none", leaves_it)]).ask(asks(Kind.SAMPLING))
    assert reply == Refusal(-1, "nobody is there to answer sampling, and no answer was prepared")


async def test_without_a_person_an_elicitation_is_cancelled_at_once() -> None:
    desk = Desk([("none", leaves_it)])
    reply = await desk.ask(asks(Kind.ELICITATION))
    assert isinstance(reply, Result)
    assert reply.value == {"action": "cancel"}
    assert desk.tickets[0].why == "nobody is there to answer elicitation, and no answer was prepared"


async def test_without_a_person_the_ticket_says_that_nobody_answered() -> None:
    desk = Desk()
    await desk.ask(asks())
    assert desk.tickets[0].by == BY_NOBODY


async def test_roots_are_listed_as_they_are_now() -> None:
    desk = Desk(roots=[Root("file:///a", "A")], has_person=True)
    assert await desk.ask(asks(Kind.ROOTS)) == Result({"roots": [{"uri": "file:///a", "name": "A"}]})
    desk.roots = (Root("file:///b"),)
    assert await desk.ask(asks(Kind.ROOTS)) == Result({"roots": [{"uri": "file:///b"}]})
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
    desk.withdraw("the server cancelled its question", exchange=1)
    assert (first.state, first.why) == (TicketState.WITHDRAWN, "the server cancelled its question")
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
            desk.refuse(asks(exchange=10 + n), Refusal(-1, "no"))
        (first,) = desk.waiting
        assert (first.number, first.question.exchange) == (1, 7)
        assert desk.answer(first, accepted())
        assert await waits == accepted()
