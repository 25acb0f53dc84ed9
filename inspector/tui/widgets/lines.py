"""Dialogs that show lines to scroll and copy."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual import work
from textual.app import ComposeResult
from textual.content import Content

from inspector.present.rows import SpanRows
from inspector.present.spans import Line, Span, plain, words_wrapped
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.virtual_lines import Lines, LinesView
from inspector.tui.widgets.virtual_list import LogList

ResultT = TypeVar("ResultT")


class Wrapped(Lines):
    """Lines that wrap."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines
        self._width = 0
        self._rows: list[Sequence[Span]] = []

    def count(self, width: int) -> int:
        if width != self._width:
            self._width = width
            self._rows = [row for line in self._lines for row in words_wrapped(line, max(width, 20), _indent(line))]
        return len(self._rows)

    def line(self, index: int, width: int) -> Sequence[Span]:
        return self._rows[index]


def _indent(line: Line) -> int:
    message = plain(line)
    return len(message) - len(message.lstrip()) + 2


class BeforeAfterScreen(Dialog[None]):
    """A comparison to scroll through. Escape and `u` close it."""

    BINDINGS = keys.bindings_of("before_after.back")
    DEFAULT_CSS = """
    BeforeAfterScreen { align: center middle; }
    BeforeAfterScreen > Vertical { width: 95%; height: 90%; background: $surface; border: round $border; }
    BeforeAfterScreen LogList { height: 1fr; }
    """

    def __init__(self, title: str, compare: Callable[[], Sequence[Line]]) -> None:
        """`title` has been made safe; `compare` may be slow and runs on a thread."""
        super().__init__()
        self._title = title
        self._compare = compare
        self._rows = LogList(SpanRows(), empty=[[("comparing", "muted")]])
        self._line = StatusLine()

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield self._line
            yield self._rows

    def on_mount(self) -> None:
        self._line.show([(self._title, "title")], [("Esc Back", "faint")])
        self._rows.focus()
        self._show()

    @work(exclusive=True)
    async def _show(self) -> None:
        self._rows.source = SpanRows(await read_on_thread(self._compare))


class LinesScreen(Dialog[ResultT]):
    """Lines to scroll and copy, in a box over the screen below."""

    BINDINGS = keys.bindings_of("lines.back", "copy")
    DEFAULT_CSS = """
    LinesScreen { align: center middle; background: $background 60%; }
    LinesScreen > Vertical {
        width: 96%; height: 92%; background: $background; border: round $border; padding: 0 1;
        border-title-color: $text-accent; border-title-style: bold; border-subtitle-color: $text-muted;
    }
    """

    def __init__(self, name: str, lines: Sequence[Line] = ()) -> None:
        """`name` and `lines` have been made safe."""
        super().__init__()
        self._heading = name
        self._lines = lines
        self.view = LinesView()

    @property
    def hint(self) -> str:
        """Return the available actions, for the lower border."""
        return "y Copy  Esc Close"

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = Content(self._heading)
            box.border_subtitle = self.hint
            yield self.view

    def on_mount(self) -> None:
        self.view.focus()
        self.show_lines(self._lines)

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show other lines, wrapped."""
        self._lines = lines
        self.view.show(Wrapped(lines))

    def action_copy(self) -> None:
        """Copy all lines, without control characters."""
        copy(self.app, "\n".join(plain(line).rstrip() for line in self._lines))
