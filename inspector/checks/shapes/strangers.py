"""Members that a revision does not have and another has: what older and newer programs do not look at.

Only names that the notation knows are strange; a server may add what it likes under names of its own.
"""

from functools import cache
from typing import Any

import msgspec

from inspector.checks.shapes.judge import WORDS
from inspector.checks.shapes.notation import TYPES
from inspector.checks.shapes.parse import Type, read

_OF_OTHERS = frozenset({"_meta", "extensions"})
"""Members that are used before the revision that has them: nobody stumbles over these."""
_SCHEMAS = frozenset({"Arguments", "Structured", "Dialected"})
"""Types that are JSON Schemas: each keyword is allowed there, whatever a revision names."""
_MOST_LOOKED_AT = 2000
"""Objects of one message: a list of many tools has the same strange members in each."""


class Stranger(msgspec.Struct, frozen=True):
    """A member that is of another revision."""

    type: str
    member: str
    pointer: str
    rows: tuple[int, ...]
    """The rows of the table of revisions that have it."""


@cache
def _types() -> dict[str, Type]:
    return read(TYPES)


@cache
def _members(row: int, name: str) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[int, ...]]]:
    """Of a type: the members of a row with the types in them, and those that only other rows have."""
    mine: dict[str, tuple[str, ...]] = {}
    others: dict[str, set[int]] = {}
    for each in _types()[name].members:
        if row in each.rows:
            below = (kind.strip("[]{}") for kind in each.kind.split("|"))
            mine[each.name] = tuple(kind for kind in below if kind in _types())
        else:
            others.setdefault(each.name, set()).update(each.rows)
    if name in _SCHEMAS:
        return mine, {}
    strange = {name: tuple(sorted(rows)) for name, rows in others.items() if name not in mine}
    return mine, {name: rows for name, rows in strange.items() if name not in _OF_OTHERS}


def strangers(row: int, name: str, value: Any) -> list[Stranger]:
    """The strange members of a value that is to be of a type, each kind once, in the order of their places."""
    found: dict[tuple[str, str], Stranger] = {}
    waiting: list[tuple[str, Any, str]] = [(name, value, "")]
    for _ in range(_MOST_LOOKED_AT):
        if not waiting:
            break
        type_name, each, at = waiting.pop(0)
        known = _types()[type_name]
        if type(each) is list:
            waiting += [(type_name, item, f"{at}/{place}") for place, item in enumerate(each[:_MOST_LOOKED_AT])]
        elif known.arms:
            word = each.get("type") if type(each) is dict else None
            arms = [arm for arm in known.arms if row in known.arms[arm] and WORDS[arm] == word]
            waiting += [(arm, each, at) for arm in arms]
        elif type(each) is dict:
            mine, others = _members(row, type_name)
            for member, rows in others.items():
                if member in each:
                    found.setdefault((type_name, member), Stranger(type_name, member, f"{at}/{member}", rows))
            waiting += [
                (kind, each[key], f"{at}/{key}") for key, kinds in mine.items() if key in each for kind in kinds
            ]
    return list(found.values())
