"""Recorded answers are given again: to the same question, else to one of its kind."""

import pytest

from inspector.protocol import offers
from inspector.protocol.questions import Kind, Question, Refusal, Result
from inspector.replay.resend.replies import Replies, offers_of
from tests.capture.compare.talk import Said, calls, says, told


def _asks(id_: int, method: str, answer: object, **params: object) -> tuple[Said, Said]:
    return ("<", {"id": id_, "method": method, "params": params}), (">", {"id": id_, **answer})  # type: ignore[dict-item]


def _question(kind: Kind, **params: object) -> Question:
    return Question(kind, params, 1, 1, 0)


_TALK = told(
    *_asks(90, "roots/list", {"result": {"roots": []}}),
    calls(1, "plan"),
    *_asks(1, "elicitation/create", {"result": {"action": "accept", "content": {"n": 1}}}, message="One?"),
    *_asks(2, "elicitation/create", {"result": {"action": "decline"}}, message="Two?"),
    *_asks(3, "sampling/createMessage", {"error": {"code": -1, "message": "no", "data": 5}}, messages=[]),
    says(1, "done"),
)


async def test_each_question_gets_its_own_answer_once_whatever_their_order() -> None:
    replies = Replies(_TALK)
    replies.turn_to(_TALK.operations[0])
    assert await replies.answer(_question(Kind.ELICITATION, message="Two?")) == Result({"action": "decline"})
    accepted = Result({"action": "accept", "content": {"n": 1}})
    assert await replies.answer(_question(Kind.ELICITATION, message="Another?")) == accepted
    assert await replies.answer(_question(Kind.ELICITATION, message="One?")) is None
    assert await replies.answer(_question(Kind.SAMPLING, messages=[])) == Refusal(-1, "no", 5)


async def test_what_belonged_to_no_call_is_answered_as_often_as_asked_until_it_is_over() -> None:
    replies = Replies(_TALK)
    for _ in range(2):
        assert await replies.answer(_question(Kind.ROOTS)) == Result({"roots": []})
    replies.stop()
    assert await replies.answer(_question(Kind.ROOTS)) is None


@pytest.mark.parametrize(
    ("capabilities", "found"),
    [
        ({}, set()),
        (None, set()),
        ({"roots": {}, "sampling": {}}, {offers.ROOTS, offers.SAMPLING}),
        ({"sampling": {"tools": {}}}, {offers.SAMPLING, offers.SAMPLING_TOOLS}),
        ({"elicitation": {}}, {offers.FORM}),
        ({"elicitation": {"url": {}}}, {offers.URL}),
        ({"tasks": {}}, {offers.TASKS}),
        ({"extensions": {"io.modelcontextprotocol/tasks": {}}}, {offers.TASKS}),
    ],
)
def test_what_the_client_declared_is_declared_again(capabilities: object, found: set[str]) -> None:
    assert offers_of(capabilities) == found
