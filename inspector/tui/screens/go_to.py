"""Where to go: a number, a time of day, or so many seconds since the start. Answers with the entry."""

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.errors import FilterError
from inspector.tui.screens.dialog import Dialog
from inspector.viewmodels.text import visible


class GoToScreen(Dialog[int | None]):
    """Answers with the number of an entry, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", tooltip="Stay where you are.", id="go_to.leave"),
    ]
    DEFAULT_CSS = """
    GoToScreen { align: center middle; }
    GoToScreen > Vertical {
        width: 60; max-width: 94%; height: auto; background: $surface; border: round $border; padding: 0 1;
    }
    GoToScreen Static { height: 1; margin: 0 1; color: $text-muted; }
    GoToScreen #wrong { color: $text-error; }
    GoToScreen Input { border: none; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, entry: Callable[[str], int]) -> None:
        """`entry` says which entry is meant. Raises: FilterError if none is."""
        super().__init__()
        self._entry = entry

    def compose(self) -> ComposeResult:
        """A line to type into, under what may stand in it."""
        with Vertical():
            yield Static(Text("Go to a number, a time 12:30:05, or seconds since the start +1.5"))
            yield Input()
            yield Static(id="wrong")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go there, or say what is wrong."""
        try:
            self.dismiss(self._entry(event.value) if event.value.strip() else None)
        except FilterError as error:
            self.query_one("#wrong", Static).update(Text(visible(str(error), limit=200)))

    def action_leave(self) -> None:
        """Stay."""
        self.dismiss(None)
