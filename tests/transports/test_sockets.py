"""On which ports processes listen, and for whom they wait, as the kernel reports it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import pytest

from inspector.transports.children import processes_of
from inspector.transports.sockets import awaited_by, listening_ports

_US = processes_of(os.getpid())[:1]
_ENDED = processes_of(1 << 30)
_CLIENT = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as there:
    for line in sys.stdin:
        there.sendall(line.encode())
        print("sent", flush=True)
        there.recv(100)
        print("received", flush=True)
"""
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells")


@pytest.fixture
def service() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found


@contextmanager
def _client(port: int) -> Iterator[tuple[int, IO[bytes], IO[bytes]]]:
    command, pipe = [sys.executable, "-c", _CLIENT, str(port)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0) as found:  # noqa: TID251 - a stand-in for a server
        assert found.stdin is not None
        assert found.stdout is not None
        try:
            yield found.pid, found.stdin, found.stdout
        finally:
            found.kill()


def test_ports_on_which_a_process_listens_are_those_of_its_sockets(service: socket.socket) -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as six:
        ports = {service.getsockname()[1], six.getsockname()[1]}
        assert ports <= set(listening_ports(_US))
    assert not ports <= set(listening_ports(_US))
    assert (listening_ports(_ENDED), awaited_by(_ENDED)) == ((), ())


def test_a_process_waits_for_whom_it_sent_something_until_it_is_answered(service: socket.socket) -> None:
    port = service.getsockname()[1]
    with _client(port) as (pid, stdin, stdout), service.accept()[0] as there:
        stdin.write(b"request\n")
        assert stdout.readline() == b"sent\n"
        (awaited,) = awaited_by(processes_of(pid))
        assert (awaited.pid, awaited.accepted, awaited.answered) == (pid, True, False)
        assert awaited.address.split()[0] == f"127.0.0.1:{port}"
        assert " has sent nothing to python" in awaited.clause
        there.sendall(b"response")
        assert stdout.readline() == b"received\n"
        assert awaited_by(processes_of(pid)) == (), "an idle connection"


def test_connections_within_a_server_and_to_its_own_ports_are_not_waited_for(service: socket.socket) -> None:
    with socket.create_connection(service.getsockname()) as ours:
        ours.sendall(b"request")
        assert awaited_by(_US) == ()
