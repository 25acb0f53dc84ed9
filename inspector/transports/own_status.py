"""What a child of this process inherits, as the system shows it. Imports nothing: the tap starts with it.

Only Linux shows it (proc(5)); elsewhere nothing is known.
"""

import os


def own_status() -> tuple[bytes, tuple[int, ...], bool]:
    """Return the text of this process's status, its inheritable descriptors, and whether stderr is a terminal."""
    try:
        with open("/proc/self/status", "rb") as file:
            status = file.read()
        files = tuple(sorted(fd for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2 and _is_inherited(fd)))
    except OSError:
        return b"", (), False
    return status, files, os.isatty(2)


def _is_inherited(fd: int) -> bool:
    try:
        return os.get_inheritable(fd)
    except OSError:  # the one that listed the others
        return False
