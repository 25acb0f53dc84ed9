"""Two schemas that both hold, as one."""

import pytest

from inspector.forms.merge import CannotMerge, Schema, merge


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ({"title": "A"}, {"title": "B", "default": 1}, {"title": "A", "default": 1}),
        ({"required": ["a"]}, {"required": ["b", "a"]}, {"required": ["a", "b"]}),
        ({"minimum": 1, "maximum": 9}, {"minimum": 3, "maximum": 5}, {"minimum": 3, "maximum": 5}),
        ({"minimum": "x"}, {"minimum": "y"}, {"minimum": "x"}),
        ({"type": ["string", "null"]}, {"type": "string"}, {"type": ["string"]}),
        ({"type": "number"}, {"type": "integer"}, {"type": "integer"}),
        ({"type": "integer"}, {"type": "number"}, {"type": "integer"}),
        ({"enum": [1, 2]}, {"enum": [2, 3]}, {"enum": [2]}),
        ({"additionalProperties": True}, {"additionalProperties": False}, {"additionalProperties": False}),
        (
            {"additionalProperties": True},
            {"additionalProperties": {"type": "string"}},
            {"additionalProperties": {"type": "string"}},
        ),
        ({"uniqueItems": False}, {"uniqueItems": True}, {"uniqueItems": True}),
        ({"if": {}}, {"if": {"type": "string"}}, {"if": {}}),
        ({"properties": {"a": {}}}, {"properties": {"b": True}}, {"properties": {"a": {}, "b": True}}),
        (
            {"properties": {"a": {"type": "string"}}},
            {"properties": {"a": {"minLength": 1}}},
            {"properties": {"a": {"allOf": [{"type": "string"}, {"minLength": 1}]}}},
        ),
        ({"items": {"a": 1}}, {"items": {"b": 1}}, {"items": {"allOf": [{"a": 1}, {"b": 1}]}}),
        (
            {"additionalProperties": {"a": 1}},
            {"additionalProperties": {"b": 1}},
            {"additionalProperties": {"allOf": [{"a": 1}, {"b": 1}]}},
        ),
    ],
)
def test_what_both_ask_for_is_asked_for_once(first: Schema, second: Schema, merged: Schema) -> None:
    assert merge(first, second) == merged


@pytest.mark.parametrize(
    ("first", "second", "keyword"),
    [
        ({"type": "string"}, {"type": "integer"}, "type"),
        ({"const": 1}, {"const": 2}, "const"),
        ({"anyOf": [1]}, {"anyOf": [2]}, "anyOf"),
        ({"properties": 1}, {"properties": {}}, "properties"),
        ({"required": 1}, {"required": []}, "required"),
    ],
)
def test_what_no_single_field_can_show_is_refused_with_the_keyword(first: Schema, second: Schema, keyword: str) -> None:
    with pytest.raises(CannotMerge, match=keyword):
        merge(first, second)
