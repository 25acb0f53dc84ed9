"""A call, the two retries that an error itself asks for, and those that bring answers."""

from typing import Any

import pytest

from inspector.protocol.flows.call import call
from inspector.protocol.flows.steps import Pause, RequestUserInput, Send
from inspector.protocol.revisions.table import NEWEST, ROWS
from inspector.protocol.server_requests import ErrorReply, accepted, declined, dismissed, rooted
from tests.protocol.flows.scripted import Played, error, result

SUPPORTED = {"supported": ["2026-07-28"], "requested": "2031-01-01"}


def test_an_answer_is_the_end_of_it() -> None:
    played = Played()
    called = played.play(call("tools/call", {"name": "add"}, revision=NEWEST), [result({})])
    assert called.rounds == 1
    (step,) = played.steps
    assert isinstance(step, Send)
    assert step.progress


def test_a_version_the_server_names_is_tried_once() -> None:
    from msgspec.structs import replace

    newer = replace(NEWEST, date="2031-01-01")
    played = Played()
    called = played.play(call("tools/call", {}, revision=newer), [error(-32022, SUPPORTED), result({})])
    assert called.rounds == 2
    assert isinstance(played.steps[1], Send)
    assert played.steps[1].revision is NEWEST


def test_header_mismatch_fetches_the_schema_and_retries_once() -> None:
    schemas = iter([None, {"type": "object"}])
    played = Played()
    flow = call("tools/call", {"name": "add"}, revision=NEWEST, schema_of=lambda name: next(schemas))
    played.play(flow, [error(-32020), result({"tools": []}), result({})])
    assert played.methods == ["tools/call", "tools/list", "tools/call"]
    assert isinstance(played.steps[2], Send)
    assert played.steps[2].input_schema == {"type": "object"}


def test_the_same_codes_mean_nothing_in_the_handshake_era() -> None:
    called = Played().play(call("tools/call", {}, revision=ROWS[0]), [error(-32022, SUPPORTED)])
    assert called.rounds == 1


def test_a_mismatch_that_stays_is_not_tried_for_ever() -> None:
    called = Played().play(
        call("tools/call", {"name": "a"}, revision=NEWEST), [error(-32020), result({}), error(-32020)]
    )
    assert called.rounds == 2


WHO: dict[str, Any] = {
    "resultType": "input_required",
    "inputRequests": {"who": {"method": "elicitation/create", "params": {}}},
}
YES = accepted({"name": "Ann"})


def params_of(played: Played, at: int) -> Any:
    step = played.steps[at]
    assert isinstance(step, Send)
    return step.params


def test_a_result_that_asks_is_answered_and_the_request_repeated() -> None:
    played = Played()
    flow = call("tools/call", {"name": "book"}, revision=NEWEST)
    called = played.play(flow, [result(WHO | {"requestState": "é/1"}), (YES,), result({"content": []})])
    assert played.methods == ["tools/call", "RequestUserInput", "tools/call"]
    assert (called.rounds, called.unanswered) == (2, "")
    assert params_of(played, 2) == {"name": "book", "inputResponses": {"who": YES.value}, "requestState": "é/1"}


def test_all_answers_travel_in_one_retry() -> None:
    played = Played()
    both = {"who": WHO["inputRequests"]["who"], "where": {"method": "roots/list"}}
    flow = call("prompts/get", {"name": "p"}, revision=NEWEST)
    played.play(flow, [result(WHO | {"inputRequests": both}), (YES, rooted([])), result({})])
    assert isinstance(played.steps[1], RequestUserInput)
    assert [server_request.key for server_request in played.steps[1].server_requests] == ["who", "where"]
    assert params_of(played, 2)["inputResponses"] == {"who": YES.value, "where": {"roots": []}}
    assert "requestState" not in params_of(played, 2)


def test_a_result_that_brings_only_a_state_is_repeated_after_a_pause() -> None:
    played = Played()
    waits = result({"resultType": "input_required", "requestState": "s"})
    called = played.play(call("tools/call", {"name": "b"}, revision=NEWEST), [waits, None, waits, None, result({})])
    assert played.methods == ["tools/call", "Pause", "tools/call", "Pause", "tools/call"]
    assert params_of(played, 4) == {"name": "b", "requestState": "s"}
    assert called.rounds == 3
    pauses = [step.seconds for step in played.steps if isinstance(step, Pause)]
    assert pauses == sorted(set(pauses))


@pytest.mark.parametrize(
    ("answers", "says"), [(None, "its questions were left unanswered"), ((ErrorReply(-1, "rejected"),), "rejected")]
)
def test_without_answers_nothing_is_repeated(answers: Any, says: str) -> None:
    called = Played().play(call("tools/call", {}, revision=NEWEST), [result(WHO), answers])
    assert (called.rounds, called.unanswered) == (1, says)


@pytest.mark.parametrize(
    ("asks", "says"),
    [
        ({}, "lists no input requests and has no requestState"),
        ({"inputRequests": {}}, "lists no input requests and has no requestState"),
        ({"inputRequests": [1], "requestState": "s"}, "the specification does not define"),
        ({"inputRequests": {"a": {"method": "tea/brew"}}}, "the specification does not define"),
        ({"inputRequests": {"a": 1}, "requestState": "s"}, "the specification does not define"),
    ],
)
def test_invalid_input_required_ends_the_call_with_a_reason(asks: dict[str, Any], says: str) -> None:
    reply = result({"resultType": "input_required"} | asks)
    called = Played().play(call("tools/call", {}, revision=NEWEST), [reply])
    assert says in called.unanswered


def test_a_server_that_asks_for_ever_is_left_alone_after_ten_rounds() -> None:
    played = Played()
    replies: list[Any] = [result(WHO)]
    for _ in range(10):
        replies += [(YES,), result(WHO)]
    called = played.play(call("tools/call", {}, revision=NEWEST), replies)
    assert (called.rounds, called.unanswered) == (11, "it asked more than 10 times")


def test_an_error_in_a_later_round_is_the_reply() -> None:
    called = Played().play(call("tools/call", {}, revision=NEWEST), [result(WHO), (YES,), error(-32603)])
    assert (called.rounds, called.unanswered) == (2, "")


PAY = {"elicitations": [{"mode": "url", "message": "Pay", "url": "https://pay.example", "elicitationId": "e1"}]}


def test_after_a_visit_that_an_error_asks_for_the_call_is_made_again_as_it_was() -> None:
    knows = next(row for row in ROWS if -32042 in row.error_names)
    played = Played()
    called = played.play(
        call("tools/call", {"name": "buy"}, revision=knows), [error(-32042, PAY), (accepted(),), result({})]
    )
    assert played.methods == ["tools/call", "RequestUserInput", "tools/call"]
    assert params_of(played, 2) == {"name": "buy"}
    assert (called.rounds, called.unanswered) == (2, "")


@pytest.mark.parametrize("answer", [(declined(),), (dismissed(),), (ErrorReply(-1, "nobody is there"),), None])
def test_url_elicitation_error_without_a_visit_is_final(answer: Any) -> None:
    knows = next(row for row in ROWS if -32042 in row.error_names)
    called = Played().play(call("tools/call", {"name": "buy"}, revision=knows), [error(-32042, PAY), answer])
    assert called.rounds == 1
    assert called.unanswered


def test_url_elicitation_rounds_are_limited() -> None:
    knows = next(row for row in ROWS if -32042 in row.error_names)
    replies = [each for _ in range(10) for each in (error(-32042, PAY), (accepted(),))]
    called = Played().play(call("tools/call", {"name": "buy"}, revision=knows), [*replies, error(-32042, PAY)])
    assert called.rounds == 11
    assert "more than 10 times" in called.unanswered


def test_url_elicitation_error_is_ordinary_in_other_revisions() -> None:
    played = Played()
    played.play(call("tools/call", {"name": "buy"}, revision=NEWEST), [error(-32042, PAY)])
    assert played.methods == ["tools/call"]
