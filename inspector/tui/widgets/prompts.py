"""Dialogs that ask for one line of text."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.capture.format.notes import COLOURS
from inspector.tui.widgets.dialogs import Dialog
from inspector.tui.widgets.segments import Segments


class CommentScreen(Dialog[tuple[str, str] | None]):
    """Answers with the colour and the comment; None if nothing is to change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", tooltip="Change nothing.", id="comment.leave"),
        Binding("down", "app.focus_next", "Colour", show=False, tooltip="Choose the colour.", id="comment.colour"),
        Binding("up", "app.focus_previous", "Comment", show=False, tooltip="Write the comment.", id="comment.text"),
        Binding("enter", "take", "Mark", tooltip="Mark it so.", id="comment.take"),
    ]
    DEFAULT_CSS = """
    CommentScreen { align: center middle; background: $background 60%; }
    CommentScreen > Vertical {
        width: 72; max-width: 94%; height: auto; background: $surface; border: round $border; padding: 0 1;
    }
    CommentScreen Static { height: 1; color: $text-muted; }
    CommentScreen Input { border: none; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, n: int, color: str, text: str) -> None:
        super().__init__()
        self._n = n
        self._color = color
        self._written = text

    def compose(self) -> ComposeResult:
        """The line, the colours."""
        with Vertical():
            yield Static(Text(f"Mark #{self._n:,}: a comment, or none. Enter marks, Esc leaves."))
            yield Input(self._written, select_on_focus=False)
            yield Segments(COLOURS, (COLOURS.index(self._color),), letters=False)

    def on_mount(self) -> None:
        """Begin with the comment."""
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Take another colour."""
        event.stop()
        event.control.choose(event.index)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Mark it."""
        event.stop()
        self.action_take()

    def action_take(self) -> None:
        """Mark it so."""
        chosen = self.query_one(Segments).chosen
        self.dismiss((COLOURS[chosen[0]] if chosen else self._color, self.query_one(Input).value.strip()))

    def action_leave(self) -> None:
        """Change nothing."""
        self.dismiss(None)


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
