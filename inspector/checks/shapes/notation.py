"""The shapes of params and results in every revision: which method has which, and the parser of `types.txt`."""

import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from inspector.checks.registry import LAST

_ROWS = [row.split("\t") for row in Path(__file__).with_name("methods.tsv").read_text("utf-8").splitlines()]
RESULTS = {method: shape for of, method, shape in _ROWS if of == "result"}
"""Shape of the result by method; any other result is a plain Result."""
OF_EXTENSION = {"tasks/get": "Handled", "tasks/cancel": "Result", "notifications/tasks": "Handle"}
"""Shapes that differ since tasks are an extension."""

PARAMS = {method: shape for of, method, shape in _ROWS if of == "params"}
"""Shape of the params of a server's request or notification, by method."""

TYPES = Path(__file__).with_name("types.txt").read_text("utf-8")
"""Shapes of params and results, in a notation that explains itself."""

_MEMBER = re.compile(
    r"  (?P<name>[\w$]+)(?P<optional>\?)? +(?P<kind>\S+)(?: +(?P<rows>\d[\d+-]*))?(?: +!(?P<rules>\S+))?"
)
_HEAD = re.compile(r"(?P<name>\w+)(?: < (?P<base>\w+))?(?: !(?P<rule>[\w-]+))?")
_ARM = re.compile(r"'(\w+)' (\w+)(?: (\d[\d+-]*))?")


class Member(msgspec.Struct, frozen=True):
    """One member of an object."""

    name: str
    required: bool
    kind: str
    rows: range
    absent: str
    """Rule that is violated if it is missing; "" for that of its type."""
    wrong: str


class Arm(NamedTuple):
    """One type of a choice."""

    type_name: str
    rows: range


class ShapeType(msgspec.Struct):
    """Shape of an object, or, with `arms`, a choice of shapes."""

    name: str
    rule: str = ""
    members: list[Member] = []
    needs: tuple[str, ...] = ()
    """Members of which at least one is required."""
    arms: dict[str, Arm] = {}
    """By the word in the member `type`."""


def read(notation: str) -> dict[str, ShapeType]:
    """Parse all types of a notation, including the members of the types they extend."""
    types: dict[str, ShapeType] = {}
    current = ShapeType("")
    bases: dict[str, str] = {}
    for line in (each for each in notation.splitlines() if each.strip() and each[0] != "#"):
        if line.startswith("  needs "):
            current.needs = tuple(line.split()[1].split("|"))
        elif line.startswith("  "):
            current.members.append(_member(line))
        else:
            current, base = _choice(line) if "=" in line else _head(line)
            types[current.name], bases[current.name] = current, base
    for name in types:
        _extend(name, types, bases)
    return types


def _head(line: str) -> tuple[ShapeType, str]:
    found = _HEAD.fullmatch(line)
    assert found, line
    return ShapeType(found["name"], found["rule"] or "", []), found["base"] or ""


def _choice(line: str) -> tuple[ShapeType, str]:
    name, _, rest = line.partition(" = ")
    arms, _, rule = rest.partition("!")
    found = {word: Arm(type_name, _rows(rows)) for word, type_name, rows in _ARM.findall(arms)}
    return ShapeType(name, rule.strip(), arms=found), ""


def _member(line: str) -> Member:
    found = _MEMBER.fullmatch(line)
    assert found, line
    absent, _, wrong = (found["rules"] or "").partition("/")
    return Member(
        found["name"], not found["optional"], found["kind"], _rows(found["rows"] or ""), absent, wrong or absent
    )


def _rows(text: str) -> range:
    """Parse rows: “3+” from the third row on, "4" only that one, "3-4" both, "" all."""
    if not text:
        return range(1, LAST + 1)
    first, _, last = text.rstrip("+").partition("-")
    return range(int(first), LAST + 1 if text.endswith("+") else int(last or first) + 1)


def _extend(name: str, types: dict[str, ShapeType], bases: dict[str, str]) -> None:
    """Add the members of the extended type before the type's own, once."""
    base = bases.pop(name, "")
    if not base:
        return
    _extend(base, types, bases)
    own = {member.name for member in types[name].members}
    types[name].members[:0] = [each for each in types[base].members if each.name not in own]
    types[name].rule = types[name].rule or types[base].rule
