"""What a process and its children do, as /proc reports it."""

import os

from inspector.transports.process_state import cpu_seconds, delayed_seconds, state_of

_NONE = 1 << 30
"""No process has this number."""


def test_state_of_this_process_has_its_threads_and_cpu_use() -> None:
    found = state_of(os.getpid(), 12.5)
    assert found is not None
    assert (found.cpu_percent, found.threads >= 1) == (12.5, True)
    assert (cpu_seconds(os.getpid()) or 0) > 0
    assert delayed_seconds(os.getpid()) > 0


def test_state_of_process_that_ended_is_none() -> None:
    assert state_of(_NONE, None) is None
    assert (cpu_seconds(_NONE), delayed_seconds(_NONE)) == (None, 0)
