"""What is peculiar about a schema."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.checks.surface.features import features_of, fits
from inspector.checks.surface.walk import Budget

_OBJECT: dict[str, Any] = {"type": "object"}


def _kinds(schema: Any, *, is_input: bool = True) -> list[str]:
    return [each.kind for each in features_of(schema, Budget(), is_input=is_input)]


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        (_OBJECT, []),
        (None, ["input-root"]),
        ({"type": "array"}, ["input-root", "array-without-items"]),
        (_OBJECT | {"required": None}, ["input-required"]),
        (_OBJECT | {"properties": []}, ["input-properties"]),
        (_OBJECT | {"if": {}}, ["input-root-condition"]),
        (_OBJECT | {"$schema": "https://a/b"}, ["input-dialect", "input-rare-dialect"]),
        (_OBJECT | {"properties": {"a": {"type": "strnig"}}}, ["input-broken"]),
        (_OBJECT | {"properties": {"a": {"enum": [1, 2]}}}, ["enum-not-string"]),
        (_OBJECT | {"properties": {"a": {"exclusiveMinimum": True}}}, ["boolean-bound"]),
        (_OBJECT | {"properties": {"a": {"type": ["string", "null"]}}}, []),
        (_OBJECT | {"properties": {"a": {"type": ["string", "integer"]}}}, ["several-types"]),
        (_OBJECT | {"properties": {"a": {"$ref": "https://a/b"}}}, ["input-reference"]),
        (_OBJECT | {"properties": {"a": {"default": 1, "enum": [2]}}}, ["enum-not-string", "default-wrong"]),
        (_OBJECT | {"id": "a"}, ["old-keyword"]),
        (_OBJECT | {"properties": {"id": {"type": "string"}, "definitions": {}}}, []),
    ],
)
def test_each_peculiarity_has_a_name(schema: Any, kinds: list[str]) -> None:
    assert sorted(_kinds(schema)) == sorted(kinds)


def test_of_an_output_schema_only_what_matters_there() -> None:
    schema = _OBJECT | {"properties": {"a": {"type": "array"}, "b": {"type": 7}}}
    assert _kinds(schema, is_input=False) == ["output-broken"]


def test_nothing_is_said_once_the_budget_is_spent() -> None:
    assert features_of({"type": "array"}, Budget(0), is_input=True) == []


@pytest.mark.parametrize(
    ("value", "kinds", "fit"),
    [(1.0, "integer", True), (True, "integer", False), (None, ["string", "null"], True), ("a", "any", True)],
)
def test_a_value_is_of_a_type_or_not(value: Any, kinds: Any, fit: bool) -> None:
    assert fits(value, kinds) is fit


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "$ref", "enum", "required", "default", "anyOf", "$defs", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(_JSON, st.booleans())
@settings(max_examples=200, deadline=None)
def test_no_schema_makes_it_fail(schema: Any, is_input: bool) -> None:
    for each in features_of(schema, Budget(), is_input=is_input):
        assert each.kind
        assert each.sentence
