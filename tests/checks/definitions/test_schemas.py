"""What is peculiar about a schema."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.checks.definitions.schemas import (
    DEEPEST,
    MOST_OF_ONE,
    MOST_WRITTEN_OUT,
    WalkBudget,
    features_of,
    fits,
    reference_features,
    schemas_in,
    written_out,
)
from inspector.forms.refs import SchemaDocument

_OBJECT: dict[str, Any] = {"type": "object"}


def _kinds(schema: Any, *, is_input: bool = True) -> list[str]:
    return [each.kind for each in features_of(schema, WalkBudget(), is_input=is_input)]


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        (_OBJECT, []),
        (None, ["input-root"]),
        ({"type": "array"}, ["input-root", "array-without-items"]),
        (_OBJECT | {"properties": {"a": {"type": "array", "items": {}}}}, ["array-of-anything"]),
        (_OBJECT | {"properties": {"a": {"type": "array", "items": True}}}, ["array-of-anything"]),
        (_OBJECT | {"properties": {"a": {"type": "array", "prefixItems": [_OBJECT], "items": False}}}, []),
        (_OBJECT | {"properties": {"a": {"type": "array", "prefixItems": [_OBJECT]}}}, []),
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
        (_OBJECT | {"properties": {"a": {"enum": [True, 1]}}}, ["enum-not-string"]),
        (_OBJECT | {"properties": {"a": {"enum": [1, 1]}}}, ["enum-twice", "enum-not-string"]),
        (_OBJECT | {"properties": {"a": {"default": 1, "enum": [2]}}}, ["enum-not-string", "default-wrong"]),
        (_OBJECT | {"id": "a"}, ["old-keyword"]),
        (_OBJECT | {"properties": {"a": {"type": "string", "format": "uri"}}}, ["format-of-few"]),
        (_OBJECT | {"properties": {"a": {"type": "string", "format": "uuid"}, "format": {"type": "string"}}}, []),
        (_OBJECT | {"properties": {"a": {"type": "array", "items": {"type": ["object", "null"]}}}}, ["items-union"]),
        (_OBJECT | {"properties": {"a": {"type": "array", "items": {"type": ["string", "null"]}}}}, []),
        (_OBJECT | {"properties": {"id": {"type": "string"}, "definitions": {}}}, []),
    ],
)
def test_each_peculiarity_has_a_name(schema: Any, kinds: list[str]) -> None:
    assert sorted(_kinds(schema)) == sorted(kinds)


def test_feature_of_the_items_of_an_array_belongs_to_the_items() -> None:
    rows = {"type": "array", "items": {"type": "array"}}
    schema = _OBJECT | {"properties": {"m": {"type": "object", "properties": {"rows": rows}}}}
    found = features_of(schema, WalkBudget(), is_input=True)
    assert [each.sentence for each in found] == ["has an array (m.rows[]) without items"]


def test_output_schema_has_few_features() -> None:
    schema = _OBJECT | {"properties": {"a": {"type": "array"}, "b": {"type": 7}}}
    assert _kinds(schema, is_input=False) == ["output-broken"]


def test_features_of_is_empty_after_the_budget() -> None:
    assert features_of({"type": "array"}, WalkBudget(0), is_input=True) == []


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
    for each in features_of(schema, WalkBudget(), is_input=is_input):
        assert each.kind
        assert each.sentence


def _doubling(levels: int) -> dict[str, Any]:
    below = {f"d{at}": [{"$ref": f"#/$defs/d{at + 1}"}] * 2 for at in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": below | {f"d{levels}": {}}}


@pytest.mark.parametrize(
    ("schema", "is_recursive"),
    [
        ({"$defs": {"a": {"b": [1]}}}, False),
        ({"properties": {"a": {"$ref": "#"}}}, True),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, True),
        ({"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}, "$defs": {"x": {}}}, False),
    ],
)
def test_written_out_detects_recursive_schemas(schema: dict[str, Any], is_recursive: bool) -> None:
    assert written_out(schema, SchemaDocument(schema))[1] is is_recursive


def test_references_that_multiply_are_counted_without_being_followed_one_by_one() -> None:
    few, many = _doubling(3), _doubling(200)
    assert written_out(few, SchemaDocument(few))[0] < 100
    assert written_out(many, SchemaDocument(many))[0] > MOST_WRITTEN_OUT


@pytest.mark.parametrize(
    ("ref", "kind"),
    [(7, "input-reference"), ("#/$defs/no", "input-reference"), ("#/$defs/a", "reference-loop"), ("#/$defs/c", "")],
)
def test_unresolvable_reference_is_a_feature(ref: Any, kind: str) -> None:
    loop = {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}, "c": {}}
    schema = {"$ref": ref, "$defs": loop}
    found = [each[0] for each in reference_features(schema, [((), ref)], "input")]
    assert (kind in found) if kind else not {"input-reference", "reference-loop"} & set(found)


def _places(schema: Any) -> list[str]:
    budget = WalkBudget()
    budget.begin()
    return ["/".join(map(str, path)) for path, _, _ in schemas_in(schema, budget)]


def test_schemas_are_found_where_keywords_have_them_and_data_is_left_alone() -> None:
    schema = {
        "properties": {"default": {"items": {}}, "enum": True},
        "default": {"properties": {"a": {}}},
        "anyOf": [{"not": {}}],
        "items": [{}],
        "additionalProperties": {},
        "const": {"items": {}},
    }
    assert _places(schema) == [
        *("", "properties/default", "properties/default/items", "anyOf/0", "anyOf/0/not"),
        *("items/0", "additionalProperties"),
    ]


def test_schemas_in_marks_branches() -> None:
    budget = WalkBudget()
    budget.begin()
    schema = {"anyOf": [{"properties": {"a": {}}}], "properties": {"b": {}}}
    assert [is_branch for _, _, is_branch in schemas_in(schema, budget)] == [False, True, True, False]


def test_a_schema_without_end_is_left_when_the_budget_is_spent() -> None:
    wide = {"properties": {str(at): dict[str, Any]() for at in range(MOST_OF_ONE * 2)}}
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(DEEPEST * 3):
        inner["items"] = inner = {}
    budget = WalkBudget(MOST_OF_ONE + 100)
    assert budget.begin()
    assert len(list(schemas_in(wide, budget))) == MOST_OF_ONE
    assert budget.is_spent
    assert budget.begin()
    assert len(list(schemas_in(deep, budget))) == 100
    assert not budget.begin()


def test_the_first_place_that_is_too_deep_is_kept() -> None:
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(DEEPEST * 3):
        inner["items"] = inner = {}
    budget = WalkBudget()
    budget.begin()
    list(schemas_in(deep, budget))
    assert budget.too_deep is not None
    assert len(budget.too_deep) == DEEPEST * 2
