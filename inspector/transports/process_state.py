"""Reads what a process and its children do, from /proc: evidence for why a server does not respond."""

import asyncio
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from inspector.protocol.facts import ChildState, ProcessActivity
from inspector.transports.children import Process, processes_of

_PROC = Path("/proc")
_MOST = 20
"""Maximum number of children that are described."""
_COMMAND = 120
_CPU_SAMPLE_S, _SAMPLES = 0.1, 5
"""Seconds over which the CPU use of a process is measured, and how often its state is read meanwhile."""


def cpu_seconds(pid: int) -> float | None:
    """Return the CPU time that a process has used; None if that is unknown."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if len(fields) > 19 else None


def delayed_seconds(pid: int) -> float:
    """Return for how long a process and its descendants wanted the CPU and did not get it; 0 if that is unknown."""
    delays = [0]
    for each in processes_of(pid):
        with suppress(OSError, ValueError, IndexError):
            delays.append(int((_PROC / str(each.pid) / "schedstat").read_text().split()[1]))
    return sum(delays) / 1e9


def is_runnable(pid: int) -> bool:
    """Return whether a thread of a process runs, or waits for the CPU only."""
    with suppress(OSError):
        stats = (each / "stat" for each in (_PROC / str(pid) / "task").iterdir())
        return any(each.read_text("utf-8", "replace").rpartition(")")[2].split()[0] == "R" for each in stats)
    return False


async def observed(pid: int, *, serves_pipes: bool) -> ProcessActivity | None:
    """Watch a process for a tenth of a second; return what it and its descendants do.

    None if this system has no /proc, or the process ended. `serves_pipes`: whether its stdin and stdout carry messages.
    """
    began, before, runnable = time.monotonic(), cpu_seconds(pid), True
    for _ in range(_SAMPLES):
        await asyncio.sleep(_CPU_SAMPLE_S / _SAMPLES)
        runnable = runnable and is_runnable(pid)
    after, seconds = cpu_seconds(pid), time.monotonic() - began
    percent = None if before is None or after is None else round(100 * (after - before) / seconds, 1)
    return state_of(pid, percent, runnable=runnable, serves_pipes=serves_pipes)


def state_of(
    pid: int, cpu_percent: float | None, *, runnable: bool = False, serves_pipes: bool = True
) -> ProcessActivity | None:
    """Return the state of a process and its descendants; None if this system has no /proc, or the process ended."""
    from inspector.transports.sockets import awaited_by  # only hangs need it

    fields = _stat(pid)
    if len(fields) <= 19:
        return None
    stdin, stdout = (_pipe(pid, 0), _pipe(pid, 1)) if serves_pipes else ("", "")
    running = processes_of(pid)
    children = tuple(_child(each, stdin, stdout) for each in running[1 : _MOST + 1])
    return ProcessActivity(cpu_percent, runnable, int(fields[17]), children, awaits=awaited_by(running))


def children_elsewhere(pid: int) -> dict[int, str]:
    """Return the descendants of a process that have left its group, each with the time of its start."""
    stats = ((each.pid, _stat(each.pid)) for each in processes_of(pid)[1 : _MOST + 1])
    return {child: fields[19] for child, fields in stats if len(fields) > 19 and fields[2] != str(pid)}


def still_running(children: Mapping[int, str]) -> tuple[ChildState, ...]:
    """Return those of `children_elsewhere` that have not ended since."""
    stats = ((child, began, _stat(child)) for child, began in children.items())
    same = (child for child, began, now in stats if len(now) > 19 and now[0] != "Z" and now[19] == began)
    return tuple(_child(each, "", "") for child in same for each in processes_of(child)[:1])


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


def _child(process: Process, stdin: str, stdout: str) -> ChildState:
    pid, fields = process.pid, _stat(process.pid)
    command = " ".join(process.argv)[:_COMMAND]
    began = int(fields[19]) / os.sysconf("SC_CLK_TCK") if len(fields) > 19 else 0.0
    age_s = max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began) if began else 0.0
    return ChildState(
        pid, command, round(age_s, 2), bool(stdin) and _pipe(pid, 0) == stdin, bool(stdout) and _pipe(pid, 1) == stdout
    )
