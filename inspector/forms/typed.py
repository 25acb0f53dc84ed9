"""Text that a person types, to JSON values and back.

Numbers are what JSON parsers of the world take them for: an integer stays exact whatever its size, anything with a
point or an exponent is an IEEE double. A text that no double can hold (1e400) is refused; one whose digits a double
can't keep is taken with a note that says what will be sent. -0 becomes -0.0, since an integer has no such zero.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from inspector.forms.fields import (
    UNSET,
    BoolField,
    ChoiceField,
    ConstField,
    Field,
    JsonField,
    NullField,
    NumberField,
    Opened,
    TextField,
    opened,
)
from inspector.forms.simple import as_text


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text means."""

    value: object
    """JSON, or UNSET: nothing was typed, or `problem` says why it is nothing."""
    problem: str = ""
    """Why the text is no value, one sentence; "" if it is one."""
    note: str = ""
    """What a person should know about a value that was taken; mostly ""."""


def parse_text(field: Field, text: str) -> Parsed:
    """What `text` means in `field`. "" is the empty text in a text field and UNSET in any other.

    Whether the value satisfies the schema is not asked here.
    """
    asked = opened(field)
    if isinstance(asked, TextField):
        return Parsed(text)
    if not text.strip():
        return Parsed(UNSET)
    return _PARSERS.get(type(asked), _parse_any)(asked, text)


def text_of(field: Field, value: object) -> str:
    """The text to edit for `value`: the inverse of `parse_text` where the value fits the field. UNSET is ""."""
    if value is UNSET:
        return ""
    asked = opened(field)
    if isinstance(asked, ChoiceField) and not asked.multi:
        return next((each.title for each in asked.options if same(each.value, value)), as_text(value))
    if isinstance(value, str) and not isinstance(asked, JsonField | ConstField):
        return value
    return json_text(value)


def json_text(value: object, *, indent: int | None = 2) -> str:
    """JSON to edit; UNSET is "". Containers span lines unless `indent` is None."""
    if value is UNSET:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent if isinstance(value, dict | list) else None)
    except (TypeError, ValueError, RecursionError):
        return as_text(value)


def parse_json(text: str) -> Parsed:
    """JSON typed by hand; "" and blanks are UNSET. NaN, Infinity and numbers no double can hold are refused."""
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
    """A number as people write it: JSON's form, and also +5, .5, 5. and leading zeros."""
    found = text.strip()
    if not _NUMBER.fullmatch(found):
        return Parsed(UNSET, "is not a number (such as 5, -1.5 or 2e10)")
    if _INTEGER.fullmatch(found):
        return _parse_integer(found)
    try:
        return _parse_double(found)
    except ValueError as error:
        return Parsed(UNSET, str(error))


def same(left: object, right: object) -> bool:
    """Equal as JSON has it: true is not 1, 1 and 1.0 are the same number. False where it is too deep to tell."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(each, right[key]) for key, each in left.items())
    return bool(left == right)


_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_MOST_DIGITS: Final = 4_000
"""Python refuses to read or write integers of more than 4,300 digits."""


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
        raise ValueError(f"{text[:40]} is too large for a JSON number")
    return value


def _integer(text: str) -> int | float:
    parsed = _parse_integer(text)
    if isinstance(parsed.value, int | float):
        return parsed.value
    raise ValueError(parsed.problem)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")


_DECODER: Final = json.JSONDecoder(parse_float=_double, parse_int=_integer, parse_constant=_no_constant)


def _parse_number(asked: Opened, text: str) -> Parsed:
    if asked.nullable and text.strip() == "null":
        return Parsed(None)
    return parse_number(text)


def _parse_bool(asked: Opened, text: str) -> Parsed:
    words: dict[str, bool | None] = {"true": True, "false": False}
    if asked.nullable:
        words["null"] = None
    word = text.strip().lower()
    return Parsed(words[word]) if word in words else Parsed(UNSET, "must be true or false")


def _parse_choice(asked: Opened, text: str) -> Parsed:
    """By title, else by value, else any JSON or text: a value off the list can be sent on purpose."""
    assert isinstance(asked, ChoiceField)
    if asked.multi:
        return parse_json(text)
    for option in asked.options:
        if text in (option.title, as_text(option.value)):
            return Parsed(option.value)
    parsed = parse_json(text)
    return Parsed(text) if parsed.problem else parsed


def _parse_null(asked: Opened, text: str) -> Parsed:
    return Parsed(None) if text.strip() == "null" else Parsed(UNSET, "must be null")


def _parse_any(asked: Opened, text: str) -> Parsed:
    return parse_json(text)


_PARSERS: Final[Mapping[type, Callable[[Opened, str], Parsed]]] = {
    NumberField: _parse_number,
    BoolField: _parse_bool,
    ChoiceField: _parse_choice,
    NullField: _parse_null,
}
