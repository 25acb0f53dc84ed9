"""Fields say in one line what is allowed."""

import pytest

from inspector.forms.fields import UNSET, Field, LazyField, ObjectField, TextField, kind_of, opened
from inspector.forms.read_schema import read_schema


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, ""),
        ({"type": "string", "minLength": 1, "maxLength": 64, "format": "email"}, "1–64 characters · email"),
        ({"type": "string", "minLength": 2, "maxLength": 2}, "exactly 2 characters"),
        ({"type": "string", "minLength": 1}, "at least 1 character"),
        ({"type": "string", "maxLength": 3, "pattern": "^a"}, "at most 3 characters · matches ^a"),
        ({"type": "integer"}, "integer"),
        ({"type": "integer", "minimum": 0}, "≥ 0, integer"),
        ({"type": "number", "minimum": 0, "maximum": 1}, "0–1"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1, "multipleOf": 0.5}, "> 0, ≤ 1 · a multiple of 0.5"),
        ({"type": "boolean"}, ""),
        ({"type": ["boolean", "null"]}, "or null"),
        ({"const": 1}, "fixed"),
        ({"enum": ["a", "b"]}, "one of 2"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 1}, "at most 1 choice"),
        ({"type": "array", "minItems": 1, "uniqueItems": True}, "at least 1 item · unique items"),
        ({"type": "object", "minProperties": 1}, "at least 1 member"),
        ({"type": "object", "additionalProperties": False}, "empty"),
        ({"type": ["string", "integer"]}, "one of 2 types"),
        ({}, "JSON"),
        ({"type": "null"}, ""),
    ],
)
def test_constraint_text_is_one_short_line(schema: object, text: str) -> None:
    assert read_schema(schema).constraint_text() == text


def test_unset_is_neither_true_nor_null_and_names_itself() -> None:
    assert not UNSET
    assert UNSET is not None
    assert repr(UNSET) == "UNSET"


def test_lazy_field_is_resolved_when_opened() -> None:
    text = TextField(schema={})
    lazy = LazyField(schema={}, resolve=lambda: text)
    assert opened(lazy) is text
    assert opened(text) is text
    assert lazy.constraint_text() == "expand to see"


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer"}, "integer"),
        ({"type": "number"}, "number"),
        ({"enum": [1]}, "choice"),
        ({"type": "array", "items": {"enum": [1]}}, "choices"),
        ({"type": "array"}, "array"),
        ({"type": "object"}, "object"),
    ],
)
def test_each_kind_has_a_word(schema: object, kind: str) -> None:
    assert kind_of(read_schema(schema)) == kind


def test_an_object_finds_its_properties_and_knows_whether_it_takes_others() -> None:
    name: Field = TextField(schema={})
    asked = ObjectField(schema={}, properties=(("a", name),), additional=False)
    assert asked.child("a") is name
    assert asked.child("b") is None
    assert not asked.is_open()
    assert ObjectField(schema={}, patterns=(("^x", name),), additional=False).is_open()
