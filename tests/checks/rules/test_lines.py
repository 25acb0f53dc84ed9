"""The lines of a process, and how it ends."""

import pytest

from inspector.protocol.facts import ProcessActivity, ProcessEvent, ProcessFact
from inspector.protocol.frames import Eol
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, asked, ids


def _closed(after: float, row: int = 5, last: ProcessEvent = ProcessEvent.EXIT) -> Script:
    """The child's stdin is closed, and so many seconds later something happens."""
    return lambda: (
        Talk(row).fact(ProcessFact(ProcessEvent.STDIN_EOF, 1)).wait(after).fact(ProcessFact(last, 1, 0)).close()
    )


def _line(payload: bytes) -> Script:
    return lambda: Talk().frame(payload)


CASES: Cases = {
    "blank-line": (_line(b""), _line(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')),
    "unexpected-exit": (
        lambda: Talk().ask("tools/call", {"name": "a"}).exit(3),
        lambda: Talk().ask("tools/call", {"name": "a"}).answer({"content": []}).exit(0),
    ),
    "ambiguous-json": (
        lambda: Talk().ask("ping").frame(b'{"jsonrpc":"2.0","id":2,"result":{"a":1,"a":2}}'),
        asked("ping", {"a": {"b": 1}, "b": 1}),
    ),
}


@pytest.mark.parametrize(
    ("id_", "script"),
    [("stdin-eof-ignored", _closed(5.5)), ("unexpected-exit", lambda: Talk().exit(1))],
)
def test_other_ways_to_break_the_rule_are_found(id_: str, script: Script) -> None:
    assert id_ in ids(script())


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("stdin-eof-ignored", _closed(2.9)),
        ("unexpected-exit", lambda: Talk(opened=False).exit(1)),
        ("unexpected-exit", lambda: Talk().ask("ping").fact(ProcessFact(ProcessEvent.STDIN_EOF, 1)).exit(1)),
        (
            "unexpected-exit",
            lambda: Talk().fact(ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM")).exit(None, "SIGTERM"),
        ),
    ],
)
def test_line_rule_accepts_legal_neighbour(id_: str, script: Script) -> None:
    assert id_ not in ids(script())


def test_an_answer_that_never_comes_is_worse_than_an_exit_code() -> None:
    waiting = of_one(Talk().ask("tools/call").ask("ping").exit(0).findings(), "unexpected-exit")
    assert [(each.severity, each.sentence) for each in waiting] == [
        ("warning", "the process exited with code 0 while tools/call (id 2) and 1 more had no response")
    ]


def test_each_line_that_is_no_message_has_one_finding() -> None:
    talk = Talk()
    for payload in (b"hello", b"hello", b"\xff"):
        talk.frame(payload)
    talk.frame(b"[").frame(b' "jsonrpc": "2.0"', eol=Eol.LF)
    talk.frame(b'{"jsonrpc":"2.0","id":7,"method":"a/\xff"}')
    found = [each.id for each in talk.findings()]
    assert found[:5] == ["stdout-not-json"] * 3 + ["multiline-message", "stdout-encoding"], found


def test_a_process_that_loops_after_the_end_of_stdin_is_accused() -> None:
    spinning = ProcessActivity(cpu_percent=90.0, runnable=True)
    signalled = ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM", state=spinning)
    talk = Talk(5).fact(ProcessFact(ProcessEvent.STDIN_EOF, 1)).wait(4).fact(signalled).close()
    (found,) = of_one(talk.findings(), "stdin-eof-ignored")
    assert "4.0 s after stdin was closed, used 3.6 s of CPU" in found.sentence


def test_a_process_that_was_computing_when_the_signal_was_sent_is_not_accused() -> None:
    signalled = ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM", state=ProcessActivity(runnable=True))
    talk = Talk(5).fact(ProcessFact(ProcessEvent.STDIN_EOF, 1)).wait(2.5).fact(signalled).close()
    assert "stdin-eof-ignored" not in ids(talk)
