"""The sample in this format is read whole, and nothing is made up."""

import json
from pathlib import Path

from inspector.capture.import_.logs import CLAUDE_CODE, CLAUDE_DESKTOP, VSCODE, Directions
from inspector.protocol.frames import Direction
from tests.capture.import_.orchard import SESSION, connection, imported, messages, stderr


def test_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("claude-code.jsonl", tmp_path)
    assert told.reader is CLAUDE_CODE
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


def test_claude_desktop_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("claude-desktop.log", tmp_path)
    assert told.reader is CLAUDE_DESKTOP
    assert messages(journal) == SESSION
    assert stderr(journal) == [b"warn: one worm"]
    assert connection(journal).argv == ("orchard",)
    assert journal.ended is not None
    assert journal.ended.why == "Server transport closed"
    journal.close()


OUT, BACK = Direction.TO_SERVER, Direction.FROM_SERVER


def test_methods_and_open_requests_tell() -> None:
    directions = Directions()
    found = [
        directions.of(b'{"jsonrpc":"2.0",' + rest + b"}")
        for rest in (
            b'"id":1,"method":"tools/call"',
            b'"id":2,"method":"sampling/createMessage"',
            b'"id":2,"result":{}',
            b'"method":"notifications/progress"',
            b'"method":"notifications/cancelled","params":{"requestId":1}',
            b'"id":1,"error":{"code":1,"message":""}',
            b'"id":"1","result":{}',
            b'"id":null,"error":{}',
        )
    ]
    assert found == [OUT, BACK, OUT, BACK, OUT, BACK, BACK, BACK]
    assert directions.of(b"banner") is BACK


def test_the_server_s_own_request_is_cancelled_by_itself() -> None:
    directions = Directions()
    directions.of(b'{"jsonrpc":"2.0","id":7,"method":"elicitation/create"}')
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}'
    assert directions.of(cancelled) is BACK


def test_vscode_the_session_is_read(tmp_path: Path) -> None:
    journal, told = imported("vscode.log", tmp_path)
    assert told.reader is VSCODE
    assert messages(journal) == SESSION
    assert stderr(journal) == [b"warn: one worm"]
    assert connection(journal).argv == ("orchard-server", "--trees", "9")
    assert journal.ended is not None
    journal.close()
