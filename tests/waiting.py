"""Waiting for a condition, bounded: the one place in the tests that lets time pass.

A test says what it waits for, in words, and fails with those words; it never guesses how long things take.
"""

import asyncio
import time
from collections.abc import Callable

_PIECE_S = 0.02
"""Seconds of processor time that say how slow the machine is."""
_PAUSE, _LONGEST_PAUSE = 0.005, 0.05
"""Seconds between two looks, at first and at most: a tenth of what was waited, as the look itself takes time."""


def slowness() -> float:
    """How many times longer than its processor time a piece of work takes now: 1 on a quiet machine.

    A process of the lowest priority beside two busy ones gets a fiftieth of a processor.
    """
    began, worked = time.monotonic(), time.process_time()
    while time.process_time() - worked < _PIECE_S:
        pass
    return max(1.0, (time.monotonic() - began) / _PIECE_S)


SLOWNESS = slowness()
"""How slow the machine was at the beginning."""
PATIENCE_S = 60 * SLOWNESS
"""How long anything may take before a test gives up, in seconds: far more than it needs, also on a slow machine."""


def until_sync(condition: Callable[[], object], what: str) -> None:
    """`until` for a test without an event loop. Raises: AssertionError if the time is up."""
    asyncio.run(until(condition, what))


async def until(condition: Callable[[], object], what: str, timeout: float | None = None) -> None:  # noqa: ASYNC109
    """Return as soon as `condition()` is truthy.

    `what` completes the sentence "waited in vain until …"; `timeout` is in seconds, None for half of PATIENCE_S. Where
    the machine has become slow meanwhile, it is waited as many times longer, once.

    Raises: AssertionError if the time is up.
    """
    patience = PATIENCE_S / 2 if timeout is None else timeout
    began = time.monotonic()
    end, is_last = began + patience, False
    while not condition():
        now = time.monotonic()
        if now > end:
            if is_last or (slow := slowness() / SLOWNESS) < 2:
                raise AssertionError(f"waited {patience:g} s in vain until {what}")
            end, is_last = now + patience * slow, True
        await asyncio.sleep(min(max(_PAUSE, (now - began) / 10), _LONGEST_PAUSE))
