"""A capture is sent up to an entry, and the live session goes on in the interface."""

import os
from collections.abc import Callable

import pytest

from inspector.cli import taking_over
from inspector.cli.commands import resend
from inspector.cli.exit_status import ExitStatus
from inspector.session.engine import Live
from inspector.session.wishes import State
from tests.captures.record import sample
from tests.cli.running import demo
from tests.cli.running import inspect as run


def _up_to(entry: int, monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[list[str], State, str]:
    """What the live server was asked when the interface opened, how its session stood, and what was printed."""
    monkeypatch.setenv("TERM", "xterm")
    seen: list[tuple[list[str], State]] = []

    def show(begin: Callable[..., Live], first: Live) -> ExitStatus:
        exchanges = first.journal.conversation.exchanges
        seen.append(([each.target for each in exchanges if each.method == "tools/call"], first.state))
        return ExitStatus.OK

    monkeypatch.setattr(taking_over, "show_live", show)
    ran = run("resend", "--yes", "--to", str(entry), str(sample("lighthouse")), *words, terminal=True)
    assert (ran.status, len(seen)) == (ExitStatus.OK, 1), ran.stderr
    return *seen[0], ran.stdout


def test_what_came_before_the_entry_is_sent_and_the_session_is_open_then(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, state, said = _up_to(20, monkeypatch, "--era", "legacy", "--allow-destructive", *demo())
    assert (asked, state) == (["add", "log_passage"], State.OPEN)
    assert "the same" in said
    assert resend.command.name == "resend"


def test_a_call_that_was_answered_only_behind_the_entry_is_compared_with_that_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("--where", "tool == radio_harbour", "--era", "legacy", "--allow-destructive")
    asked, _, said = _up_to(30, monkeypatch, *words, *demo())
    assert asked == ["radio_harbour"]
    assert "No difference: 1 the same." in said


def test_a_server_that_does_not_start_is_shown_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, state, said = _up_to(20, monkeypatch, "--", os.devnull)
    assert (asked, said) == ([], "")
    assert state is State.CLOSED
