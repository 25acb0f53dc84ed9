"""Formats that a text may claim."""

import pytest
from jsonschema import Draft202012Validator

from inspector.forms.keywords import OURS, schema_faults, wrong_format
from inspector.forms.validate import validate


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2032-02-29", "2031-02-29"),
        ("date", "2031-12-31", "31.12.2031"),
        ("time", "23:59:60Z", "23:59"),
        ("date-time", "2031-12-31T23:59:59.5+02:00", "2031-12-31"),
        ("date-time", "2031-12-31t23:59:59z", "2031-12-31T25:59:59Z"),
        ("duration", "P3DT12H", "P"),
        ("duration", "P2W", "P1DT"),
        ("email", "a@b.example", "a@"),
        ("email", "a@b", "a b@c"),
        ("hostname", "a-b.example", "-a.example"),
        ("hostname", "localhost", "a..b"),
        ("ipv4", "192.0.2.255", "192.0.2.256"),
        ("ipv6", "2001:db8::1", "2001:db8"),
        ("ipv6", "::", "fe80::1%eth0"),
        ("uri", "mailto:a@b", "no/scheme"),
        ("uri", "https://example.org/?q=1#x", "https://example.org/a b"),
        ("uri-reference", "../x", "a b"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"),
        ("json-pointer", "/a~1b/0", "a"),
        ("regex", "^a$", "("),
        ("regex", "(a{1000}){1000}", "*"),
    ],
)
def test_format_accepts_and_refuses(name: str, good: str, bad: str) -> None:
    assert wrong_format(name, good) == ""
    assert wrong_format(name, bad) != ""


def test_an_unknown_format_takes_anything() -> None:
    assert wrong_format("passport-number", "") == ""


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        ({"pattern": "^a"}, "b", [((), "does not match the pattern ^a")]),
        ({"pattern": "^a"}, 5, []),
        ({"required": ["a", "b"]}, {"a": 1}, [(("b",), "is required")]),
        ({"required": ["a"]}, [], []),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, [(("b",), "is required because a is set")]),
        ({"dependentRequired": {"a": ["b"]}}, {"c": 1}, []),
        ({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, {"c": 1}, [(("d",), "is required")]),
        ({"dependencies": {"a": "b"}}, {"a": 1}, [(("b",), "is required because a is set")]),
        ({"dependencies": {"a": ["b"]}}, 5, []),
        (
            {"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": False},
            {"a": 1, "x1": 1, "b": 1},
            [(("b",), "is not allowed by the schema")],
        ),
        ({"additionalProperties": {"type": "string"}}, {"b": 1}, [(("b",), "must be a string, got a number")]),
        ({"additionalProperties": False}, 5, []),
        (
            {"patternProperties": {"^x": {"type": "string"}}},
            {"x": 1, "y": 1},
            [(("x",), "must be a string, got a number")],
        ),
        ({"patternProperties": {"^x": False}}, [], []),
        ({"patternProperties": {"^x": False}}, {"x": 1}, [(("x",), "is not allowed here")]),
        ({"properties": {"x": False}}, {"x": 1}, [(("x",), "is not allowed here")]),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, [(("ab",), "has a name that does not match propertyNames")]),
        ({"propertyNames": False}, 5, []),
        ({"uniqueItems": True}, [1, True, "1", 1.0], [((3,), "duplicates item 0")]),
        ({"uniqueItems": True}, [{"a": [1]}, {"a": [1.0]}, None, False], [((1,), "duplicates item 0")]),
        ({"uniqueItems": False}, [1, 1], []),
        ({"format": "email"}, "x", [((), "is not an email address")]),
        ({"format": 5}, "x", []),
        ({"multipleOf": 0.01}, 0.07, []),
        ({"multipleOf": 0.01}, 19.99, []),
        ({"multipleOf": 0.01}, 0.075, [((), "must be a multiple of 0.01")]),
        ({"multipleOf": 5e-324}, 10**400, []),
        ({"multipleOf": 2}, True, []),
    ],
)
def test_problem_is_at_the_member_to_mend(
    schema: object, value: object, found: list[tuple[tuple[str | int, ...], str]]
) -> None:
    verdict = validate(schema, value)
    assert [(each.path, each.sentence) for each in verdict.problems] == found
    assert verdict.ok is (not found)


def test_unique_items_of_a_large_list_is_fast() -> None:
    assert validate({"uniqueItems": True}, [{"a": at} for at in range(20_000)]).ok is True


def test_own_keywords_replace_library_keywords() -> None:
    assert set(OURS) <= set(Draft202012Validator.VALIDATORS) | {"dependencies"}


def test_patterns_and_references_that_are_none_are_found_at_their_places() -> None:
    schema = {
        "properties": {
            "pattern": {"type": "string", "pattern": "("},
            "x": {"patternProperties": {"[": {}, "^fine": {}}},
            "y": [{"$ref": "#/nope"}],
            "z": {"$ref": "#/properties/x"},
            "m": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        },
        "default": {"$ref": "#/data", "pattern": "("},
    }
    found = [(keyword, fault.path) for keyword, fault in schema_faults(schema)]
    assert found == [
        ("pattern", ("properties", "pattern", "pattern")),
        ("patternProperties", ("properties", "x", "patternProperties", "[")),
        ("$ref", ("properties", "y", 0, "$ref")),
    ]


def test_anything_can_be_looked_at() -> None:
    assert list(schema_faults(5)) == []
    assert list(schema_faults([{}] * 20_000)) == []
