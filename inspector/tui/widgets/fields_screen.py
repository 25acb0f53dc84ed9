"""A dialog with one line for each of several values."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.key_bars import FooterBar
from inspector.tui.widgets.schema_form.editors import LineEdit
from inspector.tui.widgets.wrapping import problem_text

ResultT = TypeVar("ResultT")


class FieldsScreen(Dialog[ResultT]):
    """Form with one line for each value."""

    DEFAULT_CSS = """
    FieldsScreen { align: center middle; background: $background 60%; }
    FieldsScreen > Vertical {
        width: 84; max-width: 96%; height: auto; max-height: 100%;
        background: $background; border: round $border; border-title-color: $text-accent; padding: 0 1;
    }
    FieldsScreen VerticalScroll { height: auto; max-height: 24; }
    FieldsScreen Static { height: auto; }
    FieldsScreen .fields--wrong { color: $text-error; }
    FieldsScreen FooterBar { dock: none; }
    """

    def __init__(self, title: str, edits: Sequence[LineEdit]) -> None:
        """`title` has been made safe."""
        super().__init__()
        self._heading = title
        self._edits = edits

    def labels(self) -> Iterable[Text]:
        """Return the line above each field."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = Content(self._heading)
            with VerticalScroll(can_focus=False):
                for label, edit in zip(self.labels(), self._edits, strict=True):
                    yield Static(label)
                    yield edit
            yield Static("", classes="fields--wrong")
            yield FooterBar()

    def on_mount(self) -> None:
        """Focus the first field."""
        self._edits[0].focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Focus the next field, or finish after the last."""
        event.stop()
        at = next((at for at, edit in enumerate(self._edits) if edit is event.input), len(self._edits) - 1)
        if at + 1 < len(self._edits):
            self._edits[at + 1].focus()
        else:
            self.finish()

    def finish(self) -> None:
        """Return the values, or show what is wrong."""
        raise NotImplementedError

    def say_wrong(self, words: str) -> None:
        """Show an error, which may quote untrusted text."""
        self.query_one(".fields--wrong", Static).update(problem_text(words))
