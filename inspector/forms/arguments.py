"""Command-line arguments `name=text` as JSON values, and small valid values for automatic answers.

A text is read as the form reads what is typed into the argument's field: see `interpret`.
"""

import re
from collections.abc import Sequence
from typing import Final

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    BoolField,
    ChoiceField,
    ConstField,
    Field,
    NumberField,
    ObjectField,
    TextField,
    UnionField,
    opened,
)
from inspector.forms.interpret import accepts, interpret, is_within_bounds
from inspector.forms.patterns import example_of
from inspector.forms.read_schema import read_schema
from inspector.forms.validate import validate

MOST_MISMATCHES: Final = 5
_NESTED = re.compile(r"[.\[]")
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


def interpret_argument(schema: object, name: str, text: str) -> object:
    """Return the value of the argument `name` for a tool with this input schema.

    It is the text itself if the schema accepts no value that the text could be; validation reports it.
    """
    value = interpret(argument_field(schema, name), text).value
    return text if value is UNSET else value


def mismatches(schema: object, arguments: object) -> list[str]:
    """Return how arguments differ from their schema, one phrase each: "tags must be an array, got a string"."""
    found = validate(schema, {} if arguments is None else arguments).problems
    return [each.about(each.path) for each in found[:MOST_MISMATCHES]]


def undeclared(schema: object, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return which of the names the schema accepts without declaring them, each with a hint about nesting, or ""."""
    root = read_schema(schema)
    places = [opened(each.field) for each in root.branches] if isinstance(root, UnionField) else [root]
    objects = [place for place in places if isinstance(place, ObjectField)]
    known = {name for place in objects for name, _ in place.properties}
    if not known or len(objects) < len(places) or any(each.additional is not True or each.patterns for each in objects):
        return []
    found: list[tuple[str, str]] = []
    for name in names:
        outer, inner = (parts := _NESTED.split(name, maxsplit=1))[0], len(parts) > 1
        hint = nested_hint(schema, outer, "") if inner and outer in known else ""
        found += [(name, hint)] if name not in known else []
    return found


def nested_hint(schema: object, name: str, value: object) -> str:
    """Return how an argument that is an array or an object is written, if its value is a text; "" otherwise."""
    asked = opened(argument_field(schema, name))
    if not isinstance(value, str) or not isinstance(asked, ArrayField | ObjectField):
        return ""
    example = "[…]" if isinstance(asked, ArrayField) else "{…}"
    return f"; what is nested is JSON: -a '{name}:={example}'"


def argument_field(schema: object, name: str) -> Field:
    """Return the field of an argument, also in a union at the root or among additional properties.

    An argument that the schema does not describe has a field without a type.
    """
    root = read_schema(schema)
    places = [opened(each.field) for each in root.branches] if isinstance(root, UnionField) else [root]
    objects = [place for place in places if isinstance(place, ObjectField)]
    named = [found for each in objects if (found := each.child(name)) is not None]
    extra = [each.additional for each in objects if not isinstance(each.additional, bool)]
    return next(iter([*named, *extra]), read_schema({}))


# A small valid value for a schema, for automatic answers without a prepared one.


def smallest_valid(schema: object) -> object:
    """Return a small value for a schema: only required members, and those with a default."""
    return _Sampler().sample(read_schema(schema), 0)


class _Sampler:
    """Creates a sample value of limited size."""

    def __init__(self) -> None:
        self._left = _LARGEST

    def sample(self, field: Field, depth: int) -> object:
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
                return _text(asked)
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


def _text(field: TextField) -> str:
    """Return a text of the format, or a short one that matches the pattern if there is one."""
    plain = _BY_FORMAT.get(field.format, "x" * min(field.min_length, _LARGEST))
    if not field.pattern or accepts(field, plain):
        return plain
    return example_of(field.pattern, field.min_length) or plain


def _number(field: NumberField) -> object:
    """Return a simple number within the bounds; 0 if none of the candidates fits."""
    bounds = (field.minimum, field.maximum, field.exclusive_minimum, field.exclusive_maximum, field.multiple_of)
    near = [value for bound in bounds if bound is not None for value in (bound, bound + 1, bound - 1)]
    return next((value for value in (0, 1, *near) if is_within_bounds(field, value)), 0)
