"""What stands behind an operator, as the field's type reads it: units, words of a few, times of day."""

import re
from datetime import datetime

from inspector.capture.filters.fields import GRADES, Field, Type
from inspector.capture.filters.lexer import Kind, Token
from inspector.capture.filters.terms import Value
from inspector.errors import FilterError

_NUMBER = re.compile(r"([+-]?(?:\d{1,15}(?:_\d{3})*(?:\.\d{1,15})?|\.\d{1,15})(?:[eE][+-]?\d{1,2})?)([A-Za-zµμ]*)")
_TIMES = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_SIZES = {
    "": 1,
    "b": 1,
    "k": 10**3,
    "kb": 10**3,
    "m": 10**6,
    "mb": 10**6,
    "g": 10**9,
    "gb": 10**9,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
}
_JSON_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}
_CLOCK = re.compile(r"(?:(\d{4})-(\d\d)-(\d\d)[T ])?(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?")
_FORMS = {
    Type.NUMBER: "a number",
    Type.TIME: "a time with its unit, such as 500ms or 2s",
    Type.SIZE: "a size, such as 200, 10k or 64KiB",
    Type.MOMENT: "a time of day, such as 12:30:05",
    Type.FLAG: "nothing: it stands alone",
}


def expected(field: Field) -> str:
    """What may stand behind an operator, in a few words."""
    if field.type in (Type.CHOICE, Type.GRADE):
        return "one of " + ", ".join(field.choices)
    return _FORMS.get(field.type, "a value")


def read(token: Token, field: Field, today: datetime) -> Value:
    """The value of a token for a field. `today` completes a time of day.

    Raises: FilterError.
    """
    match field.type:
        case Type.TEXT | Type.HEADER:
            return token.text
        case Type.CHOICE:
            return _choice(token, field)
        case Type.GRADE:
            return GRADES.index(_choice(token, field)) + 1
        case Type.NUMBER:
            return _plain(_number(token, field, {"": 1}))
        case Type.TIME:
            return round(_number(token, field, _TIMES))
        case Type.SIZE:
            return round(_number(token, field, _SIZES))
        case Type.MOMENT:
            return _moment(token, today)
        case Type.ID | Type.JSON:
            return _json(token)
        case Type.FLAG:
            raise FilterError(f"{field.name} stands alone, or behind not", token.column)


def _choice(token: Token, field: Field) -> str:
    word = token.text.lower().replace(" ", "-").replace("_", "-")
    word = "warning" if word == "warn" and field.type is Type.GRADE else word
    if word not in field.choices:
        raise FilterError(f"{field.name} is {expected(field)}", token.column)
    return word


def _number(token: Token, field: Field, units: dict[str, int]) -> float:
    found = _NUMBER.fullmatch(token.text) if token.kind is Kind.WORD else None
    unit = found.group(2) if found else ""
    factor = units.get(unit.lower() if units is _SIZES else unit)
    if found is None or factor is None:
        raise FilterError(f"{field.name} is compared with {expected(field)}", token.column)
    return float(found.group(1)) * factor


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def _json(token: Token) -> Value:
    if token.kind is Kind.STRING:
        return token.text
    if token.text in _JSON_WORDS:
        return _JSON_WORDS[token.text]
    found = _NUMBER.fullmatch(token.text)
    if found is None or found.group(2):
        return token.text
    return int(token.text) if token.text.lstrip("+-").isdigit() else _plain(float(found.group(1)))


def _moment(token: Token, today: datetime) -> int:
    found = _CLOCK.fullmatch(token.text)
    if found is None:
        raise FilterError("time is compared with a time of day, such as 12:30:05", token.column)
    year, month, day, hour, minute, second, fraction = found.groups()
    try:
        moment = today.replace(hour=int(hour), minute=int(minute), second=int(second or 0), microsecond=0)
        if year:
            moment = moment.replace(year=int(year), month=int(month), day=int(day))
        whole = round(moment.timestamp())
    except (ValueError, OverflowError, OSError):
        raise FilterError(f"there is no time {token.text[:40]}", token.column) from None
    return whole * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))


def span(text: str) -> bool:
    """Whether a word is a number with a unit of time: what `>500ms` alone is about."""
    found = _NUMBER.fullmatch(text)
    return found is not None and found.group(2) in _TIMES and found.group(2) != "m"
