"""Completion of filters: fields, operators, values seen in the journal, names of saved filters.

Only the text before the cursor counts. It never raises: an invalid text has no suggestions.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from inspector.filters.language.fields import (
    BY_NAME,
    FIELDS,
    GRADES,
    ROOTS,
    And,
    BareText,
    Compare,
    Field,
    FieldScope,
    FieldType,
    Has,
    Not,
    Op,
    Or,
    Ref,
    Step,
    Term,
    Value,
)

_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_TIMES = (("h", 3600 * 10**9), ("m", 60 * 10**9), ("s", 10**9), ("ms", 10**6), ("us", 10**3), ("ns", 1))
_SIZES = (("MB", 10**6), ("k", 10**3), ("", 1))
MOST = 50
"""Maximum number of suggestions."""
_WORD = re.compile(r"""[^\s()"'{},<>=!~]*$""")
_OPEN_STRING = re.compile(r"""(?:^|[\s(=~{,])("[^"]*)$""")
_COMPARED = re.compile(r"""([A-Za-z][\w.]*(?:\["[^"]*"\]|\[[^\]]*\])*)\s*(==|!=|contains|in\s*\{[^}]*)\s*$""")
_FIELD_BEFORE = re.compile(r"(?:^|[\s(])([A-Za-z][\w.]*)\s+$")
_SUGGEST_PLAIN = re.compile(r"[A-Za-z_][\w./:-]*")
_OPERATORS = {
    FieldType.TEXT: ("==", "!=", "~", "contains", "in {"),
    FieldType.CHOICE: ("==", "!=", "in {"),
    FieldType.JSON: ("==", "!=", "~", "contains", ">", "<"),
    FieldType.HEADER: ("==", "~", "contains"),
    FieldType.ID: ("==", "!=", "in {"),
    FieldType.FLAG: (),
}
_MEASURED = (">", "<", "==", "!=")
_WORDS = (("and", "both"), ("or", "one of both"), ("not", "the opposite"))


Seen = Callable[[str], Iterable[str]]
"""Returns the values of a field seen so far, most likely first."""


class Suggestion(msgspec.Struct, frozen=True):
    """A possible replacement of the word at the cursor."""

    text: str
    help: str = ""


class Suggestions(msgspec.Struct, frozen=True):
    """The possible texts from `start` up to the cursor."""

    start: int
    items: tuple[Suggestion, ...] = ()


def describe(term: Term | None) -> str:
    """Return the text of a filter; "" for none."""
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
        case BareText(text):
            return quoted(text)
        case Compare(ref, op, values):
            return f"{path_text(ref)} {op} {_values(ref, op, values)}"


def path_text(ref: Ref) -> str:
    """Format a field as in a filter: `any.params.a["b c"][0]`."""
    prefix = f"{ref.scope}." if ref.scope is not FieldScope.OWN else ""
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
    """Format a value of a field as in a filter."""
    kind = BY_NAME[ref.name].type
    if isinstance(value, str):
        return value if kind is FieldType.CHOICE else quoted(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if kind is FieldType.TIME:
            return _with_unit(value, _TIMES)
        if kind is FieldType.GRADE and value in range(1, len(GRADES) + 1):
            return GRADES[value - 1]
        if kind is FieldType.SIZE:
            return _with_unit(value, _SIZES)
        if kind is FieldType.MOMENT:
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
    """Quote a text. Quotation marks, and characters that affect a terminal, are escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    code = ord(char)
    return f"\\u{code:04x}" if code < 32 or 127 <= code < 160 or 0xD800 <= code < 0xE000 else char


def suggest(before: str, seen: Seen, named: Sequence[str] = ()) -> Suggestions:
    """Suggest how to continue the text before the cursor."""
    opened = _OPEN_STRING.search(before)
    start = opened.start(1) if opened else _start(before)
    word, earlier = before[start:], before[:start]
    compared = _COMPARED.search(earlier)
    if compared:
        return Suggestions(start, _suggest_values(compared.group(1), word.lstrip('"'), seen))
    if opened:
        return Suggestions(start)
    if not word and (field := _field_before(earlier)) is not None:
        operators = _OPERATORS.get(field.type, _MEASURED)
        return Suggestions(start, tuple(Suggestion(each, field.help) for each in operators))
    return Suggestions(start, _words(word, named))


def _start(before: str) -> int:
    found = _WORD.search(before)
    start = found.start() if found else len(before)
    return start + (before[start : start + 1] == "-")


def _field_before(earlier: str) -> Field | None:
    found = _FIELD_BEFORE.search(earlier)
    return _field(found.group(1)) if found else None


def _field(name: str) -> Field | None:
    head, _, rest = name.partition(".")
    if head in ("req", "resp", "any") and rest:
        name = rest
    return BY_NAME.get(name) or (BY_NAME[name.partition(".")[0]] if name.partition(".")[0] in ROOTS else None)


def _suggest_values(name: str, word: str, seen: Seen) -> tuple[Suggestion, ...]:
    field = _field(name.partition("[")[0])
    if field is None:
        return ()
    if field.choices:
        return tuple(Suggestion(each, field.help) for each in field.choices if each.startswith(word.lower()))
    folded = word.casefold()
    found = [each for each in seen(field.name) if folded in each.casefold()]
    found.sort(key=lambda each: not each.casefold().startswith(folded))
    return tuple(Suggestion(_value(each, field), "seen") for each in found[:MOST])


def _value(text: str, field: Field) -> str:
    return text if field.type is FieldType.NUMBER or _SUGGEST_PLAIN.fullmatch(text) else quoted(text)


def _words(word: str, named: Sequence[str]) -> tuple[Suggestion, ...]:
    if word.startswith("@"):
        names = [f"@{name}" for name in named]
        return tuple(Suggestion(name, "saved") for name in names if name.startswith(word))
    if word.startswith("is:"):
        return tuple(_is(word))
    prefix, name = "", word
    head, dot, rest = word.partition(".")
    if dot and head in ("req", "resp", "any"):
        prefix, name = f"{head}.", rest
    folded = name.lower()
    begins = [field for field in FIELDS if field.name.startswith(folded)]
    holds = [field for field in FIELDS if folded in field.name and field not in begins]
    joins = _WORDS if word and not dot else ()
    return (
        *(Suggestion(prefix + field.name, field.help) for field in begins),
        *(Suggestion(each, help_) for each, help_ in joins if each.startswith(folded) and each != folded),
        *(Suggestion(prefix + field.name, field.help) for field in holds),
    )


def _is(word: str) -> Iterable[Suggestion]:
    choices = [*BY_NAME["kind"].choices, *BY_NAME["status"].choices, "probe"]
    for each in dict.fromkeys(choices):
        if f"is:{each}".startswith(word):
            yield Suggestion(f"is:{each}")
