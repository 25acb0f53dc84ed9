"""Findings in the order of their weight."""

from inspector.checks import everything
from inspector.checks.findings import Confidence, Finding, Severity
from inspector.checks.registry import CHECKS
from inspector.viewmodels.verdicts import failure_in, verdict_lines
from tests.viewmodels.tape import Tape

assert everything.IMPORTED


def _found(id_: str, frame: int, confidence: Confidence = Confidence.CERTAIN, connection: int = 1) -> Finding:
    sentence = f"{id_} \x1b[31m happened"
    return Finding(id_, Severity.ERROR, confidence, sentence, (frame,), connection=connection)


def _text(*found: Finding) -> list[str]:
    return ["".join(text for text, _ in line) for line in verdict_lines(found, CHECKS, {})]


def test_the_cause_stands_first_and_its_consequence_below_it() -> None:
    lines = _text(_found("F-01", 2), _found("P-04", 3), _found("P-10", 4, Confidence.LIKELY))
    assert lines[0].startswith("✗ P-10")
    assert lines[1].endswith("#4  (likely)")
    assert lines[2].startswith("        └ P-04  P-04 ")
    assert "\x1b" not in "".join(lines)
    assert [line[:6] for line in lines if line.startswith("✗")] == ["✗ P-10", "✗ F-01"]
    assert lines[-1] == "3 errors"


def test_what_follows_in_one_connection_is_a_finding_of_its_own_in_another() -> None:
    lines = _text(_found("P-10", 1), _found("P-04", 2), _found("P-04", 9, connection=2))
    assert [line[:6] for line in lines if line.startswith("✗")] == ["✗ P-10", "✗ P-04"]


def test_a_rule_that_has_another_name_says_so() -> None:
    assert _text(_found("E08", 1))[0].endswith("(L-02)")


def test_nothing_found_is_said() -> None:
    assert _text() == ["✓ nothing found"]


def test_what_failed_is_named_and_neither_a_probe_nor_the_way_to_a_session_counts(tape: Tape) -> None:
    tape.started().request(1, "server/discover", probe=True)
    tape.error(1, -32601, "no")
    tape.request(2, "initialize")
    tape.error(2, -32022, "no")
    tape.initialized("2025-11-25").request(3, "tools/list")
    tape.error(3, -32601, "no")
    tape.request(4, "tools/call", {"name": "x"}, probe=True)
    tape.error(4, -32602, "no")
    assert failure_in(tape.journal) == ""
    tape.call(5, "buy")
    tape.error(5, -32603, "sold out")
    tape.request(6, "ping")
    tape.error(6, -32603, "no")
    assert failure_in(tape.journal) == "tools/call buy failed, and 1 more"
