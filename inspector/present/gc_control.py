"""Keeping the collector of garbage away from what is long: looking through a million objects stops every thread.

What was read from one message hangs together like a tree: it is freed with its last reference, without the collector.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 100_000
"""Objects of which the next collection would take so long that a key waits for it."""


@contextmanager
def no_collection() -> Iterator[None]:
    """For the time of the block no garbage is collected; what is there by then, if it is much, is never looked at."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        freeze_young(MANY)
        if was:
            gc.enable()


def freeze_young(least: int = 0) -> None:
    """No collection looks at what exists now, if so many objects are younger than the last one. Garbage in it stays.

    That is little as long as it is done for a long message and not for each.
    """
    if gc.get_count()[0] >= least:
        gc.freeze()
