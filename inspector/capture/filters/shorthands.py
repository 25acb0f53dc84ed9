"""What may be typed for short, and what it stands for: `m:tools/call`, `is:pending`, `larger-than:10k`, `kind:error`.

A shorthand is gone once it is read: the tree, and so what is shown of it, holds only what it stands for.
"""

from collections.abc import Callable
from datetime import datetime

from inspector.capture.filters import values
from inspector.capture.filters.fields import BY_NAME, Type, find, nearest
from inspector.capture.filters.lexer import Token
from inspector.capture.filters.terms import Compare, Has, Op, Ref, Scope, Term
from inspector.errors import FilterError

Make = Callable[[Token, datetime], Term]
"""From the value behind the colon to what is meant; the moment completes times of day."""

_PREFIXES = {"m": "method", "t": "tool", "p": "prompt", "u": "uri"}
_MEASURES = {
    "larger-than": ("size", Op.GT),
    "smaller-than": ("size", Op.LT),
    "slower-than": ("dur", Op.GT),
    "faster-than": ("dur", Op.LT),
}
_KINDS = frozenset(BY_NAME["kind"].choices) - {"error"}
_STATES = frozenset(BY_NAME["status"].choices) - {"error", "pending"}


def shorthand(name: str) -> Make | None:
    """What the word before a colon makes of the value behind it; None if it is no shorthand."""
    if name == "is":
        return _is_what
    if name in _MEASURES:
        return _compared(*_MEASURES[name])
    field = find(_PREFIXES.get(name, name))
    if field is None or field.type in (Type.FLAG, Type.JSON, Type.HEADER):
        return None
    return _compared(field.name, Op.CONTAINS if field.type is Type.TEXT else Op.EQ)


def _compared(name: str, op: Op) -> Make:
    def make(token: Token, today: datetime) -> Term:
        return Compare(Ref(name), op, (values.read(token, BY_NAME[name], today),))

    return make


def _is_what(token: Token, today: datetime) -> Term:
    word = token.text.lower()
    if word in _KINDS:
        return Compare(Ref("kind"), Op.EQ, (word,))
    if word in _STATES:
        return Compare(Ref("status"), Op.EQ, (word,))
    if word == "error":
        return Has(Ref("failed"))
    field = find(word)
    if field is None or field.type is not Type.FLAG:
        known = ", ".join(sorted((*_KINDS, *_STATES, "error", "pending", "probe")))
        raise FilterError(f"is: goes with {known}", token.column)
    return Has(Ref(word))


def unknown(token: Token, name: str, scope: Scope = Scope.OWN) -> FilterError:
    """The error for a field that there is not, with the one that may be meant."""
    prefix = f"{scope}." if scope is not Scope.OWN else ""
    near = nearest(name)
    hint = f": did you mean {prefix}{near}?" if near else ""
    return FilterError(f"there is no field {prefix}{name[:60]}{hint}", token.column)
