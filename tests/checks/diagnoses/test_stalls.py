"""Causes of hangs."""

import pytest

from inspector.protocol.facts import Awaited, ChildState, ProcessActivity, ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel, Direction, Eol
from tests.checks.both import of_one
from tests.checks.talks import Cases, Script, Talk, ids

_CANCELLED = {"requestId": 7}


def _stalled(state: ProcessActivity, seconds: float = 4) -> Talk:
    begun = Talk().fact(ProcessFact(ProcessEvent.SPAWN, 1)).ask("tools/call", {"name": "a"}, 7).wait(seconds)
    return begun.fact(ProcessFact(ProcessEvent.STALL, 1, state=state)).inform("notifications/cancelled", _CANCELLED)


def _with_child(**what: object) -> Script:
    child = ChildState(2, "git fetch", **what)  # type: ignore[arg-type]
    return lambda: _stalled(ProcessActivity(0.0, children=(child,))).close()


def _awaiting(silent_s: float, *, answered: bool = False) -> Talk:
    awaited = Awaited(1, "python", "127.0.0.1:5432", accepted=True, answered=answered, silent_s=silent_s)
    return _stalled(ProcessActivity(0.0, awaits=(awaited,))).close()


def _busy(cpu: float) -> Script:
    return lambda: _stalled(ProcessActivity(cpu)).close()


def _held(*, answered: bool) -> Script:
    def talk() -> Talk:
        begun = Talk().ask("tools/call", {"name": "a"}, 7).demand("roots/list", id_=1)
        if answered:
            begun.frame(b'{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}', Direction.TO_SERVER)
        return begun.wait(4).inform("notifications/cancelled", _CANCELLED).close()

    return talk


def _then(method: str) -> Script:
    def talk() -> Talk:
        begun = Talk().ask("tools/call", {"name": "a"}, 7).wait(4).inform("notifications/cancelled", _CANCELLED)
        return begun.ask(method, {}, 8).wait(4).inform("notifications/cancelled", {"requestId": 8}).close()

    return talk


def _exits(after: float) -> Script:
    return lambda: (
        Talk()
        .ask("tools/call", {"name": "a"}, 7)
        .wait(4)
        .inform("notifications/cancelled", _CANCELLED)
        .exit(1, after=after)
    )


CASES: Cases = {
    "child-holds-stdin": (_with_child(age_s=3.9, stdin=True), _with_child(age_s=60, stdin=True)),
    "server-request-pending": (_held(answered=False), _held(answered=True)),
    "child-process-runs": (_with_child(age_s=3.9), _with_child(age_s=60)),
    "server-waits-for-service": (lambda: _awaiting(3.9), lambda: _awaiting(60)),
    "server-busy": (_busy(99), _busy(2)),
    "requests-serialized": (_then("tools/list"), _then("tools/call")),
    "exit-on-cancellation": (_exits(0.2), _exits(30)),
}


def test_child_holds_stdin_response_at_the_end_of_stdin_after_prompt_ones_is_not_buffering() -> None:
    talk = Talk().fact(ProcessFact(ProcessEvent.SPAWN, 1)).ask("tools/list", {}, 6).answer({"tools": []}, 6)
    talk.ask("tools/call", {"name": "a"}, 7).wait(4).fact(ProcessFact(ProcessEvent.STDIN_EOF, 1)).wait(0.1)
    talk.frame(b'{"jsonrpc":"2.0","id":7,"result":{"content":[]}}', channel=Channel.STDOUT, eol=Eol.LF).close()
    found = {each.id for each in talk.findings()}
    assert "child-holds-stdin" in found
    assert "stdout-buffered" not in found


def test_child_holds_stdin_child_with_its_own_stdin_is_no_cause() -> None:
    assert not of_one(_with_child(age_s=3.9)().findings(), "child-holds-stdin")


def test_process_starting_at_the_end_of_stdin_gets_no_finding_about_buffers_or_loops() -> None:
    computing = ProcessActivity(cpu_percent=90.0, runnable=True)
    talk = Talk(opened=False).ask("initialize").wait(40)
    talk.fact(ProcessFact(ProcessEvent.STDIN_EOF, 1, state=computing)).wait(1)
    talk.answer({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "a", "version": "1"}})
    assert "stdout-buffered" not in ids(talk.close("gave up"))
    silent = (
        Talk(opened=False)
        .ask("initialize")
        .wait(40)
        .fact(ProcessFact(ProcessEvent.STDIN_EOF, 1, state=computing))
        .wait(4)
    )
    silent.fact(ProcessFact(ProcessEvent.SIGNAL, 1, signal="SIGTERM", state=computing))
    found = silent.close("gave up").findings()
    assert "stdin-eof-ignored" not in {each.id for each in found}
    assert "still computing" in next(each.sentence for each in found if each.id == "server-silent")


@pytest.mark.parametrize(
    ("unread", "log", "fix"),
    [(0, "", "subcommand, whether the"), (181, "", "docker run"), (181, "connect ECONNREFUSED ::1:9", "it is running")],
)
def test_silence_of_a_server_whose_stdin_nothing_reads_names_the_unread_bytes(unread: int, log: str, fix: str) -> None:
    state = ProcessActivity(unread=unread)
    talk = Talk(opened=False).ask("initialize").said(log).wait(4)
    talk.fact(ProcessFact(ProcessEvent.STDIN_EOF, 1, state=state))
    (found,) = of_one(talk.close("gave up").findings(), "server-silent")
    assert ("nothing has read the 181 bytes" in found.sentence) is bool(unread)
    assert fix in found.fix
    assert "still computing" not in found.sentence


def test_child_process_runs_a_child_that_has_the_servers_stdin_has_a_check_of_its_own() -> None:
    found = ids(_with_child(age_s=3.9, stdin=True)())
    assert "child-holds-stdin" in found
    assert "child-process-runs" not in found


def test_connection_that_was_answered_explains_a_wait_only_if_silent_for_most_of_it_and_is_a_guess() -> None:
    assert not of_one(_awaiting(0.5, answered=True).findings(), "server-waits-for-service")
    (found,) = of_one(_awaiting(3.9, answered=True).findings(), "server-waits-for-service")
    assert found.confidence == "guess"
    assert "python (pid 1) and 127.0.0.1:5432 have exchanged nothing for 3.9 s" in found.sentence


def test_call_that_timed_out_in_an_idle_server_sends_the_author_to_locks_and_swallowed_exceptions() -> None:
    idle, waits = (
        of_one(talk.findings(), "call-timed-out")[0]
        for talk in (_stalled(ProcessActivity(0.5)).close(), _awaiting(3.9))
    )
    assert "the server was idle" in idle.sentence
    assert "the handler swallows" in idle.fix
    assert "idle" not in waits.sentence


def test_service_that_a_silent_server_waits_for_before_its_first_message_is_named() -> None:
    awaited = Awaited(1, "python", "127.0.0.1:5432", accepted=False)
    closed = ProcessFact(ProcessEvent.STDIN_EOF, 1, state=ProcessActivity(awaits=(awaited,)))
    silent = Talk(opened=False).ask("initialize").wait(4).fact(closed).close("gave up").findings()
    (found,) = of_one(silent, "server-silent")
    assert "127.0.0.1:5432 has not accepted a connection of python (pid 1)" in found.sentence


def test_server_that_a_tool_has_ended_did_not_exit_because_of_the_cancellation() -> None:
    cancelled = Talk().ask("tools/call", {"name": "a"}, 7).wait(4).inform("notifications/cancelled", _CANCELLED)
    findings = (
        cancelled.said("Traceback (most recent call last):", "SystemExit: no license").exit(1, after=0.2).findings()
    )
    assert not of_one(findings, "exit-on-cancellation")
    (found,) = of_one(findings, "exit-during-session")
    assert "SystemExit: no license" in found.sentence
