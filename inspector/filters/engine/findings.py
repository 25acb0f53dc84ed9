"""What checks have found in messages, as filters ask for it: by severity, by the id of the check.

Nothing here runs a check. Whoever sets a filter hands over what is known so far, and says when there is more.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from inspector.filters.engine.matching import Test
from inspector.filters.engine.nodes import COLUMN, Stretch, both, ones
from inspector.filters.language.fields import GRADES

EXPERT_FIELDS = ("expert", "expert.severity", "expert.id")
_ANY = bytes(bool(grade) for grade in range(256))


class Judged(Protocol):
    """A finding, as far as a filter goes."""

    @property
    def id(self) -> str:
        """Of the check."""

    @property
    def severity(self) -> str:
        """One of GRADES."""


class Expert(Protocol):
    """Who knows what was found. Any thread asks."""

    def worst(self, first: int, last: int) -> bytes:
        """For each of the entries `first` to `last` the grade of its worst finding; 0 for none."""

    def of(self, n: int) -> Sequence[Judged]:
        """The findings of entry n."""


class NoFindings:
    """Nothing was checked."""

    def worst(self, first: int, last: int) -> bytes:
        """None."""
        return bytes(last + 1 - first)

    def of(self, n: int) -> Sequence[Judged]:
        """None."""
        return ()


class ByExpert:
    """What was found in the message."""

    cost = COLUMN

    def __init__(self, expert: Expert, name: str, test: Test) -> None:
        """`name`: one of EXPERT_FIELDS."""
        self._expert = expert
        self._value: Callable[[Judged], Any] = _id if name == "expert.id" else _grade
        self._test = test

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Try each finding of those that have any."""
        there = both(need, self._expert.worst(stretch.first, stretch.last).translate(_ANY))
        if 1 not in there:
            return there
        found, test, value = bytearray(len(need)), self._test, self._value
        for at in ones(there):
            found[at] = any(test(value(each)) for each in self._expert.of(stretch.first + at))
        return bytes(found)


def _id(judged: Judged) -> str:
    return judged.id


def _grade(judged: Judged) -> int:
    return GRADES.index(judged.severity) + 1 if judged.severity in GRADES else 0


NOBODY = NoFindings()
