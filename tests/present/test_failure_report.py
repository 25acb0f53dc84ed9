"""Why a connection failed, in a line."""

import json
from pathlib import Path

import pytest

from inspector.checks.findings import Confidence, Finding, Severity
from inspector.config.environment import Environment
from inspector.present import failure_report
from inspector.present.failure_report import (
    Diagnosis,
    as_data,
    diagnosis_lines,
    diagnosis_of,
    environment_gap,
    executable_facts,
    has_failure,
    of_findings,
    post_mortem,
    with_surroundings,
)
from inspector.present.spans import plain, section_lines
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from tests.present.tape import ARGV, Tape


def _found(id_: str, severity: Severity = Severity.ERROR, connection: int = 1) -> Finding:
    return Finding(id_, severity, Confidence.CERTAIN, f"{id_} was found", connection=connection)


def _reason(*findings: Finding) -> str:
    found = of_findings(findings)
    return found.reason.id if found else ""


def test_cause_of_a_failure_is_shown_with_its_consequences(tape: Tape) -> None:
    tape.started()
    tape.stderr(b"Error: ACME_TOKEN is required")
    tape.died(code=1, why="the server exited with code 1")
    found = diagnosis_of(tape.journal)
    assert found is not None
    assert (found.reason.id, [each.id for each in found.follows]) == (
        "environment-variable-missing",
        ["exit-during-handshake"],
    )
    assert [plain(line) for line in diagnosis_lines(found)] == [
        "✗ ACME_TOKEN is not in the environment of the server",
        "  → Set it with -e ACME_TOKEN=…  environment-variable-missing",
    ]


def test_findings_that_end_no_connection_are_no_reason() -> None:
    assert _reason() == ""
    assert _reason(_found("input-schema-not-object")) == ""
    assert _reason(_found("hidden-text")) == ""
    assert _reason(_found("slow-handshake", Severity.WARNING)) == ""


def test_a_mild_cause_of_something_bad_is_a_reason() -> None:
    assert (
        _reason(_found("placeholder-not-expanded", Severity.WARNING), _found("exit-during-handshake"))
        == "placeholder-not-expanded"
    )
    assert _reason(_found("duplicate-response")) == "duplicate-response"
    assert _reason(_found("call-timed-out", Severity.WARNING)) == "call-timed-out"


def test_the_connection_that_was_last_counts() -> None:
    assert (
        _reason(_found("exit-during-handshake", connection=1), _found("server-killed", connection=2)) == "server-killed"
    )


def test_a_journal_that_is_too_long_is_not_looked_at(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    tape.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("wether",), cwd="/srv"))
    tape.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="`wether` is not on the PATH that the server gets"))
    assert diagnosis_of(tape.journal) is not None
    monkeypatch.setattr(failure_report, "MOST_LOOKED_AT", 1)
    assert diagnosis_of(tape.journal) is None


def test_diagnosis_text_is_made_safe() -> None:
    told = Diagnosis(
        Finding("exit-during-handshake", Severity.ERROR, Confidence.CERTAIN, "last words: \x1b[2J", fix="\x07look")
    )
    assert [plain(line) for line in diagnosis_lines(told)] == ["✗ last words: ␛[2J", "  → ␇look  exit-during-handshake"]


SHELL = {"PATH": "/mine", "API_TOKEN": "x", "ZEBRA": "1", "OPENAI_KEY": "s3cr3t", "ACME": "1", "SHLVL": "2"}


def _facts(tape: Tape, **more: object) -> dict[str, str]:
    section = environment_gap(tape.journal, **({"origins": {}, "shell": {}} | more))  # type: ignore[arg-type]
    return {fact.key: fact.value for fact in section.facts}


def test_missing_environment_variables_of_the_shell_are_listed_by_relevance(tape: Tape) -> None:
    tape.started()
    tape.stderr(b"Error: ZEBRA is not set")
    facts = _facts(
        tape,
        shell=SHELL,
        values={"PATH": "/usr/bin", "API_TOKEN": "x"},
        origins={"API_TOKEN": "-e", "PATH": "minimal set"},
    )
    assert facts == {
        "variables": "PATH, API_TOKEN",
        "given": "API_TOKEN",
        "not passed": "from your shell: ZEBRA, OPENAI_KEY, ACME",
        "other value": "PATH",
    }
    assert "s3cr3t" not in repr(facts)


def test_many_are_counted(tape: Tape) -> None:
    tape.started()
    assert _facts(tape, shell={f"V{at:02}": "" for at in range(20)})["not passed"].endswith("V07 and 12 more")


def test_recording_has_no_shell_facts(tape: Tape, http_tape: Tape) -> None:
    tape.started()
    assert _facts(tape) == {"variables": "PATH, API_TOKEN"}
    http_tape.connected("https://example.test")
    assert _facts(http_tape) == {}


def test_a_link_is_followed_where_it_was_run(tmp_path: Path) -> None:
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    link = str(tmp_path / "link")
    assert [fact.value for fact in executable_facts([link, "x"], is_here=True)] == [f"{link} → {tmp_path / 'real'}"]
    assert [fact.value for fact in executable_facts([link], is_here=False)] == [link]
    assert executable_facts([], is_here=True) == []


def test_card_has_the_environment_behind_the_start(tape: Tape, http_tape: Tape) -> None:
    tape.started().died()
    card = with_surroundings(post_mortem(tape.journal), tape.journal, Environment({}, {}), SHELL)
    assert [section.title for section in card.sections] == ["Command", "Environment"]
    assert [fact.key for fact in card.sections[0].facts] == ["executable", "command", "directory", "pid"]
    plain = post_mortem(http_tape.journal)
    assert with_surroundings(plain, http_tape.journal, None, SHELL) is plain


def _read(tape: Tape) -> list[str]:
    card = post_mortem(tape.journal)
    return [plain(line).rstrip() for section in card.sections for line in section_lines(section)]


def _a_crash(tape: Tape) -> None:
    tape.started()
    tape.request(1, "tools/list")
    tape.answer(1, {"tools": []})
    tape.call(2, "boom", {"a": 1})
    tape.stderr(b"Traceback (most recent call last):")
    tape.stderr(b"ModuleNotFoundError: No module named 'x\x1b[0m'")
    tape.wait(1234)
    tape.died(code=1, why="the server ended")


def test_card_has_lifetime_and_last_output(tape: Tape) -> None:
    _a_crash(tape)
    card = post_mortem(tape.journal)
    assert plain(card.headline) == "✗ The server exited with code 1 after 1.23 s"
    assert card.why == "the server ended"
    assert _read(tape) == [
        "Command",
        "  command    python server.py --verbose",
        "  directory  /srv",
        "  pid        4711",
        "Lost",
        "  id 2  tools/call boom",
        "Last messages",
        '  sent #5      tools/call {"a":1}',
        '  received #4  tools/list {"tools":[]}',
        "stderr",
        "  Traceback (most recent call last):",
        "  ModuleNotFoundError: No module named 'x␛[0m'",
    ]


@pytest.mark.parametrize(
    "why", ["the server exited with code 1 after 1.3 s", "the server was terminated by signal 60 after 0.0 s"]
)
def test_one_death_has_one_duration_the_one_that_header_and_traffic_tell(tape: Tape, why: str) -> None:
    tape.started()
    tape.wait(1234)
    tape.died(code=1, why=why)
    assert plain(post_mortem(tape.journal).headline) == f"✗ T{why[1:]}"


def test_card_names_the_signal(tape: Tape) -> None:
    tape.started()
    tape.died(code=None, signal="SIGSEGV")
    assert plain(post_mortem(tape.journal).headline) == "✗ The server was terminated by SIGSEGV after 0 µs"


def test_a_connection_without_a_process_is_gone(http_tape: Tape) -> None:
    http_tape.connected("https://u:p@example.test/mcp")
    http_tape.fact(ConnectionFact(ConnectionEvent.ABORT, "http", why="rejected"))
    card = post_mortem(http_tape.journal)
    assert plain(card.headline) == "✗ Connection lost"
    assert card.why == "rejected"
    assert plain(section_lines(card.sections[0])[1]) == "  url  https://••••••@example.test/mcp"


def test_a_reason_from_elsewhere_comes_first(tape: Tape) -> None:
    _a_crash(tape)
    assert post_mortem(tape.journal, "no such \x1bfile").why == "no such ␛file"


def test_only_what_broke_off_has_died(tape: Tape) -> None:
    assert not has_failure(tape.journal)
    tape.started()
    assert not has_failure(tape.journal)
    tape.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio"))
    assert not has_failure(tape.journal)
    tape.started()
    tape.died()
    assert has_failure(tape.journal)


def test_the_same_is_there_as_data(tape: Tape) -> None:
    _a_crash(tape)
    data = json.loads(json.dumps(as_data(tape.journal)))
    assert data["argv"] == list(ARGV)
    assert (data["exit_code"], data["signal"], data["lifetime_ms"], data["pid"]) == (1, None, 1234.0, 4711)
    assert data["stderr"][1].endswith("'x\x1b[0m'")
    assert data["in_flight"] == [{"id": 2, "method": "tools/call", "target": "boom"}]
    assert data["last_sent"]["entry"] == 5
    assert data["last_received"]["text"].startswith('{"jsonrpc"')


def test_card_without_a_connection_is_empty(tape: Tape) -> None:
    card = post_mortem(tape.journal, "no such command")
    assert card.sections == ()
    assert plain(card.headline) == "✗ Connection lost"
    assert as_data(tape.journal)["last_sent"] is None


def test_a_child_that_was_started_since_is_alive(tape: Tape) -> None:
    tape.started(pid=1)
    tape.died(pid=1)
    tape.started(pid=2)
    assert not has_failure(tape.journal)
    assert as_data(tape.journal)["exit_code"] is None
    assert as_data(tape.journal)["pid"] == 2


def test_failed_start_is_named_in_the_card(tape: Tape) -> None:
    tape.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("wether", "--stdio"), cwd="/srv"))
    tape.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="`wether` is not on the PATH"))
    assert plain(post_mortem(tape.journal).headline) == "✗ Cannot start the server"
    assert "  command    wether --stdio" in _read(tape)
