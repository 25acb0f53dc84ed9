"""Full-screen comparison of two captures, operation by operation; `n` jumps to the next difference.

The captures are read and compared on a thread.
"""

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType

from inspector.capture.compare.differences import Comparison, compare
from inspector.capture.compare.normal import NAMES, Normal
from inspector.capture.compare.operations import Operations, read_operations
from inspector.errors import InspectError
from inspector.present.changes.captures import Names, summary
from inspector.present.rows import SpanRows
from inspector.present.spans import Line
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.screens.sessions.model import CompareRows, value_lines
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.lines import BeforeAfterScreen
from inspector.tui.widgets.virtual_list import LogList

_HOW = {
    False: ("ignoring ids, times, cursors, ports and temporary paths", "ignoring generated values"),
    True: ("exactly",),
}
"""Descriptions of both comparison modes, the longest first."""
Compare = Callable[[bool], Comparison]
"""Makes the comparison on a thread. True: exact. Raises: InspectError."""


class CompareScreen(Dialog[None]):
    """Both captures in one list, with matching operations in the same row."""

    places = ("Comparison of captures", ActionScope.MOVING, ActionScope.LIST)
    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings("Comparison of captures"),
        keys.binding(keys.action("help")),
    ]
    DEFAULT_CSS = """
    CompareScreen { layout: vertical; background: $background; }
    CompareScreen > LogList { height: 1fr; }
    """

    def __init__(self, names: Names, make: Compare) -> None:
        super().__init__()
        self._names = names
        self._make = make
        self._exact = False
        self._found: CompareRows | None = None
        self._summary = ""
        """Summary of the shown comparison; safe to show."""
        self._head = StatusLine()
        self._foot = StatusLine()
        self._list = LogList(SpanRows(), empty=[[("comparing", "muted")]])

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._list
        yield self._foot
        yield FooterBar()

    def on_mount(self) -> None:
        self._list.focus()
        self._compare()

    @work(exclusive=True)
    async def _compare(self) -> None:
        try:
            found, rows = await read_on_thread(self._made, self._exact)
        except InspectError as error:
            lines = textwrap.wrap(visible(str(error), limit=600), max(20, self.size.width - 8))
            shown: list[Line] = [((line, "text"),) for line in lines]
            self._list.empty = [(("✗ Nothing to compare", "error"),), *shown]
            return
        self._found = rows
        self._list.empty = [[("Nothing to compare.", "muted")]]
        self._list.source = self._found
        self._list.sync()
        self._summary = visible(summary(found, self._names))
        self._show_head()
        self.action_jump(1, first=True)

    def on_resize(self) -> None:
        """Fit the head line to the width."""
        self._show_head()

    def _show_head(self) -> None:
        """Show the summary, and the comparison mode if it fits."""
        room = self.size.width - cell_len(self._summary) - 4
        how = next((how for how in _HOW[self._exact] if len(how) <= room), "")
        self._head.show([(self._summary, "title")], [(how, "faint")] if how and self._summary else [])

    def _made(self, exactly: bool) -> tuple[Comparison, CompareRows]:
        found = self._make(exactly)
        return found, CompareRows(found, self._names)

    def action_jump(self, by: int, first: bool = False) -> None:
        """Go to the next or previous difference."""
        if self._found is None:
            return
        at = self._found.next(-1 if first else self._list.view.cursor, back=by < 0)
        if at is not None:
            self._list.go_to(at)
        elif not first:
            self.notify(f"No {'next' if by > 0 else 'previous'} difference.", timeout=3)

    def action_exact(self) -> None:
        """Toggle whether generated values are compared."""
        self._exact = not self._exact
        self._compare()

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        message.stop()
        if self._found is not None and self._found.count:
            at = self._found.differences
            number = sum(each <= message.index for each in at)
            self._foot.show(self._found.about(message.index), [(f"{number:,} of {len(at):,}", "muted")])

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show both values of a difference in full."""
        message.stop()
        values = self._found.values(message.index) if self._found is not None else None
        if values is None:
            return
        before, after = values
        self.app.push_screen(BeforeAfterScreen("Both values", lambda: value_lines(before, after)))


def of_files(before: Path, after: Path, normal: Normal | None = None, only: Sequence[str] = ()) -> CompareScreen:
    """Return the comparison of two captures, which are read once it is shown."""
    names = Names(before.name, after.name)
    if before.name == after.name:
        names = Names(str(before), str(after))
    read: list[Operations] = []

    def make(exactly: bool) -> Comparison:
        if not read:
            read.extend(read_operations(path).accounts for path in (before, after))
        return compare(read[0], read[1], Normal(off=NAMES) if exactly else normal or Normal(), only)

    return CompareScreen(names, make)
