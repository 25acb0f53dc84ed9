"""What a typed text means, for each kind of field and without any widget."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.forms.fields import UNSET, ObjectField, TextField, UnionField
from inspector.forms.interpret import accepts, branches_of, interpret
from inspector.forms.read_schema import read_schema
from inspector.forms.typed import text_of
from tests.forms.schemas import schema_like

INT, STR, NULL, BOOL = ({"type": each} for each in ("integer", "string", "null", "boolean"))


def any_of(*branches: Any, **more: Any) -> dict[str, Any]:
    return {"anyOf": list(branches), **more}


CIRCLE = {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}}
SQUARE = {"type": "object", "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}}

READ: list[tuple[Any, str, Any]] = [
    (INT, "5", 5),
    (INT, "-0012", -12),
    ({"type": "number"}, "2e3", 2000.0),
    (STR, "5", "5"),
    (STR, "null", "null"),
    (STR, "", ""),
    (STR, '"a"', '"a"'),
    (BOOL, "true", True),
    (BOOL, "False", False),
    (any_of(INT, NULL, default=None), "5", 5),
    (any_of(INT, NULL, default=None), "null", None),
    (any_of(STR, NULL, default=None), "abc", "abc"),
    (any_of({"type": "number"}, NULL), "1.5", 1.5),
    (any_of({"type": "string", "format": "date"}, NULL), "2031-12-31", "2031-12-31"),
    (any_of({"type": "string", "format": "date"}, NULL), "null", None),
    ({"type": ["string", "null"], "pattern": "^[A-Z]+$"}, "null", None),
    ({"type": ["string", "null"], "maxLength": 3}, "null", None),
    ({"type": ["string", "null"], "default": "x"}, "y", "y"),
    ({"type": ["integer", "null"], "format": "uint32", "minimum": 0}, "7", 7),
    (any_of(INT, STR), "5", 5),
    (any_of(STR, {"type": "array", "items": STR}), '["a"]', ["a"]),
    (any_of(STR, {"type": "array", "items": INT}), '["a"]', '["a"]'),
    (any_of(STR, {"type": "array", "items": any_of(INT, NULL)}), "[1, null]", [1, None]),
    (any_of(STR, {"type": "object", "required": ["a"], "properties": {"a": INT}}), '{"a": 1}', {"a": 1}),
    (any_of(STR, {"type": "object", "required": ["a"], "properties": {"a": INT}}), '{"b": 1}', '{"b": 1}'),
    (any_of(STR, {"type": "array", "items": {"enum": ["x", "y"]}}), '["y"]', ["y"]),
    (any_of(INT, STR), "abc", "abc"),
    (any_of(INT, STR), "012", "012"),
    (any_of(INT, NULL), "012", 12),
    (any_of(BOOL, STR), "True", "True"),
    (any_of(BOOL, STR), "true", True),
    (any_of({"enum": ["Low", "High"]}, STR), "low", "low"),
    (any_of({"enum": ["Low", "High"]}, STR), "Low", "Low"),
    (any_of({"enum": ["Low", "High"]}, INT), "low", "Low"),
    (any_of({"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two"}]}, BOOL), "one", 1),
    (any_of({"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two"}]}, STR), "One", 1),
    (any_of({"type": "number"}, STR), "0.10000000000000000000001", "0.10000000000000000000001"),
    (any_of({"type": "number"}, STR), "1.50", 1.5),
    (any_of(STR, INT), "5", "5"),
    (any_of({"type": "integer", "minimum": 10}, STR), "5", "5"),
    (any_of({"type": "string", "format": "date-time"}, INT), "5", 5),
    (any_of({"type": "string", "pattern": "^a"}, {"type": "string", "maxLength": 2}), "bb", "bb"),
    (any_of({"type": "integer", "minimum": 10}, BOOL), "5", 5),
    (any_of(BOOL, INT, NULL), "null", None),
    (any_of(any_of(BOOL, NULL), any_of({"type": "number"}, STR)), "0.5", 0.5),
    (any_of(any_of(BOOL, INT, NULL), STR), "null", "null"),
    (any_of({"enum": ["low", "high"]}, INT), "high", "high"),
    (any_of({"enum": ["low", "high"]}, INT), "3", 3),
    (any_of(STR, {"type": "array", "items": STR}), "a", "a"),
    (any_of({"type": "array", "items": STR}, STR), '["a"]', ["a"]),
    (any_of(CIRCLE, SQUARE), '{"kind": "square", "side": 2}', {"kind": "square", "side": 2}),
    ({}, "abc", "abc"),
    ({}, "5", 5),
    ({}, "012", "012"),
    ({}, '{"a": 1}', {"a": 1}),
    ({}, '"5"', "5"),
    ({"type": "object"}, '{"a": 1}', {"a": 1}),
    ({"type": "array", "items": INT}, "[1, 2]", [1, 2]),
    ({"enum": ["a", 1, None]}, "1", 1),
    ({"enum": ["a", 1, None]}, "null", None),
    ({"enum": ["Low", "High"]}, "low", "Low"),
    ({"enum": ["a", "b"], "type": ["string", "null"]}, "null", None),
    ({"oneOf": [{"const": 1, "title": "One"}, {"const": 2}]}, "One", 1),
    ({"const": "x"}, "x", "x"),
    ({"const": 5}, "5", 5),
    ({"const": True}, "True", True),
    (any_of({"const": "auto"}, INT), "Auto", "auto"),
    (any_of({"const": "auto"}, STR), "Auto", "Auto"),
    (NULL, "null", None),
    ({"type": "array", "items": {"enum": ["a", "b"]}}, "b", ["b"]),
    ({"type": "array", "items": {"enum": ["a", "b"]}}, '["a", "b"]', ["a", "b"]),
    ({"$ref": "#/$defs/p", "$defs": {"p": INT}}, "80", 80),
    ({"allOf": [{"$ref": "#/$defs/p"}], "default": 1, "$defs": {"p": INT}}, "80", 80),
    (any_of({"$ref": "#/$defs/p"}, NULL) | {"$defs": {"p": INT}}, "80", 80),
]


@pytest.mark.parametrize(("schema", "text", "value"), READ)
def test_interpret_text_that_the_schema_accepts_becomes_that_value(schema: Any, text: str, value: Any) -> None:
    reading = interpret(read_schema(schema), text)
    assert (reading.value, reading.problem) == (value, "")
    assert type(reading.value) is type(value)


@pytest.mark.parametrize(
    ("schema", "text", "value", "problem"),
    [
        (INT, "twelve", "twelve", "not an integer"),
        (INT, "1.5", 1.5, "not an integer (such as 5 or -12)"),
        (BOOL, "yes", "yes", "true or false"),
        (NULL, "x", "x", "null"),
        (any_of(INT, NULL), "x", "x", "not an integer"),
        (any_of(INT, BOOL, NULL), "x", "x", "integer, boolean or null"),
        (any_of({"const": "auto"}, INT), "x", "x", "is not auto or integer"),
        ({"enum": ["a", 1]}, "b", "b", "choices"),
        ({"enum": ["a", 1]}, "2", 2, "choices"),
        ({"const": 5}, "6", 6, "must be 5"),
        ({"type": "object"}, "abc", "abc", "not JSON"),
        ({"type": "object"}, "[1]", [1], "an object"),
        ({"type": "array"}, '{"a": 1}', {"a": 1}, "an array"),
        ({"type": "array", "items": {"enum": ["a"]}}, "c", "c", "choices"),
        (any_of(CIRCLE, SQUARE), "{", "{", "not object"),
        ({}, "{", "{", "not JSON"),
        ({}, "[1,", "[1,", "not JSON"),
    ],
)
def test_interpret_text_that_nothing_accepts_is_kept_with_the_reason(
    schema: Any, text: str, value: Any, problem: str
) -> None:
    reading = interpret(read_schema(schema), text)
    assert reading.value == value
    assert problem in reading.problem


def test_interpret_prefers_the_selected_branch_if_it_accepts_the_text() -> None:
    either = read_schema(any_of(INT, STR))
    assert interpret(either, "5", 1).value == "5"
    assert interpret(either, "5", 1).branch == 1
    assert interpret(either, "012", 0).value == 12
    assert interpret(either, "abc", 0).value == "abc"
    assert interpret(either, "abc", 0).branch == 1
    assert interpret(either, "5", 7).value == 5


def test_interpret_without_a_type_offers_json_and_string() -> None:
    anything = read_schema({})
    assert [each.title for each in branches_of(anything)] == ["JSON", "string"]
    assert interpret(anything, "5", 1).value == "5"
    assert branches_of(read_schema(INT)) == ()


def test_interpret_names_the_kind_and_the_branch_of_the_value() -> None:
    either = read_schema(any_of(INT, STR, {"type": "object"}, NULL))
    assert [interpret(either, text).kind for text in ("5", "x", "null")] == ["integer", "string", "string"]
    assert [interpret(either, text).branch for text in ("5", "x")] == [0, 1]
    assert interpret(read_schema({}), "[1]").kind == "array"
    assert interpret(read_schema(any_of(INT, BOOL, NULL)), "null").branch is None


def test_interpret_blank_text_is_a_value_only_if_a_string_is_preferred() -> None:
    for schema in (INT, BOOL, {"enum": ["a"]}, {}, any_of(INT, STR), {"type": "array"}):
        assert interpret(read_schema(schema), " ").value is UNSET
        assert interpret(read_schema(schema), "").problem == ""
    assert interpret(read_schema(any_of(STR, INT)), "").value == ""
    assert interpret(read_schema(any_of(INT, STR)), "", 1).value == ""


def test_interpret_notes_the_number_that_is_sent() -> None:
    assert "0.1" in interpret(read_schema({"type": "number"}), "0.10000000000000000000001").note


def test_accepts_takes_a_pattern_that_cannot_be_tried_as_met() -> None:
    endless = read_schema({"type": "string", "pattern": "("})
    assert isinstance(endless, TextField)
    assert accepts(endless, "x")


def test_interpret_ends_for_unions_within_unions() -> None:
    ways: dict[str, Any] = {f"way{at}": {"anyOf": [{"$ref": f"#/$defs/way{at + 1}"}] * 60} for at in range(7)}
    field = read_schema({"$ref": "#/$defs/way0", "$defs": {**ways, "way7": INT}})
    assert isinstance(field, UnionField)
    assert interpret(field, "7").value == 7
    assert interpret(field, "seven").value == "seven"
    circle = read_schema({"properties": {"x": {"anyOf": [{"$ref": "#/properties/x"}] * 60}}})
    assert isinstance(circle, ObjectField)
    assert interpret(circle.properties[0][1], "7").value == "7"


@given(schema_like, st.text(), st.none() | st.integers(-1, 3))
def test_interpret_takes_any_schema_and_text(schema: object, text: str, selected: int | None) -> None:
    reading = interpret(read_schema(schema), text, selected)
    assert reading.value is UNSET or json.dumps(reading.value) is not None


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_interpret_reads_a_number_that_is_shown_as_the_same_number(value: float) -> None:
    number = read_schema({"type": "number"})
    reading = interpret(number, text_of(number, value))
    assert repr(reading.value) == repr(value)
    assert reading.note == ""
