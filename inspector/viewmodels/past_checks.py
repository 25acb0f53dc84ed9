"""What checks could say of a recording when only its first entries had come: findings that came to light by then.

They are taken from the checks of the whole recording, which go on beside this, and are never found a second time. What
was known goes forward as the moment does; an earlier moment is another one of these.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from inspector.capture.journal import Journal
from inspector.config.mutes import Mute
from inspector.viewmodels.live_checks import LiveChecks

if TYPE_CHECKING:
    from inspector.checks.findings import Finding
    from inspector.checks.set_aside import SetAside


class PastChecks(LiveChecks):
    """The findings of a moment. Whoever looks calls `now` before."""

    def __init__(self, journal: Journal, whole: LiveChecks) -> None:
        """`journal` is the past one, `whole` the checks of the recording that it is of."""
        super().__init__(journal)
        self.whole = whole
        self._turn = threading.Lock()
        """Filters look from threads of their own."""
        self._taken = 0
        """How many findings of the whole were looked at."""
        self._later: list[tuple[int, int, Finding]] = []
        """Those that come to light later: a heap by the entry, then by their order."""
        self.now()

    def now(self) -> "PastChecks":
        """Take in what has come to light since the last look. Nearly free if nothing has."""
        with self._turn:
            whole, count = self.whole, self.journal.count
            if whole.muted is not self.muted:
                super().mute(whole.muted)
            for each in whole.all[self._taken :]:
                self._taken += 1
                heappush(self._later, (each.known_at, self._taken, each))
            known: list[tuple[int, Finding]] = []
            while self._later and self._later[0][0] <= count:
                known.append(heappop(self._later)[1:])
            if known:
                self.add(finding for _, finding in sorted(known, key=lambda each: each[0]))
            self.checked, self.paused = min(whole.checked, count), whole.paused
            self.passed_over, self.skimmed = whole.passed_over, whole.skimmed
        return self

    @property
    def is_done(self) -> bool:
        """Whether all that had come by then was checked."""
        return self.checked >= self.journal.count and (self.whole.is_done or not self.whole.asks_further)

    @property
    def later(self) -> int:
        """How many findings came to light later."""
        return len(self._later)

    @property
    def unasked(self) -> int:
        """Results of all of the recording for which there was no room."""
        return self.whole.unasked

    @property
    def set_aside(self) -> "Sequence[SetAside]":
        """What has failed by then, by a mistake of ours."""
        return tuple(each for each in self.whole.set_aside if each.n <= self.journal.count)

    def times(self, check: str) -> int:
        """How often a check had found something, of what is kept one by one."""
        return sum(each.id == check for each in self.all)

    def step(self, seconds: float, clock: Callable[[], float] | None = None) -> bool:
        """Nothing is checked here."""
        return False

    def pause(self, paused: bool) -> None:
        """Let the checks of the whole recording stand still, or go on."""
        self.whole.pause(paused)
        self.now()

    def mute(self, muted: Iterable[Mute]) -> None:
        """Mute these in the whole recording."""
        self.whole.mute(muted)
        self.now()
