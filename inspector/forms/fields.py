"""Field: what a schema asks for, as a tree that a form can draw.

The union is closed: code that draws or reads a field matches every kind. A field describes what is asked, never a
value, and keeps its raw schema, because the drawing is a simplification and the schema is not.

    Field
    ├─ TextField NumberField BoolField NullField ConstField     one value
    ├─ ChoiceField                                              one of a list, or several of it
    ├─ ObjectField ArrayField UnionField                        fields within
    ├─ LazyField                                                a field that is read when it is opened
    └─ JsonField                                                what can't be drawn, and why
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final


class Unset(Enum):
    """The type of UNSET, so that type checkers can tell it from a value."""

    UNSET = "unset"

    def __repr__(self) -> str:
        """Say UNSET, as the code does."""
        return "UNSET"

    def __bool__(self) -> bool:
        """Nothing was given: false, like the other empty things."""
        return False


UNSET: Final = Unset.UNSET
"""Not there at all; neither null nor empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What every field has. Title and description are the server's words: foreign text."""

    schema: object
    """As received, after `$ref` and `allOf` were followed where possible."""
    title: str = ""
    """The schema's title, or ""; a property's name is its parent's to say."""
    description: str = ""
    default: object = UNSET
    """The schema's default, which need not fit the schema; UNSET without one."""
    required: bool = False
    """Its parent object lists it as required."""
    nullable: bool = False
    """null is allowed beside what the field's kind says."""
    examples: tuple[object, ...] = ()
    deprecated: bool = False
    read_only: bool = False
    write_only: bool = False
    """Meant to be kept from sight, as passwords are."""

    def constraint_text(self) -> str:
        """What is allowed, on one short line ("1–64 characters · email"); "" if anything of its kind is."""
        return " · ".join([*self._constraints(), *(["or null"] if self.nullable else [])])

    def _constraints(self) -> Iterator[str]:
        return iter(())


@dataclass(frozen=True, slots=True, kw_only=True)
class TextField(_Asked):
    """A string."""

    multiline: bool = False
    """The schema hints at more than one line; a hint, not a rule."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberField(_Asked):
    """A number. Bounds are as the schema has them: integers stay integers."""

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
        signs = (
            ("≥", self.minimum),
            (">", self.exclusive_minimum),
            ("≤", self.maximum),
            ("<", self.exclusive_maximum),
        )
        return ", ".join(f"{sign} {bound}" for sign, bound in signs if bound is not None)

    def _is_closed(self) -> bool:
        ends = self.minimum is not None and self.maximum is not None
        return ends and self.exclusive_minimum is None and self.exclusive_maximum is None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoolField(_Asked):
    """true or false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NullField(_Asked):
    """null and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstField(_Asked):
    """One value, given by the schema."""

    value: object

    def _constraints(self) -> Iterator[str]:
        yield "fixed"


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to choose."""

    value: object
    """The JSON that is sent."""
    title: str
    """How the schema calls it; the value itself as text if it has no name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceField(_Asked):
    """One of a list of values; with `multi`, an array of values of that list."""

    options: tuple[Option, ...]
    multi: bool = False
    min_items: int = 0
    """With multi only, as the next two."""
    max_items: int | None = None
    unique: bool = False

    def _constraints(self) -> Iterator[str]:
        if self.multi:
            yield from _count(self.min_items, self.max_items, "choice")
        else:
            yield f"one of {len(self.options)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectField(_Asked):
    """Named members: the ones the schema names, and perhaps others that the person adds."""

    properties: "tuple[tuple[str, Field], ...]" = ()
    """In the schema's order, which is the order to draw."""
    patterns: "tuple[tuple[str, Field], ...]" = ()
    """patternProperties: a member whose name the pattern finds must be as the field says."""
    additional: "bool | Field" = True
    """Members with other names: any, none, or as this field says."""
    min_properties: int = 0
    max_properties: int | None = None

    def child(self, name: str) -> "Field | None":
        """The field of a property that the schema names, or None."""
        return next((found for known, found in self.properties if known == name), None)

    def is_open(self) -> bool:
        """Whether the person may add members of their own."""
        return self.additional is not False or bool(self.patterns)

    def _constraints(self) -> Iterator[str]:
        yield from _count(self.min_properties, self.max_properties, "member")
        if not self.properties and not self.is_open():
            yield "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayField(_Asked):
    """Items in order: the first ones perhaps each of its own kind, the others alike."""

    prefix: "tuple[Field, ...]" = ()
    """prefixItems, or a draft-07 tuple: the field of item 0, 1, …"""
    item: "Field | None" = None
    """The field of every later item; None if no later item is allowed."""
    min_items: int = 0
    max_items: int | None = None
    unique: bool = False

    def item_at(self, index: int) -> "Field | None":
        """The field of the item at `index`, from 0; None if the schema allows no item there."""
        return self.prefix[index] if 0 <= index < len(self.prefix) else self.item

    def _constraints(self) -> Iterator[str]:
        yield from _count(self.min_items, self.max_items, "item")
        if self.unique:
            yield "unique items"


@dataclass(frozen=True, slots=True)
class Branch:
    """One way a value may be."""

    title: str
    """Never "": the branch's title, the name of its definition, or its kind."""
    field: "Field"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionField(_Asked):
    """One of several fields: oneOf, anyOf, or a list of types."""

    branches: tuple[Branch, ...]

    def _constraints(self) -> Iterator[str]:
        yield f"one of {len(self.branches)} types"


@dataclass(frozen=True, slots=True, kw_only=True)
class LazyField(_Asked):
    """A field that is read when it is opened: the schema refers to itself here, goes deep, or is vast."""

    resolve: "Callable[[], Opened]" = field(compare=False, repr=False)
    """Reads the field; use `opened`. Never raises. Each call reads again."""

    def _constraints(self) -> Iterator[str]:
        yield "expand to see"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonField(_Asked):
    """Any JSON, typed as JSON: what the schema asks for can't be drawn."""

    why: str
    """One sentence for the person: why there is no form here. May quote the schema."""

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
"""A field that has been read."""

Field = Opened | LazyField


def opened(asked: Field) -> Opened:
    """The field itself, read now if it was left for later."""
    return asked.resolve() if isinstance(asked, LazyField) else asked


def _count(least: int, most: int | None, noun: str) -> Iterator[str]:
    """How many there may be: "1–64 characters", "at least 1 item", "exactly 2 items"; nothing if unbounded."""
    if most is None:
        if least > 0:
            yield f"at least {_plural(least, noun)}"
    elif least == most:
        yield f"exactly {_plural(most, noun)}"
    elif least > 0:
        yield f"{least}–{_plural(most, noun)}"
    else:
        yield f"at most {_plural(most, noun)}"


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def kind_of(asked: Field) -> str:
    """The kind of a field in one word a person knows ("string", "integer", "array")."""
    if isinstance(asked, NumberField):
        return "integer" if asked.integer else "number"
    if isinstance(asked, ChoiceField):
        return "choices" if asked.multi else "choice"
    return _KINDS[type(asked)]


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
