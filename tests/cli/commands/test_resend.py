"""`mcp-inspect resend`: confirmation, the requests, and the comparison."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.capture.compare.differences import Comparison, compare
from inspector.capture.compare.normal import Normal
from inspector.cli.commands import resend
from inspector.cli.commands.resend import tell
from inspector.cli.env import CliEnv
from inspector.cli.exit_status import ExitStatus
from inspector.cli.output import Output
from inspector.features.resend.resend import CarriedValue, Resent, Skip, plan
from inspector.session.engine import Live
from inspector.session.options import SessionState
from tests.capture.compare.talk import calls, says, told
from tests.captures.record import sample
from tests.cli.running import demo, inspect, server
from tests.cli.running import inspect as run

LIGHTHOUSE = str(sample("lighthouse"))


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((LIGHTHOUSE,), "no server to send to"),
        ((LIGHTHOUSE, "--yes", "--"), "missing command after --"),
        ((LIGHTHOUSE, *demo()), "needs confirmation"),
        (("no-such", "--yes", *demo()), "no such file"),
        ((LIGHTHOUSE, "--where", "tol == 3", "--yes", *demo()), "did you mean `tool`"),
        ((LIGHTHOUSE, "--where", "tool == none", "--yes", *demo()), "nothing of the capture"),
        ((LIGHTHOUSE, "--to", "999999", "--yes", *demo()), "the capture has"),
        ((LIGHTHOUSE, "--to", "40", "--json", *demo()), "--to opens the interface"),
    ],
)
def test_resend_of_unusable_arguments_starts_no_server(argv: tuple[str, ...], said: str) -> None:
    ran = inspect("resend", *argv)
    assert (ran.status, ran.stdout) == (ExitStatus.USAGE, "")
    assert said in ran.stderr
    assert "sending" not in ran.stderr or "confirmation" in said


def test_resend_confirmation_can_be_declined() -> None:
    ran = inspect("resend", LIGHTHOUSE, *demo(), stdin="n\n", terminal=True).exits(ExitStatus.OK, "tools/call", "[y/N]")
    assert ran.stdout == ""


def test_resend_where_sends_matching_requests(tmp_path: Path) -> None:
    ran = inspect("resend", "--yes", "--where", "tool in {add, image_result}", LIGHTHOUSE, "--era", "legacy", *demo())
    assert ran.stdout.startswith("No difference: 2 unchanged."), ran.stderr + ran.stdout
    assert ran.status == ExitStatus.OK


def test_a_server_of_another_kind_is_lines_of_the_result_and_no_crash() -> None:
    ran = inspect("resend", "--yes", "--json", "--allow-destructive", LIGHTHOUSE, *server("dies"))
    assert ran.status in (ExitStatus.UNREACHABLE, ExitStatus.FINDINGS)
    assert "Traceback" not in ran.stderr


_TALK = told(calls(1, "add\x1b", a=1), says(1, "1"))


def _told(comparison: Comparison, sent: int = 1) -> tuple[ExitStatus, str, str]:
    out, err = io.StringIO(), io.StringIO()
    output = Output(CliEnv(None, {}, io.StringIO(), out, err))
    step = plan(_TALK).steps[0]
    skip = Skip(_TALK.operations[0], "it may destroy something")
    resent = Resent(comparison, sent, (skip,), ((step, CarriedValue("arguments.a", "x\x1b", "y", 3)),), ("A note.",))
    return tell(output, resent, "old.mcpcap"), out.getvalue(), err.getvalue()


def test_resend_report_is_complete_and_safe() -> None:
    other = told(calls(1, "add\x1b", a=1), says(1, "2"))
    status, out, err = _told(compare(_TALK, other, Normal()))
    assert status is ExitStatus.FINDINGS
    assert out.startswith("0 unchanged, 1 changed.")
    assert '"x\\u001b" is now "y" (from the answer to #3)' in err
    assert "--allow-destructive sends it" in err
    assert "! A note." in err
    assert "\x1b" not in out + err


def test_an_empty_comparison_is_no_success_if_nothing_was_sent() -> None:
    assert _told(Comparison(()), 0)[0] is ExitStatus.FINDINGS
    assert _told(compare(_TALK, _TALK, Normal()))[0] is ExitStatus.OK


def _up_to(entry: int, monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[list[str], SessionState, str]:
    """What the live server was asked when the interface opened, how its session stood, and what was printed."""
    monkeypatch.setenv("TERM", "xterm")
    seen: list[tuple[list[str], SessionState]] = []

    def show(begin: Callable[..., Live], first: Live) -> ExitStatus:
        exchanges = first.journal.conversation.exchanges
        seen.append(([each.target for each in exchanges if each.method == "tools/call"], first.state))
        return ExitStatus.OK

    monkeypatch.setattr(resend, "show_live", show)
    ran = run("resend", "--yes", "--to", str(entry), str(sample("lighthouse")), *words, terminal=True)
    assert (ran.status, len(seen)) == (ExitStatus.OK, 1), ran.stderr
    return *seen[0], ran.stdout


def test_resend_up_to_an_entry_leaves_the_session_open(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, state, said = _up_to(20, monkeypatch, "--era", "legacy", "--allow-destructive", *demo())
    assert (asked, state) == (["add", "complex_form"], SessionState.OPEN)
    assert "unchanged" in said


def test_a_call_that_was_answered_only_behind_the_entry_is_compared_with_that_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("--where", "tool == tool_error", "--era", "legacy", "--allow-destructive")
    asked, _, said = _up_to(30, monkeypatch, *words, *demo())
    assert asked == ["tool_error"]
    assert "No difference: 1 unchanged." in said


def test_a_server_that_does_not_start_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, state, said = _up_to(20, monkeypatch, "--", os.devnull)
    assert (asked, said) == ([], "")
    assert state is SessionState.CLOSED
