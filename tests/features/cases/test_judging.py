"""Responses compared with expectations."""

from typing import Any

import pytest

from inspector.capture.compare.normal import Normal
from inspector.features.cases.model import OUTPUT_SCHEMA, CaseDefinition, Expectation, ExpectationKind
from inspector.features.cases.running import ActualResponse, expects_failure, judge, shown, value_at
from inspector.protocol.changes import ABSENT

_TEXT = "/result/content/0/text"
_REPLY = {"result": {"content": [{"type": "text", "text": "at 12:30:45"}], "sum": 5, "list": [1, "a"]}}
_ERROR = {"error": {"code": -32602, "message": "no such tool"}}
_FAILURE = {"result": {"isError": True, "content": [{"type": "text", "text": "boom"}]}}
_SCHEMA = {"type": "object", "required": ["sum"]}


def _said(reply: dict[str, Any], kind: ExpectationKind, value: Any, at: str = "/result", **came: Any) -> list[str]:
    case = CaseDefinition("a", "x", expect=(Expectation(kind, value, at),))
    return [each.sentence for each in judge(case, ActualResponse(reply, **({"ms": 40.0} | came)), Normal())]


@pytest.mark.parametrize(
    ("kind", "at", "holds", "fails", "sentence"),
    [
        (ExpectationKind.EQUALS, "/result/sum", 5.0, 6, "/result/sum: expected 6, came 5"),
        (ExpectationKind.EQUALS, "/result/sum", 5, True, "/result/sum: expected true, came 5"),
        (ExpectationKind.EQUALS, "/result/list", [1, "a"], ["a", 1], '/result/list: expected ["a", 1], came [1, "a"]'),
        (ExpectationKind.EQUALS, _TEXT, "at 12:30:45", "at 12:30:46", 'expected "at 12:30:46", came "at 12:30:45"'),
        (ExpectationKind.TYPE, "/result/sum", ["null", "integer"], "string", "/result/sum: is of type"),
        (ExpectationKind.EXISTS, "/result/sum", True, False, "/result/sum: is there"),
        (ExpectationKind.EXISTS, "/result/nothing", False, True, "/result/nothing: is not there"),
        (ExpectationKind.EXISTS, "/result/list/2", False, True, "/result/list/2: is not there"),
        (ExpectationKind.MATCHES, _TEXT, r"\d\d:\d\d", "^never$", "'^never$' is not found in \"at 12:30:45\""),
        (ExpectationKind.MATCHES, _TEXT, "at", "(a|a)*b(?=c", "is not a regular expression"),
        (ExpectationKind.SCHEMA, "/result", {"required": ["sum"]}, {"required": ["total"]}, "/result: /total"),
        (ExpectationKind.SCHEMA, "/result", True, False, "/result: the value is not allowed here"),
        (ExpectationKind.SCHEMA, "/result", OUTPUT_SCHEMA, {"$schema": "urn:mine"}, "dialect"),
        (ExpectationKind.FASTER, "/result", 41, 39.5, "it took 40 ms, and 39.5 ms were allowed"),
        (ExpectationKind.SNAPSHOT, _TEXT, "at 23:59:59", "on 12:30:45", 'expected "on <time>", came "at <time>"'),
        (ExpectationKind.SNAPSHOT, "", _REPLY, {"result": {}}, "the entire response: result.content: expected nothing"),
    ],
)
def test_expectation_kinds_hold_or_name_the_difference(
    kind: ExpectationKind, at: str, holds: Any, fails: Any, sentence: str
) -> None:
    assert _said(_REPLY, kind, holds, at, output_schema=_SCHEMA) == []
    (said,) = _said(_REPLY, kind, fails, at)
    assert sentence in said


@pytest.mark.parametrize(
    ("kind", "value", "at", "said"),
    [
        (ExpectationKind.EQUALS, 1, "/result/no", "/result/no: is not there"),
        (ExpectationKind.MATCHES, "a", "/result/sum", "/result/sum: is not a string: 5"),
        (ExpectationKind.SCHEMA, OUTPUT_SCHEMA, "/result", "the tool declares no outputSchema"),
    ],
)
def test_expectation_on_a_missing_value_fails(kind: ExpectationKind, value: Any, at: str, said: str) -> None:
    assert [said in each for each in _said(_REPLY, kind, value, at)] == [True]


def test_a_request_without_an_answer_is_never_fast_enough() -> None:
    assert _said(_REPLY, ExpectationKind.FASTER, 1, ms=None) == ["it took 0 ms, and 1 ms were allowed"]
    assert _said({}, ExpectationKind.EXISTS, False, why="the connection ended") == ["no answer: the connection ended"]


@pytest.mark.parametrize(
    ("reply", "at", "passes"),
    [
        (_ERROR, "/error/code", True),
        (_ERROR, "/error", True),
        (_ERROR, "", True),
        (_ERROR, "/errors", False),
        (_ERROR, "/result", False),
        (_FAILURE, "/result/isError", True),
        (_FAILURE, "/result", True),
        (_FAILURE, _TEXT, False),
        (_REPLY, "/error", False),
    ],
)
def test_a_failure_is_expected_only_by_who_looks_into_it(reply: dict[str, Any], at: str, passes: bool) -> None:
    said = _said(reply, ExpectationKind.EXISTS, True, at)
    assert (said == []) is passes
    if reply is _ERROR and not passes:
        assert said == ["answered with error -32602: no such tool"]
    if reply is _FAILURE and not passes:
        assert said == ["the tool failed: boom"]


def test_a_case_without_expectations_wants_a_result() -> None:
    bare = CaseDefinition("a", "x")
    assert [len(judge(bare, ActualResponse(reply), Normal())) for reply in (_REPLY, _ERROR, _FAILURE)] == [0, 1, 1]
    assert not expects_failure(bare)
    assert expects_failure(CaseDefinition("a", "x", expect=(Expectation(ExpectationKind.TYPE, "object", "/error"),)))


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", {"a/b": {"m~n": [0, {"": 7}]}}),
        ("/a~1b/m~0n/0", 0),
        ("/a~1b/m~0n/1/", 7),
        ("/a~1b/m~0n/01", ABSENT),
        ("/a~1b/m~0n/٣", ABSENT),
        ("/a~1b/m~0n/-", ABSENT),
        ("/a~1b/m~0n/" + "9" * 5000, ABSENT),
        ("/a~1b/m~0n/0/x", ABSENT),
    ],
)
def test_a_pointer_leads_to_a_value_or_to_nothing(pointer: str, value: Any) -> None:
    assert value_at({"a/b": {"m~n": [0, {"": 7}]}}, pointer) == value


def test_large_differences_are_abbreviated() -> None:
    assert shown("x" * 5000).endswith("… (5,002 characters)")
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert "too deeply" in shown(deep)
    (said,) = _said({"result": [{"n": n} for n in range(50)]}, ExpectationKind.EQUALS, [{"n": -1}] * 50)
    assert said.endswith("; and 42 more")


def test_a_schema_is_tried_on_a_large_value_to_its_end() -> None:
    rows = [{"a": n, "b": "x", "c": [n]} for n in range(20_000)]
    schema = {"items": {"required": ["a", "b"], "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}}
    assert _said({"result": rows}, ExpectationKind.SCHEMA, schema) == []
