"""Field: the inputs that a schema describes, as a tree for forms.

The union is closed: code that shows or parses a field handles every kind. A field describes the input, not a value.
It keeps its raw schema, because it is a simplification.

    Field
    ├─ TextField NumberField BoolField NullField ConstField     one value
    ├─ ChoiceField                                              one of a list, or several of it
    ├─ ObjectField ArrayField UnionField                        nested fields
    ├─ LazyField                                                a field that is parsed when it is opened
    └─ JsonField                                                anything else, with the reason
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Final

import msgspec

from inspector.text import counted


class Unset(Enum):
    """Type of UNSET, so that type checkers can distinguish it from values."""

    UNSET = "unset"

    def __repr__(self) -> str:
        """Return the name used in code."""
        return "UNSET"

    def __bool__(self) -> bool:
        """Return False, like other empty values."""
        return False


UNSET: Final = Unset.UNSET
"""No value at all; neither null nor empty."""


class _CommonField(msgspec.Struct, frozen=True, kw_only=True):
    """Common members of fields. Title and description are server text."""

    schema: object
    """The schema as received, with `$ref` and `allOf` resolved where possible."""
    title: str = ""
    """The schema's title, or "". The name of a property belongs to its parent."""
    description: str = ""
    default: object = UNSET
    """The schema's default, possibly invalid; UNSET without one."""
    required: bool = False
    """Whether its parent object requires it."""
    nullable: bool = False
    """Whether null is allowed in addition to the field's kind."""
    examples: tuple[object, ...] = ()
    deprecated: bool = False
    read_only: bool = False
    write_only: bool = False
    """Whether the value should be hidden, like a password."""

    def constraint_text(self) -> str:
        """Return the constraints as a short line ("1–64 characters · email"); "" if there are none."""
        return " · ".join([*self._constraints(), *(["or null"] if self.nullable else [])])

    def _constraints(self) -> Iterator[str]:
        return iter(())


class TextField(_CommonField, frozen=True, kw_only=True):
    """A string."""

    multiline: bool = False
    """Whether the schema suggests several lines; only a hint."""
    format: str = ""
    pattern: str = ""
    min_length: int = 0
    max_length: int | None = None

    def _constraints(self) -> Iterator[str]:
        yield from _count(self.min_length, self.max_length, "character")
        if self.format:
            yield self.format
        if self.pattern:
            yield f"matches {self.pattern}"


class NumberField(_CommonField, frozen=True, kw_only=True):
    """A number. Bounds are as in the schema: integers stay integers."""

    integer: bool = False
    minimum: int | float | None = None
    maximum: int | float | None = None
    exclusive_minimum: int | float | None = None
    exclusive_maximum: int | float | None = None
    multiple_of: int | float | None = None

    def _constraints(self) -> Iterator[str]:
        bounds = self._bounds()
        if self.integer:
            yield f"{bounds}, integer" if bounds else "integer"
        elif bounds:
            yield bounds
        if self.multiple_of is not None:
            yield f"a multiple of {self.multiple_of}"

    def _bounds(self) -> str:
        if self._is_closed():
            return f"{self.minimum}–{self.maximum}"
        signs = (("≥", self.minimum), (">", self.exclusive_minimum), ("≤", self.maximum), ("<", self.exclusive_maximum))
        return ", ".join(f"{sign} {bound}" for sign, bound in signs if bound is not None)

    def _is_closed(self) -> bool:
        ends = self.minimum is not None and self.maximum is not None
        return ends and self.exclusive_minimum is None and self.exclusive_maximum is None


class BoolField(_CommonField, frozen=True, kw_only=True):
    """A boolean."""


class NullField(_CommonField, frozen=True, kw_only=True):
    """Only null."""


class ConstField(_CommonField, frozen=True, kw_only=True):
    """A single value, fixed by the schema."""

    value: object

    def _constraints(self) -> Iterator[str]:
        yield "fixed"


class Option(msgspec.Struct, frozen=True):
    value: object
    """The JSON value to send."""
    title: str
    """The schema's label; the value itself as text if it has none."""


class ChoiceField(_CommonField, frozen=True, kw_only=True):
    """One value of a list; with `multi`, an array of values of the list."""

    options: tuple[Option, ...]
    multi: bool = False
    min_items: int = 0
    """Only with `multi`, like the next two."""
    max_items: int | None = None
    unique: bool = False

    def _constraints(self) -> Iterator[str]:
        if self.multi:
            yield from _count(self.min_items, self.max_items, "choice")
        else:
            yield f"one of {len(self.options)}"


class ObjectField(_CommonField, frozen=True, kw_only=True):
    """An object with the properties of the schema, and possibly others that the user adds."""

    properties: "tuple[tuple[str, Field], ...]" = ()
    """Properties in the schema's order, which is also the display order."""
    patterns: "tuple[tuple[str, Field], ...]" = ()
    """patternProperties: members whose name matches the pattern have this field."""
    additional: "bool | Field" = True
    """Other members: allowed, forbidden, or as this field."""
    min_properties: int = 0
    max_properties: int | None = None

    def child(self, name: str) -> "Field | None":
        """Return the field of a property of the schema; None if the schema does not name it."""
        return next((found for known, found in self.properties if known == name), None)

    def is_open(self) -> bool:
        """Return whether the user may add members."""
        return self.additional is not False or bool(self.patterns)

    def _constraints(self) -> Iterator[str]:
        yield from _count(self.min_properties, self.max_properties, "member")
        if not self.properties and not self.is_open():
            yield "empty"


class ArrayField(_CommonField, frozen=True, kw_only=True):
    """An array: optional fields for the first items, and one for all others."""

    prefix: "tuple[Field, ...]" = ()
    """Fields of items 0, 1, … (prefixItems, or a tuple in draft-07)."""
    item: "Field | None" = None
    """Field of all other items; None if no others are allowed."""
    min_items: int = 0
    max_items: int | None = None
    unique: bool = False

    def item_at(self, index: int) -> "Field | None":
        """Return the field of the item at `index`, from 0; None if the schema allows no item there."""
        return self.prefix[index] if 0 <= index < len(self.prefix) else self.item

    def _constraints(self) -> Iterator[str]:
        yield from _count(self.min_items, self.max_items, "item")
        if self.unique:
            yield "unique items"


class Branch(msgspec.Struct, frozen=True):
    """An alternative of a union."""

    title: str
    """The branch's title, the name of its definition, or its kind; never ""."""
    field: "Field"


class UnionField(_CommonField, frozen=True, kw_only=True):
    """One of several alternatives: oneOf, anyOf, or a list of types."""

    branches: tuple[Branch, ...]

    def _constraints(self) -> Iterator[str]:
        yield f"one of {len(self.branches)} types"


class LazyField(_CommonField, frozen=True, kw_only=True, eq=False):
    """A field that is parsed when it is opened, because the schema is recursive, deep or very large here."""

    resolve: "Callable[[], Opened]"
    """Parses the field at the first call; never raises. Use `opened` instead."""

    def __eq__(self, other: object) -> bool:
        """Compare everything but `resolve`, which is a new function in each field."""
        compared = [name for name in self.__struct_fields__ if name != "resolve"]
        return isinstance(other, LazyField) and all(getattr(self, name) == getattr(other, name) for name in compared)

    __hash__ = None  # type: ignore[assignment]

    def _constraints(self) -> Iterator[str]:
        yield "expand to see"


class JsonField(_CommonField, frozen=True, kw_only=True):
    """Any JSON, edited as text, because the schema can't be shown as a form."""

    why: str
    """Why there is no form, one sentence for the user. May quote the schema."""

    def _constraints(self) -> Iterator[str]:
        yield "JSON"


Opened = (
    TextField
    | NumberField
    | BoolField
    | NullField
    | ConstField
    | ChoiceField
    | ObjectField
    | ArrayField
    | UnionField
    | JsonField
)
"""A parsed field."""

Field = Opened | LazyField


_KINDS: Final[Mapping[type, str]] = {
    TextField: "string",
    BoolField: "boolean",
    NullField: "null",
    ConstField: "fixed",
    ObjectField: "object",
    ArrayField: "array",
    UnionField: "one of several",
    LazyField: "more",
    JsonField: "JSON",
}


def opened(asked: Field) -> Opened:
    """Return the field, parsing it if it is a LazyField."""
    return asked.resolve() if isinstance(asked, LazyField) else asked


def _count(least: int, most: int | None, noun: str) -> Iterator[str]:
    """Yield the allowed number of things: "1–64 characters", "at least 1 item"; nothing if it is unlimited."""
    if most is None:
        if least > 0:
            yield f"at least {counted(least, noun)}"
    elif least == most:
        yield f"exactly {counted(most, noun)}"
    elif least > 0:
        yield f"{least:,}–{counted(most, noun)}"
    else:
        yield f"at most {counted(most, noun)}"


def kind_of(asked: Field) -> str:
    """Return the kind of a field in a word for the user ("string", "integer", "array")."""
    if isinstance(asked, NumberField):
        return "integer" if asked.integer else "number"
    if isinstance(asked, ChoiceField):
        return "choices" if asked.multi else "choice"
    return _KINDS[type(asked)]
