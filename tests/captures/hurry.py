"""An event loop that waits for nothing: its clock jumps to whatever is due next.

A conversation in this process plays on it in its own time, half a second of a slow tool included, and takes none.
The order of things is the same at each run. Sockets and pipes have no place on it.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class HurriedLoop(asyncio.SelectorEventLoop):
    """A loop whose time passes only where it would have waited."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Skipping(self))

    def time(self) -> float:
        """Seconds since the loop was made, as it pretends."""
        return self.now


class _Skipping(selectors.SelectSelector):
    def __init__(self, loop: HurriedLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise RuntimeError("nothing will ever happen on this loop again")
        self._loop.now += timeout
        return ready


def run_hurried(loop: HurriedLoop, work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end on the loop, and close it."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(work)
