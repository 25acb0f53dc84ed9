"""Clock of the app: thirty updates a second, or ten if nothing has happened for a while.

Any input ends the quiet state at once, and so does the first new message. The difference is not noticeable, except
that CPU usage is a third while nothing happens.
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
"""Updates without traffic or input after which the app is quiet: one and a half seconds."""
SLOWER = 3
"""Factor by which the interval is longer in the quiet state."""


class Pacing:
    """The clock of an app. A widget with more work than fits into one update calls `hurry`."""

    def __init__(
        self,
        app: App[None],
        look: Callable[[], Awaitable[None]],
        entries: Callable[[], int],
        is_replaying: Callable[[], bool],
    ) -> None:
        """`look` is called at each tick. `entries` counts those of all tabs.

        A new entry or a replay ends the quiet state.
        """
        self._app = app
        self._look = look
        self._entries = entries
        self._is_replaying = is_replaying
        self._often: Timer | None = None
        self._seldom: Timer | None = None
        self._looks_since = 0
        self._entries_seen = -1

    def start(self) -> None:
        """Start the clock."""
        self._often = self._app.set_interval(1 / TICKS_PER_SECOND, self.tick)
        self._seldom = self._app.set_interval(SLOWER / TICKS_PER_SECOND, self.tick, pause=True)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has happened for a while."""
        return self._looks_since >= QUIET_AFTER

    async def tick(self) -> None:
        """Update, and switch to the quiet state if it is due."""
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
        """End the quiet state."""
        if self.is_quiet and self._often is not None and self._seldom is not None:
            self._seldom.pause()
            self._often.resume()
        self._looks_since = 0

    def notice(self, event: Event) -> None:
        """End the quiet state on input: the user expects to see its effect at once."""
        if isinstance(event, InputEvent | Resize):
            self.wake()


def hurry(widget: "Widget") -> None:
    """Keep the clock fast: there is more work than fits into one update."""
    pacing = getattr(widget.app, "pacing", None)
    if isinstance(pacing, Pacing):
        pacing.wake()
