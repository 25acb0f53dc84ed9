"""JSON and numbers as text, and back.

Numbers are read as common JSON parsers do: integers are exact, whatever their size; numbers with a point or an
exponent are IEEE doubles. Numbers that no double can represent (1e400) are rejected. If a double can't keep all
digits, a note states the value that will be sent. -0 becomes -0.0, because integers have no negative zero.
"""

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Final

import msgspec

from inspector.documents import UNDECODABLE
from inspector.forms.fields import UNSET, ChoiceField, Field, opened
from inspector.forms.simple import as_text
from inspector.text import cut

NO_NUMBER: Final = "is not a number (such as 5, -1.5 or 2e10)"
NO_INTEGER: Final = "is not an integer (such as 5 or -12)"
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_MOST_DIGITS: Final = 4_000
"""Below Python's limit of 4,300 digits for reading and writing integers."""


class Parsed(msgspec.Struct, frozen=True):
    value: object
    """The JSON value; UNSET if the text is empty or invalid (see `problem`)."""
    problem: str = ""
    """Why the text is invalid, one sentence; "" if it is valid."""
    note: str = ""
    """A note for the user about the accepted value; usually ""."""


def text_of(field: Field, value: object) -> str:
    """Return the text to edit for `value`: UNSET is ""."""
    if value is UNSET:
        return ""
    asked = opened(field)
    if isinstance(asked, ChoiceField) and not asked.multi:
        return next((each.title for each in asked.options if same(each.value, value)), as_text(value))
    return value if isinstance(value, str) else json_text(value)


def json_text(value: object, *, indent: int | None = 2) -> str:
    """Return JSON to edit; UNSET is "". Containers span several lines unless `indent` is None."""
    if value is UNSET:
        return ""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return as_text(value)
    if indent is None or not isinstance(value, dict | list):
        return text
    try:
        return msgspec.json.format(text, indent=indent)  # a hundredth of the time of `json.dumps` with an indent
    except UNDECODABLE:  # NaN, or a lone surrogate
        return json.dumps(value, ensure_ascii=False, indent=indent)


def parse_json(text: str) -> Parsed:
    """Parse JSON; blank text is UNSET. NaN, Infinity and numbers that no double can represent are rejected."""
    if not text.strip():
        return Parsed(UNSET)
    try:
        return Parsed(_DECODER.decode(text.strip()))
    except json.JSONDecodeError as error:
        return Parsed(UNSET, f"is not JSON: {error.msg.lower()} (line {error.lineno}, column {error.colno})")
    except RecursionError:
        return Parsed(UNSET, "is nested too deep")
    except ValueError as error:
        return Parsed(UNSET, str(error))


def parse_number(text: str) -> Parsed:
    """Parse a number in JSON's notation, or with +5, .5, 5. and leading zeros."""
    found = text.strip()
    if not _NUMBER.fullmatch(found):
        return Parsed(UNSET, NO_NUMBER)
    if _INTEGER.fullmatch(found):
        return _parse_integer(found)
    try:
        return _parse_double(found)
    except ValueError as error:
        return Parsed(UNSET, str(error))


def parse_integer(text: str) -> Parsed:
    """Parse a number as an integer: 1e3 and 5.0 without a point or an exponent, which many servers refuse."""
    parsed = parse_number(text)
    if parsed.problem == NO_NUMBER:
        return msgspec.structs.replace(parsed, problem=NO_INTEGER)
    if not isinstance(parsed.value, float) or parsed.value == 0:
        return parsed
    exact = Decimal(text.strip())
    return (
        Parsed(int(exact))
        if exact == exact.to_integral_value()
        else msgspec.structs.replace(parsed, problem=NO_INTEGER)
    )


def same(left: object, right: object) -> bool:
    """Return whether two JSON values are equal: true is not 1, but 1 and 1.0 are the same number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(each, right[key]) for key, each in left.items())
    return bool(left == right)


def _parse_integer(text: str) -> Parsed:
    if len(text) > _MOST_DIGITS:
        return Parsed(UNSET, f"has more than {_MOST_DIGITS} digits")
    value = int(text)
    return Parsed(-0.0 if value == 0 and text.startswith("-") else value)


def _parse_double(text: str) -> Parsed:
    value = _double(text)
    try:
        exact = Decimal(text) == Decimal(repr(value))
    except (InvalidOperation, ValueError):
        exact = True
    return Parsed(value, note="" if exact else f"is sent as {value!r}: a JSON number keeps about 17 digits")


def _double(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{cut(text, 40)} is too large for a JSON number")
    return value


def _integer(text: str) -> int | float:
    parsed = _parse_integer(text)
    if isinstance(parsed.value, int | float):
        return parsed.value
    raise ValueError(parsed.problem)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")


_DECODER: Final = json.JSONDecoder(parse_float=_double, parse_int=_integer, parse_constant=_no_constant)
