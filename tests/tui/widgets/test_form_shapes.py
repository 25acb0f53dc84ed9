"""Which way of drawing a field fits its value."""

from typing import Any

import pytest

from inspector.forms.fields import UNSET
from inspector.forms.read_schema import read_schema
from inspector.tui.widgets.form_shapes import shape_of

NUMBER = {"type": "number"}
ENUM = {"enum": ["a", "b"]}
UNION = {"oneOf": [{"type": "object"}, {"type": "string", "maxLength": 3}]}
SEVERAL = {"type": "array", "items": ENUM}


@pytest.mark.parametrize(
    ("schema", "value", "shape"),
    [
        ({"type": "string"}, UNSET, "line"),
        ({"type": "string"}, "a\nb", "block"),
        ({"type": "string", "maxLength": 5000}, "a", "block"),
        ({"type": "string"}, 7, "json"),
        ({"type": "string"}, None, "null"),
        (NUMBER, 7, "number"),
        (NUMBER, "seven", "number"),
        (NUMBER, "7", "json"),
        ({"type": "boolean"}, UNSET, "options"),
        ({"type": "boolean"}, None, "options"),
        ({"type": "boolean"}, "yes", "json"),
        (ENUM, "a", "options"),
        (ENUM, "z", "json"),
        ({"enum": list(range(100))}, UNSET, "picker"),
        ({"const": 3}, 3, "options"),
        (SEVERAL, ["a"], "several"),
        (SEVERAL, ["z"], "json"),
        ({"type": "object"}, UNSET, "absent"),
        ({"type": "object"}, {}, "object"),
        ({"type": "array", "items": NUMBER}, [], "list"),
        ({"type": "array", "items": NUMBER}, {}, "json"),
        (UNION, UNSET, "union"),
        (UNION, 7, "union"),
        (True, None, "json"),
        ({"type": "null"}, None, "null"),
    ],
)
def test_the_shape_follows_the_kind_and_the_value(schema: Any, value: Any, shape: str) -> None:
    assert shape_of(read_schema(schema), value) == shape


def test_a_field_that_refers_to_itself_is_not_read_before_it_holds_something() -> None:
    schema = {"type": "object", "properties": {"inside": {"$ref": "#"}}}
    root: Any = read_schema(schema)
    (_, inside) = root.properties[0]
    lazy = inside if type(inside).__name__ == "LazyField" else inside.properties[0][1]
    assert shape_of(lazy, UNSET) == "lazy"
    assert shape_of(lazy, {}) == "object"
