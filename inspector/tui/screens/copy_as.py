"""The menu of what can be copied: one key each, with the beginning of what it would be."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from inspector.tui.screens.dialog import Dialog
from inspector.tui.widgets.log_list import LogList
from inspector.viewmodels.copies import Copy
from inspector.viewmodels.rows import RowSource, RowView
from inspector.viewmodels.spans import clip
from inspector.viewmodels.text import one_line

_NAMES = 14
"""Cells of the longest name."""


class _Copies(RowSource):
    """A row for each copy."""

    def __init__(self, copies: Sequence[Copy]) -> None:
        self._copies = copies

    @property
    def count(self) -> int:
        return len(self._copies)

    def row(self, index: int, width: int) -> RowView:
        copy = self._copies[index]
        begins = one_line(copy.begin, max(width - _NAMES - 4, 8))
        return RowView(clip([(f"{copy.key}  ", "accent"), (f"{copy.name:{_NAMES}}", "text"), (begins, "muted")], width))


class CopyScreen(Dialog[Copy | None]):
    """Answers with what is to be copied, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,Y", "leave", "Back", tooltip="Copy nothing.", id="copy.leave")
    ]
    DEFAULT_CSS = """
    CopyScreen { align: center middle; background: $background 60%; }
    CopyScreen > Vertical {
        width: 90; max-width: 94%; height: auto;
        background: $surface; border: round $border; padding: 0 1;
    }
    CopyScreen LogList { background: $surface; }
    CopyScreen Static { height: 1; margin: 0 1; color: $text-muted; }
    """

    def __init__(self, copies: Sequence[Copy]) -> None:
        super().__init__()
        self._copies = copies
        self._list = LogList(_Copies(copies))

    def compose(self) -> ComposeResult:
        """A line that says how, above the list."""
        with Vertical() as box:
            box.border_title = "Copy"
            yield self._list
            yield Static(Text("a letter or Enter copies, without control characters; Esc leaves"))

    def on_mount(self) -> None:
        """As high as there is to choose from."""
        self._list.styles.height = len(self._copies)
        self._list.focus()

    def on_key(self, event: events.Key) -> None:
        """Take what has this letter."""
        chosen = next((copy for copy in self._copies if copy.key == event.character), None)
        if chosen is not None:
            event.stop()
            self.dismiss(chosen)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Take what is under the cursor."""
        event.stop()
        self.dismiss(self._copies[event.index])

    def action_leave(self) -> None:
        """Copy nothing."""
        self.dismiss(None)
