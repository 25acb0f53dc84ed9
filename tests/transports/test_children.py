"""Groups of processes: registered, signalled, ended, and never those of somebody else."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from inspector.errors import ConnectError
from inspector.transports import children
from inspector.transports.children import (
    Child,
    end_all_children,
    forget_group,
    is_group_alive,
    signal_group,
    spawn,
    watch_exit,
)
from tests.transports.recording import child_env, server
from tests.waiting import until


def _start(name: str) -> Child:
    argv = server(name)
    return spawn(sys.executable, argv, child_env(), None)


def _end(child: Child) -> None:
    child.kill()
    child.wait()
    forget_group(child.pid)
    for pipe in (child.stdin, child.stdout, child.stderr):
        assert pipe
        pipe.close()


def test_a_child_leads_a_group_and_a_session_of_its_own(home: Path) -> None:
    child = _start("echo")
    try:
        assert os.getpgid(child.pid) == os.getsid(child.pid) == child.pid
        assert is_group_alive(child.pid)
    finally:
        _end(child)
    assert not is_group_alive(child.pid)


def test_a_signal_to_a_group_that_is_gone_is_no_error(home: Path) -> None:
    child = _start("echo")
    _end(child)
    signal_group(child.pid, signal.SIGTERM)


def test_a_dead_child_that_nobody_has_reaped_is_not_alive(home: Path) -> None:
    child = _start("echo")
    os.kill(child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not is_group_alive(child.pid)
    _end(child)


async def test_the_exit_is_told_on_the_loop_with_its_time(home: Path) -> None:
    child = _start("echo")
    told: list[float] = []
    thread = watch_exit(child, told.append)
    signal_group(child.pid, signal.SIGKILL)
    await until(lambda: told, "the exit is told")
    thread.join()
    assert told[0] <= asyncio.get_running_loop().time()
    _end(child)


def test_an_exit_after_the_end_of_the_loop_is_told_to_nobody(home: Path) -> None:
    child = _start("echo")

    async def watch() -> None:
        watchers.append(watch_exit(child, lambda _at: None))

    watchers: list[threading.Thread] = []
    asyncio.run(watch())
    _end(child)
    watchers[0].join()


def test_all_groups_are_ended_the_stubborn_ones_by_force(home: Path) -> None:
    meek, stubborn = _start("echo"), _start("ignores_sigterm")
    assert stubborn.stdout
    stubborn.stdout.readline()
    end_all_children(grace=0.1)
    assert meek.wait() == -signal.SIGTERM
    assert stubborn.wait() == -signal.SIGKILL
    end_all_children(grace=0.1)
    for child in (meek, stubborn):
        _end(child)


def test_a_fork_of_ours_does_not_end_our_children(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = _start("echo")
    with monkeypatch.context() as patch:
        patch.setattr(children, "_owner", os.getpid() + 1)
        end_all_children(grace=0)
    assert is_group_alive(child.pid)
    _end(child)


def test_what_the_system_refuses_is_a_connect_error(tmp_path: Path) -> None:
    with pytest.raises(ConnectError, match="could not be started"):
        spawn("/bin/sh", ["sh", "a\0b"], {}, None)
    with pytest.raises(ConnectError, match="could not be started"):
        spawn(str(tmp_path), ["x"], {}, None)


_LEAVES_WITHOUT_CLOSING = """
import asyncio, os, sys
from inspector.transports.stdio import StdioTransport
from tests.transports.recording import Recorder, child_env, server

async def main():
    recorder = Recorder()
    transport = StdioTransport(server(sys.argv[1]), env=child_env())
    await transport.open(recorder)
    await recorder.until(lambda seen: seen.frames, "it is ready")
    print(transport.pid, flush=True)
    sys.stdin.read() if "wait" in sys.argv else sys.exit(3)

asyncio.run(main())
"""


def test_a_program_that_exits_without_closing_leaves_no_child() -> None:
    argv = [sys.executable, "-c", _LEAVES_WITHOUT_CLOSING, "ignores_sigterm"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 3, done.stderr
    assert not is_group_alive(int(done.stdout))


async def test_if_we_are_killed_the_server_reads_the_end_of_its_stdin() -> None:
    argv = [sys.executable, "-c", _LEAVES_WITHOUT_CLOSING, "banner", "wait"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:  # noqa: ASYNC220, TID251
        assert program.stdout
        group = int(program.stdout.readline())
        assert is_group_alive(group)
        program.kill()
    await until(lambda: not is_group_alive(group), "the server has ended by itself")
