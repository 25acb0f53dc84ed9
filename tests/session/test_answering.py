"""What a server's own requests, and the questions in its results, are answered with."""

import asyncio
import json
from typing import Any

from inspector.protocol.jsonrpc import Request
from inspector.protocol.offers import ALL
from inspector.protocol.questions import REJECTED, Kind, Question, Refusal, Result, accepted
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.table import newest_of
from inspector.session.answering import Answering
from inspector.session.desk import BY_OFFERS, MOST_REFUSED, Desk, TicketState
from tests.waiting import until

LEGACY, MODERN = newest_of(Era.LEGACY), newest_of(Era.MODERN)


def asks(kind: Kind = Kind.ELICITATION, params: Any = None, *, key: str = "") -> Question:
    return Question(kind, params, 1, 1, 0, key=key)


async def answer(
    request: Request, question: Question | None, revision: Revision | None, answering: Answering | None = None
) -> Any:
    payload = await (answering or Answering(frozenset(), Desk())).to_request(request, question, revision)
    return None if payload is None else json.loads(payload)


async def test_a_ping_gets_its_empty_result_even_before_the_conversation_is_open() -> None:
    assert await answer(Request("p", "ping"), None, None) == {"jsonrpc": "2.0", "id": "p", "result": {}}


async def test_what_is_no_question_is_refused_at_once_with_the_reason() -> None:
    unknown = await answer(Request(1, "coffee/brew"), None, LEGACY)
    early = await answer(Request(1, "roots/list"), asks(Kind.ROOTS), None)
    gone = await answer(Request(1, "roots/list"), asks(Kind.ROOTS), MODERN)
    assert [each["error"]["code"] for each in (unknown, early, gone)] == [-32601] * 3
    assert unknown["error"]["message"] == "coffee/brew: no such method in this revision"
    assert early["error"]["message"] == "roots/list: the conversation is not open yet"
    assert gone["error"]["message"] == "roots/list: no such method in this revision"


async def test_a_question_for_an_undeclared_capability_is_refused_and_asks_nobody() -> None:
    answering = Answering(frozenset(), Desk(has_person=True))
    found = await answer(Request(1, "roots/list"), asks(Kind.ROOTS), LEGACY, answering)
    assert found["error"]["code"] == -32601
    assert found["error"]["message"] == "roots/list: this client has not declared roots"
    (ticket,) = answering.desk.tickets
    assert (ticket.state, ticket.by) == (TicketState.ANSWERED, BY_OFFERS)
    assert isinstance(ticket.reply, Refusal)


async def test_questions_that_were_never_offered_an_answer_are_kept_up_to_a_number() -> None:
    answering = Answering(frozenset(), Desk(has_person=True))
    for _ in range(MOST_REFUSED + 20):
        await answer(Request(1, "roots/list"), asks(Kind.ROOTS), LEGACY, answering)
    assert len(answering.desk.tickets) == MOST_REFUSED


async def test_an_answered_question_travels_back_to_the_id_that_asked() -> None:
    answering = Answering(frozenset(ALL), Desk(has_person=True))
    request = Request(7, "elicitation/create")
    asking = asyncio.gather(answer(request, asks(), LEGACY, answering))
    await until(lambda: answering.desk.waiting, "the question waits")
    answering.desk.answer(answering.desk.waiting[0], accepted({"city": "Oslo"}))
    (found,) = await asking
    assert (found["id"], found["result"]) == (7, {"action": "accept", "content": {"city": "Oslo"}})


async def test_a_withdrawn_question_gets_no_answer() -> None:
    answering = Answering(frozenset(ALL), Desk(has_person=True))
    asking = asyncio.gather(answer(Request(7, "elicitation/create"), asks(), LEGACY, answering))
    await until(lambda: answering.desk.waiting, "the question waits")
    answering.desk.withdraw("the server cancelled its question")
    assert [*await asking] == [None]


async def test_questions_of_one_result_are_asked_at_once_and_answered_together() -> None:
    answering = Answering(frozenset(ALL), Desk(has_person=True))
    asking = asyncio.gather(answering.to_questions((asks(key="a"), asks(key="b")), MODERN))
    await until(lambda: len(answering.desk.waiting) == 2, "both questions wait")
    second, first = reversed(answering.desk.waiting)
    answering.desk.answer(second, accepted({"n": 2}))
    answering.desk.answer(first, accepted({"n": 1}))
    assert [*await asking] == [(accepted({"n": 1}), accepted({"n": 2}))]


async def test_one_refusal_is_enough_and_the_other_questions_are_withdrawn() -> None:
    answering = Answering(frozenset(ALL), Desk(has_person=True))
    asking = asyncio.gather(answering.to_questions((asks(key="a"), asks(key="b")), MODERN))
    await until(lambda: len(answering.desk.waiting) == 2, "both questions wait")
    no = Refusal(REJECTED, "no")
    answering.desk.answer(answering.desk.waiting[1], no)
    assert [*await asking] == [(no,)]
    assert answering.desk.tickets[0].state is TicketState.WITHDRAWN


async def test_nobody_is_asked_anything_where_one_question_was_never_offered_an_answer() -> None:
    answering = Answering(frozenset({"roots"}), Desk(has_person=True))
    found = await answering.to_questions((asks(Kind.ROOTS, key="r"), asks(key="e")), MODERN)
    assert found is not None
    assert [type(reply) for reply in found] == [Refusal]
    assert [(ticket.question.key, ticket.by) for ticket in answering.desk.tickets] == [("e", BY_OFFERS)]


async def test_a_withdrawn_question_leaves_its_result_unanswered() -> None:
    answering = Answering(frozenset(ALL), Desk(has_person=True))
    asking = asyncio.gather(answering.to_questions((asks(key="a"), asks(Kind.ROOTS, key="r")), MODERN))
    await until(lambda: answering.desk.waiting, "the question waits")
    assert answering.desk.tickets[1].reply == Result({"roots": []})
    answering.desk.withdraw("gone")
    assert [*await asking] == [None]


async def test_an_answer_inside_a_task_says_to_which_task_it_belongs() -> None:
    answering = Answering(frozenset(ALL), Desk())
    question = Question(Kind.ROOTS, None, 1, 1, 0, task="t1")
    found = await answer(Request(7, "roots/list"), question, LEGACY, answering)
    assert found["result"] == {"roots": [], "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t1"}}}


async def test_tasks_are_served_only_where_they_are_declared() -> None:
    request = Request(7, "tasks/list")
    assert (await answer(request, None, LEGACY, Answering(frozenset(ALL), Desk())))["result"] == {"tasks": []}
    without = frozenset(ALL) - {"tasks"}
    refused = await answer(request, None, LEGACY, Answering(without, Desk()))
    assert refused["error"]["code"] == -32601
