"""The keywords that stand in for the library's, each for what the library does worse."""

import pytest
from jsonschema import Draft202012Validator

from inspector.forms.keywords import OURS
from inspector.forms.validate import validate


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        ({"pattern": "^a"}, "b", [((), "does not match the pattern ^a")]),
        ({"pattern": "^a"}, 5, []),
        ({"required": ["a", "b"]}, {"a": 1}, [(("b",), "is required")]),
        ({"required": ["a"]}, [], []),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, [(("b",), "is required where a is given")]),
        ({"dependentRequired": {"a": ["b"]}}, {"c": 1}, []),
        ({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, {"c": 1}, [(("d",), "is required")]),
        ({"dependencies": {"a": "b"}}, {"a": 1}, [(("b",), "is required where a is given")]),
        ({"dependencies": {"a": ["b"]}}, 5, []),
        (
            {"properties": {"a": {}}, "patternProperties": {"^x": {}}, "additionalProperties": False},
            {"a": 1, "x1": 1, "b": 1},
            [(("b",), "is not a member that the schema allows")],
        ),
        (
            {"additionalProperties": {"type": "string"}},
            {"b": 1},
            [(("b",), "must be a string, and is a number")],
        ),
        ({"additionalProperties": False}, 5, []),
        (
            {"patternProperties": {"^x": {"type": "string"}}},
            {"x": 1, "y": 1},
            [(("x",), "must be a string, and is a number")],
        ),
        ({"patternProperties": {"^x": False}}, [], []),
        ({"patternProperties": {"^x": False}}, {"x": 1}, [(("x",), "is not allowed here")]),
        ({"properties": {"x": False}}, {"x": 1}, [(("x",), "is not allowed here")]),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, [(("ab",), "has a name that the schema does not allow")]),
        ({"propertyNames": False}, 5, []),
        ({"uniqueItems": True}, [1, True, "1", 1.0], [((3,), "is the same as item 0")]),
        ({"uniqueItems": True}, [{"a": [1]}, {"a": [1.0]}, None, False], [((1,), "is the same as item 0")]),
        ({"uniqueItems": False}, [1, 1], []),
        ({"format": "email"}, "x", [((), "is not an email address")]),
        ({"format": 5}, "x", []),
    ],
)
def test_a_fault_stands_at_the_member_that_a_person_would_mend(
    schema: object, value: object, found: list[tuple[tuple[str | int, ...], str]]
) -> None:
    verdict = validate(schema, value)
    assert [(each.path, each.sentence) for each in verdict.problems] == found
    assert verdict.ok is (not found)


def test_many_different_items_are_told_apart_in_one_pass() -> None:
    assert validate({"uniqueItems": True}, [{"a": at} for at in range(20_000)]).ok is True


def test_each_stands_in_for_one_that_the_library_has() -> None:
    assert set(OURS) <= set(Draft202012Validator.VALIDATORS) | {"dependencies"}
