"""What a process and its children do, as /proc reports it."""

import os
import socket

from inspector.transports.process_state import cpu_seconds, listening_ports, state_of

_NONE = 1 << 30
"""No process has this number."""


def test_state_of_this_process_has_its_threads_and_cpu_use() -> None:
    found = state_of(os.getpid(), 12.5)
    assert found is not None
    assert (found.cpu_percent, found.threads >= 1) == (12.5, True)
    assert (cpu_seconds(os.getpid()) or 0) > 0


def test_state_of_process_that_ended_is_none() -> None:
    assert state_of(_NONE, None) is None
    assert cpu_seconds(_NONE) is None


def test_ports_on_which_a_process_listens_are_those_of_its_sockets() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as here,
        socket.create_server(("::1", 0), family=socket.AF_INET6) as six,
    ):
        ports = {here.getsockname()[1], six.getsockname()[1]}
        assert ports <= set(listening_ports(os.getpid()))
    assert not ports & set(listening_ports(os.getpid()))
    assert listening_ports(_NONE) == ()
