"""A generated case contains the responses to server requests, however they were transported."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.capture.compare.normal import Normal
from inspector.capture.compare.operations import accounts
from inspector.features.cases.file import with_cases
from inspector.features.cases.making import (
    answers_in,
    case_of,
    first_params,
    literally,
    promoted,
    proposals,
    schema_of,
    seen,
    snapshot_of,
    with_failure,
)
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, Expectation, ExpectationKind
from inspector.features.cases.reading import read_cases
from inspector.features.cases.running import ActualResponse, judge, read_answers
from inspector.forms.validate import validate
from inspector.protocol.exchanges import Exchange
from tests.capture.compare.talk import asks, calls, says, told
from tests.features.cases.test_file import JSON
from tests.present.tape import Tape
from tests.tui.staging import handshake

_CITY = {"action": "accept", "content": {"city": "Oslo"}}
_SAID = {"role": "assistant", "content": {"type": "text", "text": "Aye"}, "model": "m"}
_ROOTS = {"roots": [{"uri": "file:///srv"}]}
_ENTRIES = (
    {"kind": "elicitation", "malformed": _CITY},
    {"kind": "sampling", "malformed": _SAID},
    {"kind": "roots", "malformed": _ROOTS},
)


@pytest.fixture
def tape() -> Tape:
    return Tape()


def exchanges(tape: Tape) -> list[Exchange]:
    return [*tape.journal.conversation.exchanges]


def test_answers_to_requests_of_the_servers_own_are_those_of_the_call_that_was_open(tape: Tape) -> None:
    tape.call(1, "plan")
    for id_, method, answer in (("a", "elicitation/create", _CITY), ("b", "sampling/createMessage", _SAID)):
        tape.server_request(id_, method, {"message": "Which?"})
        tape.client_answer(id_, answer)
    tape.server_request("c", "roots/list")
    tape.client_answer("c", _ROOTS)
    tape.server_request("d", "elicitation/create", {"message": "And?"})
    tape.to_server({"jsonrpc": "2.0", "id": "d", "error": {"code": -1, "message": "not now"}})
    tape.server_request("e", "elicitation/create", {"message": "Still there?"})
    tape.answer(1, {"content": []})
    tape.call(2, "other")
    tape.answer(2, {"content": []})
    first, *_, last = exchanges(tape)
    refused = {"kind": "elicitation", "answer": "error", "code": -1, "text": "not now"}
    assert answers_in(tape.journal, first) == (*_ENTRIES, refused)
    assert answers_in(tape.journal, last) == ()
    assert len(read_answers(case_of("tools/call", {}, answers=answers_in(tape.journal, first)))) == 4


def test_answers_that_a_retry_brought_stand_in_the_case_and_the_retry_does_not(tape: Tape) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params: dict[str, Any] = {"name": "plan", "arguments": {"days": 2}, "_meta": meta}
    methods = ("elicitation/create", "sampling/createMessage", "roots/list")
    questions = {method: {"method": method, "params": {}} for method in methods}
    tape.request(1, "tools/call", params)
    tape.answer(1, {"resultType": "input_required", "inputRequests": questions, "requestState": "s"})
    brought = dict(zip(questions, (_CITY, _SAID, _ROOTS), strict=True))
    tape.request(2, "tools/call", params | {"inputResponses": brought, "requestState": "s"})
    tape.answer(2, {"resultType": "complete", "content": []})
    asked, retry = exchanges(tape)
    assert asked.asks
    assert answers_in(tape.journal, retry) == _ENTRIES
    assert first_params(tape.journal, retry) == params
    came = seen(tape.journal, retry)
    assert came is not None
    assert case_of(came.method, came.params, (), came.answers).params == {"name": "plan", "arguments": {"days": 2}}
    assert came.answers == _ENTRIES


@given(JSON)
@settings(max_examples=60, deadline=None)
def test_every_value_fits_the_schema_that_was_made_of_it(value: Any) -> None:
    assert validate(schema_of(value), value).ok


@pytest.mark.parametrize(
    "value",
    [
        [*range(100), "another"],
        [{f"m{n}": n} for n in range(60)],
        [1, 1.5, True, None],
        [{"a": n} for n in range(30_000)],
    ],
)
def test_no_item_of_a_long_array_is_forgotten(value: Any) -> None:
    schema = schema_of(value)
    case = CaseDefinition("a", "x", expect=(Expectation(ExpectationKind.SCHEMA, schema),))
    assert judge(case, ActualResponse({"result": value}), Normal()) == []
    assert len(str(schema)) < 3000


def test_schema_of_a_value_is_limited_in_depth() -> None:
    assert schema_of({"a": [1, 2], "b": {}}) == {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "integer"}}, "b": {"type": "object"}},
        "required": ["a", "b"],
    }
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    assert str(schema_of(deep)).count("items") == 20


@given(JSON, st.booleans())
@settings(max_examples=40, deadline=None)
def test_proposed_expectation_holds_for_its_response(value: Any, failed: bool) -> None:
    reply = {"result": {"isError": failed, "structuredContent": value}}
    at = "/result/structuredContent"
    came = ActualResponse(reply, 5.0, output_schema=schema_of(value))
    for each in proposals(at, value, 5.0, declares_output=True):
        case = case_of("tools/call", {"name": "x"}, with_failure(each, reply))
        (again,) = read_cases(with_cases("", [case], "f"), "f").cases
        assert judge(again, came, Normal()) == []


def test_proposals_depend_on_the_value() -> None:
    kinds = [each.kind for each in proposals("/result", "a", None, declares_output=True)]
    assert kinds == [
        ExpectationKind.EQUALS,
        ExpectationKind.TYPE,
        ExpectationKind.EXISTS,
        ExpectationKind.MATCHES,
        ExpectationKind.SCHEMA,
        ExpectationKind.SNAPSHOT,
    ]
    found = proposals("/result/structuredContent", 5, 0.2, declares_output=True)
    assert [each.value for each in found if each.kind is ExpectationKind.SCHEMA] == [OUTPUT_SCHEMA, {"type": "integer"}]
    assert [each.value for each in found if each.kind is ExpectationKind.FASTER] == [10]
    assert OUTPUT_SCHEMA not in [each.value for each in proposals("/result", 5, 1, declares_output=False)]


def test_a_pattern_of_a_text_finds_that_text() -> None:
    for text in ("$a.b (1|2)\n[^]{9999999}", "x" * 500, "#~&- \\", "\ud800é"):
        reply = {"result": text}
        case = CaseDefinition("a", "x", expect=(Expectation(ExpectationKind.MATCHES, literally(text)),))
        assert judge(case, ActualResponse(reply), Normal()) == []
    assert literally("a b") == "a b"


def test_case_of_a_request_drops_client_metadata() -> None:
    params = {"name": "add", "arguments": {"a": 1}, "_meta": {"progressToken": 7}}
    case = case_of("tools/call", params)
    assert (case.name, case.params) == ("tools/call add", {"name": "add", "arguments": {"a": 1}})
    assert case_of("ping", None).params == {}


def test_a_snapshot_is_what_came_without_what_is_made_up() -> None:
    talk = told(
        calls(1, "ask", topic="boats"),
        ("<", {"id": 90, "method": "elicitation/create", "params": {"message": "One?"}}),
        (">", {"id": 90, "result": {"action": "accept", "content": {"n": 1}}}),
        ("<", {"id": 91, "method": "elicitation/create", "params": {"message": "Two?"}}),
        (">", {"id": 91, "error": {"code": -1, "message": "no"}}),
        says(1, "done at 2026-01-01T10:00:00Z"),
        asks(2, "tools/call", {"name": "gone"}),
        ("<", {"id": 2, "error": {"code": -32602, "message": "no such tool"}}),
        asks(3, "resources/read", {"uri": "x:y"}),
    )
    first, second, third = (snapshot_of(each, Normal()) for each in talk.operations)
    assert first is not None
    assert first.params == {"name": "ask", "arguments": {"topic": "boats"}}
    assert first.answers == (
        {"kind": "elicitation", "malformed": {"action": "accept", "content": {"n": 1}}},
        {"kind": "elicitation", "answer": "error", "code": -1, "text": "no"},
    )
    assert first.expect == (
        Expectation(ExpectationKind.SNAPSHOT, {"content": [{"type": "text", "text": "done at <time>"}]}, "/result"),
    )
    assert second is not None
    assert second.expect[0].at == "/error"
    assert third is None


def test_seen_reply_is_found_in_a_batch() -> None:
    tape = Tape()
    try:
        tape.to_server([{"jsonrpc": "2.0", "id": n, "method": "ping", "params": {"n": n}} for n in (1, 2)])
        tape.wait(30).from_server([{"jsonrpc": "2.0", "id": n, "result": {"n": n}} for n in (2, 1)])
        tape.request(3, "ping")
        tape.server_request("s", "ping")
        tape.client_answer("s", {})
        tape.request(4, "prompts/get", {"name": "x"})
        tape.error(4, -32602, "no")
        exchanges = tape.journal.conversation.exchanges
        first, second, unanswered, not_ours, failed = (seen(tape.journal, each) for each in exchanges)
    finally:
        tape.journal.close()
    assert first is not None
    assert second is not None
    assert [(each.params, each.reply, each.ms) for each in (first, second)] == [
        ({"n": 1}, {"result": {"n": 1}}, 30.0),
        ({"n": 2}, {"result": {"n": 2}}, 30.0),
    ]
    assert (unanswered, not_ours) == (None, None)
    assert failed is not None
    assert failed.reply == {"error": {"code": -32602, "message": "no"}}


def test_a_tool_that_failed_is_expected_to_fail_again() -> None:
    inner, whole = (Expectation(ExpectationKind.EXISTS, True, at) for at in ("/result/content", "/result"))
    failure = {"result": {"isError": True, "content": []}}
    assert [len(with_failure(each, failure)) for each in (inner, whole)] == [2, 1]
    assert with_failure(inner, {"result": {"content": []}}) == (inner,)


def test_calls_that_were_answered_become_cases_and_whatever_is_chosen() -> None:
    tape = Tape()
    handshake(tape).call(3, "buy")
    tape.answer(3, {"content": []})
    tape.call(4, "sell")
    found = accounts(tape.journal).operations
    assert [case.name for case in promoted(found)] == ["tools/call buy"], "what has no answer expects nothing"
    listed = next(each for each in found if each.method == "tools/list").sent[0].frame
    assert [case.name for case in promoted(found, {listed})] == ["tools/list"]
    assert promoted(found, set()) == []
