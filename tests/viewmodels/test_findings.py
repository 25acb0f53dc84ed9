"""Findings as lines: worst first, together, with evidence, and nothing in them that acts on a terminal."""

from inspector.checks.everything import all_checks
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.viewmodels.findings import check_lines, finding_lines, groups_of, summary
from inspector.viewmodels.lines import plain

_CERTAIN = Confidence.CERTAIN
_HINT = Finding("T15", Severity.HINT, _CERTAIN, "a has no description", (9,), "/result/tools/0")
_BAD = Finding(
    "F-01", Severity.ERROR, Confidence.GUESS, "it says \x1b[31mred", (4,), "", (0, 5), "Write to stderr.", "https://x"
)


def _text(*findings: Finding, **counts: int) -> list[str]:
    return [plain(line).rstrip() for line in finding_lines(findings, CHECKS, counts)]


def test_the_worst_comes_first_and_the_sum_last() -> None:
    lines = _text(_HINT, _BAD)
    assert lines[0] == "✗ F-01 text on stdout that is no message"
    assert lines[-1] == "1 error, 1 hint"
    assert [group[0].id for group in groups_of([_HINT, _BAD])] == ["F-01", "T15"]


def test_each_is_told_with_its_evidence_its_fix_and_its_page() -> None:
    lines = _text(_BAD)
    assert lines[1].strip() == "it says ␛[31mred  #4 bytes 0–5  (guess)"
    assert lines[2].strip() == "→ Write to stderr."
    assert lines[3].strip() == "https://x"


def test_of_many_of_one_kind_three_are_told_and_all_are_counted() -> None:
    lines = _text(*[_HINT] * 7)
    assert "×7" in lines[0]
    assert sum("a has no description" in line for line in lines) == 3
    assert any("more of the same" in line for line in lines)


def test_nothing_found_is_said_too() -> None:
    assert plain(summary([])) == "✓ nothing found"


def test_each_check_is_a_line_that_fits_a_terminal() -> None:
    lines = [plain(line) for line in check_lines(all_checks())]
    assert len(lines) == len(CHECKS)
    assert max(map(len, lines)) <= 120
    assert any(line.startswith("E16") and "from " in line for line in lines)


def test_a_check_stands_once_however_bad_its_findings_are() -> None:
    mild = Finding("S-04", Severity.HINT, _CERTAIN, "a is labelled draft-07", (9,))
    bad = Finding("S-04", Severity.WARNING, _CERTAIN, "b answers by draft-07", (9,))
    lines = _text(mild, bad)
    assert [line[:6] for line in lines if "S-04" in line] == ["! S-04"]
    assert [line.strip() for line in lines[1:3]] == ["b answers by draft-07  #9", "(hint) a is labelled draft-07  #9"]
    assert lines[-1] == "1 warning, 1 hint"
