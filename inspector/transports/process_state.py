"""Reads what a process and its children do, from /proc: evidence for why a server does not respond."""

import itertools
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from inspector.protocol.facts import ChildState, InheritedState, ProcessActivity

_PROC = Path("/proc")
_MOST = 20
"""Maximum number of children that are described."""
_COMMAND = 120
_LISTENS = "0A"
"""State of a listening socket in /proc/net/tcp."""
_NO_PYTHON = {13, 25}
"""SIGPIPE and SIGXFSZ: Python ignores them, and restores them in its children."""


def cpu_seconds(pid: int) -> float | None:
    """Return the CPU time that a process has used; None if that is unknown."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if len(fields) > 19 else None


def is_runnable(pid: int) -> bool:
    """Return whether a thread of a process runs, or waits for the CPU only."""
    with suppress(OSError):
        stats = (each / "stat" for each in (_PROC / str(pid) / "task").iterdir())
        return any(each.read_text("utf-8", "replace").rpartition(")")[2].split()[0] == "R" for each in stats)
    return False


def state_of(pid: int, cpu_percent: float | None, *, runnable: bool = False) -> ProcessActivity | None:
    """Return the state of a process and its descendants; None if this system has no /proc, or the process ended."""
    fields = _stat(pid)
    if len(fields) <= 19:
        return None
    stdin, stdout = _pipe(pid, 0), _pipe(pid, 1)
    children = tuple(_child(each, stdin, stdout) for each, _ in zip(_descendants(pid), range(_MOST), strict=False))
    return ProcessActivity(cpu_percent, runnable, int(fields[17]), children)


def listening_ports(pid: int) -> tuple[int, ...]:
    """Return the TCP ports on which a process or a descendant listens, in order; empty if the system does not say."""
    found: set[int] = set()
    for each in itertools.islice(itertools.chain((pid,), _descendants(pid)), _MOST):
        sockets = _sockets(each)
        for table in ("tcp", "tcp6") if sockets else ():
            with suppress(OSError, ValueError):
                for row in (_PROC / str(each) / "net" / table).read_text().splitlines()[1:]:
                    fields = row.split()
                    if fields[3] == _LISTENS and fields[9] in sockets:
                        found.add(int(fields[1].rpartition(":")[2], 16))
    return tuple(sorted(found))


def _sockets(pid: int) -> set[str]:
    """Return the inodes of the sockets that a process has open."""
    found: set[str] = set()
    with suppress(OSError):
        for descriptor in (_PROC / str(pid) / "fd").iterdir():
            if (name := _pipe(pid, int(descriptor.name))).startswith("socket:["):
                found.add(name[8:-1])
    return found


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; [] if there is none."""
    with suppress(OSError):
        return (_PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    return []


def _pipe(pid: int, fd: int) -> str:
    """Return what a descriptor refers to; "" if that is unknown."""
    with suppress(OSError):
        return os.readlink(_PROC / str(pid) / "fd" / str(fd))
    return ""


def _descendants(pid: int) -> Iterator[int]:
    """Yield all descendants of a process, parents first."""
    with suppress(OSError):
        for tasks in (_PROC / str(pid) / "task").iterdir():
            for child in (tasks / "children").read_text().split():
                yield int(child)
                yield from _descendants(int(child))


def _child(pid: int, stdin: str, stdout: str) -> ChildState:
    words, fields = b"", _stat(pid)
    with suppress(OSError):
        words = (_PROC / str(pid) / "cmdline").read_bytes()
    command = " ".join(words.decode("utf-8", "replace").split("\0")).strip()[:_COMMAND]
    began = int(fields[19]) / os.sysconf("SC_CLK_TCK") if len(fields) > 19 else 0.0
    age_s = max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began) if began else 0.0
    return ChildState(
        pid, command, round(age_s, 2), bool(stdin) and _pipe(pid, 0) == stdin, bool(stdout) and _pipe(pid, 1) == stdout
    )


def inherited_state(status: bytes, files: tuple[int, ...] = (), terminal: bool = False) -> InheritedState | None:
    """Return what a child of a process with this status inherits; None if the system does not show it."""
    values = dict(line.split(b":\t", 1) for line in status.split(b"\n") if b":\t" in line)
    if b"Umask" not in values:
        return None
    blocked, ignored = (_numbers(values.get(name, b"0")) for name in (b"SigBlk", b"SigIgn"))
    left = tuple(number for number in ignored if number not in _NO_PYTHON)
    return InheritedState(int(values[b"Umask"], 8), blocked, left, files, terminal)


def _numbers(mask: bytes) -> tuple[int, ...]:
    bits = int(mask, 16)
    return tuple(number for number in range(1, 65) if bits >> (number - 1) & 1)
