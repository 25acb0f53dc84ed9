"""The schemas that elicitation allows, in all protocol versions: each takes typed text, titles included."""

from typing import Any

import pytest

from inspector.forms.arguments import smallest_valid
from inspector.forms.interpret import interpret
from inspector.forms.validate import validate
from tests.schemas.page import field_of
from tests.schemas.values import as_tool, is_valid, is_valid_by_rust

TITLED = [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string", "minLength": 2, "maxLength": 9}, "Oslo", "Oslo"),
        ({"type": "string", "format": "email"}, "a@example.com", "a@example.com"),
        ({"type": "string", "format": "uri"}, "https://example.com", "https://example.com"),
        ({"type": "string", "format": "date"}, "2031-12-31", "2031-12-31"),
        ({"type": "string", "format": "date-time"}, "2031-12-31T10:00:00Z", "2031-12-31T10:00:00Z"),
        ({"type": "string", "default": "Oslo"}, "5", "5"),
        ({"type": "number", "minimum": 0, "maximum": 100}, "1.5", 1.5),
        ({"type": "integer", "default": 3}, "7", 7),
        ({"type": "boolean", "default": False}, "true", True),
        ({"type": "string", "enum": ["r", "g"]}, "g", "g"),
        ({"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]}, "Green", "g"),
        ({"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]}, "g", "g"),
        ({"type": "string", "oneOf": TITLED}, "green", "g"),
        ({"type": "string", "oneOf": TITLED, "default": "r"}, "g", "g"),
        ({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}}, "g", ["g"]),
        ({"type": "array", "items": {"anyOf": TITLED}, "minItems": 1}, "Green", ["g"]),
        ({"type": "array", "items": {"anyOf": TITLED}, "minItems": 1}, '["r", "g"]', ["r", "g"]),
    ],
)
def test_answer_to_an_elicitation_takes_the_typed_value(schema: Any, text: str, value: Any) -> None:
    reading = interpret(field_of(schema), text)
    assert (reading.value, reading.problem) == (value, "")
    assert type(reading.value) is type(value)
    assert validate(as_tool(schema), {"value": value}).ok
    assert is_valid(schema, value)
    assert is_valid_by_rust(schema, value)
    assert is_valid_by_rust(schema, smallest_valid(schema))
