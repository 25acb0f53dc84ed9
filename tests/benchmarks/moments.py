"""How soon it is known what was known at some entry of a long capture, wherever that stands."""

import random
import time
from pathlib import Path

from inspector.capture.load import load
from inspector.capture.past import Past

_MOMENTS = 25


def slowest_s(path: Path) -> float:
    """Seconds for the slowest of some moments that were drawn by lot; each is folded from its checkpoint."""
    journal = load(path)
    try:
        lot, past = random.Random(7), Past(journal)
        return max(_seconds(past, lot.randint(1, journal.count)) for _ in range(_MOMENTS))
    finally:
        journal.close()


def _seconds(past: Past, n: int) -> float:
    began = time.perf_counter()
    assert past.at(n).count == n
    return time.perf_counter() - began
