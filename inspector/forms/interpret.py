"""Interpretation of typed text: text + field → value. The one reader for forms and the command line.

A field is a place to type, and what is typed decides the value. Text that the schema accepts becomes that value,
preferring, in order: the branch that is selected, an object or array whose JSON it is, the branches as listed, a
string. A branch for which the text itself is the value is preferred to one that converts it: `012` is "012" for an
integer or a string. So `5` is 5 for an integer or null, "5" for a string or an integer, and 5 without a type, where
`abc` is "abc" and `{"a": 1}` an object. Text that nothing accepts is kept as a string, with the reason.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    BoolField,
    Branch,
    ChoiceField,
    ConstField,
    Field,
    JsonField,
    NullField,
    NumberField,
    ObjectField,
    Opened,
    TextField,
    UnionField,
    kind_of,
    opened,
)
from inspector.forms.keywords import is_multiple, wrong_format
from inspector.forms.patterns import PatternUnusable, matches
from inspector.forms.simple import as_text
from inspector.forms.typed import Parsed, parse_integer, parse_json, parse_number, same, text_of
from inspector.forms.values import branch_of, suits

_DEEPEST: Final = 8
"""Maximum nesting of unions."""
_MOST: Final = 500
"""Maximum number of alternatives that are tried: nested unions can have a hundred million."""

_JSON_KINDS: Final[Mapping[type, str]] = {
    str: "string", int: "integer", float: "number", type(None): "null", dict: "object", list: "array",
}  # fmt: skip

_CONTAINERS: Final = (ObjectField, ArrayField, JsonField)


class Reading(msgspec.Struct, frozen=True):
    """A typed text as a value."""

    value: object
    """The value to send: the text itself if nothing accepts it; UNSET if blank text means no value here."""
    kind: str
    """Kind of the value in a word ("integer"), as the field shows it."""
    branch: int | None = None
    """Index of the branch of a union that accepts the text; None for null, for other fields, and if none does."""
    problem: str = ""
    """Why the text is not a value of this field, without subject ("is not a number"); "" if it is."""
    note: str = ""
    """A note about the accepted value; usually ""."""


class _Candidate(NamedTuple):
    branch: int | None
    field: Opened
    reading: Reading


def interpret(field: Field, text: str, selected: int | None = None) -> Reading:
    """Interpret `text` as the value of `field`. Pure, fast, never raises.

    `selected` is the index in `branches_of(field)` of the branch that the user has selected. "" is the empty string
    for a string, and UNSET otherwise. `null` is null where it is allowed, except where a string accepts it. The value
    is checked as far as it decides between branches: validation remains necessary.
    """
    asked = opened(field)
    branches = branches_of(asked)
    if not isinstance(asked, UnionField):
        only = branches[selected].field if selected is not None and 0 <= selected < len(branches) else asked
        return _read_one(opened(only), text)
    order = list(range(len(branches)))
    if selected is not None and 0 <= selected < len(branches):
        order.insert(0, order.pop(selected))
    found = list(_alternatives(asked, branches, order))
    if not text.strip():
        return _read_blank(found, text)
    read = [_Candidate(branch, each, _read_one(each, text)) for branch, each in found]
    fit = [each for each in read if not each.reading.problem]
    good = [each for each in fit if accepts(each.field, each.reading.value)]
    chosen = [each for each in good if selected is not None and each.branch == selected]
    parts = [each for each in good if _has_parts(each)]
    literal = [each for each in good if is_literal(each.field, each.reading, text)]
    first = next(iter([*chosen, *parts, *literal, *good, *fit]), None)
    if first is not None:
        likeliest = _likeliest(first, fit)
        return msgspec.structs.replace(likeliest.reading, branch=likeliest.branch)
    value = _json_or_text(text) if any(isinstance(each, _CONTAINERS) for _, each in found) else text
    wanted = list(dict.fromkeys(_wanted(each) for _, each in found))
    return Reading(value, json_kind(value), problem=f"is not {_listing(wanted[:6])}")


def branches_of(field: Field) -> tuple[Branch, ...]:
    """Return the alternatives to choose from: those of a union, or JSON and string where there is no type."""
    asked = opened(field)
    if isinstance(asked, UnionField):
        return asked.branches
    if isinstance(asked, JsonField):
        return (Branch("JSON", asked), Branch("string", TextField(schema=asked.schema)))
    return ()


def text_for(field: Field, value: object, selected: int | None = None) -> tuple[str, int | None] | None:
    """Return the text that reads back as `value`, and the branch to select for that; None if only JSON shows it.

    The text of UNSET and null is "": these are states of the field, which it shows in another way.
    """
    text = text_of(field, value)
    if value is UNSET or value is None or value == "":
        return "" if value is None else text, selected
    for branch in dict.fromkeys((selected, None, *range(len(branches_of(field))))):
        if same(interpret(field, text, branch).value, value):
            return text, branch
    return None


def interpret_json(text: str) -> Reading:
    """Interpret text as JSON, whatever the schema is: a value that does not fit its field is edited this way."""
    parsed = parse_json(text)
    value = text if parsed.problem else parsed.value
    return Reading(value, json_kind(value), problem=parsed.problem)


def accepts(field: Opened, value: object) -> bool:
    """Return whether a value that was read for the field is within its limits: bounds, length, pattern, format."""
    if isinstance(field, NumberField) and isinstance(value, int | float):
        return is_within_bounds(field, value)
    if isinstance(field, TextField) and isinstance(value, str):
        fits_in = field.min_length <= len(value) and (field.max_length is None or len(value) <= field.max_length)
        return fits_in and not wrong_format(field.format, value) and _matches(field.pattern, value)
    return True


def is_literal(field: Opened, reading: Reading, text: str) -> bool:
    """Return whether a text is itself the value: 012 is the string, and the number 12 only where none is.

    A number that can't keep all digits of the text is another value.
    """
    value = reading.value
    if value == text or (isinstance(field, ChoiceField) and any(each.title == text for each in field.options)):
        return True
    parsed = parse_json(text)
    return not parsed.problem and not reading.note and same(parsed.value, value)


def json_kind(value: object) -> str:
    """Return the JSON type of a value in a word."""
    return "boolean" if isinstance(value, bool) else _JSON_KINDS.get(type(value), "JSON")


def _has_parts(each: _Candidate) -> bool:
    """Whether a text is the JSON of an object or an array that fits: then it is not meant as a string."""
    value, is_json = each.reading.value, isinstance(each.field, JsonField)
    return isinstance(value, dict | list) and not is_json and suits(each.field, value)


def _alternatives(
    asked: Opened, branches: Sequence[Branch], order: Sequence[int]
) -> Iterator[tuple[int | None, Opened]]:
    """Yield the alternatives in order of preference, those of nested unions in place, null last."""
    waiting: list[tuple[int | None, Field, int]] = [(branch, branches[branch].field, 0) for branch in reversed(order)]
    for _ in range(_MOST):
        if not waiting:
            break
        branch, field, depth = waiting.pop()
        each = opened(field)
        if not isinstance(each, UnionField):
            yield branch, each
            continue
        if depth < _DEEPEST:
            waiting += [(branch, inner.field, depth + 1) for inner in reversed(each.branches)]
        if each.nullable:
            waiting.insert(0, (branch, NullField(schema=each.schema), depth))
    if asked.nullable and isinstance(asked, UnionField):
        yield None, NullField(schema=asked.schema)


def _read_blank(found: Sequence[tuple[int | None, Opened]], text: str) -> Reading:
    """Blank text is a string only if a string is preferred to the other alternatives."""
    branch, first = found[0] if found else (None, NullField(schema=None))
    return Reading(text, "string", branch) if isinstance(first, TextField) else Reading(UNSET, kind_of(first))


def _likeliest(first: _Candidate, fit: Sequence[_Candidate]) -> _Candidate:
    """Return the first one; of several objects or arrays, the one with the most similar members."""
    if not isinstance(first.reading.value, dict | list):
        return first
    alike = [each for each in fit if type(each.field) is type(first.field)]
    best = branch_of(
        UnionField(schema=None, branches=tuple(Branch("", each.field) for each in alike)), first.reading.value
    )
    return first if best is None else alike[best]


def _read_one(asked: Opened, text: str) -> Reading:
    """Read text for a field without branches."""
    means_null = asked.nullable and text.strip() == "null"
    if isinstance(asked, TextField):
        return Reading(None, "null") if means_null and not accepts(asked, text) else Reading(text, "string")
    kind = kind_of(asked)
    if not text.strip():
        return Reading(UNSET, kind)
    if means_null:
        return Reading(None, "null")
    parsed = _READERS[type(asked)](asked, text)
    value = text if parsed.value is UNSET else parsed.value
    shown = json_kind(value) if isinstance(asked, JsonField) else kind
    return Reading(value, shown, problem=parsed.problem, note=parsed.note)


def _read_number(asked: Opened, text: str) -> Parsed:
    if isinstance(asked, NumberField) and asked.integer:
        return parse_integer(text)
    return parse_number(text)


def _read_bool(asked: Opened, text: str) -> Parsed:
    word = text.strip().lower()
    return Parsed(word == "true") if word in ("true", "false") else Parsed(text, "must be true or false")


def _read_null(asked: Opened, text: str) -> Parsed:
    return Parsed(None) if text.strip() == "null" else Parsed(text, "must be null")


def _read_const(asked: Opened, text: str) -> Parsed:
    assert isinstance(asked, ConstField)
    if text.strip().casefold() == as_text(asked.value).casefold():
        return Parsed(asked.value)
    value = _json_or_text(text)
    return Parsed(value, "" if same(value, asked.value) else f"must be {_wanted(asked)}")


def _read_choice(asked: Opened, text: str) -> Parsed:
    """Match by title, then by value, then without regard to case. Unlisted values may be sent on purpose."""
    assert isinstance(asked, ChoiceField)
    found = _option_of(asked, text)
    if found is not UNSET:
        return Parsed([found] if asked.multi else found)
    value = _json_or_text(text)
    if asked.multi:
        return Parsed(value, "" if isinstance(value, list) else "is not one of the choices, nor a JSON array of them")
    listed = any(same(option.value, value) for option in asked.options)
    return Parsed(value, "" if listed else "is not one of the choices")


def _option_of(asked: ChoiceField, text: str) -> object:
    for option in asked.options:
        if text in (option.title, as_text(option.value)):
            return option.value
    alike = [each.value for each in asked.options if text.strip().casefold() == each.title.casefold()]
    return alike[0] if len(alike) == 1 else UNSET


def _read_container(asked: Opened, text: str) -> Parsed:
    wanted, noun = (dict, "an object") if isinstance(asked, ObjectField) else (list, "an array")
    parsed = parse_json(text)
    if parsed.problem:
        return Parsed(text, parsed.problem)
    return Parsed(parsed.value, "" if isinstance(parsed.value, wanted) else f"must be {noun}")


def _read_any(asked: Opened, text: str) -> Parsed:
    """JSON is read as such, anything else is a string; what was begun as JSON is reported."""
    parsed = parse_json(text)
    if not parsed.problem:
        return parsed
    return Parsed(text, parsed.problem if text.lstrip()[0] in '{["' else "")


def _json_or_text(text: str) -> object:
    parsed = parse_json(text)
    return text if parsed.problem else parsed.value


_READERS: Final[Mapping[type, Callable[[Opened, str], Parsed]]] = {
    NumberField: _read_number,
    BoolField: _read_bool,
    NullField: _read_null,
    ConstField: _read_const,
    ChoiceField: _read_choice,
    ObjectField: _read_container,
    ArrayField: _read_container,
    JsonField: _read_any,
    UnionField: _read_any,
}


def is_within_bounds(field: NumberField, value: float) -> bool:
    low, high, above, below = field.minimum, field.maximum, field.exclusive_minimum, field.exclusive_maximum
    return (
        (low is None or value >= low)
        and (high is None or value <= high)
        and (above is None or value > above)
        and (below is None or value < below)
        and (not field.integer or value % 1 == 0)
        and (not field.multiple_of or is_multiple(value, field.multiple_of))
    )


def _matches(pattern: str, text: str) -> bool:
    try:
        return not pattern or matches(pattern, text)
    except PatternUnusable:
        return True


def _wanted(field: Opened) -> str:
    """Return what a field accepts, in a word: the value of a fixed one."""
    return as_text(field.value)[:80] if isinstance(field, ConstField) else kind_of(field)


def _listing(words: Sequence[str]) -> str:
    return " or ".join(each for each in (", ".join(words[:-1]), *words[-1:]) if each) or "of any of its types"
