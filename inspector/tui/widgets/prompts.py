"""Dialogs that ask for one line of text."""

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Input, Static

from inspector.tui import keys
from inspector.tui.widgets.dialogs import Dialog, DialogBox, DialogButtons
from inspector.tui.widgets.segments import Segments

ResultT = TypeVar("ResultT")


class PromptScreen(Dialog[ResultT | None]):
    """An input line below its prompt. The result is None if the dialog is cancelled."""

    VERB: ClassVar[str] = "Save"
    """What Enter does, as the label of a button."""

    DEFAULT_CSS = """
    PromptScreen { align: center middle; background: $background 60%; }
    PromptScreen > Vertical {
        width: 72; max-width: 94%; height: auto; background: $surface; border: round $border; padding: 0 1;
    }
    PromptScreen Static { height: auto; color: $text-muted; }
    PromptScreen Input { border: none; height: 1; padding: 0 1; background: $panel; }
    PromptScreen Input:focus { border: none; }
    """

    def __init__(self, asked: str, proposed: str = "", *, replaced: bool = False) -> None:
        """`asked` is trusted text. `replaced`: typing replaces what is proposed; arrows edit it."""
        super().__init__()
        self._replaced = replaced
        self._asked = asked
        self._proposed = proposed

    def compose(self) -> ComposeResult:
        with DialogBox():
            yield Static(Text(self._asked))
            yield Input(self._proposed, select_on_focus=self._replaced)
            yield from self.more()
            yield DialogButtons(self.VERB)

    def more(self) -> tuple[Widget, ...]:
        """Return the widgets below the input line."""
        return ()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.take(event.value)

    def take(self, typed: str) -> None:
        """Close with the input as the result, or show why it is invalid."""
        raise NotImplementedError


class NameScreen(PromptScreen[str]):
    """Prompt whose result is the input itself; None if it is cancelled or empty."""

    BINDINGS = keys.bindings_of("name.leave")

    def __init__(self, asked: str, proposed: str = "", *, empty: bool = False, replaced: bool = False) -> None:
        """`empty`: whether the empty text is a valid result."""
        super().__init__(asked, proposed, replaced=replaced)
        self._empty = empty

    def take(self, typed: str) -> None:
        self.dismiss(typed.strip() or ("" if self._empty else None))


class CommentScreen(PromptScreen[tuple[str, str]]):
    """Prompt for a mark. The result is the colour and the comment; None if nothing changes."""

    VERB = "Mark"

    BINDINGS = keys.bindings_of("comment.leave", "comment.colour", "comment.text", "comment.take")
    DEFAULT_CSS = """
    CommentScreen > Vertical { width: 72; }
    """

    def __init__(self, n: int, color: str, text: str, colors: Sequence[str]) -> None:
        """`colors`: those to choose from."""
        super().__init__(f"Mark #{n:,}: comment (optional)", text)
        self._color = color
        self._colors = colors

    def more(self) -> tuple[Widget, ...]:
        """Return the colours."""
        return (Segments(self._colors, (self._colors.index(self._color),), letters=False),)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Select a colour."""
        event.stop()
        event.control.choose(event.index)

    def take(self, typed: str) -> None:
        """Close with the mark."""
        chosen = self.query_one(Segments).chosen
        self.dismiss((self._colors[chosen[0]] if chosen else self._color, typed.strip()))

    def action_take(self) -> None:
        """Close with the mark while the colours are focused."""
        self.take(self.query_one(Input).value)
