"""`mcp-inspect resend`: asked before, judged after."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.captures.record import sample
from tests.cli.running import demo, inspect, server

LIGHTHOUSE = str(sample("lighthouse"))


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((LIGHTHOUSE,), "no server to send to"),
        ((LIGHTHOUSE, "--yes", "--"), "nothing stands after --"),
        ((LIGHTHOUSE, *demo()), "needs your consent"),
        (("no-such", "--yes", *demo()), "no such file"),
        ((LIGHTHOUSE, "--where", "tol == 3", "--yes", *demo()), "did you mean tool"),
        ((LIGHTHOUSE, "--where", "tool == none", "--yes", *demo()), "nothing of the capture"),
        ((LIGHTHOUSE, "--to", "999999", "--yes", *demo()), "the capture has"),
        ((LIGHTHOUSE, "--to", "40", "--json", *demo()), "--to opens the interface"),
    ],
)
def test_what_cannot_be_sent_is_refused_before_a_server_is_started(argv: tuple[str, ...], said: str) -> None:
    ran = inspect("resend", *argv)
    assert (ran.status, ran.stdout) == (ExitStatus.USAGE, "")
    assert said in ran.stderr
    assert "sending" not in ran.stderr or "consent" in said


def test_a_person_is_asked_and_may_say_no() -> None:
    ran = inspect("resend", LIGHTHOUSE, *demo(), stdin="n\n", terminal=True)
    assert ran.status == ExitStatus.OK
    assert "tools/call" in ran.stderr
    assert "[y/N]" in ran.stderr
    assert ran.stdout == ""


def test_what_a_filter_lets_through_is_sent_and_the_same_comes(tmp_path: Path) -> None:
    ran = inspect("resend", "--yes", "--where", "tool in {add, tide_chart}", LIGHTHOUSE, "--era", "legacy", *demo())
    assert ran.stdout.startswith("No difference: 2 the same."), ran.stderr + ran.stdout
    assert ran.status == ExitStatus.OK


def test_a_server_of_another_kind_is_lines_of_the_result_and_no_crash() -> None:
    ran = inspect("resend", "--yes", "--json", "--allow-destructive", LIGHTHOUSE, *server("dies"))
    assert ran.status in (ExitStatus.UNREACHABLE, ExitStatus.FINDINGS)
    assert "Traceback" not in ran.stderr
