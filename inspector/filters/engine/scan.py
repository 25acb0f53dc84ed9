"""A program going through a journal: what is there, the newest first, and what comes, on a thread of its own.

Whoever started it takes the results when it suits: the thread never waits for them, and after `cancel` it ends at the
next stretch, some milliseconds later at worst. Without a thread `work` does one stretch, on the caller's.
"""

import threading
from collections import deque

from inspector.filters.engine.nodes import BYTES
from inspector.filters.engine.program import Program

Found = tuple[int, bytes]
"""The first entry of a stretch, and its mask."""


class Scan:
    """The entries 1 to `last`, and those that `add` names later."""

    def __init__(
        self,
        program: Program,
        last: int,
        *,
        within: bytes | None = None,
        threaded: bool = False,
        most_bytes: int = BYTES,
    ) -> None:
        """`within`: a byte for each entry from 0 to `last`; only those with 1 are looked at. None: all."""
        self.program = program
        self.total = last
        """How many entries there were at first."""
        self.scanned = 0
        """How many of them were looked through."""
        self._within = within
        self._old = program.stretches(1, last, most_bytes)
        self._new: deque[tuple[int, int]] = deque()
        self._found: deque[Found] = deque()
        self._most_bytes = most_bytes
        self._threaded = threaded
        self._cancelled = False
        self._lock = threading.Lock()
        self._running = False
        self._old_is_done = last < 1
        self._wake()

    @property
    def is_done(self) -> bool:
        """Whether everything there was at first has been looked through, and its results were taken."""
        return self._old_is_done and not self._found

    def add(self, first: int, last: int) -> None:
        """Look through entries that have come since."""
        self._new.append((first, last))
        self._wake()

    def take(self) -> Found | None:
        """The next result; None if there is none yet."""
        return self._found.popleft() if self._found else None

    def cancel(self) -> None:
        """Stop at the next stretch; results are of no interest any more."""
        self._cancelled = True
        self._found.clear()

    def work(self) -> bool:
        """Look through the next stretch; whether there was one. New entries go before old ones."""
        found = self._next()
        if found is None or self._cancelled:
            return False
        first, last = found
        need = None if self._within is None or last > self.total else self._within[first : last + 1]
        if need is None or 1 in need:
            marks = self.program.mark(first, last, need)
            if not self._cancelled:
                self._found.append((first, marks))
        if last <= self.total:
            self.scanned = self.total - first + 1
        return True

    def _next(self) -> tuple[int, int] | None:
        if self._new:
            first, last = self._new.popleft()
            parts = list(self.program.stretches(first, last, self._most_bytes))
            self._new.extendleft(parts[1:])
            return parts[0] if parts else None
        found = next(self._old, None)
        self._old_is_done = found is None
        return found

    def _wake(self) -> None:
        """Have a thread at work if there is something to do."""
        if not self._threaded:
            return
        with self._lock:
            if self._running or self._cancelled:
                return
            self._running = True
        threading.Thread(target=self._run, name="filter", daemon=True).start()

    def _run(self) -> None:
        while True:
            while self.work():
                pass
            with self._lock:
                if self._cancelled or not self._new:
                    self._running = False
                    return
