"""Why a connection failed, in a line."""

import pytest

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.viewmodels import diagnosis
from inspector.viewmodels.diagnosis import Diagnosis, diagnosis_lines, diagnosis_of, of_findings
from inspector.viewmodels.lines import plain
from tests.viewmodels.tape import Tape


def _found(id_: str, severity: Severity = Severity.ERROR, connection: int = 1) -> Finding:
    return Finding(id_, severity, Confidence.CERTAIN, f"{id_} was found", connection=connection)


def _reason(*findings: Finding) -> str:
    found = of_findings(findings)
    return found.reason.id if found else ""


def test_the_cause_is_told_and_what_follows_from_it_is_kept(tape: Tape) -> None:
    tape.started()
    tape.stderr(b"Error: ACME_TOKEN is required")
    tape.died(code=1, why="the server exited with code 1")
    found = diagnosis_of(tape.journal)
    assert found is not None
    assert (found.reason.id, [each.id for each in found.follows]) == ("P-10", ["P-04"])
    assert [plain(line) for line in diagnosis_lines(found)] == [
        "✗ P-10  ACME_TOKEN is not in the environment that the server got",
        "  → Give it with -e ACME_TOKEN=…",
    ]


def test_what_ends_no_connection_is_no_reason() -> None:
    assert _reason() == ""
    assert _reason(_found("T02")) == ""
    assert _reason(_found("S-14")) == ""
    assert _reason(_found("L-05", Severity.WARNING)) == ""


def test_a_mild_cause_of_something_bad_is_a_reason() -> None:
    assert _reason(_found("P-11", Severity.WARNING), _found("P-04")) == "P-11"
    assert _reason(_found("E09")) == "E09"  # it is called L-02, too
    assert _reason(_found("R-07", Severity.WARNING)) == "R-07"


def test_the_connection_that_was_last_counts() -> None:
    assert _reason(_found("P-04", connection=1), _found("P-06", connection=2)) == "P-06"


def test_a_journal_that_is_too_long_is_not_looked_at(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("wether",), cwd="/srv"))
    tape.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="`wether` is not on the PATH that the server gets"))
    assert diagnosis_of(tape.journal) is not None
    monkeypatch.setattr(diagnosis, "MOST_LOOKED_AT", 1)
    assert diagnosis_of(tape.journal) is None


def test_what_a_server_said_is_made_safe() -> None:
    told = Diagnosis(Finding("P-04", Severity.ERROR, Confidence.CERTAIN, "last words: \x1b[2J", fix="\x07look"))
    assert [plain(line) for line in diagnosis_lines(told)] == ["✗ P-04  last words: ␛[2J", "  → ␇look"]
