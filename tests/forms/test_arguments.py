"""name=text on a command line: a text, unless the schema says otherwise."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.forms.arguments import argument_field, interpret_argument, smallest_valid
from inspector.forms.fields import JsonField
from tests.forms.schemas import schema_like

_DATA = json.loads(Path(__file__).with_name("arguments.json").read_text("utf-8"))
SCHEMA = _DATA["schema"]


@pytest.mark.parametrize(("name", "text", "value"), _DATA["values"])
def test_interpret_argument_text_that_the_schema_accepts_becomes_that_value(
    name: str, text: str, value: object
) -> None:
    found = interpret_argument(SCHEMA, name, text)
    assert found == value
    assert type(found) is type(value)


def test_an_argument_is_found_in_the_branches_of_the_root_and_among_the_additional_ones() -> None:
    branches = {"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]}
    assert interpret_argument(branches, "b", "1") == 1
    assert interpret_argument({"type": "object", "additionalProperties": {"type": "integer"}}, "x", "1") == 1
    assert isinstance(argument_field(5, "x"), JsonField)


@given(schema_like, st.text())
def test_any_schema_and_text_give_a_value(schema: object, text: str) -> None:
    value = interpret_argument({"type": "object", "properties": {"x": schema}}, "x", text)
    assert value is None or isinstance(value, str | int | float | dict | list)


@pytest.mark.parametrize("ref", ["", "#", "#/properties/x", "#node"])
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_a_property_that_refers_to_what_contains_it_ends(keyword: str, ref: str) -> None:
    property_: dict[str, object] = {"properties": {"y": {keyword: ref}}, "$dynamicAnchor": "node"}
    assert interpret_argument({"properties": {"x": property_, "z": {keyword: ref}}}, "x", "7") is not None
    assert interpret_argument({"properties": {"x": {keyword: "#"}}}, "x", '{"x": {}}') == {"x": {}}


def test_unions_within_unions_are_not_searched_without_end() -> None:
    ways = {f"way{depth}": {"anyOf": [{"$ref": f"#/$defs/way{depth + 1}"}] * 60} for depth in range(7)}
    schema = {"properties": {"x": {"$ref": "#/$defs/way0"}}, "$defs": {**ways, "way7": {"type": "integer"}}}
    assert interpret_argument(schema, "x", "seven") == "seven"
    assert interpret_argument(schema, "x", "7") == 7
    assert (
        interpret_argument({"properties": {"x": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}, "x", "null")
        is None
    )


def test_a_union_of_nothing_but_itself_ends() -> None:
    schema = {"properties": {"x": {"anyOf": [{"$ref": "#/properties/x"}] * 60}}}
    assert interpret_argument(schema, "x", "7") == "7"


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


@pytest.mark.parametrize(
    "schema",
    [
        of(a={"type": "string"}),
        of(a={"type": "string", "minLength": 3}),
        of(a={"type": "string", "format": "email"}, b={"type": "string", "format": "date-time"}),
        of(a={"type": "integer", "minimum": 3}, b={"type": "number", "exclusiveMinimum": 3, "maximum": 4}),
        of(a={"type": "integer", "maximum": -3}, b={"type": "integer", "minimum": 5, "multipleOf": 5}),
        of(a={"type": "boolean"}, b={"type": ["string", "null"]}),
        of(a={"enum": ["x", "y"]}, b={"type": "string", "oneOf": [{"const": "p", "title": "P"}]}),
        of(a={"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "minItems": 2}),
        of(a={"type": "array", "items": {"type": "integer"}, "minItems": 2}),
        of(a=of(b=of(c={"const": 7}))),
        of(a={"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        of(a={"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$"}),
        of(a={"type": "string", "pattern": "^[a-z]+$", "minLength": 5, "maxLength": 6}),
        of(a={"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, b={"type": "string", "pattern": "-> ?x"}),
    ],
)
def test_smallest_valid_satisfies_the_schema(schema: dict[str, Any]) -> None:
    jsonschema.validate(smallest_valid(schema), schema)


def test_only_what_is_required_or_has_a_default_is_filled_in() -> None:
    schema = of(a={"type": "string"}) | {}
    schema["properties"] |= {"b": {"type": "integer", "default": 3}, "c": {"type": "string"}}
    assert smallest_valid(schema) == {"a": "", "b": 3}


def test_a_default_comes_before_an_example_and_both_before_the_plainest_value() -> None:
    schema = of(a={"type": "string", "default": "d", "examples": ["e"]}, b={"type": "string", "examples": ["e"]})
    assert smallest_valid(schema) == {"a": "d", "b": "e"}


@pytest.mark.parametrize("schema", [None, True, {}, {"type": "nonsense"}, {"enum": []}, [1], {"$ref": "#/nowhere"}])
def test_smallest_valid_of_an_empty_schema_is_json(schema: Any) -> None:
    json.dumps(smallest_valid(schema))


def test_a_schema_that_wants_too_much_gets_little() -> None:
    assert len(json.dumps(smallest_valid(of(a={"type": "string", "minLength": 10**12})))) < 100_000
    wide: dict[str, Any] = {"type": "integer"}
    for _ in range(8):
        wide = {"type": "array", "items": wide, "minItems": 1000}
    assert len(json.dumps(smallest_valid(of(a=wide)))) < 1_000_000


def test_a_schema_that_needs_itself_comes_to_an_end() -> None:
    schema = {"$defs": {"n": of(next={"$ref": "#/$defs/n"})}, "$ref": "#/$defs/n"}
    assert len(json.dumps(smallest_valid(schema))) < 10_000


@pytest.mark.parametrize(
    "schema",
    [
        {"anyOf": [{"$ref": "#"}, {"not": {"$ref": "#"}}]},
        {"oneOf": [{"$ref": "#"}, {"type": "string"}]},
        of(a={"anyOf": [{"$ref": "#/properties/a"}]}),
        {"type": "integer", "minimum": 10**400},
        {"type": "number", "exclusiveMaximum": -(10**400), "multipleOf": 5e-324},
        {"type": "number", "minimum": 1e308, "maximum": 1e308, "multipleOf": 10**400},
    ],
)
def test_a_schema_that_chooses_itself_or_has_endless_numbers_gives_something_too(schema: Any) -> None:
    smallest_valid(schema)
