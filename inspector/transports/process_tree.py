"""What runs below a child now: its programs, and how much of the processor they have used. Linux alone tells.

It looks into /proc when it is asked and keeps nothing. What can't be read is left out; elsewhere there is nothing.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

_MOST = 60
"""Processes that are looked at."""
_LONGEST = 4096
"""Bytes of a command line that are read."""
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class Process(msgspec.Struct, frozen=True):
    """One process."""

    pid: int
    name: str
    """As the system calls it; at most fifteen characters, foreign text."""
    argv: tuple[str, ...]
    """Foreign text; () for one that has ended and was not reaped."""
    cpu_s: float
    """Seconds of the processor that it has used so far."""


def processes_of(pid: int, proc: Path = Path("/proc")) -> tuple[Process, ...]:
    """A child and all that it has started and that runs, itself first; () if that can't be known."""
    parents: Mapping[int, list[int]] | None = None
    found: list[Process] = []
    left = [pid]
    while left and len(found) < _MOST:
        at = left.pop(0)
        process = _process(at, proc)
        if process is None:
            continue
        found.append(process)
        children = _children(at, proc)
        if children is None:
            parents = _by_parent(proc) if parents is None else parents
            children = parents.get(at, [])
        left += children
    return tuple(found)


def _process(pid: int, proc: Path) -> Process | None:
    try:
        stat = (proc / str(pid) / "stat").read_bytes()
        with (proc / str(pid) / "cmdline").open("rb") as file:
            argv = file.read(_LONGEST)
    except OSError:
        return None
    head, _, rest = stat.rpartition(b")")  # a name may have any character
    fields = rest.split()
    if len(fields) < 13 or fields[0] in (b"Z", b"X"):
        return None
    words = tuple(os.fsdecode(word) for word in argv.rstrip(b"\0").split(b"\0"))
    return Process(pid, os.fsdecode(head.partition(b"(")[2]), words, (int(fields[11]) + int(fields[12])) / _TICKS)


def _children(pid: int, proc: Path) -> list[int] | None:
    """Whom a process has started; None where the kernel does not say."""
    found: list[int] = []
    try:
        for task in (proc / str(pid) / "task").iterdir():
            found += map(int, (task / "children").read_bytes().split())
    except (OSError, ValueError):
        return None
    return found


def _by_parent(proc: Path) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for pid, parent in _parents(proc):
        found.setdefault(parent, []).append(pid)
    return found


def _parents(proc: Path) -> Iterator[tuple[int, int]]:
    try:
        places = [place for place in proc.iterdir() if place.name.isdigit()]
    except OSError:
        return
    for place in places:
        try:
            stat = (place / "stat").read_bytes()
        except OSError:
            continue
        yield int(place.name), int(stat.rpartition(b")")[2].split()[1])
