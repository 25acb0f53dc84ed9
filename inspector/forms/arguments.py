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


# A small value that a schema accepts: what an automatic answer fills in where nothing was prepared.

_DAY = f"{2000}-01-01"  # in one piece it would read as the date of a revision
_BY_FORMAT = {
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "date": _DAY,
    "date-time": f"{_DAY}T00:00:00Z",
    "time": "00:00:00Z",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_SAMPLE_DEEPEST = 12
_LARGEST = 10_000
"""Values and characters: a schema that wants more asks for harm."""


def smallest_valid(schema: object) -> object:
    """A value for a schema: only what is required, and what has a default."""
    return _Sampler().sample(read_schema(schema), 0)


class _Sampler:
    """Makes one value, of a bounded size."""

    def __init__(self) -> None:
        self._left = _LARGEST

    def sample(self, field: Field, depth: int) -> object:
        """A value for a field."""
        self._left -= 1
        if field.default is not UNSET:
            return field.default
        if field.examples:
            return field.examples[0]
        asked = opened(field)
        if field.nullable and depth:
            return None
        match asked:
            case TextField():
                return _BY_FORMAT.get(asked.format, "x" * min(asked.min_length, _LARGEST))
            case NumberField():
                return _number(asked)
            case BoolField():
                return False
            case ConstField():
                return asked.value
            case ChoiceField():
                values = [option.value for option in asked.options]
                return values[: asked.min_items] if asked.multi else values[0]
            case ObjectField():
                return {
                    name: self.sample(each, depth + 1)
                    for name, each in asked.properties
                    if depth < _SAMPLE_DEEPEST and self._left > 0 and (each.required or each.default is not UNSET)
                }
            case ArrayField():
                return [self._item(asked, at, depth) for at in range(min(asked.min_items, 1000)) if self._left > 0]
            case UnionField() if depth < _SAMPLE_DEEPEST:
                return self.sample(asked.branches[0].field, depth + 1)
            case _:
                return None

    def _item(self, field: ArrayField, at: int, depth: int) -> object:
        item = field.item_at(at)
        return None if item is None or depth >= _SAMPLE_DEEPEST else self.sample(item, depth + 1)


def _number(field: NumberField) -> object:
    """The plainest number within the bounds; 0 if none of the likely ones is."""
    bounds = (field.minimum, field.maximum, field.exclusive_minimum, field.exclusive_maximum, field.multiple_of)
    near = [value for bound in bounds if bound is not None for value in (bound, bound + 1, bound - 1)]
    return next((value for value in (0, 1, *near) if _fits(field, value)), 0)


def _fits(field: NumberField, value: float) -> bool:
    low, high, above, below = field.minimum, field.maximum, field.exclusive_minimum, field.exclusive_maximum
    return (
        (low is None or value >= low)
        and (high is None or value <= high)
        and (above is None or value > above)
        and (below is None or value < below)
        and (not field.integer or value % 1 == 0)
        and (not field.multiple_of or _is_multiple(value, field.multiple_of))
    )


def _is_multiple(value: float, step: float) -> bool:
    try:
        return not value % step
    except OverflowError:  # of a whole number that no fraction can be compared with
        return False
