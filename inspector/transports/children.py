"""Child processes in groups of their own: started, signalled and ended as a group, and none forgotten.

Whatever a server starts belongs to its group, unless it leaves it with setsid; so a wrapper such as npx or a
shell is ended together with the server behind it. Every living group is in one register, and
`end_all_children` empties it from an exit hook or a signal handler.

If we are killed by SIGKILL nothing of ours runs any more. What remains is that nobody else holds the writing
end of a child's stdin: the child reads the end of its stream, upon which a server should exit. Linux's
parent-death signal is not used: it is sent when the *thread* ends that started the child, and ours may run
its event loop in any thread.
"""

import atexit
import errno
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from inspector.transports.executable import find_executable, why_not_started

_LOOK = 0.02
"""Seconds between two looks at groups that were told to end, where no event loop runs."""

_PROC = Path("/proc")

_groups: set[int] = set()
_ended_here: set[int] = set()
"""The groups that `end_all_children` has signalled: their end is ours, whatever signal it shows."""
_owner = 0
"""The process the register belongs to: a fork of ours has a copy, and must not end its parent's children."""

Child = subprocess.Popen[bytes]  # noqa: TID251 - started below, and nowhere else


def spawn(executable: str, argv: Sequence[str], env: Mapping[str, str], cwd: str | None) -> Child:
    """Start a child as the leader of a new session and group, its three streams piped, and register the group.

    `executable` is the file to run, `argv` what the child sees, its own name included.

    Raises: ConnectError if the system refuses.
    """
    try:
        child = subprocess.Popen(  # noqa: TID251 - the one place where children are started
            list(argv),
            executable=executable,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=dict(env),
            cwd=cwd,
            close_fds=True,
            start_new_session=True,
        )
    except ValueError as error:  # a NUL somewhere
        raise why_not_started(executable, OSError(errno.EINVAL, str(error))) from error
    except OSError as error:
        raise why_not_started(executable, error) from error
    _register(child.pid)
    return child


class Started(NamedTuple):
    """A server that runs already and is talked to by nobody yet: what it prints waits in its pipes."""

    path: str
    """The file that was run, absolute."""
    child: Child


def start(argv: Sequence[str], env: Mapping[str, str], cwd: str | None) -> Started:
    """Find the program of a command as a person types it, and start it.

    Raises: ConnectError, with what was searched and what is nearest, or what is wrong with what was found.
    """
    path = find_executable(argv[0] if argv else "", env, cwd)
    return Started(path, spawn(path, argv, env, cwd))


def abandon(started: Started) -> None:
    """End a server at once that nobody will talk to, with everything it started."""
    signal_group(started.child.pid, signal.SIGKILL)
    for pipe in (started.child.stdin, started.child.stdout, started.child.stderr):
        if pipe is not None:
            pipe.close()
    started.child.wait()
    forget_group(started.child.pid)


def _register(group: int) -> None:
    global _owner
    if _owner != os.getpid():
        _owner = os.getpid()
        _groups.clear()
        _ended_here.clear()
        atexit.register(end_all_children)
    _groups.add(group)


def forget_group(group: int) -> None:
    """Take a group off the register: it has ended."""
    _groups.discard(group)


def was_ended_here(group: int) -> bool:
    """Tell whether `end_all_children` has ended a group, so that its end is no fault of its own."""
    return group in _ended_here


def is_group_alive(group: int) -> bool:
    """Tell whether a group has a process that runs and that we could signal.

    A dead process that nobody has reaped yet can be signalled as well. Orphans wait for the system's first
    process to reap them, which in a container may take seconds or for ever, so Linux is asked who is dead.
    """
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return not _PROC.is_dir() or any(_is_running_member(place, group) for place in _PROC.iterdir())


def _is_running_member(place: Path, group: int) -> bool:
    if not place.name.isdigit():
        return False
    try:
        stat = (place / "stat").read_bytes()
    except OSError:
        return False  # gone meanwhile
    state, _parent, its_group = stat.rpartition(b")")[2].split()[:3]  # a command's name may have any character
    return int(its_group) == group and state not in (b"Z", b"X")


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to every process of a group; nothing happens if there is none, or none of ours."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def watch_exit(child: Child, on_exit: Callable[[float], None]) -> threading.Thread:
    """Wait for a child in a thread; then, on this loop, call `on_exit` with the loop's time of its end.

    A thread works on every system, and whichever thread the loop runs in. It ends with the child.
    """
    import asyncio  # here: a server is started before the event loop is imported

    loop = asyncio.get_running_loop()

    def wait() -> None:
        child.wait()
        with suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
            loop.call_soon_threadsafe(on_exit, loop.time())

    thread = threading.Thread(target=wait, name=f"exit of {child.pid}", daemon=True)
    thread.start()
    return thread


def end_all_children(grace: float = 0.5) -> None:
    """End every group that lives: SIGTERM, at most `grace` seconds to go, SIGKILL. Blocks; needs no loop.

    It is for the end of our own process: run by `atexit`, and to be called from handlers of SIGHUP and
    SIGTERM. Callable from any thread and from a signal handler: it takes no lock. A second call does nothing.
    """
    if _owner != os.getpid():
        return
    groups = list(_groups)
    _ended_here.update(groups)
    for group in groups:
        signal_group(group, signal.SIGTERM)
    end = time.monotonic() + grace
    while any(map(is_group_alive, groups)) and time.monotonic() < end:
        time.sleep(_LOOK)
    for group in groups:
        signal_group(group, signal.SIGKILL)
        forget_group(group)
