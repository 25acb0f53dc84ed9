"""A small value that a schema accepts: what an automatic answer fills in where nothing was prepared.

Defaults first, then the plainest value that the bounds allow. A pattern is not solved: what a default or an example
does not give, is left to fail, and the verdict says so.
"""

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
from inspector.forms.read_schema import read_schema

_DAY = f"{2000}-01-01"  # in one piece it would read as the date of a revision
_BY_FORMAT = {
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "date": _DAY,
    "date-time": f"{_DAY}T00:00:00Z",
    "time": "00:00:00Z",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_DEEPEST = 12
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
                    if depth < _DEEPEST and self._left > 0 and (each.required or each.default is not UNSET)
                }
            case ArrayField():
                return [self._item(asked, at, depth) for at in range(min(asked.min_items, 1000)) if self._left > 0]
            case UnionField() if depth < _DEEPEST:
                return self.sample(asked.branches[0].field, depth + 1)
            case _:
                return None

    def _item(self, field: ArrayField, at: int, depth: int) -> object:
        item = field.item_at(at)
        return None if item is None or depth >= _DEEPEST else self.sample(item, depth + 1)


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
