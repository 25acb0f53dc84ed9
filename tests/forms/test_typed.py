"""What is typed, as JSON and back."""

import json
import math

import pytest
from hypothesis import given

from inspector.forms.fields import UNSET
from inspector.forms.read_schema import read_schema
from inspector.forms.typed import json_text, parse_integer, parse_json, parse_number, same, text_of
from tests.forms.schemas import any_json

TEXT, NUMBER = read_schema({"type": "string"}), read_schema({"type": "number"})
BOOL, MAYBE = read_schema({"type": "boolean"}), read_schema({"type": ["boolean", "null"]})
CHOICE = read_schema({"oneOf": [{"const": "a", "title": "First"}, {"const": 2}]})
ANY = read_schema({})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("+5", 5),
        ("007", 7),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1.5e3", -1500.0),
        (" 9 ", 9),
        ("9" * 40, int("9" * 40)),
    ],
)
def test_numbers_are_read_as_people_write_them_and_integers_stay_exact(text: str, value: float) -> None:
    parsed = parse_number(text)
    assert parsed.value == value
    assert type(parsed.value) is type(value)
    assert parsed.problem == parsed.note == ""


def test_minus_zero_keeps_its_sign() -> None:
    value = parse_number("-0").value
    assert isinstance(value, float)
    assert math.copysign(1, value) == -1


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e3", 1000), ("5.0", 5), ("-2.50e1", -25), (" 007 ", 7), ("9007199254740993.0", 9007199254740993)],
)
def test_an_integer_is_read_without_point_and_exponent(text: str, value: int) -> None:
    parsed = parse_integer(text)
    assert json_text(parsed.value) == str(value)
    assert parsed.problem == parsed.note == ""


@pytest.mark.parametrize("text", ["1.5", "x", "1e-3", "5.00000000000000000001"])
def test_parse_integer_refuses_other_numbers(text: str) -> None:
    assert "not an integer" in parse_integer(text).problem


@pytest.mark.parametrize("text", ["x", "1,5", "0x10", "1_000", "١", "NaN", "Infinity", "1e", "--1"])
def test_parse_number_refuses_other_text(text: str) -> None:
    parsed = parse_number(text)
    assert parsed.value is UNSET
    assert "not a number" in parsed.problem


def test_a_number_that_no_program_can_hold_is_refused_and_one_that_loses_digits_is_noted() -> None:
    assert "too large" in parse_number("1e400").problem
    assert "4000 digits" in parse_number("9" * 5000).problem
    assert parse_number("0.10000000000000000000001").value == 0.1
    assert "0.1" in parse_number("0.10000000000000000000001").note


@pytest.mark.parametrize("text", ["{", "[1,]", "NaN", '{"a": Infinity}', "1e999", "[" * 100_000, "9" * 5000])
def test_broken_json_is_refused_with_a_sentence(text: str) -> None:
    parsed = parse_json(text)
    assert parsed.value is UNSET
    assert parsed.problem


def test_json_problem_has_line_and_column() -> None:
    assert "line 2, column 3" in parse_json("{\n  x: 1}").problem


@given(any_json)
def test_json_that_is_shown_reads_back_as_the_same_value(value: object) -> None:
    parsed = parse_json(json_text(value))
    assert parsed.problem == ""
    assert json.dumps(parsed.value) == json.dumps(value)
    assert same(parsed.value, value)


def test_the_text_of_a_value_is_what_a_person_edits() -> None:
    assert text_of(TEXT, "a\nb") == "a\nb"
    assert text_of(TEXT, UNSET) == ""
    assert text_of(NUMBER, None) == "null"
    assert text_of(CHOICE, "a") == "First"
    assert text_of(CHOICE, "off") == "off"
    assert text_of(ANY, "5") == "5"
    assert text_of(ANY, {"a": 1}) == '{\n  "a": 1\n}'
    assert json_text(UNSET) == ""
    assert json_text([object()]) == "list"


def test_equality_is_that_of_json() -> None:
    assert same(1, 1.0)
    assert not same(1, True)
    assert not same([0], [False])
    assert same({"a": [1], "b": None}, {"b": None, "a": [1.0]})
    assert not same({"a": 1}, {"b": 1})
