"""The calls that probe a tool."""

from typing import Any

import pytest

from inspector.features.probe.plan import MOST, ProbeCall, plan_tool
from inspector.forms.validate import validate

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 50, "minLength": 3},
        "count": {"type": "integer", "minimum": 1, "maximum": 10},
        "color": {"type": "string", "enum": ["red", "green"]},
        "flag": {"type": "boolean"},
        "nested": {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]},
    },
    "required": ["text", "count"],
}


def tool(schema: Any = SCHEMA, **annotations: Any) -> dict[str, Any]:
    return {"name": "work", "inputSchema": schema, "annotations": annotations}


def plan(schema: Any, **limits: int) -> list[ProbeCall]:
    return plan_tool(schema, **limits).calls


def test_the_plan_is_finite_ordered_and_reproducible() -> None:
    first = plan(tool(), random=10, seed=3)
    assert first == plan(tool(), random=10, seed=3)
    assert MOST < len(first) <= MOST + 10
    assert first != plan(tool(), random=10, seed=4)
    assert first[0].what == "only required arguments"
    assert len({str(call.arguments) for call in first}) == len(first)


def test_the_validator_decides_what_is_valid() -> None:
    calls = plan(tool(), random=20)
    assert all(validate(SCHEMA, call.arguments).ok is call.valid for call in calls)
    assert {call.valid for call in calls} == {True, False}


def test_the_telling_values_are_there() -> None:
    said = {call.what: call for call in plan(tool(), most=500)}
    assert said["'text' is missing"].arguments == {"count": 1}
    assert said["'text' is missing"].argument == "text"
    assert said["'count' is null"].arguments["count"] is None
    assert said["'count' is a string"].arguments["count"] == "text"
    assert (said["'count' is 10"].valid, said["'count' is 11, above the bound"].valid) == (True, False)
    assert (said["'count' is 0"].valid, said["'count' is a fraction"].valid) == (False, False)
    assert [said[f"'color' is {value!r}"].valid for value in ("red", "green")] == [True, True]
    assert said["'color' is not one of the values"].valid is False
    assert ("'color' is a string" in said, said["'color' is a number"].arguments["color"]) == (False, 7)
    assert len(said["'text' has 50 characters"].arguments["text"]) == 50
    assert (said["'text' is too long"].valid, said["'text' is too short"].valid) == (False, False)
    assert said["'nested' is an empty object"].valid is False
    assert said["an argument that the schema does not name"].valid is True
    assert said["'text' has emoji"].arguments["text"] == "🧪👩‍🚀"


def test_plan_when_there_are_too_many_calls_tries_each_kind_and_each_property() -> None:
    many = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(12)}, "required": ["p0"]}
    planned = plan_tool(tool(many | {"additionalProperties": False}))
    said = [call.what for call in planned.calls]
    assert len(said) == MOST
    assert {"'p0' is missing", "'p0' is null", "'p1' is an empty string", "'p0' has 10,000 characters"} <= {*said}
    assert "an argument that the schema does not name" in said
    assert "'p0' has characters outside ASCII and the BMP" in said
    assert planned.not_tried
    assert not {*said} & {*planned.not_tried}


def test_plan_when_properties_have_few_values_combines_each_pair() -> None:
    few = {"enum": ["a", "b", "c"]}
    schema = {"type": "object", "properties": {"x": few, "y": few, "z": {"type": "boolean"}}}
    calls = plan(tool(schema), most=500)
    for one, other in (("x", "y"), ("x", "z"), ("y", "z")):
        values = {"x": "abc", "y": "abc", "z": (True, False)}
        met = {(call.arguments.get(one), call.arguments.get(other)) for call in calls if call.valid}
        assert {(first, second) for first in values[one] for second in values[other]} <= met


def test_an_idempotent_tool_is_called_twice_in_a_row() -> None:
    first, second = plan(tool(idempotentHint=True))[:2]
    assert (first.arguments, first.again) == (second.arguments, False)
    assert second.again
    assert not any(call.again for call in plan(tool(idempotentHint=True, readOnlyHint=True))), "it changes nothing"


@pytest.mark.parametrize(
    "schema",
    [None, 7, [], {"type": "string"}, {"$ref": "#/nowhere"}, {"$schema": "https://example.com/own", "type": "object"}],
)
def test_a_schema_that_can_not_be_used_makes_no_calls(schema: Any) -> None:
    assert plan(tool(schema)) == []


def test_plan_of_a_tool_that_needs_one_of_two_arguments_begins_with_both() -> None:
    either = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    calls = plan(tool(either))
    assert (calls[0].valid, set(calls[0].arguments)) == (True, {"a", "b"})
    assert [call.what for call in calls if call.arguments == {}] == []


def test_plan_leaves_out_samples_of_optional_arguments_that_are_invalid() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=b)c"}, "b": {"type": "boolean"}}}
    calls = plan(tool(schema))
    assert [call.what for call in calls if "all arguments" in call.what or call.what.startswith("only 'a'")] == []
    assert {"'a' is null", "'b' is true"} <= {call.what for call in calls}


def test_plan_without_valid_arguments_makes_no_calls() -> None:
    unknown = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=b)c"}}, "required": ["a"]}
    assert plan(tool(unknown)) == []


def test_a_text_that_breaks_format_alone_may_be_accepted() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": "date-time"}}, "required": ["a"]}
    found = {call.may_succeed for call in plan(tool(schema)) if not call.valid and type(call.arguments.get("a")) is str}
    assert found == {True}
    assert {call.may_succeed for call in plan(tool(schema)) if type(call.arguments.get("a")) is int} == {False}


def test_without_a_name_or_arguments_little_is_called() -> None:
    assert plan({"inputSchema": {"type": "object"}}) == []
    assert [call.arguments for call in plan(tool({"type": "object"}))] == [{}, {"mcp_inspect_unknown": 1}]


def test_hostile_schemas_end() -> None:
    recursive = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    assert len(plan(tool(recursive))) <= MOST
    many = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(3000)}}
    assert len(plan(tool(many))) == MOST
