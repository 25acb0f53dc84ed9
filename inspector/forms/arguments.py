"""`name=text` from a command line, as a JSON argument.

A text stays a text unless the schema asks for something else: `id=012` is "012" for a string and for a schema that
does not say. What can't be read as what the schema asks for stays a text too, and the verdict on it is validation's.
"""

from collections.abc import Iterator

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    BoolField,
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
    opened,
)
from inspector.forms.read_schema import read_schema
from inspector.forms.simple import as_text
from inspector.forms.typed import parse_json, parse_number

_DEEPEST = 8
"""Unions within unions."""
_MOST = 2_000
"""Fields that are looked at: a hundred in each of four unions within one another are a hundred million."""


def coerce_argument(schema: object, name: str, text: str) -> object:
    """The value of the argument `name`, given as `text`, for a tool whose input schema is `schema`."""
    asked = argument_field(schema, name)
    return text if asked is None else coerce(asked, text)


def argument_field(schema: object, name: str) -> Field | None:
    """The field of an argument, wherever in the schema's root it is named; None if nothing is said about it."""
    root = read_schema(schema)
    places = [opened(each.field) for each in root.branches] if isinstance(root, UnionField) else [root]
    for place in places:
        if isinstance(place, ObjectField):
            found = place.child(name)
            if found is not None:
                return found
    extra = [place.additional for place in places if isinstance(place, ObjectField)]
    return next((each for each in extra if not isinstance(each, bool)), None)


def coerce(field: Field, text: str) -> object:
    """What `text` is for `field`; the text itself if the field takes a text or `text` is nothing that it takes."""
    kinds = tuple(_kinds(field))
    if any(isinstance(each, TextField | JsonField) for each in kinds):
        return text
    found = (_coerced(each, text) for each in kinds)
    return next((each for each in found if each is not UNSET), text)


def _kinds(field: Field) -> Iterator[Opened]:
    """The field, or what a union offers in the unions' order."""
    waiting = [(field, 0)]
    for _ in range(_MOST):
        if not waiting:
            return
        found, depth = waiting.pop()
        asked = opened(found)
        if not isinstance(asked, UnionField):
            yield asked
            continue
        if asked.nullable:
            yield NullField(schema=asked.schema)
        if depth < _DEEPEST:
            waiting += [(each.field, depth + 1) for each in reversed(asked.branches)]


def _coerced(asked: Opened, text: str) -> object:
    if asked.nullable and text == "null":
        return None
    match asked:
        case NumberField():
            return parse_number(text).value
        case BoolField():
            return {"true": True, "false": False}.get(text, UNSET)
        case NullField():
            return None if text == "null" else UNSET
        case ConstField():
            return asked.value if text == as_text(asked.value) else UNSET
        case ChoiceField() if not asked.multi:
            return next((each.value for each in asked.options if as_text(each.value) == text), UNSET)
        case ObjectField():
            return _json(text, dict)
        case ArrayField() | ChoiceField():
            return _json(text, list)
        case _:
            return UNSET


def _json(text: str, kind: type) -> object:
    value = parse_json(text).value
    return value if isinstance(value, kind) else UNSET
