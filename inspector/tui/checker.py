"""Checking beside everything else: one thread gives the checks of all tabs their time, a bite at a time.

What crosses the wire goes first: while messages rush in, checks get a few
hundredths of the processor and lag behind, and between bites every other thread has its turn. Nothing waits for them.
"""

import threading
import time
from collections.abc import Callable, Iterable

import msgspec

from inspector.errors import InspectError
from inspector.tui.subject import Stage, Subject


class Pace(msgspec.Struct, frozen=True):
    """How long a bite lasts, and the pause after it, in seconds."""

    bite: float
    pause: float


IDLE = Pace(0, 0.25)
RUSHING = Pace(0.002, 0.06)
LIVE = Pace(0.002, 0.002)
RECORDED = Pace(0.008, 0.001)
_RUSH = 2000
"""Entries a second from which on messages rush in."""
_PATIENCE_S = 0.1
_LOOK_S = 0.02
"""How far two looks at how fast they come are apart."""


class Checker:
    """The thread. Started when made; `stop` ends it after the bite that is under way."""

    def __init__(self, subjects: Callable[[], Iterable[Subject]]) -> None:
        self._subjects = subjects
        self._enough = threading.Event()
        self._rates: dict[int, Rate] = {}
        self._thread = threading.Thread(target=self._run, name="mcp-inspect checks", daemon=True)
        self._thread.start()

    @property
    def has_failed(self) -> bool:
        """Whether an error of ours has ended it: nothing more will be checked."""
        return not self._thread.is_alive() and not self._enough.is_set()

    def stop(self) -> None:
        """Ask it to end, and wait for a bite of the usual length; one check of a very long list may take seconds."""
        self._enough.set()
        self._thread.join(_PATIENCE_S)

    def _run(self) -> None:
        pause = 0.0
        while not self._enough.wait(pause):
            try:
                pause = min((self._bite(each) for each in self._subjects()), default=IDLE.pause)
            except (OSError, ValueError, InspectError):  # what it reads was closed under a bite that took long
                if not self._enough.is_set():
                    raise

    def _bite(self, subject: Subject) -> float:
        """Let the checks of one subject work; after how many seconds they want to again."""
        rate = self._rates.setdefault(id(subject), Rate())
        pace = pace_of(subject, rate.of(subject.journal.count, time.monotonic()))
        return pace.pause if pace.bite and subject.checks.step(pace.bite) else IDLE.pause


class Rate:
    """How fast a count grows, a second; looked at now and then."""

    def __init__(self) -> None:
        self._count, self._at, self._rate = 0, 0.0, 0.0

    def of(self, count: int, now: float) -> float:
        """The rate at the last look, which may be this one."""
        if now - self._at >= _LOOK_S:
            self._rate = (count - self._count) / (now - self._at)
            self._count, self._at = count, now
        return self._rate


def pace_of(subject: Subject, rate: float) -> Pace:
    """How the checks of a subject go on while its journal grows by so many entries a second."""
    if subject.stage is Stage.LOADING:
        return IDLE
    if not subject.journal.live:
        subject.checks.consider()
    if subject.checks.paused:
        return IDLE
    if not subject.journal.live:
        return RECORDED
    return RUSHING if rate >= _RUSH else LIVE
