"""Which way of drawing a field fits its value."""

import time
from typing import Any

import pytest

from inspector.forms.fields import UNSET
from inspector.forms.read_schema import read_schema
from inspector.tui.widgets.schema_form.state import FormState, drawn_count, member_field, shape_of
from tests.tui.widgets.filling import TEXT, props

NUMBER = {"type": "number"}
ENUM = {"enum": ["a", "b"]}
UNION = {"oneOf": [{"type": "object"}, {"type": "string", "maxLength": 3}]}
SEVERAL = {"type": "array", "items": ENUM}


@pytest.mark.parametrize(
    ("schema", "value", "shape"),
    [
        ({"type": "string"}, UNSET, "line"),
        ({"type": "string"}, "a\nb", "block"),
        ({"type": "string", "maxLength": 5000}, "a", "block"),
        ({"type": "string"}, 7, "json"),
        ({"type": "string"}, None, "line"),
        (NUMBER, 7, "line"),
        (NUMBER, "seven", "line"),
        (NUMBER, "7", "json"),
        ({"type": "boolean"}, UNSET, "options"),
        ({"type": "boolean"}, None, "options"),
        ({"type": "boolean"}, "yes", "line"),
        (ENUM, "a", "options"),
        (ENUM, "z", "line"),
        ({"enum": list(range(100))}, UNSET, "picker"),
        ({"const": 3}, 3, "options"),
        (SEVERAL, ["a"], "several"),
        (SEVERAL, ["z"], "json"),
        ({"type": "object"}, UNSET, "opener"),
        ({"type": "object"}, None, "opener"),
        ({"type": "object"}, {}, "object"),
        ({"type": "array", "items": NUMBER}, [], "list"),
        ({"type": "array", "items": NUMBER}, {}, "json"),
        (UNION, UNSET, "line"),
        (UNION, {}, "union"),
        ({"oneOf": [{"type": "object"}, {"type": "array"}]}, UNSET, "union"),
        (UNION, 7, "json"),
        (True, None, "line"),
        (True, [1], "json"),
        ({"type": "null"}, None, "line"),
    ],
)
def test_the_shape_follows_the_kind_and_the_value(schema: Any, value: Any, shape: str) -> None:
    assert shape_of(read_schema(schema), value) == shape


def test_a_field_that_refers_to_itself_is_not_read_before_it_holds_something() -> None:
    schema = {"type": "object", "properties": {"inside": {"$ref": "#"}}}
    root: Any = read_schema(schema)
    (_, inside) = root.properties[0]
    lazy = inside if type(inside).__name__ == "LazyField" else inside.properties[0][1]
    assert shape_of(lazy, UNSET) == "opener"
    assert shape_of(lazy, {}) == "object"


def judged(state: FormState) -> FormState:
    state.verdict = state.judge(time.monotonic)
    return state


def test_a_value_is_written_at_its_place_and_the_rest_stays() -> None:
    state = FormState(props(a=TEXT, b=TEXT), {"a": "1", "b": UNSET})
    before = state.value
    state.put(("b",), "2")
    assert state.arguments == {"a": "1", "b": "2"}
    assert before == {"a": "1", "b": UNSET}


def test_unset_field_keeps_its_place_unsent() -> None:
    state = FormState(props(a=TEXT), {"a": "1"})
    state.put(("a",), UNSET)
    assert state.value == {"a": UNSET}
    assert state.arguments == {}


def test_state_change_is_reported_and_voids_the_verdict() -> None:
    told: list[object] = []
    state = judged(FormState(props(a={"type": "array"}), {"a": [1, 2]}))
    state.changed = lambda: told.append(state.arguments)
    state.move(("a", 1), 0)
    assert state.verdict is None
    state.remove(("a", 0))
    state.take_json({"a": "x"})
    assert told == [{"a": [2, 1]}, {"a": [1]}, {"a": "x"}]


def test_problem_is_at_the_nearest_drawn_field() -> None:
    schema = props(a=props(b={"type": "integer"}))
    state = judged(FormState(schema, {"a": {"b": "no"}}))
    (sentence,) = state.problems_by_path({("a", "b")})[("a", "b")]
    assert "must be an integer" in sentence
    assert state.problems_by_path({("a",)}) == {("a",): [f"b {sentence}"]}
    assert state.problems_by_path(set()) == {(): [f"a.b {sentence}"]}


def test_an_empty_item_before_others_is_a_problem_and_they_keep_their_places() -> None:
    pair = {"type": "array", "prefixItems": [TEXT, TEXT, TEXT]}
    state = judged(FormState(props(a=pair), {"a": [UNSET, "b", UNSET]}))
    assert state.arguments == {"a": [None, "b"]}
    assert state.problems_by_path({("a", 0)}) == {("a", 0): ["must be a string, got null"]}
    assert state.is_wrong


def test_missing_field_is_reported_after_a_visit_or_insisting() -> None:
    state = judged(FormState(props("a", "b", a=TEXT, b=TEXT)))
    assert state.problems_by_path(set()) == {}
    assert state.awaited == len(state.problems)
    assert len(state.problems) == 2
    state.put(("a",), UNSET)
    assert list(judged(state).problems_by_path({("a",), ("b",)})) == [("a",)]
    assert state.awaited == len(state.problems) - 1
    state.insists = True
    assert state.awaited == 0
    assert set(state.problems_by_path({("a",), ("b",)})) == {("a",), ("b",)}


def test_an_empty_record_is_no_error_until_it_is_visited() -> None:
    record = {"type": "object", "additionalProperties": TEXT, "minProperties": 1}
    state = judged(FormState(props("a", a=record)))
    assert state.problems_by_path(set()) == {}
    assert state.awaited == 1
    state.put(("a",), {})
    assert list(judged(state).problems_by_path({("a",)})) == [("a",)]


def test_fields_are_counted_for_the_value_that_is_there() -> None:
    root = read_schema(props(a={"type": "array", "items": TEXT}, b=props(c=TEXT), d=True))
    assert drawn_count(root, {"a": ["1", "2"], "b": UNSET, "d": {"x": [1, 2, 3]}}) == 6
    assert drawn_count(root, {"a": ["1"] * 1000}, most=50) < 60


def test_a_member_is_found_by_its_name_its_pattern_or_as_any_other() -> None:
    root = read_schema({"type": "object", "properties": {"a": TEXT}, "patternProperties": {"^n_": {"type": "number"}}})
    assert type(member_field(root, "a")).__name__ == "TextField"  # type: ignore[arg-type]
    assert type(member_field(root, "n_1")).__name__ == "NumberField"  # type: ignore[arg-type]
    assert member_field(root, "z") is None  # type: ignore[arg-type]


def test_a_pattern_that_can_not_be_used_finds_nothing() -> None:
    root = read_schema({"type": "object", "patternProperties": {"(": TEXT}, "additionalProperties": {"type": "number"}})
    assert type(member_field(root, "z")).__name__ == "NumberField"  # type: ignore[arg-type]
