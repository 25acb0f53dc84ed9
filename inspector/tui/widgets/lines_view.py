"""Lines that somebody else lays out, to be walked through: exact text, bytes, headers.

Only those in sight are asked for. What they hold depends on the width, so it is asked for anew when that changes.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from textual import events

from inspector.tui.widgets.virtual_lines import VirtualLines
from inspector.viewmodels.roles import Span


class Lines(Protocol):
    """What a view asks of whoever has the lines."""

    def count(self, width: int) -> int:
        """How many lines there are when each has `width` cells."""

    def line(self, index: int, width: int) -> Sequence[Span]:
        """One of them, from 0; at most `width` cells."""


class NoLines(Lines):
    """Nothing to show."""

    def count(self, width: int) -> int:
        """None."""
        return 0

    def line(self, index: int, width: int) -> Sequence[Span]:
        """Never asked for."""
        return ()


class LinesView(VirtualLines):
    """One set of lines at a time."""

    HELP = """\
Lines as they are. Move with the arrows; `y` copies the whole.
"""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._lines: Lines = NoLines()
        self._then: Callable[[], None] | None = None
        self.empty = ([("Nothing to show", "muted")],)

    def show(self, lines: Lines) -> None:
        """Show other lines, from the first."""
        self._lines, self._then = lines, None
        self._arrange()
        self.go_to(0)

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Ask for one line."""
        return self._lines.line(index, width)

    def on_resize(self, event: events.Resize) -> None:
        """Ask for all lines anew: they are laid out for a width."""
        self._arrange()
        then, self._then = self._then, None
        if then is not None and self.view.count:
            then()

    def once_laid_out(self, then: Callable[[], None]) -> None:
        """Do something once there are lines for a width; forgotten when others are shown."""
        self._then = then

    def lay_anew(self) -> None:
        """The lines are laid out otherwise now."""
        self._arrange()

    def _arrange(self) -> None:
        self.view.resize(max(0, self.size.height - self.header_height))
        self.view.set_count(self._lines.count(self.line_width) if self.line_width > 0 else 0)
        self.forget()
