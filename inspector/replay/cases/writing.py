"""Cases as a person reads them in a file: added to those that are there, comments left where they are.

Values are written as JSON on one line, which YAML reads as the same values. What is added to a
list between brackets is written between them.
"""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from inspector.errors import UsageError
from inspector.replay.cases.model import HEADER, VERSION, Case, Cases, Expectation, Kind
from inspector.replay.cases.reading import read_cases

_NEW = f"# What a server must answer. To try it:  mcp-inspect test FILE TARGET\n{HEADER}: {VERSION}\ncases:\n"
_LONGEST_KEY = 1000
"""Letters of a member's name, between quotes; YAML wants a question mark before a longer one."""
_ONE_VALUE = {Kind.EQUALS, Kind.SNAPSHOT, Kind.TYPE, Kind.EXISTS}
"""Of which a place can have one only."""


def as_yaml(value: Any) -> str:
    """A value on one line: JSON, but for letters that can't be seen, which stand as escapes of YAML.

    Raises: ValueError for what no JSON can say.
    """
    match value:
        case dict():
            return "{" + ", ".join(f"{_key(str(key))}: {as_yaml(each)}" for key, each in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(as_yaml, value)) + "]"
        case str():
            text = json.dumps(value, ensure_ascii=False)
            return text if text.isprintable() else "".join(map(_letter, text))
        case float() if not math.isfinite(value):
            if math.isnan(value):
                raise ValueError("NaN is no value of JSON")
            return "1e999" if value > 0 else "-1e999"
    return json.dumps(value)


def written(case: Case, indent: str = "  ") -> str:
    """A case as its lines."""
    lines = [f"- name: {as_yaml(case.name)}", f"  request: {as_yaml(case.request)}"]
    if case.params:
        lines.append(f"  params: {as_yaml(case.params)}")
    if case.isolate:
        lines.append("  isolate: true")
    if case.answers:
        lines += ["  answers:", *(f"    - {as_yaml(each)}" for each in case.answers)]
    if case.expect:
        lines += ["  expect:", *(f"    {line}" for each in case.expect for line in _expected(each))]
    return "".join(f"{indent}{line}\n" for line in lines)


def with_cases(text: str, cases: Sequence[Case], name: str) -> str:
    """The file's text with these cases: what they expect is added to the case that makes the same request, if one does.

    A case that is there and expects something else of a place, as of an answer that has changed since, stays as it is,
    and another one follows it. `text` is "" for a new file. Names that are taken get a number.

    Raises: UsageError, if the text is no file of cases, or a value can't stand in one.
    """
    found = read_cases(text if text.strip() else _NEW, name)
    every = [*found.cases]
    added: dict[int, list[Expectation]] = {}
    for case in cases:
        home = _home(every, case)
        if home is None:
            every.append(msgspec.structs.replace(case, name=_free(case.name, {each.name for each in every})))
            continue
        more = [each for each in case.expect if not any(_is_same(each, old) for old in every[home].expect)]
        added.setdefault(home, []).extend(more)
        every[home] = msgspec.structs.replace(every[home], expect=(*every[home].expect, *more))
    before = len(found.cases)
    try:
        made = _edited(found, {at: more for at, more in added.items() if at < before}, every[before:])
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UsageError(f"a value can't stand in {name}: {why}", hint="Choose a part of it, or others.") from None
    read_cases(made, name)  # what was written can be read, or it is not written
    return made


def with_values(found: Cases, values: Sequence[tuple[Expectation, Any]]) -> str:
    """The file's text with other values for these expectations."""
    text = found.text
    for expectation, value in sorted(values, key=lambda each: each[0].span, reverse=True):
        begin, end = expectation.span
        text = text[:begin] + _room(text, begin) + as_yaml(value) + text[end:]
    return text


def _edited(found: Cases, added: dict[int, list[Expectation]], new: Sequence[Case]) -> str:
    """The text with more expectations for the cases at these places, and with new cases."""
    edits = [_more_expected(found.text, found.cases[at].expects_at, more) for at, more in added.items() if more]
    if new:
        edits.append(_more_cases(found, new))
    text = found.text
    for at, insertion in sorted(edits, reverse=True):
        text = text[:at] + insertion + text[at:]
    return text


def _more_expected(text: str, at: int, more: Sequence[Expectation]) -> tuple[int, str]:
    """Where to put what, before the first of those that are there."""
    if text[at] == "[":
        return at + 1, "".join(f"{as_yaml(_as_object(each))}, " for each in more)
    indent = "\n" + " " * _column(text, at)
    return at, "".join(f"{line}{indent}" for each in more for line in _expected(each))


def _more_cases(found: Cases, new: Sequence[Case]) -> tuple[int, str]:
    """Where to put what, behind the last of those that are there."""
    text, (begin, end) = found.text, found.span
    if text[begin : begin + 1] == "[":
        last = len(text[: end - 1].rstrip())
        comma = ", " if text[last - 1] not in "[," else ""
        return last, comma + ", ".join(as_yaml(_case_as_object(each)) for each in new)
    indent = " " * _column(text, begin) if found.cases else "  "
    cases = "".join(written(each, indent) for each in new)
    line = text.find("\n", end) if end else -1
    if line >= 0:
        return line + 1, cases
    return len(text), "\n" * (not text.endswith("\n")) + ("" if end else "cases:\n") + cases


def _home(every: Sequence[Case], case: Case) -> int | None:
    """Which case takes in what another one expects; None if it is one of its own."""
    same = [at for at, each in enumerate(every) if _asks_the_same(each, case) and each.expect]
    known = [at for at in same if all(any(_is_same(one, old) for old in every[at].expect) for one in case.expect)]
    return next(iter(known or [at for at in same if not _contradicts(every[at], case)]), None)


def _contradicts(one: Case, other: Case) -> bool:
    pairs = [(mine, yours) for mine in one.expect for yours in other.expect]
    return any(
        (mine.kind is yours.kind and mine.kind in _ONE_VALUE and mine.at == yours.at and mine.value != yours.value)
        or {_half(mine), _half(yours)} == {"result", "error"}
        for mine, yours in pairs
    )


def _half(expectation: Expectation) -> str:
    """Which half of an answer it wants to be there."""
    wants_none = expectation.kind is Kind.FASTER or (expectation.kind is Kind.EXISTS and expectation.value is False)
    return "" if wants_none else expectation.at.split("/")[1:2][0] if expectation.at else ""


def _expected(expectation: Expectation) -> list[str]:
    members = [f"{name}: {as_yaml(value)}" for name, value in _as_object(expectation).items()]
    return [f"- {members[0]}", *(f"  {each}" for each in members[1:])]


def _as_object(expectation: Expectation) -> dict[str, Any]:
    what = {expectation.kind.value: expectation.value}
    return what if expectation.kind is Kind.FASTER else {"at": expectation.at, **what}


def _case_as_object(case: Case) -> dict[str, Any]:
    made: dict[str, Any] = {"name": case.name, "request": case.request}
    rest = {"params": case.params, "isolate": case.isolate, "answers": list(case.answers)}
    made |= {name: value for name, value in rest.items() if value}
    return made | ({"expect": [_as_object(each) for each in case.expect]} if case.expect else {})


def _room(text: str, at: int) -> str:
    """What YAML wants before a value: a blank behind a colon; where a list stood below its name, more than that has."""
    if at and not text[at - 1].isspace() and text[at - 1] not in "[{,":
        return " "
    alone = not text[at - _column(text, at) : at].strip()
    return "  " if alone and text[at : at + 1] == "-" else ""


def _column(text: str, at: int) -> int:
    return at - (text.rfind("\n", 0, at) + 1)


def _key(name: str) -> str:
    key = as_yaml(name)
    return key if len(key) < _LONGEST_KEY else f"? {key} "


def _letter(letter: str) -> str:
    return letter if letter.isprintable() else f"\\U{ord(letter):08X}"


def _asks_the_same(one: Case, other: Case) -> bool:
    return (one.request, one.params, one.answers) == (other.request, other.params, other.answers)


def _is_same(one: Expectation, other: Expectation) -> bool:
    return (one.kind, one.at, one.value) == (other.kind, other.at, other.value)


def _free(name: str, taken: Iterable[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
