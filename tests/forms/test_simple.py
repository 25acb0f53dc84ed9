"""Look-ups that no schema can break."""

import pytest

from inspector.forms.fields import NumberField, TextField
from inspector.forms.read_schema import read_schema
from inspector.forms.simple import as_text, has_null, number, size, strings, types_of


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, ["string"]),
        ({"type": ["string", "null", "string"]}, ["string"]),
        ({"type": "null"}, ["null"]),
        ({"type": 5}, ["5"]),
        ({"properties": {}}, ["object"]),
        ({"items": {}}, ["array"]),
        ({"minLength": 1}, ["string"]),
        ({"multipleOf": 1}, ["number"]),
        ({}, []),
    ],
)
def test_types_are_named_or_inferred(schema: dict[str, object], types: list[str]) -> None:
    assert types_of(schema) == types


def test_has_null_distinguishes_null_among_types() -> None:
    assert has_null({"type": ["string", "null"]})
    assert not has_null({"type": ["null"]})
    assert not has_null({"type": "null"})


@pytest.mark.parametrize(
    ("value", "count"), [(3, 3), (3.0, 3), (3.5, None), (-1, None), (True, None), ("3", None), (1e300, None)]
)
def test_only_a_count_is_a_count(value: object, count: int | None) -> None:
    assert size({"n": value}, "n") == count


def test_only_numbers_and_strings_are_taken_for_them() -> None:
    assert number({"n": 0.5}, "n") == 0.5
    assert number({"n": True}, "n") is None
    assert strings(["a", 1, None]) == ["a"]
    assert strings("abc") == []


def test_any_value_has_a_text() -> None:
    assert as_text("é") == "é"
    assert as_text({"a": None}) == '{"a": null}'
    assert as_text(object()) == "object"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "format": "markdown"},
        {"type": "string", "contentMediaType": "text/html"},
        {"type": "string", "maxLength": 5000},
    ],
)
def test_a_hint_at_long_text_makes_the_field_multiline(schema: object) -> None:
    asked = read_schema(schema)
    assert isinstance(asked, TextField)
    assert asked.multiline


def test_a_short_text_is_one_line() -> None:
    asked = read_schema({"type": "string", "maxLength": 20, "format": "email"})
    assert isinstance(asked, TextField)
    assert not asked.multiline


def test_draft_04_exclusive_bounds_are_understood() -> None:
    schema = {"type": "number", "minimum": 1, "exclusiveMinimum": True, "maximum": 2, "exclusiveMaximum": True}
    asked = read_schema(schema)
    assert isinstance(asked, NumberField)
    assert (asked.minimum, asked.exclusive_minimum, asked.maximum, asked.exclusive_maximum) == (None, 1, None, 2)
