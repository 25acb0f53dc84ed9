"""Cases as a person reads them in a file: added at its end or to a case that is there, comments left where they are.

Values are written as JSON on one line, which YAML reads as the same values.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from inspector.replay.cases.model import HEADER, VERSION, Case, Cases, Expectation
from inspector.replay.cases.reading import read_cases

_NEW = f"# What a server must answer. To try it:  mcp-inspect test FILE TARGET\n{HEADER}: {VERSION}\ncases:\n"


def as_yaml(value: Any) -> str:
    """A value on one line: JSON, but for letters that can't be seen, which stand as escapes of YAML."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08X}" for letter in text)


def written(case: Case) -> str:
    """A case as its lines."""
    lines = [f"  - name: {as_yaml(case.name)}", f"    request: {as_yaml(case.request)}"]
    if case.params:
        lines.append(f"    params: {as_yaml(case.params)}")
    if case.isolate:
        lines.append("    isolate: true")
    if case.answers:
        lines += ["    answers:", *(f"      - {as_yaml(each)}" for each in case.answers)]
    if case.expect:
        lines += ["    expect:", *(line for each in case.expect for line in _expected(each))]
    return "\n".join(lines) + "\n"


def with_cases(text: str, cases: Sequence[Case], name: str) -> str:
    """The file's text with these cases: those whose request is there already add what they expect to that one.

    `text` is "" for a new file. Names that are taken get a number.

    Raises: UsageError, if the text is no file of cases.
    """
    text = text if text.strip() else _NEW
    for case in cases:
        found = read_cases(text, name)
        text = _with_case(text, found, case)
    read_cases(text, name)  # what was written can be read, or it is not written
    return text


def with_values(found: Cases, values: Sequence[tuple[Expectation, Any]]) -> str:
    """The file's text with other values for these expectations."""
    text = found.text
    for expectation, value in sorted(values, key=lambda each: each[0].span, reverse=True):
        begin, end = expectation.span
        there = text[begin:end]
        rest = there[len(there.rstrip()) :]  # a block's end mark lies behind the line's end
        text = text[:begin] + as_yaml(value) + rest + text[end:]
    return text


def _with_case(text: str, found: Cases, case: Case) -> str:
    same = next((each for each in found.cases if _asks_the_same(each, case)), None)
    if same is None or not same.expect:
        taken = {each.name for each in found.cases}
        return _ended(text) + written(msgspec.structs.replace(case, name=_free(case.name, taken)))
    new = [each for each in case.expect if not any(_is_same(each, old) for old in same.expect)]
    lines = [line for each in new for line in _expected(each)]
    at = same.expect[0].line - 1
    every = text.splitlines(keepends=True)
    while at > 0 and not every[at].lstrip().startswith("- "):
        at -= 1  # the item's own line: its value may be its second
    indent = every[at][: len(every[at]) - len(every[at].lstrip())]
    moved = [f"{indent}{line.removeprefix('      ')}\n" for line in lines]
    return "".join([*every[:at], *moved, *every[at:]])


def _expected(expectation: Expectation) -> list[str]:
    kind = f"{expectation.kind}: {as_yaml(expectation.value)}"
    if expectation.kind == "faster":
        return [f"      - {kind}"]
    return [f"      - at: {as_yaml(expectation.at)}", f"        {kind}"]


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _asks_the_same(one: Case, other: Case) -> bool:
    return (one.request, one.params, one.answers) == (other.request, other.params, other.answers)


def _is_same(one: Expectation, other: Expectation) -> bool:
    return (one.kind, one.at, one.value) == (other.kind, other.at, other.value)


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
