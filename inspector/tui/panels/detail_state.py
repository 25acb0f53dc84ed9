"""The tab of the detail that tells what was known when the chosen entry had just come.

It is folded only while the tab is open. Where that takes a while it happens on a thread, and what is no longer wanted
is given up.
"""

import asyncio

from textual.widget import Widget

from inspector.tui.panels.payload_view import TREE
from inspector.tui.past_subject import past_of
from inspector.tui.subject import Subject
from inspector.viewmodels.lines import Section
from inspector.viewmodels.moment import moment_sections

STATE = "State"


class DetailState(Widget):
    """A mixin of the detail."""

    _subject: Subject
    _tab: str
    _known: tuple[Subject, int, tuple[Section, ...]] | None = None
    _coming = 0
    """The entry whose moment is being folded."""

    @property
    def entry(self) -> int:
        """The entry that is shown; 0 without one."""
        raise NotImplementedError

    def turn_to_state(self) -> None:
        """Show what was known there, or the message again."""
        self._open(TREE if self._tab == STATE else STATE)

    def _open(self, tab: str) -> None:
        raise NotImplementedError

    def _draw(self) -> None:
        raise NotImplementedError

    @property
    def _moment(self) -> int:
        """The entry after which it is told: the shown one, or one of its row that the reader has stepped on to."""
        playback = getattr(self.app, "playback", None)
        if playback is not None and playback.position is not None and playback.chosen == self.entry:
            return int(playback.at)
        return self.entry

    def look_for_state(self) -> None:
        """Look whether the reader stands elsewhere."""
        if self._tab == STATE and self._known is not None and self._known[1] != self._moment != self._coming:
            self._draw()

    def state_sections(self) -> tuple[Section, ...]:
        """What was known at the entry; a word that it is being found out."""
        n, subject, known = self._moment, self._subject, self._known
        if known is not None and known[:2] == (subject, n):
            return known[2]
        if not n:
            return ()
        past = past_of(subject)
        if not past.is_far(n):
            self._known = subject, n, moment_sections(past.known(n))
            return self._known[2]
        if self._coming != n:
            self._coming = n
            self.run_worker(self._find_out(subject, n), exclusive=True, group="state")
        return (Section("State", note=f"finding out what was known at #{n:,}"),)

    async def _find_out(self, subject: Subject, n: int) -> None:
        then = await asyncio.to_thread(past_of(subject).at, n, lambda: self._moment != n or not self.is_attached)
        self._coming = 0
        if then.count == n and (self._subject, self._moment) == (subject, n):
            self._known = subject, n, moment_sections(then)
            self._draw()
