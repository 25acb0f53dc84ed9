"""The value of a form: JSON, with UNSET where there is no value yet.

Unset, empty and null are different. An UNSET member or item is shown but not sent. A value is kept even if it does
not fit its field, including members that the schema does not mention. So the form and the JSON text are two views of
one value, and neither loses data of the other. Values are never modified in place: `paths` creates new ones.
"""

from typing import Final, TypeAlias

from inspector.forms.fields import (
    UNSET,
    ArrayField,
    BoolField,
    ChoiceField,
    ConstField,
    Field,
    JsonField,
    LazyField,
    NullField,
    NumberField,
    ObjectField,
    Opened,
    TextField,
    UnionField,
    opened,
)
from inspector.forms.read_schema import FormBudget
from inspector.forms.typed import same

FormValue: TypeAlias = object
"""dict, list, str, int, float, bool, None, or UNSET; dicts and lists may contain UNSET."""

MOST_FRESH: Final = 100
"""Maximum number of fields that are filled in when one is added."""
DEEPEST: Final = 128
"""Values below this depth are not converted: no form shows them, so they contain no UNSET."""

_NEVER = -1
_MOST_COMPARED = 100

_ALIKE = 4
"""Maximum depth of the comparison: enough to distinguish branches, and fast."""


def initial_value(field: Field) -> FormValue:
    """Return the initial value of a form: defaults and required fixed values; everything else is UNSET.

    An object that is required, or is the root, contains each property, in the schema's order. An optional object
    without a default is UNSET; it is created when it is opened (`fresh_value`).
    """
    return _initial(field, 0, root=True)


def _initial(field: Field, depth: int, *, root: bool = False) -> FormValue:
    if field.default is not UNSET:
        return from_json(field, field.default) if depth < DEEPEST else field.default
    if isinstance(field, LazyField):
        return UNSET
    needed = field.required or root
    if isinstance(field, ConstField) and needed:
        return field.value
    if isinstance(field, ObjectField) and needed:
        return {name: _initial(each, depth + 1) for name, each in field.properties}
    return UNSET


def fresh_value(field: Field) -> FormValue:
    """Return the value of a field when it is added or opened: its default if that is a value, or what it needs.

    A single value is UNSET until it is typed, except for a fixed one. An array has the minimum number of items, an
    object each of its properties. Recursive or very large values become UNSET where the budget ends.
    """
    return _fresh(field, FormBudget(MOST_FRESH))


def _fresh(field: Field, budget: FormBudget) -> FormValue:
    if field.default is not UNSET and field.default is not None:
        return from_json(field, field.default)
    if not budget.spend():
        return UNSET
    asked = opened(field)
    match asked:
        case ConstField():
            return asked.value
        case ChoiceField():
            return [] if asked.multi else UNSET
        case ObjectField():
            return {name: _member(each, budget) for name, each in asked.properties}
        case ArrayField():
            return _fresh_items(asked, budget)
        case _:
            return UNSET


def _member(field: Field, budget: FormBudget) -> FormValue:
    """Return the value of a property in a new object: required containers are created, others are initial."""
    if field.required and isinstance(field, ObjectField | ArrayField):
        return _fresh(field, budget)
    return _initial(field, 0)


def _fresh_items(asked: ArrayField, budget: FormBudget) -> FormValue:
    """Return the minimum number of items, within the budget."""
    wanted = [asked.item_at(index) for index in range(min(asked.min_items, MOST_FRESH))]
    return [UNSET if each is None else _fresh(each, budget) for each in wanted]


def to_json(value: FormValue) -> object:
    """Return the JSON to send, without UNSET members, and without UNSET items at the end of arrays.

    Items after an UNSET one keep their places: null takes that of the UNSET one. UNSET itself stays UNSET.
    """
    return _to_json(value, 0)


def _to_json(value: FormValue, depth: int) -> object:
    if depth > DEEPEST:
        return value
    if isinstance(value, dict):
        return {key: _to_json(each, depth + 1) for key, each in value.items() if each is not UNSET}
    if isinstance(value, list):
        count = max((at for at, each in enumerate(value, 1) if each is not UNSET), default=0)
        return [None if each is UNSET else _to_json(each, depth + 1) for each in value[:count]]
    return value


def from_json(field: Field, value: object) -> FormValue:
    """Convert JSON to a value of the form: unchanged, plus UNSET for each missing property.

    `to_json(from_json(field, value))` is `value`, for any field and value.
    """
    return _from_json(field, value, 0)


def _from_json(field: Field | None, value: object, depth: int) -> FormValue:
    if depth > DEEPEST or not isinstance(value, dict | list):
        return value
    asked = None if field is None else opened(field)
    if isinstance(asked, UnionField):
        chosen = branch_of(asked, value)
        return _from_json(None if chosen is None else asked.branches[chosen].field, value, depth + 1)
    if isinstance(value, list):
        items = asked if isinstance(asked, ArrayField) else None
        return [_from_json(items.item_at(at) if items else None, each, depth + 1) for at, each in enumerate(value)]
    return _members(asked if isinstance(asked, ObjectField) else None, value, depth)


def _members(asked: ObjectField | None, value: dict[str, object], depth: int) -> dict[str, object]:
    if asked is None:
        return {name: _from_json(None, each, depth + 1) for name, each in value.items()}
    known = dict(asked.properties)
    members = {name: _from_json(known.get(name), each, depth + 1) for name, each in value.items()}
    for name in known:
        members.setdefault(name, UNSET)
    return members


def fits(field: Field, value: FormValue) -> bool:
    """Return whether the field's widget can show the value. No validation: "abc" fits a text of at most two letters.

    UNSET always fits. A value that does not fit is kept, and is shown and edited as JSON.
    """
    return value is UNSET or _score(opened(field), value, 0) >= 0


def suits(field: Field, value: object, depth: int = 0) -> bool:
    """Return whether the items and members of a value fit, too, as deep as branches are compared."""
    asked = opened(field)
    if depth > _ALIKE:
        return True
    match asked:
        case ArrayField() if isinstance(value, list):
            items = [(asked.item_at(at), each) for at, each in enumerate(value[:_MOST_COMPARED])]
            return all(item is not None and suits(item, each, depth + 1) for item, each in items)
        case ObjectField() if isinstance(value, dict):
            named = {name: each for name, each in asked.properties if name in value or each.required}
            return all(name in value and suits(each, value[name], depth + 1) for name, each in named.items())
        case UnionField():
            return fits(asked, value) and (
                value is None or any(suits(each.field, value, depth + 1) for each in asked.branches)
            )
        case _:
            return fits(asked, value)


def branch_of(union: UnionField, value: FormValue) -> int | None:
    """Return the index of the branch that fits a value best, the first one if equal; 0 for UNSET, None if none fits."""
    if value is UNSET:
        return 0
    scores = [_score(opened(each.field), value, 0) for each in union.branches]
    best = max(scores)
    return scores.index(best) if best >= 0 else None


def _score(asked: Opened, value: object, depth: int) -> int:
    """Rate how well a value's structure matches: negative if it does not, higher for more evidence."""
    if value is None and asked.nullable:
        return 1
    match asked:
        case TextField():
            return 1 if isinstance(value, str) else _NEVER
        case NumberField():
            return _number_score(asked, value)
        case BoolField():
            return 2 if isinstance(value, bool) else _NEVER
        case NullField():
            return 2 if value is None else _NEVER
        case ConstField():
            return 3 if same(asked.value, value) else _NEVER
        case ChoiceField():
            return _choice_score(asked, value)
        case ObjectField():
            return _object_score(asked, value, depth)
        case ArrayField():
            return _array_score(asked, value, depth)
        case UnionField():
            if depth > _ALIKE:
                return 0
            return max(_score(opened(each.field), value, depth + 1) for each in asked.branches)
        case JsonField():
            return 0


def _number_score(asked: NumberField, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _NEVER
    whole = isinstance(value, int) or value.is_integer()
    if asked.integer:
        return 2 if whole else _NEVER
    return 1


def _choice_score(asked: ChoiceField, value: object) -> int:
    def listed(each: object) -> bool:
        return any(same(option.value, each) for option in asked.options)

    if not asked.multi:
        return 3 if listed(value) else _NEVER
    if not isinstance(value, list) or not all(each is not UNSET and listed(each) for each in value):
        return _NEVER
    return _NEVER if any(same(a, b) for at, a in enumerate(value[:100]) for b in value[:at]) else 3


def _object_score(asked: ObjectField, value: object, depth: int) -> int:
    """Rate an object: named members count for it, missing and unknown ones against it; a wrong fixed one decides."""
    if not isinstance(value, dict):
        return _NEVER
    if depth > _ALIKE:
        return 0
    score = 100
    for name, each in asked.properties:
        given = value.get(name, UNSET)
        if given is UNSET:
            score -= 2 if each.required else 0
            continue
        inner = 0 if isinstance(each, LazyField) else _score(each, given, depth + 1)
        if inner < 0 and isinstance(each, ConstField):
            return 0
        score += 3 if inner >= 0 else -3
    unknown = len(value.keys() - {name for name, _ in asked.properties})
    return max(score - (2 * unknown if not asked.is_open() else 0), 0)


def _array_score(asked: ArrayField, value: object, depth: int) -> int:
    if not isinstance(value, list):
        return _NEVER
    if depth > _ALIKE:
        return 0
    score = 1
    for at, given in enumerate(value[:20]):
        each = asked.item_at(at)
        if each is None:
            score -= 1
        elif not isinstance(each, LazyField) and given is not UNSET:
            score += 1 if _score(each, given, depth + 1) >= 0 else -1
    return max(score, 0)
