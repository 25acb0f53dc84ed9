"""The value of a form: unset, empty and null are three, and nothing is lost."""

import json
from typing import Any

import pytest
from hypothesis import given

from inspector.forms.fields import UNSET, ObjectField, UnionField
from inspector.forms.read_schema import read_schema
from inspector.forms.typed import same
from inspector.forms.values import branch_of, fits, fresh_value, from_json, initial_value, to_json
from tests.forms.schemas import TREE, any_json, schema_like

SCHEMA = {
    "type": "object",
    "required": ["q", "opts"],
    "properties": {
        "q": {"type": "string"},
        "n": {"type": "integer", "default": 3},
        "nothing": {"type": ["string", "null"], "default": None},
        "opts": {
            "type": "object",
            "required": ["v", "tags"],
            "properties": {
                "v": {"const": 1},
                "w": {"const": 2},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
        },
        "more": {"type": "object", "properties": {"deep": {"type": "integer", "default": 1}}},
    },
}


def test_a_form_starts_with_defaults_and_fixed_values_and_all_else_unset() -> None:
    value = initial_value(read_schema(SCHEMA))
    assert value == {"q": UNSET, "n": 3, "nothing": None, "opts": {"v": 1, "w": UNSET, "tags": UNSET}, "more": UNSET}
    assert to_json(value) == {"n": 3, "nothing": None, "opts": {"v": 1}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"enum": ["a", None]}},
        {"enum": ["a", "b"]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"$ref": "#/$defs/a"},
    ],
)
def test_initial_value_of_a_default_null_that_the_schema_forbids_is_unset(schema: dict[str, Any]) -> None:
    whole = {"type": "object", "properties": {"x": {**schema, "default": None}}, "$defs": {"a": {"type": "string"}}}
    assert to_json(initial_value(read_schema(whole))) == {}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": ["array", "null"]},
        {"enum": ["a", None]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        {"anyOf": [{"type": "string"}, {"enum": [1, None]}]},
        {"type": "null"},
        {"const": None},
    ],
)
def test_initial_value_of_a_default_null_that_the_schema_allows_is_null(schema: dict[str, Any]) -> None:
    whole = {"type": "object", "properties": {"x": {**schema, "default": None}}}
    assert to_json(initial_value(read_schema(whole))) == {"x": None}


def test_unset_empty_and_null_are_sent_as_nothing_empty_and_null() -> None:
    rest: dict[str, object] = {"b": "", "c": None, "d": [], "e": {}}
    assert to_json({"a": UNSET, **rest, "f": [1, UNSET], "g": [UNSET]}) == {**rest, "f": [1], "g": []}
    assert to_json(UNSET) is UNSET


def test_a_default_for_the_whole_object_fills_it_and_keeps_its_places() -> None:
    asked = read_schema({**SCHEMA, "default": {"q": "x", "extra": 1}})
    value = initial_value(asked)
    assert to_json(value) == {"q": "x", "extra": 1}
    assert isinstance(value, dict)
    assert value["n"] is UNSET


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, UNSET),
        ({"type": "string", "default": "x"}, "x"),
        ({"type": ["integer", "null"], "default": None}, UNSET),
        ({"type": "boolean"}, UNSET),
        ({"const": "x"}, "x"),
        ({"enum": ["a", "b"]}, UNSET),
        ({"type": "array", "items": {"enum": ["a"]}}, []),
        ({"type": "array", "items": {"type": "string"}, "minItems": 2}, [UNSET, UNSET]),
        ({"type": "array", "items": False, "minItems": 1}, [UNSET]),
        ({"type": ["string", "integer"]}, UNSET),
        ({"type": "null"}, UNSET),
        ({}, UNSET),
    ],
)
def test_fresh_value_has_only_what_need_not_be_typed(schema: object, value: object) -> None:
    assert fresh_value(read_schema(schema)) == value


def test_an_opened_object_has_the_containers_that_it_must_have() -> None:
    assert fresh_value(read_schema(SCHEMA)) == {
        "q": UNSET,
        "n": 3,
        "nothing": None,
        "opts": {"v": 1, "w": UNSET, "tags": []},
        "more": UNSET,
    }


def test_a_value_that_must_contain_itself_ends() -> None:
    endless = {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"]}}}
    assert isinstance(fresh_value(read_schema(endless)), dict)
    looped = {"$ref": "#/$defs/l", "$defs": {"l": {"type": "array", "minItems": 20, "items": {"$ref": "#/$defs/l"}}}}
    assert isinstance(fresh_value(read_schema(looped)), list)


def test_json_that_does_not_fit_is_kept_with_its_order_and_extra_members() -> None:
    sent = {"extra": {"x": [1]}, "n": "not a number", "q": None, "opts": [1, 2]}
    value = from_json(read_schema(SCHEMA), sent)
    assert json.dumps(to_json(value)) == json.dumps(sent)
    assert isinstance(value, dict)
    assert value["more"] is UNSET


@given(schema_like, any_json)
def test_any_json_goes_through_any_form_unchanged(schema: object, value: object) -> None:
    back = to_json(from_json(read_schema(schema), value))
    assert json.dumps(back) == json.dumps(value)


@given(schema_like)
def test_every_schema_has_a_first_value_that_is_json(schema: object) -> None:
    asked = read_schema(schema)
    for value in (initial_value(asked), fresh_value(asked)):
        sent = to_json(value)
        assert sent is UNSET or json.dumps(sent)
        if sent is not UNSET:
            assert same(to_json(from_json(asked, sent)), sent)


@given(schema_like, any_json)
def test_fits_is_defined_for_any_value(schema: object, value: object) -> None:
    asked = read_schema(schema)
    assert fits(asked, value) in (True, False)
    assert fits(asked, UNSET)
    if isinstance(asked, UnionField):
        assert (branch_of(asked, value) is not None) == (
            fits(asked, value) and not (value is None and asked.nullable)
        ) or (value is None)


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string", "maxLength": 1}, "long", 5),
        ({"type": "integer"}, 5.0, 5.5),
        ({"type": "number"}, 5, True),
        ({"type": "boolean"}, False, 0),
        ({"type": "null"}, None, 0),
        ({"const": 1}, 1.0, True),
        ({"enum": ["a"]}, "a", "b"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, ["b", "a"], ["a", "a"]),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {"a": 5}, []),
        ({"type": "array", "items": {"type": "string"}}, [5], {}),
        ({"type": ["string", "integer"]}, 5, 5.5),
        ({"type": ["string", "null"]}, None, 1),
    ],
)
def test_a_value_fits_if_the_fields_own_widget_can_show_it(schema: object, good: object, bad: object) -> None:
    asked = read_schema(schema)
    assert fits(asked, good)
    assert not fits(asked, bad)


def _union(*branches: object) -> UnionField:
    asked = read_schema({"oneOf": list(branches)})
    assert isinstance(asked, UnionField)
    return asked


def test_branch_is_chosen_by_a_fixed_member() -> None:
    circle = {"type": "object", "properties": {"kind": {"const": "circle"}, "size": {"type": "number"}}}
    square = {"type": "object", "properties": {"kind": {"const": "square"}, "size": {"type": "number"}}}
    shapes = _union(circle, square)
    assert branch_of(shapes, {"kind": "square", "size": "wrong"}) == 1
    assert branch_of(shapes, {"kind": "circle"}) == 0
    assert branch_of(shapes, UNSET) == 0
    assert branch_of(shapes, "x") is None


def test_branch_is_chosen_by_present_members() -> None:
    pair = _union(
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"], "additionalProperties": False},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "integer"},
        {"type": "number"},
    )
    assert branch_of(pair, {"a": "x"}) == 0
    assert branch_of(pair, {"b": "x"}) == 1
    assert branch_of(pair, ["x"]) == 2
    assert branch_of(pair, [1]) == 3
    assert branch_of(pair, 1) == 4
    assert branch_of(pair, 1.5) == 5


def test_members_within_a_branch_get_their_places() -> None:
    asked = _union(
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}, {"type": "string"}
    )
    assert from_json(asked, {"a": "x"}) == {"a": "x", "b": UNSET}


def test_a_tree_of_values_gets_its_places_at_every_depth() -> None:
    asked = read_schema(TREE)
    assert isinstance(asked, ObjectField)
    value = from_json(asked, {"children": [{"children": [{"name": "x"}]}]})
    assert value == {"children": [{"children": [{"name": "x", "children": UNSET}], "name": UNSET}], "name": UNSET}


def test_a_value_nested_without_end_is_handed_on() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    assert to_json(from_json(read_schema({"items": {"$ref": "#"}}), deep)) is not None
