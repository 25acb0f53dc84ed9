"""Listeners: who hears of each entry of a journal, on the thread that reports it.

None of them may stop the traffic: one that raises is taken off, and that is told.
"""

import logging
from collections.abc import Callable, Sequence

from inspector.capture.entries import Entry
from inspector.protocol.events import Event

Listener = Callable[[Entry, Sequence[Event]], None]
"""Called with each entry once it is in the store, and what the fold made of it (nothing, for a fact)."""

logger = logging.getLogger(__name__)


class Listeners:
    """The listeners of one journal; `note` tells a person that one was lost."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._all: list[Listener] = []
        self._not_in_runs: list[Listener] = []

    @property
    def hear_runs(self) -> bool:
        """Whether somebody wants to hear of what comes in floods, log messages and lines of stderr, one by one."""
        return len(self._not_in_runs) < len(self._all)

    def add(self, listener: Listener, *, in_runs: bool) -> Callable[[], None]:
        """Have it called from the next entry on; returns what ends that."""
        self._all.append(listener)
        if not in_runs:
            self._not_in_runs.append(listener)
        return lambda: self._forget(listener)

    def tell(self, entry: Entry, events: Sequence[Event]) -> None:
        """Call all of them."""
        for listener in tuple(self._all):
            try:
                listener(entry, events)
            except Exception:  # the listeners' border: none of them may stop the traffic
                logger.exception("a listener failed at entry %d", entry.n)
                self._forget(listener)
                self._note(f"A part of the program failed at entry {entry.n} and no longer follows what happens.")

    def _forget(self, listener: Listener) -> None:
        for each in (self._all, self._not_in_runs):
            if listener in each:
                each.remove(listener)
