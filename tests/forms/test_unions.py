"""Of a union's many errors, the ones that help."""

from jsonschema import Draft202012Validator

from inspector.forms.unions import plain_errors
from inspector.forms.validate import validate

SHAPES = {
    "oneOf": [
        {
            "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
            "required": ["kind", "r"],
            "type": "object",
        },
        {
            "properties": {"kind": {"const": "square"}, "w": {"type": "number"}},
            "required": ["kind", "w"],
            "type": "object",
        },
    ]
}


def told(schema: object, value: object) -> list[tuple[tuple[str | int, ...], str]]:
    """Places and sentences."""
    return [(each.path, each.sentence) for each in validate(schema, value).problems]


def test_the_branch_with_the_right_fixed_member_is_the_one_that_was_meant() -> None:
    assert told(SHAPES, {"kind": "square", "w": "x"}) == [(("w",), "must be a number, and is a string")]
    assert told({"properties": {"s": SHAPES}}, {"s": {"kind": "circle"}}) == [(("s", "r"), "is required")]


def test_a_value_of_no_branchs_type_is_told_what_the_types_are() -> None:
    assert told({"anyOf": [{"type": "string"}, {"type": "null"}]}, 5) == [((), "must be one of these: string, null")]
    assert told(SHAPES, 5) == [((), "must be one of these: object")]
    assert told({"anyOf": [{"const": "a"}, False]}, 5) == [((), "is none of the 2 kinds that the schema allows")]


def test_a_value_of_one_branchs_type_is_told_what_is_wrong_there() -> None:
    assert told({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 3}]}, 1) == [((), "must be at least 3")]
    assert told({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}, "c") == [((), "is not one of: a, b")]


def test_a_value_that_fits_two_branches_of_one_is_told_so() -> None:
    assert told({"oneOf": [{"type": "integer"}, {"minimum": 0}]}, 1) == [
        ((), "fits more than one of the kinds of which it must be exactly one")
    ]


def test_unions_within_unions_are_told_at_the_innermost_place() -> None:
    inner = {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "array"}]}
    assert told({"anyOf": [inner, {"type": "null"}]}, {"a": 1}) == [(("a",), "must be a string, and is a number")]


def test_an_error_that_is_no_unions_is_told_as_it_is() -> None:
    (error,) = Draft202012Validator({"type": "string"}).iter_errors(5)
    assert list(plain_errors(error)) == [(error, "")]
