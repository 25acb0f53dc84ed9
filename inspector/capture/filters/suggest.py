"""What could be typed next in a filter: fields, operators, values that were seen, names of filters.

It looks at the text before the cursor only, and never fails: a text that is wrong has nothing proposed.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import msgspec

from inspector.capture.filters.fields import BY_NAME, FIELDS, ROOTS, Field, Type
from inspector.capture.filters.normal import quoted

MOST = 50
"""Proposals."""
_WORD = re.compile(r"""[^\s()"'{},<>=!~]*$""")
_OPEN_STRING = re.compile(r"""(?:^|[\s(=~{,])("[^"]*)$""")
_COMPARED = re.compile(r"""([A-Za-z][\w.]*(?:\["[^"]*"\]|\[[^\]]*\])*)\s*(==|!=|=|contains|in\s*\{[^}]*)\s*$""")
_FIELD_BEFORE = re.compile(r"(?:^|[\s(])([A-Za-z][\w.]*)\s+$")
_PLAIN = re.compile(r"[A-Za-z_][\w./:-]*")
_OPERATORS = {
    Type.TEXT: ("==", "!=", "~", "contains", "in {"),
    Type.CHOICE: ("==", "!=", "in {"),
    Type.JSON: ("==", "!=", "~", "contains", ">", "<"),
    Type.HEADER: ("==", "~", "contains"),
    Type.ID: ("==", "!=", "in {"),
    Type.FLAG: (),
}
_MEASURED = (">", "<", "==", "!=")
_WORDS = (("and", "both"), ("or", "one of both"), ("not", "the opposite"))

Seen = Callable[[str], Iterable[str]]
"""The values of a field that were seen, the likeliest first."""


class Suggestion(msgspec.Struct, frozen=True):
    """Something that could stand in the place of the word at the cursor."""

    text: str
    help: str = ""


class Suggestions(msgspec.Struct, frozen=True):
    """What could stand from `start` up to the cursor."""

    start: int
    items: tuple[Suggestion, ...] = ()


def suggest(before: str, seen: Seen, named: Sequence[str] = ()) -> Suggestions:
    """What could go on after the text before the cursor."""
    opened = _OPEN_STRING.search(before)
    start = opened.start(1) if opened else _start(before)
    word, earlier = before[start:], before[:start]
    compared = _COMPARED.search(earlier)
    if compared:
        return Suggestions(start, _values(compared.group(1), word.lstrip('"'), seen))
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


def _values(name: str, word: str, seen: Seen) -> tuple[Suggestion, ...]:
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
    return text if field.type is Type.NUMBER or _PLAIN.fullmatch(text) else quoted(text)


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
