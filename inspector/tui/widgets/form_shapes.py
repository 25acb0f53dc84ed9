"""The shape of a field: which of the few ways of drawing fits its kind and its value of the moment.

A field is drawn anew exactly when its shape changes. What the field's own editor can't show becomes "json".
"""

from typing import Literal, TypeAlias

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
from inspector.forms.typed import parse_text
from inspector.forms.values import FormValue, fits
from inspector.tui.widgets.form_editors import in_a_line, many

Shape: TypeAlias = Literal[
    "lazy", "absent", "null", "picker", "options", "several", "line", "block", "number", "json", "object", "list",
    "union",
]  # fmt: skip
"""`lazy` is not read yet, `absent` a container that is unset, `picker` a long list of choices."""


def shape_of(field: Field, value: FormValue) -> Shape:
    """The shape for a value."""
    if isinstance(field, LazyField) and value is UNSET:
        return "lazy"
    asked = opened(field)
    if isinstance(asked, BoolField | ConstField) or (isinstance(asked, ChoiceField) and not asked.multi):
        if value is not None and not fits(asked, value):
            return "json"
        return "picker" if isinstance(asked, ChoiceField) and many(asked) else "options"
    if value is None and not isinstance(asked, JsonField):
        return "null"
    if isinstance(asked, NumberField) and isinstance(value, str) and parse_text(asked, value).problem:
        return "number"  # what was typed is sent, though it is no number
    if not fits(asked, value) and not isinstance(asked, UnionField):
        return "json"
    return _of_kind(asked, value)


def _of_kind(asked: Opened, value: FormValue) -> Shape:
    match asked:
        case TextField():
            return "line" if in_a_line(asked, value) else "block"
        case NumberField():
            return "number"
        case ObjectField():
            return "absent" if value is UNSET else "object"
        case ArrayField():
            return "absent" if value is UNSET else "list"
        case UnionField():
            return "union"
        case ChoiceField():
            return "several"
        case NullField() | JsonField() | BoolField() | ConstField():
            return "json"
