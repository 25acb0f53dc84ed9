"""The normal form of a filter: its tree as a text that reads back to the same tree.

It is what a person is shown of a shorthand, what is saved under a name, and what two filters are compared by.
"""

import json
import re
from datetime import UTC, datetime

from inspector.capture.filters.fields import BY_NAME, GRADES, Type
from inspector.capture.filters.terms import And, Compare, Has, Not, Op, Or, Ref, Scope, Step, Term, Value, Words

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_TIMES = (("h", 3600 * 10**9), ("m", 60 * 10**9), ("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))
_SIZES = (("MB", 10**6), ("k", 10**3), ("", 1))


def describe(term: Term | None) -> str:
    """A filter in full; "" for none."""
    return "" if term is None else _joined(term)


def _joined(term: Term) -> str:
    match term:
        case Or(terms):
            return " or ".join(map(_single, terms))
        case And(terms):
            return " and ".join(map(_single, terms))
        case _:
            return _single(term)


def _single(term: Term) -> str:
    match term:
        case Or() | And():
            return f"({_joined(term)})"
        case Not(inner):
            return f"not {_single(inner)}"
        case Has(ref):
            return path_text(ref)
        case Words(text):
            return quoted(text)
        case Compare(ref, op, values):
            return f"{path_text(ref)} {op} {_values(ref, op, values)}"


def path_text(ref: Ref) -> str:
    """A field as a filter names it: `any.params.a["b c"][0]`."""
    prefix = f"{ref.scope}." if ref.scope is not Scope.OWN else ""
    return prefix + ref.name + "".join(map(_step, ref.path))


def _step(step: Step) -> str:
    if step is None:
        return "[*]"
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN.fullmatch(step) else f"[{quoted(step)}]"


def _values(ref: Ref, op: Op, values: tuple[Value, ...]) -> str:
    if op is Op.IN:
        return "{" + ", ".join(value_text(ref, value) for value in values) + "}"
    if op in (Op.MATCHES, Op.DIFFERS, Op.CONTAINS):
        return quoted(str(values[0]))
    return value_text(ref, values[0])


def value_text(ref: Ref, value: Value) -> str:
    """A value as a filter writes it for a field."""
    kind = BY_NAME[ref.name].type
    if isinstance(value, str):
        return value if kind is Type.CHOICE else quoted(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if kind is Type.TIME:
            return _with_unit(value, _TIMES)
        if kind is Type.GRADE and value in range(1, len(GRADES) + 1):
            return GRADES[value - 1]
        if kind is Type.SIZE:
            return _with_unit(value, _SIZES)
        if kind is Type.MOMENT:
            return _moment(value)
    return json.dumps(value)


def _with_unit(value: int, units: tuple[tuple[str, int], ...]) -> str:
    unit, factor = next(each for each in units if value % each[1] == 0 and (value or each[1] == 1))
    return f"{value // factor}{unit}"


def _moment(value: int) -> str:
    seconds, rest = divmod(value, 1_000_000_000)
    try:
        moment = datetime.fromtimestamp(seconds, UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return "00:00"
    return f"{moment:%Y-%m-%dT%H:%M:%S}" + (f".{rest:09}" if rest else "")


def quoted(text: str) -> str:
    """A text between quotes, with what would end it or act on a terminal as escapes."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    code = ord(char)
    return f"\\u{code:04x}" if code < 32 or 127 <= code < 160 or 0xD800 <= code < 0xE000 else char
