"""Keep the garbage collector away from large data: scanning a million objects stops every thread.

The objects read from one message form a tree, which is freed with its last reference, without the collector.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 100_000
"""Number of objects whose collection would take so long that a key press has to wait."""


@contextmanager
def no_collection() -> Iterator[None]:
    """Disable garbage collection in the block; if it creates many objects, exclude them from later collections."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        freeze_young(MANY)
        if was:
            gc.enable()


def freeze_young(least: int = 0) -> None:
    """Exclude all existing objects from collection if at least `least` were created since the last one.

    Garbage among them is never collected. That is little as long as only long messages use this.
    """
    if gc.get_count()[0] >= least:
        gc.freeze()
