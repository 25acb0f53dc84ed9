"""Reads what a child inherits from the status of the process that starts it (proc(5))."""

from inspector.protocol.facts import InheritedState

_NO_PYTHON = {13, 25}
"""SIGPIPE and SIGXFSZ: Python ignores them, and restores them in its children."""


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
