"""Server requests and their responses as transmitted."""

from typing import Any

import pytest

from inspector.protocol import server_requests
from inspector.protocol.revisions.table import ROWS
from inspector.protocol.server_requests import (
    COMPLETE,
    MOST,
    REQUIRED,
    RequestKind,
    Result,
    Root,
    ServerRequest,
    Visits,
    asks_for_input,
    retried,
    server_requests_in,
    visits_in,
)
from tests.present.tape import Tape

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
    found = server_requests_in(ASKED, exchange=3, frame=9, asked_ns=5)
    assert [(each.kind, each.key, each.exchange, each.cause) for each in found] == [
        (RequestKind.ELICITATION, "who", 3, 3),
        (RequestKind.ROOTS, "where", 3, 3),
    ]
    assert (found[0].message, found[0].mode, found[0].schema) == ("Who?", "form", {"type": "object"})


@pytest.mark.parametrize("params", [None, [], "x", {"message": 3, "mode": None, "url": [], "requestedSchema": None}])
def test_empty_elicitation_is_an_elicitation(params: Any) -> None:
    asked = ServerRequest(RequestKind.ELICITATION, params, 1, 1, 0)
    assert (asked.message, asked.mode, asked.schema, asked.url) == ("", "form", None, "")


@pytest.mark.parametrize("result", [None, [], {}, {"resultType": None}, {"resultType": "complete"}])
def test_an_ordinary_result_asks_for_nothing(result: Any) -> None:
    assert not asks_for_input(result)


@pytest.mark.parametrize("requests", [None, [], "x", {}, {"a": []}, {"a": {"method": []}}])
def test_requests_for_input_that_are_none_give_no_question(requests: Any) -> None:
    assert asks_for_input({"resultType": "input_required", "inputRequests": requests})
    assert server_requests_in({"inputRequests": requests}, exchange=1, frame=1, asked_ns=0) == ()


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
    assert server_requests.accepted({"a": 1}) == Result({"action": "accept", "content": {"a": 1}})
    assert server_requests.accepted() == Result({"action": "accept"})
    assert server_requests.declined() == Result({"action": "decline"})
    assert server_requests.dismissed() == Result({"action": "cancel"})
    assert server_requests.rooted([Root("file:///a", "A"), Root("file:///b")]) == Result(
        {"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]}
    )
    assert server_requests.sampled(server_requests.text_block("hi"), model="m", stop_reason="maxTokens") == Result(
        {"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m", "stopReason": "maxTokens"}
    )


PAY = {"mode": "url", "message": "Please pay.", "url": "https://pay.example/x", "elicitationId": "e1"}
KNOWS = next(row for row in ROWS if REQUIRED in row.error_names)


def error(*elicitations: Any, code: int = REQUIRED) -> dict[str, Any]:
    return {"code": code, "message": "first pay", "data": {"elicitations": list(elicitations)}}


def found(error: Any, revision: Any = KNOWS) -> Any:
    return visits_in(error, revision, exchange=3, frame=7, asked_ns=9)


def test_each_address_is_a_question_by_a_link() -> None:
    first, second = found(error(PAY, {"url": "https://b.example"}))
    assert (first.kind, first.mode, first.url, first.elicitation) == (RequestKind.ELICITATION, "url", PAY["url"], "e1")
    assert (first.exchange, first.cause, first.frame, first.asked_ns) == (3, 3, 7, 9)
    assert first.visit
    assert first.key != second.key


@pytest.mark.parametrize(
    "wrong",
    [error(PAY, code=-32000), error(), error("x", None, {}), {"code": REQUIRED}, None, {"code": REQUIRED, "data": []}],
)
def test_invalid_url_elicitation_error_is_ignored(wrong: Any) -> None:
    assert found(wrong) == ()


def test_a_revision_without_that_error_asks_nothing() -> None:
    assert [bool(found(error(PAY), row)) for row in (*ROWS, None)] == [False, False, False, True, False, False]


def test_there_is_an_end_to_them() -> None:
    assert len(found(error(*[PAY] * (MOST + 9)))) == MOST


def test_conversation_knows_url_elicitations_and_completions() -> None:
    tape = Tape()
    tape.initialized(KNOWS.date).call(9, "buy")
    body = {"jsonrpc": "2.0", "id": 9, "error": error(PAY)}
    tape.from_server(body)
    tape.wait(5).notify(COMPLETE, {"elicitationId": "e1"})
    tape.notify(COMPLETE, {"elicitationId": "nobody's"})
    tape.notify(COMPLETE, {"elicitationId": 7})
    conversation = tape.journal.conversation
    (server_request,) = conversation.server_requests
    assert conversation.visits.is_complete(server_request)
    assert conversation.visits.unknown(conversation.server_requests) == ("nobody's",)


def test_without_an_id_nothing_is_complete() -> None:
    visits = Visits()
    visits.completed({"elicitationId": ""}, 1)
    (server_request,) = found(error({"url": "https://b.example"}))
    assert not visits.is_complete(server_request)
    assert visits.complete == {}
