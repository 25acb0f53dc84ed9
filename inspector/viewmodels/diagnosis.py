"""The one reason that is told for a connection that failed: the primary finding, if it says why, with what to do.

What is wrong with a surface or a result does not end a connection, however bad it is: such findings are told
elsewhere. A journal that is too long to be looked at in a moment has no diagnosis here.
"""

from collections.abc import Sequence

import msgspec

from inspector.capture.journal import Journal
from inspector.checks.aliases import names_of
from inspector.checks.findings import Finding, Severity
from inspector.checks.inspection import Inspection
from inspector.checks.verdict import FATAL, Verdict, verdicts
from inspector.viewmodels import signs
from inspector.viewmodels.lines import Line, span

MOST_LOOKED_AT = 50_000
"""Entries of the longest journal that is looked at."""
_CHAPTERS = ("P-", "F-", "L-", "H-", "A-", "E01", "W20")
"""Diagnoses of these chapters, and two rules, say why something does not work."""
_MILD = FATAL | {"A-06", "A-18", "H-10", "H-21", "H-23", "L-06", "R-07"}
"""What is a reason although it is only a warning."""


class Diagnosis(msgspec.Struct, frozen=True):
    """A reason, and what follows from it."""

    reason: Finding
    follows: tuple[Finding, ...] = ()


def diagnosis_of(journal: Journal) -> Diagnosis | None:
    """The reason for the end of a journal's last connection; None if nothing that was found is one."""
    if journal.count > MOST_LOOKED_AT:
        return None
    inspection = Inspection()
    found = inspection.take(journal.store.entry(n) for n in range(1, journal.count + 1))
    return of_findings([*found, *inspection.finish()])


def of_findings(findings: Sequence[Finding]) -> Diagnosis | None:
    """The same of findings that are there already."""
    judged = verdicts(findings)
    last = judged[-1] if judged else Verdict()
    if last.primary is None or not _is_a_reason(last):
        return None
    return Diagnosis(last.primary, last.follows)


def says_the_same(diagnosis: Diagnosis, why: str) -> bool:
    """Whether a reason adds nothing to what a failure says of itself."""
    said, reason = (" ".join(each.split()).rstrip(".").lower() for each in (why, diagnosis.reason.sentence))
    return bool(said) and reason == said


def _is_a_reason(verdict: Verdict) -> bool:
    assert verdict.primary is not None
    if verdict.primary.id in _MILD:
        return True
    told = any(name.startswith(_CHAPTERS) for name in names_of(verdict.primary.id))
    return told and any(each.severity is Severity.ERROR for each in (verdict.primary, *verdict.follows))


def diagnosis_lines(diagnosis: Diagnosis) -> list[Line]:
    """It in one line, and what to do in another one; safe."""
    reason = diagnosis.reason
    lines: list[Line] = [((f"{signs.ERROR} {reason.id}  ", "error"), span(reason.sentence, limit=400))]
    if reason.fix:
        lines.append((("  → ", "accent"), span(reason.fix, limit=400)))
    return lines
