"""How often the app looks whether something has changed: ten times a second where nothing has for a while, else thirty.

What a person does ends the quiet at once, and so does the first message that is seen. Nobody notices the difference
but the processor, which has a third to do while nothing happens.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.app import App
from textual.events import Event, InputEvent, Resize

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

TICKS_PER_SECOND = 30
QUIET_AFTER = 45
"""Looks without traffic or a key after which it is quiet: a second and a half."""
SLOWER = 3
"""In quiet, one look takes the time of so many."""


class Pacing:
    """The clock of an app. A widget of it that has more to do than one look had time for calls `hurry`."""

    def __init__(
        self,
        app: App[None],
        look: Callable[[], Awaitable[None]],
        entries: Callable[[], int],
        is_replaying: Callable[[], bool],
    ) -> None:
        """`look` is called at each tick. `entries` counts those of all tabs; a new one, and a replay, end the quiet."""
        self._app = app
        self._look = look
        self._entries = entries
        self._is_replaying = is_replaying
        self._often: Timer | None = None
        self._seldom: Timer | None = None
        self._looks_since = 0
        self._entries_seen = -1

    def start(self) -> None:
        """Look from now on."""
        self._often = self._app.set_interval(1 / TICKS_PER_SECOND, self.beat)
        self._seldom = self._app.set_interval(SLOWER / TICKS_PER_SECOND, self.beat, pause=True)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has happened for a while."""
        return self._looks_since >= QUIET_AFTER

    async def beat(self) -> None:
        """Look, and see whether it is quiet."""
        entries = self._entries()
        if entries != self._entries_seen or self._is_replaying():
            self._entries_seen = entries
            self.wake()
        self._looks_since += 1
        if self._looks_since == QUIET_AFTER and self._often is not None and self._seldom is not None:
            self._often.pause()
            self._seldom.resume()
        await self._look()

    def wake(self) -> None:
        """Something happens: look often again."""
        if self.is_quiet and self._often is not None and self._seldom is not None:
            self._seldom.pause()
            self._often.resume()
        self._looks_since = 0

    def notice(self, event: Event) -> None:
        """Whoever does something wants to see at once what comes of it."""
        if isinstance(event, InputEvent | Resize):
            self.wake()


def hurry(widget: "Widget") -> None:
    """There is more to do than one look had time for: the next ones come soon."""
    pacing = getattr(widget.app, "pacing", None)
    if isinstance(pacing, Pacing):
        pacing.wake()
