"""The thread that gives checks their time: for all subjects, less of it in a flood, until it is stopped."""

import threading

import pytest

from inspector.tui.checker import IDLE, LIVE, RECORDED, RUSHING, Checker, Rate, pace_of
from inspector.tui.subject import Stage
from tests.tui.staging import Staged, handshake
from tests.viewmodels.tape import Tape
from tests.waiting import until


async def test_what_all_subjects_get_is_checked_until_it_is_stopped(tape: Tape) -> None:
    other = Tape()
    subjects = [Staged(tape), Staged(other)]
    checker = Checker(lambda: subjects)
    try:
        handshake(tape.started())
        n = tape.from_server(b"hello")
        other.started().from_server(b"hello")
        await until(lambda: all(each.checks.mark(each.journal.count) for each in subjects), "both were checked")
        assert subjects[0].checks.mark(n) == 3
        subjects[0].checks.paused = True
        tape.from_server(b"more")
        other.from_server(b"more")
        await until(lambda: subjects[1].checks.is_done, "the other one was checked")
        assert not subjects[0].checks.is_done
    finally:
        checker.stop()
    assert not checker.has_failed
    other.from_server(b"never looked at")
    assert not subjects[1].checks.is_done
    other.journal.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_an_error_of_ours_ends_it_and_can_be_told(tape: Tape) -> None:
    told: list[object] = []

    class Broken(Staged):
        @property
        def checks(self) -> object:  # type: ignore[override]
            told.append(1)
            raise SystemExit

    checker = Checker(lambda: [Broken(tape)])
    await until(lambda: checker.has_failed, "the thread had ended")
    assert told
    checker.stop()


def test_a_flood_leaves_little_time_and_a_recording_much(tape: Tape) -> None:
    subject = Staged(tape)
    assert pace_of(subject, 10) is LIVE
    assert pace_of(subject, 100_000) is RUSHING
    subject.now_stage = Stage.LOADING
    assert pace_of(subject, 0) is IDLE
    subject.now_stage = Stage.RECORDED
    subject.checks.paused = True
    assert pace_of(subject, 0) is IDLE
    assert RUSHING.bite / RUSHING.pause < 0.05
    assert RECORDED.bite > RECORDED.pause


def test_a_long_recording_is_checked_when_somebody_asks_for_it(tape: Tape, monkeypatch: pytest.MonkeyPatch) -> None:
    handshake(tape)
    monkeypatch.setattr(type(tape.journal), "live", False)
    for many, first in ((tape.journal.count + 1, RECORDED), (tape.journal.count, IDLE)):
        monkeypatch.setattr("inspector.viewmodels.live_checks.MANY", many)
        subject = Staged(tape)
        subject.now_stage = Stage.RECORDED
        assert pace_of(subject, 0) is first
    subject.checks.paused = False
    assert pace_of(subject, 0) is RECORDED


def test_a_rate_is_looked_at_now_and_then() -> None:
    rate = Rate()
    assert rate.of(100, 10.0) == 10.0
    assert rate.of(5000, 10.001) == 10.0
    assert rate.of(5100, 11.0) == 5000.0


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_check_that_takes_long_holds_up_no_end_and_may_fail_after_it(tape: Tape) -> None:
    began, closed = threading.Event(), threading.Event()

    class Slow(Staged):
        @property
        def checks(self) -> object:  # type: ignore[override]
            began.set()
            closed.wait()
            raise ValueError("what it reads is closed")

    checker = Checker(lambda: [Slow(tape)])
    await until(began.is_set, "a check is under way")
    checker.stop()
    assert not closed.is_set(), "the end has not waited for it"
    closed.set()
    await until(lambda: not checker._thread.is_alive(), "it has ended")
    assert not checker.has_failed
