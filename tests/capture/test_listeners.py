"""Who hears of entries, and that nobody stops the traffic."""

import logging

import pytest

from inspector.capture.entries import Entry
from inspector.capture.listeners import Listeners
from inspector.protocol.facts import Stderr

ENTRY = Entry(7, 7, 7, Stderr(b"x"))


def test_one_that_raises_is_taken_off_and_told_and_the_others_hear_on(caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    heard: list[int] = []
    listeners = Listeners(told.append)
    listeners.add(lambda entry, events: [][0], in_runs=True)
    listeners.add(lambda entry, events: heard.append(entry.n), in_runs=True)
    with caplog.at_level(logging.CRITICAL):
        listeners.tell(ENTRY, ())
        listeners.tell(ENTRY, ())
    assert heard == [7, 7]
    assert told == ["A part of the program failed at entry 7 and no longer follows what happens."]


def test_runs_are_for_those_who_want_them() -> None:
    listeners = Listeners(print)
    wanted = [listeners.hear_runs]
    stop = listeners.add(lambda entry, events: None, in_runs=False)
    wanted.append(listeners.hear_runs)
    also = listeners.add(lambda entry, events: None, in_runs=True)
    wanted.append(listeners.hear_runs)
    also()
    stop()
    assert [*wanted, listeners.hear_runs] == [False, False, True, False]
