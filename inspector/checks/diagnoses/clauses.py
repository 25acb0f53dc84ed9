"""What is known of a failure, as an ordered table: each row may add a clause to the sentence, or a fix."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Clause(NamedTuple):
    """A part of the sentence of a finding."""

    text: str = ""
    """With the separator before it; "" for a fix alone."""
    fix: str = ""
    frames: tuple[int, ...] = ()
    """Further entries of the evidence."""


def joined(failure: T, rows: Iterable[Callable[[T], Clause | None]]) -> Clause:
    """Return the clauses of the rows that apply to a failure as one, with the fix of the first row that has one."""
    found = [clause for row in rows if (clause := row(failure)) is not None]
    fix = next((each.fix for each in found if each.fix), "")
    return Clause("".join(each.text for each in found), fix, tuple(n for each in found for n in each.frames))


def when(applies: Callable[[T], bool], text: str = "", fix: str = "") -> Callable[[T], Clause | None]:
    """Return a row with a fixed clause for a condition."""
    return lambda failure: Clause(text, fix) if applies(failure) else None
