"""Waiting for a condition, bounded: the one place in the tests that lets time pass.

A test says what it waits for, in words, and fails with those words; it never guesses how long things take.
"""

import asyncio
import time
from collections.abc import Callable

PATIENCE_S = 60
"""How long a condition may take before a test gives up, in seconds: far more than a loaded, slow machine needs."""
_PAUSE = 0.005
"""Seconds between two looks: short beside anything a person would notice, long beside the look itself."""


async def until(condition: Callable[[], object], what: str, timeout: float = PATIENCE_S) -> None:  # noqa: ASYNC109
    """Return as soon as `condition()` is truthy.

    `what` completes the sentence "waited in vain until …"; `timeout` is in seconds.

    Raises: AssertionError if the time is up.
    """
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {timeout:g} s in vain until {what}")
        await asyncio.sleep(_PAUSE)
