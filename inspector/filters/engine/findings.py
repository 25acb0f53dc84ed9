"""Filter entries by their findings: by severity, or by the id of the check. Runs no checks itself."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from inspector.filters.engine.matching import Test
from inspector.filters.engine.nodes import COLUMN, Stretch, both, ones
from inspector.filters.language.fields import GRADES

FINDING_FIELDS = ("severity", "finding")
_ANY = bytes(bool(grade) for grade in range(256))


class FilteredFinding(Protocol):
    """The members of a finding that filters use."""

    @property
    def id(self) -> str:
        """Id of the check."""

    @property
    def severity(self) -> str:
        """One of GRADES."""


class FindingSource(Protocol):
    """The findings so far. Called from any thread."""

    def worst(self, first: int, last: int) -> bytes:
        """Return the severity of the worst finding of each entry `first` to `last`, from 1; 0 for none."""

    def of(self, n: int) -> Sequence[FilteredFinding]:
        """Return the findings of entry n."""


class NoFindings:
    """The empty source, if no checks run."""

    def worst(self, first: int, last: int) -> bytes:
        """Return 0 for each entry."""
        return bytes(last + 1 - first)

    def of(self, n: int) -> Sequence[FilteredFinding]:
        return ()


class ByFinding:
    """Node for the findings of an entry."""

    cost = COLUMN

    def __init__(self, findings: FindingSource, name: str, test: Test) -> None:
        """Create a node for a field; `name` is one of FINDING_FIELDS."""
        self._findings = findings
        self._value: Callable[[FilteredFinding], Any] = _id if name == "finding" else _grade
        self._test = test

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Test each finding of the entries that have any."""
        there = both(need, self._findings.worst(stretch.first, stretch.last).translate(_ANY))
        if 1 not in there:
            return there
        found, test, value = bytearray(len(need)), self._test, self._value
        for at in ones(there):
            found[at] = any(test(value(each)) for each in self._findings.of(stretch.first + at))
        return bytes(found)


NO_FINDINGS = NoFindings()


def _id(finding: FilteredFinding) -> str:
    return finding.id


def _grade(finding: FilteredFinding) -> int:
    return GRADES.index(finding.severity) + 1 if finding.severity in GRADES else 0
