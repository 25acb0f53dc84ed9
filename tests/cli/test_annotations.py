"""Findings as annotations of a GitHub workflow."""

from inspector.checks import everything
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.cli.annotations import annotations, silence, stop_word

assert everything.IMPORTED


def _found(sentence: str, severity: Severity = Severity.ERROR, fix: str = "") -> Finding:
    return Finding("P-04", severity, Confidence.CERTAIN, sentence, (7,), fix=fix)


def test_each_is_a_line_the_worst_first_and_behind_the_word() -> None:
    found = [_found("a", Severity.HINT), _found("b", fix="repair it")]
    lines = annotations(found, CHECKS, "server", "word")
    assert lines[0] == "::word::"
    assert (
        lines[1] == "::error title=P-04 the server died before it said anything::server: b (entry 7)%0ATo do: repair it"
    )
    assert lines[2].startswith("::notice ")


def test_foreign_text_begins_no_line_and_is_escaped() -> None:
    (_, line) = annotations([_found("100%\n::error::x\r")], CHECKS, "a,b:c", "word")
    assert "\n" not in line
    assert "\r" not in line
    assert "100%25" in line
    assert line.count("::error") == 2
    assert not line.split("::", 2)[2].startswith("::")


def test_nobody_can_guess_the_word() -> None:
    assert stop_word() != stop_word()
    assert silence("x") == "::stop-commands::x"
