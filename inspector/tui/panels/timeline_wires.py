"""The timeline's part that follows the app's tabs: another one is made when they change, and shown once it is ready.

Until then the one before stays in sight, so that nothing jumps and the chosen line is found again.
"""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from inspector.tui.subject import Stage, Subject
from inspector.tui.tabs import Tab
from inspector.viewmodels.timeline import Timeline, Wire

if TYPE_CHECKING:
    from inspector.capture.filters.terms import Term

_LONGEST_S = 0.008
"""How long one look may take in what is new; see the list of one conversation."""
_LONGEST_BEHIND_S = 0.02
"""The same where there is much to catch up with: a key waits that long at worst."""
_JUDGED_EVERY = 10
"""Looks between two at what checks have found: each may have all rows put in order anew."""
_MUCH = 20_000
_AT_ONCE = 500
"""Entries of each conversation between two looks at the clock."""


class Wires:
    """The conversations in the timeline, as the tabs are now."""

    def __init__(self) -> None:
        self.timeline = Timeline([])
        self._next: Timeline | None = None
        self._wires: dict[tuple[int, int], Wire] = {}
        """By the number of the tab and the identity of its journal: another connection is another wire."""
        self._subjects: dict[int, Subject] = {}
        self._term: Term | None = None
        self._looks = 0

    def subject(self, number: int) -> Subject | None:
        """The subject of the tab of that number."""
        return self._subjects.get(number)

    def reading(self, tabs: Sequence[Tab]) -> list[str]:
        """The names of the captures that are still being read; they join when that is done."""
        return [tab.name for tab in tabs if tab.subject.stage is Stage.LOADING]

    def set_filter(self, term: "Term | None") -> None:
        """Let another filter hold."""
        self._term = term
        self.timeline.set_filter(term)
        if self._next is not None:
            self._next.set_filter(term)

    def sync(self, tabs: Sequence[Tab], shown: Callable[[Tab], Subject] = lambda tab: tab.subject) -> bool:
        """Follow the tabs and take in what is new; whether there is another timeline to be shown.

        `shown`: what is shown of a tab, where that is a moment of a recording.
        """
        there = [(tab, shown(tab)) for tab in tabs if tab.subject.stage is not Stage.LOADING]
        wanted = {(tab.number, id(subject.journal)): (tab, subject) for tab, subject in there}
        if wanted.keys() != self._wires.keys():
            self._change(wanted)
        for key, (tab, _) in wanted.items():
            self._wires[key].rename(tab.name)
        _take_in(self._next or self.timeline)
        self._looks += 1
        if self._looks % _JUDGED_EVERY == 0:
            (self._next or self.timeline).judge()
        if self._next is None or (self.timeline.count and self._next.is_behind):
            return False
        self.timeline, self._next = self._next, None
        return True

    def _change(self, wanted: dict[tuple[int, int], tuple[Tab, Subject]]) -> None:
        kept = {key: wire for key, wire in self._wires.items() if key in wanted}
        for key, wire in self._wires.items():
            if key not in kept:
                wire.model.cancel_filter()
        for key, (tab, subject) in wanted.items():
            if key not in kept:
                kept[key] = _wire(tab, subject, self._term)
        self._wires = {key: kept[key] for key in wanted}
        self._subjects = {tab.number: subject for tab, subject in wanted.values()}
        self._next = Timeline([*self._wires.values()], self._term)


def _wire(tab: Tab, subject: Subject, term: "Term | None") -> Wire:
    wire = Wire(
        tab.number,
        tab.name,
        subject.journal,
        lambda: subject.now_ns,
        threaded=True,
        found=lambda: subject.checks_so_far,
    )
    if term is not None:
        wire.model.set_filter(term)
    return wire


def _take_in(timeline: Timeline) -> None:
    """Catch up for some milliseconds: what is left comes with the next looks."""
    longest = _LONGEST_BEHIND_S if timeline.total - timeline.taken > _MUCH else _LONGEST_S
    end = time.perf_counter() + longest
    while timeline.refresh(_AT_ONCE) and time.perf_counter() < end:
        pass
    timeline.filter_step()
