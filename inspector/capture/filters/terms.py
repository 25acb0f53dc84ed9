"""What a filter says, as a tree: the parser makes it, the evaluator and the normal form read it.

A tree is plain data. It holds no compiled pattern and no moment of now, so that equal texts have equal trees.
"""

from enum import StrEnum

import msgspec


class Scope(StrEnum):
    """Of which message a field is read."""

    OWN = ""
    """The message itself."""
    REQUEST = "req"
    """The request of its exchange."""
    ANSWER = "resp"
    """The answer of its exchange."""
    ANY = "any"
    """Whichever of the three: the message itself, its request, its answer."""


class Op(StrEnum):
    """How a field is compared. Where a message has no such field, none of them holds."""

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


EVERY = None
"""The step of a path that stands for every item of an array: `[*]`."""
Step = str | int | None
Value = bool | int | float | str | None


class Ref(msgspec.Struct, frozen=True):
    """A field as a filter names it."""

    name: str
    """As the table of fields has it; "params", "result", "error", "args" and "http.header" have a path."""
    path: tuple[Step, ...] = ()
    scope: Scope = Scope.OWN


class Compare(msgspec.Struct, frozen=True):
    """A field against a value. Spans of time are nanoseconds, moments too (since 1970), sizes are bytes."""

    ref: Ref
    op: Op
    values: tuple[Value, ...]
    """One; several for `in`."""


class Has(msgspec.Struct, frozen=True):
    """A field alone: a flag that is set, another field that is there."""

    ref: Ref


class Words(msgspec.Struct, frozen=True):
    """Bare text: found, in any case, in names, states or bytes."""

    text: str


class Not(msgspec.Struct, frozen=True):
    """The opposite."""

    term: "Term"


class And(msgspec.Struct, frozen=True):
    """All of them; never of one, never of another And."""

    terms: tuple["Term", ...]


class Or(msgspec.Struct, frozen=True):
    """At least one of them; never of one, never of another Or."""

    terms: tuple["Term", ...]


Term = Compare | Has | Words | Not | And | Or


def all_of(terms: list[Term]) -> Term:
    """The terms joined by `and`; a single one is itself."""
    flat = [each for term in terms for each in (term.terms if isinstance(term, And) else (term,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def any_of(terms: list[Term]) -> Term:
    """The terms joined by `or`; a single one is itself."""
    flat = [each for term in terms for each in (term.terms if isinstance(term, Or) else (term,))]
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def opposite(term: Term) -> Term:
    """The term under `not`; two of them undo each other."""
    return term.term if isinstance(term, Not) else Not(term)
