"""What has changed between two reads of a resource, over the screen that shows the newer one."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inspector.tui.screens.dialog import Dialog
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.lines import Line
from inspector.viewmodels.rows import SpanRows


class BeforeAfterScreen(Dialog[None]):
    """Lines to walk through. Escape and `u` go back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,u", "dismiss", "Back", tooltip="Back to the resource.", id="before_after.back")
    ]
    HELP = """\
Lines that are gone begin with `-`, new ones with `+`; brackets stand around the words that differ.
"""
    DEFAULT_CSS = """
    BeforeAfterScreen { align: center middle; }
    BeforeAfterScreen > Vertical { width: 95%; height: 90%; background: $surface; border: round $border; }
    BeforeAfterScreen LogList { height: 1fr; }
    """

    def __init__(self, title: str, compare: Callable[[], Sequence[Line]]) -> None:
        """`title` has been made safe; `compare` may take a while and runs on a thread."""
        super().__init__()
        self._title = title
        self._compare = compare
        self._rows = LogList(SpanRows(), empty=[[("comparing", "muted")]])
        self._line = StatusLine()

    def compose(self) -> ComposeResult:
        """Title and lines."""
        with Vertical():
            yield self._line
            yield self._rows

    def on_mount(self) -> None:
        """Begin."""
        self._line.show([(self._title, "title")], [("Esc back", "faint")])
        self._rows.focus()
        self._show()

    @work(exclusive=True)
    async def _show(self) -> None:
        self._rows.source = SpanRows(await asyncio.to_thread(self._compare))
