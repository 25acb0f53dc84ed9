"""Case files: found, read, extended and edited, with comments preserved."""

import json
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from inspector.atomic_write import write_whole
from inspector.errors import UsageError
from inspector.features.cases.model import (
    HEADER,
    VERSION,
    CallEnvironment,
    CaseDefinition,
    Cases,
    Expectation,
    ExpectationKind,
)
from inspector.features.cases.reading import LARGEST, read_cases, read_environment

_NEW = f"# What a server must answer. To try it:  mcp-inspect test FILE TARGET\n{HEADER}: {VERSION}\n"
_NEW_CALLS = f"# Saved calls. To run them:  mcp-inspect run FILE\n{HEADER}: {VERSION}\ncases:\n"
_LONGEST_KEY = 1000
"""Maximum length of a quoted member name. YAML requires a question mark before a longer one."""
_ONE_VALUE = {ExpectationKind.EQUALS, ExpectationKind.SNAPSHOT, ExpectationKind.TYPE, ExpectationKind.EXISTS}
"""Kinds of which a place can have only one."""
SUFFIX = ".cases.yaml"


def as_yaml(value: Any) -> str:
    """Return a value on one line: JSON with YAML escapes for invisible characters.

    Raises: ValueError for a value that JSON can't represent.
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


def written(case: CaseDefinition, indent: str = "  ") -> str:
    """Return the YAML lines of a case."""
    lines = [f"- name: {as_yaml(case.name)}", f"  request: {as_yaml(case.request)}"]
    if case.uses:
        lines.append(f"  uses: {as_yaml(case.uses)}")
    if case.params:
        lines.append(f"  params: {as_yaml(case.params)}")
    if case.isolate:
        lines.append("  isolate: true")
    if case.session:
        lines.append(f"  session: {as_yaml(case.session)}")
    if case.answers:
        lines += ["  answers:", *(f"    - {as_yaml(each)}" for each in case.answers)]
    if case.expect:
        lines += ["  expect:", *(f"    {line}" for each in case.expect for line in _expected(each))]
    if case.save:
        lines.append(f"  save: {as_yaml({each.name: each.path for each in case.save})}")
    return "".join(f"{indent}{line}\n" for line in lines)


def with_cases(text: str, cases: Sequence[CaseDefinition], name: str, revision: str = "") -> str:
    """Return the file's text with these cases; expectations are added to an existing case with the same request.

    `revision`: the protocol version of their results, which a new file names; "" for none.

    If the existing case contradicts them, for example because the response has changed since, it stays unchanged and
    a new case is added. `text` is "" for a new file. If a name is taken, a number is appended.

    Raises: UsageError if the text is not a case file, or a value is not allowed in one.
    """
    new = f'{_NEW}revision: "{revision}"\ncases:\n' if revision else f"{_NEW}cases:\n"
    found = read_cases(text if text.strip() else new, name)
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
        raise UsageError(f"a value can't be written to {name}: {why}", hint="Choose a part of it, or others.") from None
    read_cases(made, name)  # never write text that can't be read back
    return made


def with_values(found: Cases, values: Sequence[tuple[Expectation, Any]]) -> str:
    """Return the file's text with other values for these expectations."""
    text = found.text
    for expectation, value in sorted(values, key=lambda each: each[0].span, reverse=True):
        begin, end = expectation.span
        text = text[:begin] + _room(text, begin) + as_yaml(value) + text[end:]
    return text


def with_copy(found: Cases, case: CaseDefinition) -> str:
    """Return the file's text with a copy of a case at the end. If its name is taken, a number is appended."""
    copy = msgspec.structs.replace(case, name=_free(case.name, {each.name for each in found.cases}))
    at, insertion = _more_cases(found, [copy])
    return found.text[:at] + insertion + found.text[at:]


def with_name(found: Cases, case: CaseDefinition, name: str) -> str:
    """Return the file's text with one case renamed, also where other cases use it. Raises: UsageError."""
    if any(each.name == name for each in found.cases):
        raise UsageError(f"there is another case named {name!r}", hint="Give each a name of its own.")
    places = [case.name_at]
    for each in found.cases:
        places += [at for used, at in zip(each.uses, each.uses_at, strict=True) if used == case.name]
    text = found.text
    for begin, end in sorted(places, reverse=True):
        text = text[:begin] + as_yaml(name) + text[end:]
    return text


def without_case(found: Cases, case: CaseDefinition) -> str:
    """Return the file's text without one of its cases. Comments are preserved."""
    text, (begin, end) = found.text, case.span
    if text[found.span[0]] == "[":
        after = re.compile(r"\s*,\s*").match(text, end)
        if after is not None:
            return text[:begin] + text[after.end() :]
        return text[:begin].rstrip().removesuffix(",") + text[end:]
    dash = text.rindex("-", 0, begin)
    line = text.rfind("\n", 0, dash) + 1
    next_line = text.find("\n", end)
    return text[:line] + (text[next_line + 1 :] if next_line >= 0 else "")


def _edited(found: Cases, added: dict[int, list[Expectation]], new: Sequence[CaseDefinition]) -> str:
    """Return the text with expectations added to the cases at these indexes, and with new cases."""
    edits = [_more_expected(found.text, found.cases[at].expects_at, more) for at, more in added.items() if more]
    if new:
        edits.append(_more_cases(found, new))
    text = found.text
    for at, insertion in sorted(edits, reverse=True):
        text = text[:at] + insertion + text[at:]
    return text


def _more_expected(text: str, at: int, more: Sequence[Expectation]) -> tuple[int, str]:
    """Return where to insert expectations, and the text to insert. They precede the existing ones."""
    if text[at] == "[":
        return at + 1, "".join(f"{as_yaml(_as_object(each))}, " for each in more)
    indent = "\n" + " " * _column(text, at)
    return at, "".join(f"{line}{indent}" for each in more for line in _expected(each))


def _more_cases(found: Cases, new: Sequence[CaseDefinition]) -> tuple[int, str]:
    """Return where to insert cases, and the text to insert. They follow the existing ones."""
    text, (begin, end) = found.text, found.span
    if text[begin : begin + 1] == "[":
        last = len(text[: end - 1].rstrip())
        comma = ", " if text[last - 1] not in "[," else ""
        return last, comma + ", ".join(as_yaml(_case_as_object(each)) for each in new)
    cases = "".join(written(each, " " * _column(text, begin) if found.cases else "  ") for each in new)
    line = text.find("\n", end) if end else -1
    if line >= 0:
        return line + 1, cases
    return len(text), "\n" * (not text.endswith("\n")) + ("" if end else "cases:\n") + cases


def _home(every: Sequence[CaseDefinition], case: CaseDefinition) -> int | None:
    """Return the index of the case to which another one's expectations are added; None if a new case is needed."""
    same = [at for at, each in enumerate(every) if _asks_the_same(each, case) and each.expect]
    known = [at for at in same if all(any(_is_same(one, old) for old in every[at].expect) for one in case.expect)]
    return next(iter(known or [at for at in same if not _contradicts(every[at], case)]), None)


def _contradicts(one: CaseDefinition, other: CaseDefinition) -> bool:
    pairs = [(mine, yours) for mine in one.expect for yours in other.expect]
    return any(
        (mine.kind is yours.kind and mine.kind in _ONE_VALUE and mine.at == yours.at and mine.value != yours.value)
        or {_half(mine), _half(yours)} == {"result", "error"}
        for mine, yours in pairs
    )


def _half(expectation: Expectation) -> str:
    """Return the member that an expectation requires in the response: "result" or "error"; "" for none."""
    wants_none = expectation.kind is ExpectationKind.FASTER or (
        expectation.kind is ExpectationKind.EXISTS and expectation.value is False
    )
    return "" if wants_none else expectation.at.split("/")[1:2][0] if expectation.at else ""


def _expected(expectation: Expectation) -> list[str]:
    members = [f"{name}: {as_yaml(value)}" for name, value in _as_object(expectation).items()]
    return [f"- {members[0]}", *(f"  {each}" for each in members[1:])]


def _as_object(expectation: Expectation) -> dict[str, Any]:
    what = {expectation.kind.value: expectation.value}
    return what if expectation.kind is ExpectationKind.FASTER else {"at": expectation.at, **what}


def _case_as_object(case: CaseDefinition) -> dict[str, Any]:
    made: dict[str, Any] = {"name": case.name, "request": case.request}
    rest = {"params": case.params, "isolate": case.isolate, "answers": list(case.answers), "session": case.session}
    rest |= {"uses": list(case.uses), "save": {each.name: each.path for each in case.save}}
    made |= {name: value for name, value in rest.items() if value}
    return made | ({"expect": [_as_object(each) for each in case.expect]} if case.expect else {})


def _room(text: str, at: int) -> str:
    """Return the white space that YAML requires before a value.

    A block list may begin at the same column as its name; any other value must be indented further.
    """
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


def _asks_the_same(one: CaseDefinition, other: CaseDefinition) -> bool:
    return (one.request, one.params, one.answers) == (other.request, other.params, other.answers)


def _is_same(one: Expectation, other: Expectation) -> bool:
    return (one.kind, one.at, one.value) == (other.kind, other.at, other.value)


def _free(name: str, taken: Iterable[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


# Finding, reading and extending case files


def beside(capture: Path) -> Path:
    """Return the case file that belongs to a capture: `session.cases.yaml` beside `session.mcpcap`."""
    return capture.with_name(capture.name.removesuffix(".mcpcap") + SUFFIX)


def open_cases(path: Path) -> Cases:
    """Read a case file. Raises: UsageError."""
    return read_cases(_text(path), str(path))


def open_environment(path: Path, name: str) -> CallEnvironment:
    """Read an environment file. Raises: UsageError."""
    return read_environment(_text(path), name, str(path))


def add_cases(path: Path, cases: Sequence[CaseDefinition], revision: str = "") -> int:
    """Add cases to a file and return its number of cases. Raises: UsageError.

    A missing file is created, readable by its owner only. It names `revision`, the protocol version of the results.
    """
    text = with_cases(_text(path) if path.exists() else "", cases, str(path), revision)
    write_whole(path, text.encode(), new=0o600)  # server output, possibly with secrets
    return len(read_cases(text, str(path)).cases)


def open_or_begin(path: Path) -> Cases:
    """Read a file of saved calls, or return an empty one if the file does not exist. Raises: UsageError."""
    return open_cases(path) if path.exists() else read_cases(_NEW_CALLS, str(path))


def rewrite(path: Path, text: str) -> None:
    """Write an edited case file if its text can be read back. Raises: UsageError."""
    read_cases(text, str(path))
    write_whole(path, text.encode())


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > 4 * LARGEST:
            raise UsageError(f"{path}: larger than any file of cases", hint="Part it into several files.")
        read = path.read_bytes()
        if read.startswith(b'{"r":"head"'):
            hint = (
                f"mcp-inspect test --from-capture {path} writes its calls as cases; mcp-inspect replay {path} opens it."
            )
            raise UsageError(f"{path} is a capture, not a file of cases", hint=hint)
        return read.decode("utf-8")  # keep line endings
    except OSError as error:
        hint = "mcp-inspect test --from-capture CAPTURE writes such a file."
        raise UsageError(f"{path}: can't be read: {error.strerror}", hint=hint) from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: byte {error.start} is not UTF-8", hint="Save it as UTF-8.") from None
