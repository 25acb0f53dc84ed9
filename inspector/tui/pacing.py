"""How often the app looks whether something has changed: ten times a second where nothing has for a while, else thirty.

What a person does ends the quiet at once, and so does the first message that is seen. Nobody notices the difference
but the processor, which has a third to do while nothing happens.
"""

from typing import TYPE_CHECKING

from textual.events import Event, InputEvent, Resize

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

    from inspector.tui.app import InspectApp

TICKS_PER_SECOND = 30
QUIET_AFTER = 45
"""Looks without traffic or a key after which it is quiet: a second and a half."""
SLOWER = 3
"""In quiet, one look takes the time of so many."""


class Pacing:
    """The part of the app that keeps its clock."""

    _often: "Timer | None" = None
    _seldom: "Timer | None" = None
    _looks_since = 0
    _entries_seen = -1

    def start_clock(self: "InspectApp") -> None:  # type: ignore[misc]
        """Look from now on."""
        self._often = self.set_interval(1 / TICKS_PER_SECOND, self.beat)
        self._seldom = self.set_interval(SLOWER / TICKS_PER_SECOND, self.beat, pause=True)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has happened for a while."""
        return self._looks_since >= QUIET_AFTER

    async def beat(self: "InspectApp") -> None:  # type: ignore[misc]
        """Look, and see whether it is quiet."""
        entries = sum(tab.subject.journal.count for tab in self.tabs)
        if entries != self._entries_seen or self.playback is not None:
            self._entries_seen = entries
            self.wake()
        self._looks_since += 1
        if self._looks_since == QUIET_AFTER and self._often is not None and self._seldom is not None:
            self._often.pause()
            self._seldom.resume()
        await self._tick()

    def wake(self) -> None:
        """Something happens: look often again."""
        if self.is_quiet and self._often is not None and self._seldom is not None:
            self._seldom.pause()
            self._often.resume()
        self._looks_since = 0

    async def on_event(self, event: Event) -> None:
        """Whoever does something wants to see at once what comes of it."""
        if isinstance(event, InputEvent | Resize):
            self.wake()
        await super().on_event(event)  # type: ignore[misc]


def hurry(widget: "Widget") -> None:
    """There is more to do than one look had time for: the next ones come soon."""
    if isinstance(widget.app, Pacing):
        widget.app.wake()
