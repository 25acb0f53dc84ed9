"""The sample in this format is read whole, and nothing is made up."""

import json
from pathlib import Path

from inspector.capture.import_.claude_code import READER
from tests.capture.import_.orchard import SESSION, connection, imported, messages, stderr


def test_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("claude-code.jsonl", tmp_path)
    assert told.reader is READER
    assert messages(journal) == SESSION
    assert stderr(journal) == [b"warn: one worm"]
    assert connection(journal).cwd == "/srv/orchard"
    assert told.passed_over == {"remarks of Claude Code": 2}
    journal.close()


def test_a_remark_of_many_openings_without_an_end_is_read_in_linear_time(tmp_path: Path) -> None:
    """Trying each opening against the rest would take hours and pass the time limit of the run."""
    times = {"timestamp": "2026-01-01T00:00:00.000Z", "sessionId": "s", "cwd": "/"}
    remarks = ["Starting connection", 'Sending: {"jsonrpc":"2.0","id":1,"method":"ping"} now', '{"id"' * 400_000]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps({"debug": remark} | times) + "\n" for remark in remarks))
    journal, told = imported(log, tmp_path)
    assert [method for _, method in messages(journal)] == ["ping"]
    assert told.passed_over == {"remarks of Claude Code": 2}
    journal.close()
