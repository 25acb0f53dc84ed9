"""Time to compute the state that was known at any entry of a long capture.

Beside each stands its floor: reading as records the same lines, from the checkpoint before to that entry. Both are
times of the processor, for nothing is waited for.
"""

import random
import time
from pathlib import Path
from statistics import median

import msgspec

from inspector.capture.format.records import from_line
from inspector.capture.journal import Journal
from inspector.capture.store.history import History
from inspector.capture.store.load import load

_MOMENTS = 25


class Jumps(msgspec.Struct, frozen=True):
    """Some jumps to moments that were drawn by lot."""

    entries: int
    slowest_s: float
    median_s: float
    floors: float
    """How many times the floor they took, all together."""


def jumps(path: Path) -> Jumps:
    """Jump about; each moment is folded from its checkpoint."""
    journal = load(path)
    try:
        lot, past = random.Random(7), History(journal)
        times, floors = [], []
        for _ in range(_MOMENTS):
            n = lot.randint(1, journal.count)
            floors.append(_floor_s(journal, n - past.cost(n) + 1, n))
            times.append(_seconds(past, n))
        return Jumps(journal.count, max(times), median(times), sum(times) / max(sum(floors), 1e-9))
    finally:
        journal.close()


def _seconds(past: History, n: int) -> float:
    began = time.process_time()
    assert past.at(n).count == n
    return time.process_time() - began


def _floor_s(journal: Journal, first: int, last: int) -> float:
    store = journal.store
    began = time.process_time()
    for n in range(first, last + 1):
        from_line(store.read(*store.line(n)))
    return time.process_time() - began
