"""Which processes a test has started and not ended. Read from /proc; elsewhere nothing is seen, nothing fails.

A direct child is known by its parent. A grandchild whose parent has died is known by its environment: each
test has a HOME of its own, and everything started in that test inherits it.
"""

import os
import select
import signal
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_GRACE_MS = 2000
"""How long a process may take to go that was told to: the kernel's work, not the program's."""
_PYTHONS_OWN = b"multiprocessing.resource_tracker"
"""Python starts it beside a process pool and keeps it to its own end."""


@dataclass(frozen=True, slots=True)
class Process:
    """A living process, by its number and what it runs."""

    pid: int
    command: str


def pids() -> frozenset[int]:
    """Return every process number now in use; empty where there is no /proc."""
    if not _PROC.is_dir():
        return frozenset()
    return frozenset(int(name) for name in os.listdir(_PROC) if name.isdigit())


def alive_since(before: frozenset[int], home: Path) -> list[Process]:
    """Return the living processes that are ours and were not there before."""
    return [found for pid in sorted(pids() - before) if (found := _ours(pid, home))]


def _ours(pid: int, home: Path) -> Process | None:
    place = _PROC / str(pid)
    try:
        state, parent = (place / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
        command = (place / "cmdline").read_bytes()
        environment = (place / "environ").read_bytes().split(b"\0")
    except OSError:
        return None  # gone meanwhile, or somebody else's
    if state in "ZX" or _PYTHONS_OWN in command:
        return None
    if int(parent) == os.getpid() or b"HOME=" + os.fsencode(home) in environment:
        return Process(pid, command.replace(b"\0", b" ").decode(errors="replace").strip())
    return None


def end(found: list[Process], grace_ms: int = _GRACE_MS) -> list[str]:
    """Give each its grace, kill what is left, and say which those were."""
    stayed = [process for process in found if not _goes_by_itself(process.pid, grace_ms)]
    return [f"{process.pid} {process.command}" for process in stayed]


def _goes_by_itself(pid: int, grace_ms: int) -> bool:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        if poll.poll(grace_ms):
            return True
        signal.pidfd_send_signal(handle, signal.SIGKILL)
        poll.poll(_GRACE_MS)
        return False
    finally:
        os.close(handle)
