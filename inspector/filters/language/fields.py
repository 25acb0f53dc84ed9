"""The fields of the filter language, for parser, evaluator, completion, help and docs/filters.md."""

from collections.abc import Iterator
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path

import msgspec

GRADES = ("hint", "warning", "error")
"""Severities in ascending order, compared by their position from 1."""
ROOTS = ("params", "args", "result", "error")
"""Fields with a path into JSON."""
EVERY = None
"""The step `[*]` of a path: every item of an array."""
_ROWS = [row.split("\t") for row in Path(__file__).with_suffix(".tsv").read_text("utf-8").splitlines()[1:]]


class FieldType(StrEnum):
    """The type of a field's values, which decides its operators and units."""

    TEXT = "text"
    CHOICE = "choice"
    """One of a few values."""
    GRADE = "severity"
    """One of GRADES, which are ordered."""
    NUMBER = "number"
    TIME = "time"
    """A duration: `500ms`, `1.5s`, `2m`, `1h`."""
    SIZE = "size"
    """Bytes: `200`, `10k`, `1.5MB`, `64KiB`."""
    MOMENT = "moment"
    """A time of day, `12:30:05`, or a date with one."""
    ID = "id"
    """A number or a string; `1` is not `"1"`."""
    FLAG = "flag"
    """Set or not; takes no operator."""
    JSON = "json"
    """Any value, at the path after the name: `params.a.b[0]["c d"][*]`."""
    HEADER = "header"
    """The value of a header by its name: `http.header["content-type"]`."""


class Field(msgspec.Struct, frozen=True):
    name: str
    type: FieldType
    help: str
    """What it is, without a full stop."""
    columns: bool = True
    """Whether it is known without reading the message from the file."""
    choices: tuple[str, ...] = ()
    example: str = ""


FIELDS = tuple(
    Field(name, FieldType(type_), help_, where == "columns", tuple(filter(None, choices.split(","))), example)
    for name, type_, where, choices, example, help_ in _ROWS
)
"""In the order of help and completion."""

BY_NAME = {field.name: field for field in FIELDS}
KINDS, STATES = BY_NAME["kind"].choices, BY_NAME["status"].choices


class FieldScope(StrEnum):
    """The message whose field is read."""

    OWN = ""
    """The message itself."""
    REQUEST = "req"
    """The request of its exchange."""
    RESPONSE = "resp"
    """The response of its exchange."""
    ANY = "any"
    """Any of the three: the message itself, its request, its response."""


class Op(StrEnum):
    """A comparison. False if the message does not have the field."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    MATCHES = "~"
    DIFFERS = "!~"
    CONTAINS = "contains"
    IN = "in"


Step = str | int | None
Value = bool | int | float | str | None


class Ref(msgspec.Struct, frozen=True):
    """A field as a filter names it."""

    name: str
    """A name in FIELDS; "params", "result", "error", "args" and "http.header" have a path."""
    path: tuple[Step, ...] = ()
    scope: FieldScope = FieldScope.OWN


class Compare(msgspec.Struct, frozen=True):
    """A field compared with a value. Durations are nanoseconds, times nanoseconds since 1970, sizes bytes."""

    ref: Ref
    op: Op
    values: tuple[Value, ...]
    """One; several for `in`."""


class Has(msgspec.Struct, frozen=True):
    """A field without an operator: a flag is set, or another field is present."""

    ref: Ref


class BareText(msgspec.Struct, frozen=True):
    """Text to find in names, states or bytes, ignoring case."""

    text: str


class Not(msgspec.Struct, frozen=True):
    """Negation."""

    term: "Term"


class And(msgspec.Struct, frozen=True):
    """Conjunction of at least two terms, none of them an And."""

    terms: tuple["Term", ...]


class Or(msgspec.Struct, frozen=True):
    """Disjunction of at least two terms, none of them an Or."""

    terms: tuple["Term", ...]


Term = Compare | Has | BareText | Not | And | Or


def find(name: str) -> Field | None:
    """Return the field with this name; None if there is none."""
    return BY_NAME.get(name)


def nearest(name: str) -> str:
    """Return the most similar field name; "" if none is similar."""
    near = get_close_matches(name.lower(), BY_NAME, n=1, cutoff=0.7)
    return near[0] if near else ""


# The tree of a filter.


def all_of(terms: list[Term]) -> Term:
    """Join terms by `and`; a single term is returned unchanged."""
    flat = [each for term in terms for each in (term.terms if isinstance(term, And) else (term,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(terms: list[Term]) -> Term:
    """Join terms by `or`; a single term is returned unchanged."""
    flat = [each for term in terms for each in (term.terms if isinstance(term, Or) else (term,))]
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def opposite(term: Term) -> Term:
    """Negate a term, removing a double negation."""
    return term.term if isinstance(term, Not) else Not(term)


def refs(term: Term) -> Iterator[Ref]:
    """Yield the fields of a filter, each as it is used."""
    match term:
        case And(terms) | Or(terms):
            for each in terms:
                yield from refs(each)
        case Not(inner):
            yield from refs(inner)
        case Has(ref) | Compare(ref):
            yield ref
