"""What a finding is."""

from inspector.checks.findings import Confidence, Finding, Severity


def test_the_worst_stands_first() -> None:
    assert sorted(Severity, key=lambda each: each.rank) == [Severity.ERROR, Severity.WARNING, Severity.HINT]


def test_a_finding_without_evidence_rests_on_an_absence() -> None:
    found = Finding("L-04", Severity.ERROR, Confidence.CERTAIN, "nothing came")
    assert (found.frames, found.pointer, found.span) == ((), "", None)
