"""Changing one place of a JSON text."""

import json

import pytest

from inspector.features.blame.json_text import in_order, with_escapes, with_member, with_spaces, without_member

ODD = '{ "a":1.0,"a":2,\t"b" : {"c":"\\/\\u00e9é"}}'


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("a",), 3, '{ "a":1.0,"a":3,\t"b" : {"c":"\\/\\u00e9é"}}'),
        (("b", "d"), [1], '{ "a":1.0,"a":2,\t"b" : {"c":"\\/\\u00e9é","d":[1]}}'),
        (("e", "f"), None, '{ "a":1.0,"a":2,\t"b" : {"c":"\\/\\u00e9é"},"e":{"f":null}}'),
        (("a", "x"), 1, '{ "a":1.0,"a":{"x":1},\t"b" : {"c":"\\/\\u00e9é"}}'),
    ],
)
def test_with_member_changes_no_other_character(path: tuple[str, ...], value: object, expected: str) -> None:
    assert with_member(ODD, path, value) == expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (ODD, ("a",), '{ "b" : {"c":"\\/\\u00e9é"}}'),
        (ODD, ("b", "c"), '{ "a":1.0,"a":2,\t"b" : {}}'),
        (ODD, ("b",), '{ "a":1.0,"a":2}'),
        (ODD, ("x", "y"), ODD),
        ("[1]", ("a",), "[1]"),
    ],
)
def test_without_member_changes_no_other_character(text: str, path: tuple[str, ...], expected: str) -> None:
    assert without_member(text, path) == expected


def test_json_in_order_moves_members_with_their_text() -> None:
    assert in_order('{"a": 1.0, "b":2}', (), ["b", "a"]) == '{"b":2, "a": 1.0}'


def test_with_escapes_writes_characters_beyond_ascii_and_nothing_else() -> None:
    text = '{"a":"é😀\\\\u00e9\\n\\u0007"}'
    escaped = with_escapes(text, wanted=True)
    assert escaped == '{"a":"\\u00e9\\ud83d\\ude00\\\\u00e9\\n\\u0007"}'
    assert with_escapes(escaped, wanted=False) == text


def test_with_spaces_leaves_strings_alone() -> None:
    text = '{"a, b: c":[1,2],"d":{}}'
    spaced = with_spaces(text, wanted=True)
    assert spaced == '{"a, b: c": [1, 2], "d": {}}'
    assert with_spaces(spaced, wanted=False) == text
    assert json.loads(spaced) == json.loads(text)
