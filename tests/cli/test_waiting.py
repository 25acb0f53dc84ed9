"""What a command shows on stderr while it waits."""

import io
import sys

import pytest

from inspector.cli import waiting
from inspector.cli.env import CliEnv
from inspector.cli.output import Output
from inspector.cli.waiting import WaitNotice, waits_shown
from inspector.present import waiting as wait_lines
from tests.cli.running import Terminal, inspect
from tests.present.tape import Tape
from tests.waiting import until


def _output(stderr: io.StringIO, *, quiet: bool = False) -> Output:
    return Output(CliEnv(None, {"TERM": "xterm", "NO_COLOR": "1"}, io.StringIO(), io.StringIO(), stderr), quiet=quiet)


def _seen(tape: Tape, seconds: int, stderr: io.StringIO, *, quiet: bool = False) -> list[str]:
    """Look twice a second, and return the lines."""
    notice = WaitNotice(tape.journal, _output(stderr, quiet=quiet), lambda: tape.now)
    for _ in range(2 * seconds):
        tape.wait(500)
        notice.look()
    notice.clear()
    return stderr.getvalue().splitlines()


def _silent_python(tape: Tape) -> None:
    tape.started(argv=("python3", "server.py"))
    tape.stderr(b"ready\n")
    tape.request(0, "initialize", {})


def test_wait_notice_into_a_pipe_is_few_lines_with_what_is_known_and_one_advice(tape: Tape) -> None:
    _silent_python(tape)
    lines = _seen(tape, 60, io.StringIO())
    assert lines[0].startswith("⋯ connecting 2 s · no response to initialize 2 s · alive (")
    assert "nothing on stdout yet · stderr: ready" in lines[1]
    assert lines[1].startswith("⋯ connecting 5 s")
    assert "python -u" in lines[2]
    assert len(lines) < 8
    assert sum("python -u" in line for line in lines) == 1


def test_wait_notice_on_a_terminal_is_one_line_that_is_removed(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    tape.call(1, "weigh")
    stderr = Terminal()
    _seen(tape, 4, stderr)
    assert "\n" not in stderr.getvalue()
    assert "tools/call weigh 3 s · waiting for the server" in stderr.getvalue()
    assert stderr.getvalue().endswith("\r\x1b[K\r")


def test_wait_notice_is_silent_before_two_seconds_and_when_quiet(tape: Tape) -> None:
    _silent_python(tape)
    assert _seen(tape, 1, io.StringIO()) == []
    assert _seen(tape, 30, io.StringIO(), quiet=True) == []


def test_wait_notice_names_the_server_that_does_not_stop(tape: Tape) -> None:
    tape.started().initialized("2025-11-25")
    stderr = io.StringIO()
    notice = WaitNotice(tape.journal, _output(stderr), lambda: tape.now)
    notice.stopping()
    notice.look()
    tape.wait(3000)
    notice.look()
    assert stderr.getvalue() == "⋯ waiting 3 s for the server to stop\n"


async def test_drawn_wait_is_removed_when_a_message_arrives(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_LOOK_S", 0)
    tape.started().initialized("2025-11-25")
    tape.call(1, "weigh")
    stderr = Terminal()
    with waits_shown(tape.journal, _output(stderr), lambda: tape.now):
        tape.wait(3000)
        await until(lambda: "weigh" in stderr.getvalue(), "the wait is drawn")
        tape.answer(1, {"content": []})
        assert stderr.getvalue().endswith("\r")


def test_command_that_waits_for_a_silent_server_names_it_and_gives_one_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wait_lines, "PATIENCE_NS", 10**8)
    monkeypatch.setattr(waiting, "_LOOK_S", 0.05)
    answer = '{"jsonrpc":"2.0","id":1,"result":{}}'
    buffered = f"import sys\nfor line in sys.stdin: print({answer!r})"
    ran = inspect("info", "--timeout", "2.5", "--revision", "2025-11-25", "--", sys.executable, "-c", buffered)
    assert "no response to" in ran.stderr
    assert "nothing on stdout yet" in ran.stderr
    assert "wait longer with --timeout" not in ran.stderr
