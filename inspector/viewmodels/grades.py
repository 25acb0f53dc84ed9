"""How bad a finding is, as a number and as a sign: for marks of rows, and for badges.

A sign never stands without a number, an id or a word beside it, or in a column of signs that differ from each other.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from inspector.viewmodels import signs
from inspector.viewmodels.roles import Span

if TYPE_CHECKING:
    from inspector.checks.findings import Finding

GRADES = ("hint", "warning", "error")
"""Severities, the worst last; a mark is a place among them, from 1."""
SIGNS_OF_GRADES: tuple[Span, ...] = (
    (" ", "faint"),
    (signs.NOTE, "muted"),
    (signs.WARNING, "warning"),
    (signs.ERROR, "error"),
)
"""By mark."""


def badge(findings: "Sequence[Finding]") -> Span | None:
    """How many there are, with the sign of the worst; None for none."""
    if not findings:
        return None
    sign, role = SIGNS_OF_GRADES[max(3 - each.severity.rank for each in findings)]
    return f"{sign}{len(findings)}", role


def mark(grade: int) -> Span:
    """The sign of a grade, one cell."""
    return SIGNS_OF_GRADES[grade]
