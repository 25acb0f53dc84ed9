"""name=text on a command line: a text, unless the schema says otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.forms.arguments import argument_field, coerce_argument
from tests.forms.schemas import schema_like

SCHEMA = {
    "type": "object",
    "$defs": {"port": {"type": "integer"}},
    "properties": {
        "s": {"type": "string"},
        "i": {"type": "integer"},
        "n": {"type": "number"},
        "b": {"type": "boolean"},
        "maybe": {"type": ["integer", "null"]},
        "name": {"type": ["string", "null"]},
        "both": {"type": ["integer", "string"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
        "o": {"type": "object"},
        "l": {"type": "array", "items": {"type": "string"}},
        "several": {"type": "array", "items": {"enum": ["a"]}},
        "level": {"enum": ["low", 1, None]},
        "fixed": {"const": 5},
        "null": {"type": "null"},
        "port": {"$ref": "#/$defs/port"},
        "any": {},
    },
}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("s", "012", "012"),
        ("s", "", ""),
        ("s", "null", "null"),
        ("i", "12", 12),
        ("i", "99999999999999999999", 99999999999999999999),
        ("i", "twelve", "twelve"),
        ("i", "", ""),
        ("n", "1e400", "1e400"),
        ("n", "1.5", 1.5),
        ("b", "true", True),
        ("b", "yes", "yes"),
        ("maybe", "null", None),
        ("maybe", "3", 3),
        ("name", "null", "null"),
        ("both", "3", "3"),
        ("either", "3", 3),
        ("either", "false", False),
        ("either", "x", "x"),
        ("o", '{"a": 1}', {"a": 1}),
        ("o", "[]", "[]"),
        ("l", '["a"]', ["a"]),
        ("l", "a,b", "a,b"),
        ("several", '["a"]', ["a"]),
        ("level", "low", "low"),
        ("level", "1", 1),
        ("level", "null", None),
        ("level", "9", "9"),
        ("fixed", "5", 5),
        ("fixed", "6", "6"),
        ("null", "null", None),
        ("null", "x", "x"),
        ("port", "80", 80),
        ("any", "80", "80"),
        ("unknown", "80", "80"),
    ],
)
def test_a_text_becomes_what_the_schema_asks_for_or_stays_a_text(name: str, text: str, value: object) -> None:
    coerced = coerce_argument(SCHEMA, name, text)
    assert coerced == value
    assert type(coerced) is type(value)


def test_an_argument_is_found_in_the_branches_of_the_root_and_among_the_additional_ones() -> None:
    branches = {"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "integer"}}}]}
    assert coerce_argument(branches, "b", "1") == 1
    assert coerce_argument({"type": "object", "additionalProperties": {"type": "integer"}}, "x", "1") == 1
    assert argument_field(5, "x") is None


@given(schema_like, st.text())
def test_any_schema_and_text_give_a_value(schema: object, text: str) -> None:
    value = coerce_argument({"type": "object", "properties": {"x": schema}}, "x", text)
    assert value is None or isinstance(value, str | int | float | dict | list)


def test_unions_within_unions_are_not_searched_without_end() -> None:
    ways = {f"way{depth}": {"anyOf": [{"$ref": f"#/$defs/way{depth + 1}"}] * 60} for depth in range(7)}
    schema = {"properties": {"x": {"$ref": "#/$defs/way0"}}, "$defs": {**ways, "way7": {"type": "integer"}}}
    assert coerce_argument(schema, "x", "seven") == "seven"
    assert coerce_argument(schema, "x", "7") == 7
    assert (
        coerce_argument({"properties": {"x": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}}, "x", "null") is None
    )


def test_a_union_of_nothing_but_itself_ends() -> None:
    schema = {"properties": {"x": {"anyOf": [{"$ref": "#/properties/x"}] * 60}}}
    assert coerce_argument(schema, "x", "7") == "7"
