"""What is left to read of a connection that died."""

import json

import pytest

from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.viewmodels.lines import plain, section_lines
from inspector.viewmodels.post_mortem import as_data, has_died, post_mortem
from tests.viewmodels.tape import ARGV, Tape


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


def test_the_card_tells_how_it_lived_and_what_it_said_last(tape: Tape) -> None:
    _a_crash(tape)
    card = post_mortem(tape.journal)
    assert plain(card.headline) == "✗ The server exited with code 1 after 1.23 s"
    assert card.why == "the server ended"
    assert _read(tape) == [
        "How it was started",
        "  command    python server.py --verbose",
        "  directory  /srv",
        "  pid        4711",
        "What was in flight",
        "  id 2  tools/call boom",
        "The last message each way",
        '  sent #5      tools/call {"a":1}',
        '  received #4  tools/list {"tools":[]}',
        "stderr",
        "  Traceback (most recent call last):",
        "  ModuleNotFoundError: No module named 'x␛[0m'",
    ]


@pytest.mark.parametrize(
    "why", ["the server exited with code 1 after 1.3 s", "the server was ended by signal 60 after 0.0 s"]
)
def test_one_death_has_one_duration_the_one_that_header_and_traffic_tell(tape: Tape, why: str) -> None:
    tape.started()
    tape.wait(1234)
    tape.died(code=1, why=why)
    assert plain(post_mortem(tape.journal).headline) == f"✗ T{why[1:]}"


def test_a_signal_is_told_by_its_name(tape: Tape) -> None:
    tape.started()
    tape.died(code=None, signal="SIGSEGV")
    assert plain(post_mortem(tape.journal).headline) == "✗ The server was ended by SIGSEGV after 0 µs"


def test_a_connection_without_a_process_is_gone(http_tape: Tape) -> None:
    http_tape.connected("https://u:p@example.test/mcp")
    http_tape.fact(ConnectionFact(ConnectionEvent.ABORT, "http", why="refused"))
    card = post_mortem(http_tape.journal)
    assert plain(card.headline) == "✗ The connection is gone"
    assert card.why == "refused"
    assert plain(section_lines(card.sections[0])[1]) == "  url  https://••••••@example.test/mcp"


def test_a_reason_from_elsewhere_comes_first(tape: Tape) -> None:
    _a_crash(tape)
    assert post_mortem(tape.journal, "no such \x1bfile").why == "no such ␛file"


def test_only_what_broke_off_has_died(tape: Tape) -> None:
    assert not has_died(tape.journal)
    tape.started()
    assert not has_died(tape.journal)
    tape.fact(ConnectionFact(ConnectionEvent.CLOSE, "stdio"))
    assert not has_died(tape.journal)
    tape.started()
    tape.died()
    assert has_died(tape.journal)


def test_the_same_is_there_as_data(tape: Tape) -> None:
    _a_crash(tape)
    data = json.loads(json.dumps(as_data(tape.journal)))
    assert data["argv"] == list(ARGV)
    assert (data["exit_code"], data["signal"], data["lifetime_ms"], data["pid"]) == (1, None, 1234.0, 4711)
    assert data["stderr"][1].endswith("'x\x1b[0m'")
    assert data["in_flight"] == [{"id": 2, "method": "tools/call", "target": "boom"}]
    assert data["last_sent"]["entry"] == 5
    assert data["last_received"]["text"].startswith('{"jsonrpc"')


def test_of_a_connection_that_never_was_there_is_nothing_to_tell(tape: Tape) -> None:
    card = post_mortem(tape.journal, "no such command")
    assert card.sections == ()
    assert plain(card.headline) == "✗ The connection is gone"
    assert as_data(tape.journal)["last_sent"] is None


def test_a_child_that_was_started_since_is_alive(tape: Tape) -> None:
    tape.started(pid=1)
    tape.died(pid=1)
    tape.started(pid=2)
    assert not has_died(tape.journal)
    assert as_data(tape.journal)["exit_code"] is None
    assert as_data(tape.journal)["pid"] == 2


def test_what_could_not_be_started_is_told_as_such(tape: Tape) -> None:
    tape.fact(ConnectionFact(ConnectionEvent.OPEN, "stdio", argv=("wether", "--stdio"), cwd="/srv"))
    tape.fact(ConnectionFact(ConnectionEvent.ABORT, "stdio", why="`wether` is not on the PATH"))
    assert plain(post_mortem(tape.journal).headline) == "✗ The server was not started"
    assert "  command    wether --stdio" in _read(tape)
