"""Schemas that are called valid at a glance are valid by the metaschema of their dialect, too."""

from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.forms.plain_schema import DIALECTS, is_plain
from inspector.forms.validate import verdict_on_schema

VALIDATORS: Mapping[str, Any] = {
    "2020-12": jsonschema.Draft202012Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "draft-07": jsonschema.Draft7Validator,
}
PYDANTIC = {
    "type": "object",
    "title": "addArguments",
    "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "title": "N"}},
}
ZOD = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "to": {"type": "string", "enum": ["a", "b"], "description": "where"},
        "at": {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}, "minItems": 1},
    },
    "required": ["to"],
    "additionalProperties": False,
}
SIZES = st.sampled_from([0, 1, 2.0, -1, True])
NUMBERS = st.sampled_from([0, -1, 0.5, 10**30, True])
NAMES = st.sampled_from([[], ["a"], ["string", "null"], ["a", "a"], [True]])
LEAVES: dict[str, st.SearchStrategy[Any]] = {
    "$comment": st.sampled_from(["", 1]),
    "type": st.sampled_from(["string", "null", "any"]) | NAMES,
    "default": st.sampled_from([None, {"type": 1}]),
    "enum": NAMES,
    "examples": NAMES,
    "readOnly": st.sampled_from([True, None]),
    "format": st.sampled_from(["email", None]),
    "minLength": SIZES,
    "multipleOf": NUMBERS,
    "minimum": NUMBERS,
    "uniqueItems": st.sampled_from([True, 1]),
    "required": NAMES,
}
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({}, optional=LEAVES),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "required": NAMES,
            "items": inner | st.booleans() | st.lists(inner, max_size=1),
            "additionalProperties": inner | st.booleans() | st.none(),
            "properties": st.dictionaries(st.sampled_from(["a", "type", "$ref"]), inner | st.booleans(), max_size=2),
            "anyOf": st.lists(inner, max_size=2),
        },
    ),
    max_leaves=5,
)


@pytest.mark.parametrize("schema", [PYDANTIC, ZOD])
def test_schema_of_a_common_library_is_plain(schema: dict[str, Any]) -> None:
    assert is_plain(schema)


@given(SCHEMAS)
def test_plain_schema_is_valid_in_each_dialect(schema: dict[str, Any]) -> None:
    for dialect in DIALECTS if is_plain(schema) else ():
        assert VALIDATORS[dialect](VALIDATORS[dialect].META_SCHEMA).is_valid(schema), dialect


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "sting"},
        {"type": ["string", "string"]},
        {"type": []},
        {"minLength": -1},
        {"minLength": True},
        {"multipleOf": 0},
        {"anyOf": []},
        {"required": ["a", "a"]},
        {"properties": {"a": {"required": "b"}}},
        {"items": [{"type": "string"}]},
        {"if": {"type": "string"}},
        {"$ref": "#/$defs/a", "$defs": {"a": {}}},
    ],
)
def test_schema_that_needs_a_closer_look_is_not_plain(schema: dict[str, Any]) -> None:
    assert not is_plain(schema)


def test_plain_schema_with_an_unusable_pattern_is_not_valid() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}
    assert is_plain(schema)
    assert verdict_on_schema(schema).ok is False
