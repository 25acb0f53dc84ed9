"""A small value that a schema accepts."""

import json
from typing import Any

import jsonschema
import pytest

from inspector.forms.sample import smallest_valid


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
    ],
)
def test_what_comes_is_valid(schema: dict[str, Any]) -> None:
    jsonschema.validate(smallest_valid(schema), schema)


def test_only_what_is_required_or_has_a_default_is_filled_in() -> None:
    schema = of(a={"type": "string"}) | {}
    schema["properties"] |= {"b": {"type": "integer", "default": 3}, "c": {"type": "string"}}
    assert smallest_valid(schema) == {"a": "", "b": 3}


def test_a_default_comes_before_an_example_and_both_before_the_plainest_value() -> None:
    schema = of(a={"type": "string", "default": "d", "examples": ["e"]}, b={"type": "string", "examples": ["e"]})
    assert smallest_valid(schema) == {"a": "d", "b": "e"}


@pytest.mark.parametrize("schema", [None, True, {}, {"type": "nonsense"}, {"enum": []}, [1], {"$ref": "#/nowhere"}])
def test_a_schema_that_says_nothing_gives_something(schema: Any) -> None:
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
