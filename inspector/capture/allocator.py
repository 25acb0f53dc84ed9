"""Settings of the C library's allocator (glibc; elsewhere nothing happens): large blocks must not fragment its heap.

By default glibc takes freed blocks of some megabytes for a sign that such blocks belong on the heap, where each stays
below a small one that is in use. A list of 10,000 tools held up to 100 MB this way (`malloc(3)`, `mallopt(3)`).
"""

from contextlib import suppress
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of the parameters."""

_LARGE = 128 * 1024


@cache
def return_large_blocks() -> None:
    """Have blocks of 128 KiB or more returned to the system when they are freed, for the rest of the process."""
    _call("mallopt", _MMAP_THRESHOLD, _LARGE)
    _call("mallopt", _TRIM_THRESHOLD, _LARGE)


def trim() -> None:
    """Return all free memory to the system."""
    _call("malloc_trim", 0)


def _call(name: str, *arguments: int) -> None:
    import ctypes  # needed for large data only

    with suppress(AttributeError, OSError):
        getattr(ctypes.CDLL(None), name)(*arguments)
