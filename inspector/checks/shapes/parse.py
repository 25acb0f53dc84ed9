"""The notation of shapes, read: types with their members, as rows of data."""

import re

import msgspec

from inspector.checks.registry import LAST

_MEMBER = re.compile(
    r"  (?P<name>[\w$]+)(?P<optional>\?)? +(?P<kind>\S+)(?: +(?P<rows>\d[\d+-]*))?(?: +!(?P<rules>\S+))?"
)
_HEAD = re.compile(r"(?P<name>\w+)(?: < (?P<base>\w+))?(?: !(?P<rule>\w+))?")
_ARM = re.compile(r"(\w+)(?: (\d[\d+-]*))?")


class Member(msgspec.Struct, frozen=True):
    """One member of an object."""

    name: str
    required: bool
    kind: str
    rows: range
    absent: str
    """The rule that is broken where it is missing; "" for that of its type."""
    wrong: str


class ShapeType(msgspec.Struct):
    """An object's shape, or, with `arms`, a choice of such."""

    name: str
    rule: str = ""
    members: list[Member] = []
    needs: tuple[str, ...] = ()
    """Of these members at least one."""
    arms: dict[str, range] = {}


def read(notation: str) -> dict[str, ShapeType]:
    """All types of a notation, with what they extend."""
    types: dict[str, ShapeType] = {}
    current = ShapeType("")
    bases: dict[str, str] = {}
    for line in filter(str.strip, notation.splitlines()):
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
    return ShapeType(name, rule.strip(), arms={arm: _rows(rows) for arm, rows in _ARM.findall(arms)}), ""


def _member(line: str) -> Member:
    found = _MEMBER.fullmatch(line)
    assert found, line
    absent, _, wrong = (found["rules"] or "").partition("/")
    return Member(
        found["name"], not found["optional"], found["kind"], _rows(found["rows"] or ""), absent, wrong or absent
    )


def _rows(text: str) -> range:
    """“3+” from the third row on, "4" that one alone, "3-4" both, "" all."""
    if not text:
        return range(1, LAST + 1)
    first, _, last = text.rstrip("+").partition("-")
    return range(int(first), LAST + 1 if text.endswith("+") else int(last or first) + 1)


def _extend(name: str, types: dict[str, ShapeType], bases: dict[str, str]) -> None:
    """Put the members of what a type extends before its own, once."""
    base = bases.pop(name, "")
    if not base:
        return
    _extend(base, types, bases)
    own = {member.name for member in types[name].members}
    types[name].members[:0] = [each for each in types[base].members if each.name not in own]
    types[name].rule = types[name].rule or types[base].rule
