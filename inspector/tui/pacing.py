"""Clock of the app, and what an update sends to the terminal.

The clock ticks thirty times a second. It is slow, with ten ticks, if nothing has happened for a while, until the next
input or message, and in a flood, whose rows pass faster than anyone reads. The difference is not noticeable, except in
CPU usage: in a flood, the time goes to reading it.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.control import Control
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.events import AppFocus, Event, InputEvent, Resize
from textual.strip import Strip

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

TICKS_PER_SECOND = 30
RESTS_AFTER = 3
"""Updates without traffic or input after which there is time for what may be needed later: a tenth of a second."""
QUIET_AFTER = 45
"""Updates without traffic or input after which the app is quiet: one and a half seconds."""
SLOWER = 3
"""Factor by which the interval of the slow clock is longer."""
FLOOD = 500
"""New entries per fast tick from which on there is a flood: 15,000 a second."""

_GRAPHICS = ("\x1bP", "\x1b_")
"""Starts of Sixel and of Kitty graphics."""


class Pacing:
    """The clock of an app. A widget with more work than fits into one update calls `hurry`."""

    def __init__(
        self,
        app: App[None],
        look: Callable[[], Awaitable[None]],
        entries: Callable[[], int],
        is_replaying: Callable[[], bool],
    ) -> None:
        """`look` is called at each tick. `entries` counts those of all tabs. During a replay the clock is fast."""
        self._app = app
        self._look = look
        self._entries = entries
        self._is_replaying = is_replaying
        self._often: Timer | None = None
        self._seldom: Timer | None = None
        self._looks_since = 0
        self._entries_seen = 0
        self.is_slow = False
        """Whether the next tick comes after SLOWER times the interval."""

    @property
    def rests(self) -> bool:
        """Whether there is time for what may be needed later."""
        return self._looks_since >= RESTS_AFTER

    def start(self) -> None:
        """Start the clock."""
        self._often = self._app.set_interval(1 / TICKS_PER_SECOND, self.tick)
        self._seldom = self._app.set_interval(SLOWER / TICKS_PER_SECOND, self.tick, pause=True)

    async def tick(self) -> None:
        """Update, and set the clock to what happens."""
        entries = self._entries()
        fresh, self._entries_seen = entries - self._entries_seen, entries
        self._looks_since = 1 if fresh or self._is_replaying() else self._looks_since + 1
        is_flood = fresh >= FLOOD * (SLOWER if self.is_slow else 1)
        self._set(is_slow=is_flood or self._looks_since >= QUIET_AFTER)
        await self._look()

    def wake(self) -> None:
        """Make the clock fast, until the next tick at least."""
        self._looks_since = 0
        self._set(is_slow=False)

    def _set(self, *, is_slow: bool) -> None:
        if is_slow is self.is_slow or self._often is None or self._seldom is None:
            return
        self.is_slow = is_slow
        starts, stops = (self._seldom, self._often) if is_slow else (self._often, self._seldom)
        stops.pause()
        starts.resume()

    def notice(self, event: Event) -> None:
        """Make the clock fast on input: the user expects to see its effect at once."""
        if isinstance(event, InputEvent | Resize):
            self.wake()


def hurry(widget: "Widget") -> None:
    """Keep the clock fast: there is more work than fits into one update."""
    pacing = getattr(widget.app, "pacing", None)
    if isinstance(pacing, Pacing):
        pacing.wake()


# What the terminal shows. Textual sends the whole screen whenever a widget changes its place: 30 kB for each menu that
# opens, which takes a slow connection a third of a second.


class Painted:
    """What the terminal shows, to send only the parts of a repaint that differ from it."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._skipped = 0
        """Number of updates in a row that were left out."""
        self._lines: dict[int, dict[int, tuple[int, str]]] = {}
        """Per line, the pieces known to be on the screen: first column to end column and text with its styles."""

    def start(self) -> None:
        """Repaint in full after the terminal was used for something else."""
        self._app.app_resume_signal.subscribe(self._app, self._resumed, immediate=True)

    def _resumed(self, app: object) -> None:
        self.forget()
        self._app.screen.refresh()

    def may_update(self) -> bool:
        """Return whether the terminal has received the last paint, or updates were left out for a second.

        Textual has no public API for its queue of output.
        """
        writer = getattr(self._app._driver, "_writer_thread", None)  # noqa: SLF001
        queue = getattr(writer, "_queue", None)
        is_behind = queue is not None and queue.qsize() > 0
        self._skipped = self._skipped + 1 if is_behind and self._skipped < TICKS_PER_SECOND else 0
        return not self._skipped

    def notice(self, event: Event) -> None:
        """Repaint in full when terminals move their lines, and when users return from another window.

        The latter repairs what another program has written over the screen.
        """
        if isinstance(event, Resize | AppFocus):
            self.forget()

    def forget(self) -> None:
        """Send the next repaint in full."""
        self._lines.clear()

    def without_known(self, update: RenderableType | None) -> Any:
        """Return an update that, when it is rendered, leaves out what the terminal shows already."""
        return _Difference(self, update) if isinstance(update, LayoutUpdate | ChopsUpdate) else update

    def difference(self, pieces: Iterable[tuple[int, int, Strip]], console: Console) -> str:
        """Return what to send for some pieces, each at a column and a line, and note it as shown."""
        sent: list[str] = []
        for x, y, strip in pieces:
            text, end = strip.render(console), x + strip.cell_length
            line = self._lines.setdefault(y, {})
            if line.get(x) == (end, text):
                continue
            sent.append(f"{Control.move_to(x, y)}{text}")
            for start in [start for start, (stop, _) in line.items() if start < end and stop > x]:
                del line[start]
            if any(sign in text for sign in _GRAPHICS):  # a picture covers the lines below it too
                self.forget()
            elif strip.cell_length != len(strip.text):  # terminals disagree about widths: send the rest of the line too
                line.clear()
            else:
                line[x] = end, text
        return "".join(sent)


class _Difference(CompositorUpdate):
    """An update of Textual, rendered without what the terminal shows already."""

    def __init__(self, painted: Painted, update: LayoutUpdate | ChopsUpdate) -> None:
        self._painted = painted
        self._update = update

    def render_segments(self, console: Console) -> str:
        """Return the changed pieces, each after a move of the cursor."""
        update = self._update
        pieces = _of_layout(update) if isinstance(update, LayoutUpdate) else _of_spans(update)
        return self._painted.difference(pieces, console)


def _of_layout(update: LayoutUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Yield the pieces of whole lines. A piece that no widget has drawn is blank: its widget has just been removed."""
    for y, line in enumerate(update.strips, update.region.y):
        starts: Iterable[int] | None = getattr(line, "mapping", None)  # Textual hands over the values of a dict
        columns = list(starts) if starts is not None else []
        x = update.region.x
        for strip, end in zip_longest(line, columns[1:], fillvalue=None):
            if strip is None:
                strip = Strip.blank((update.region.right if end is None else end) - x)
            yield x, y, strip
            x += strip.cell_length


def _of_spans(update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Yield the pieces that Textual would send: those that begin before the end of a span and end after its start."""
    for y, first, last in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is not None and x < last and end > first:
                yield x, y, strip if end <= last else strip.crop(0, last - x)
