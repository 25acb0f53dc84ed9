"""Questions and answers as they stand on the wire."""

from typing import Any

import pytest

from inspector.protocol import questions
from inspector.protocol.questions import Kind, Question, Result, Root, asks_for_input, questions_in, retried

ASKED = {
    "resultType": "input_required",
    "inputRequests": {
        "who": {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": {"type": "object"}}},
        "odd": {"method": "tea/brew"},
        "where": {"method": "roots/list"},
        "worse": None,
    },
    "requestState": "opaque/é",
}


def test_the_questions_of_a_result_keep_their_order_and_their_keys() -> None:
    found = questions_in(ASKED, exchange=3, frame=9, asked_ns=5)
    assert [(each.kind, each.key, each.exchange, each.cause) for each in found] == [
        (Kind.ELICITATION, "who", 3, 3),
        (Kind.ROOTS, "where", 3, 3),
    ]
    assert (found[0].message, found[0].mode, found[0].schema) == ("Who?", "form", {"type": "object"})


@pytest.mark.parametrize("params", [None, [], "x", {"message": 3, "mode": None, "url": [], "requestedSchema": None}])
def test_a_question_that_says_nothing_is_a_question_all_the_same(params: Any) -> None:
    asked = Question(Kind.ELICITATION, params, 1, 1, 0)
    assert (asked.message, asked.mode, asked.schema, asked.url) == ("", "form", None, "")


@pytest.mark.parametrize("result", [None, [], {}, {"resultType": None}, {"resultType": "complete"}])
def test_an_ordinary_result_asks_for_nothing(result: Any) -> None:
    assert not asks_for_input(result)


@pytest.mark.parametrize("requests", [None, [], "x", {}, {"a": []}, {"a": {"method": []}}])
def test_requests_for_input_that_are_none_give_no_question(requests: Any) -> None:
    assert asks_for_input({"resultType": "input_required", "inputRequests": requests})
    assert questions_in({"inputRequests": requests}, exchange=1, frame=1, asked_ns=0) == ()


def test_a_retry_brings_the_answers_and_the_state_and_leaves_the_rest_as_it_was() -> None:
    params = {"name": "book", "arguments": {"a": 1}, "_meta": {"mine": 1}}
    assert retried(params, ASKED, {"who": {"action": "decline"}}) == params | {
        "inputResponses": {"who": {"action": "decline"}},
        "requestState": "opaque/é",
    }


def test_a_second_retry_forgets_the_answers_and_the_state_of_the_first() -> None:
    once = retried({"name": "book"}, ASKED, {"who": {}})
    assert retried(once, {"inputRequests": {}}, {"again": {}}) == {"name": "book", "inputResponses": {"again": {}}}
    assert retried(once, {"requestState": ""}, {}) == {"name": "book", "requestState": ""}


def test_every_answer_has_the_shape_that_its_question_wants() -> None:
    assert questions.accepted({"a": 1}) == Result({"action": "accept", "content": {"a": 1}})
    assert questions.accepted() == Result({"action": "accept"})
    assert questions.declined() == Result({"action": "decline"})
    assert questions.dismissed() == Result({"action": "cancel"})
    assert questions.rooted([Root("file:///a", "A"), Root("file:///b")]) == Result(
        {"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]}
    )
    assert questions.sampled(questions.text_block("hi"), model="m", stop_reason="maxTokens") == Result(
        {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m", "stopReason": "maxTokens"}
    )
