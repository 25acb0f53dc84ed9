"""A name for something, in one line."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.tui.screens.dialog import Dialog


class NameScreen(Dialog[str | None]):
    """Answers with what was typed; None for nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", tooltip="Leave it without a name.", id="name.leave"),
    ]
    DEFAULT_CSS = """
    NameScreen { align: center middle; background: $background 60%; }
    NameScreen > Vertical {
        width: 60; max-width: 94%; height: auto; background: $surface; border: round $border; padding: 0 1;
    }
    NameScreen Static { height: 1; color: $text-muted; }
    NameScreen Input { border: none; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, asked: str, proposed: str = "", *, empty: bool = False) -> None:
        """`asked` is a sentence of ours; `empty`: whether nothing is an answer, too."""
        super().__init__()
        self._asked = asked
        self._proposed = proposed
        self._empty = empty

    def compose(self) -> ComposeResult:
        """What is asked for, and a line."""
        with Vertical():
            yield Static(Text(self._asked))
            yield Input(self._proposed, select_on_focus=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take it."""
        event.stop()
        self.dismiss(event.value.strip() or ("" if self._empty else None))

    def action_leave(self) -> None:
        """Take none."""
        self.dismiss(None)
