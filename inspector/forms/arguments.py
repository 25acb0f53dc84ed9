"""Conversion of command-line arguments `name=text` to JSON values.

A text stays a string unless the schema requires another type: `id=012` is "012" for a string and for a schema that
does not specify a type. A text that can't be converted stays a string, too; validation reports it.
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
from inspector.forms.interpret import is_within_bounds
from inspector.forms.read_schema import read_schema
from inspector.forms.simple import as_text
from inspector.forms.typed import parse_json, parse_number

_DEEPEST = 8
"""Maximum nesting of unions."""
_MOST = 2_000
"""Maximum number of fields to visit: nested unions can have a hundred million."""


def coerce_argument(schema: object, name: str, text: str) -> object:
    """Convert `text` to the value of the argument `name` for a tool with this input schema."""
    asked = argument_field(schema, name)
    return text if asked is None else coerce(asked, text)


def argument_field(schema: object, name: str) -> Field | None:
    """Return the field of an argument, also in a union at the root or among additional properties.

    None if the schema does not describe it.
    """
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
    """Convert `text` for `field`. The text itself is returned for strings, and if it can't be converted."""
    kinds = tuple(_kinds(field))
    if any(isinstance(each, TextField | JsonField) for each in kinds):
        return text
    found = (_coerced(each, text) for each in kinds)
    return next((each for each in found if each is not UNSET), text)


def _kinds(field: Field) -> Iterator[Opened]:
    """Yield the field, or the alternatives of a union, depth first."""
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


# A small valid value for a schema, for automatic answers without a prepared one.

_DAY = f"{2000}-01-01"  # written this way so that it is not taken for a revision
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
"""Maximum number of values, and of characters in a string."""


def smallest_valid(schema: object) -> object:
    """Return a small value for a schema: only required members, and those with a default."""
    return _Sampler().sample(read_schema(schema), 0)


class _Sampler:
    """Creates a sample value of limited size."""

    def __init__(self) -> None:
        self._left = _LARGEST

    def sample(self, field: Field, depth: int) -> object:
        """Return a sample value for a field."""
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
    """Return a simple number within the bounds; 0 if none of the candidates fits."""
    bounds = (field.minimum, field.maximum, field.exclusive_minimum, field.exclusive_maximum, field.multiple_of)
    near = [value for bound in bounds if bound is not None for value in (bound, bound + 1, bound - 1)]
    return next((value for value in (0, 1, *near) if is_within_bounds(field, value)), 0)
