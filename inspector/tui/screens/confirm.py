"""One question before something that its server calls destructive. All chrome is ours; what is quoted is marked off."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from inspector.tui.screens.dialog import Dialog
from inspector.tui.styles import spans_to_text
from inspector.tui.widgets.segments import Segments
from inspector.viewmodels.roles import Span

Ways = tuple[str, str]
_CALL: Ways = ("no, leave it (n)", "yes, call it (y)")


class ConfirmScreen(Dialog[bool]):
    """Yes or no; Escape is no, and so is Enter unless "yes" was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", tooltip="Do it.", id="confirm.yes"),
        Binding("n,escape", "answer(False)", "No", tooltip="Leave it.", id="confirm.no"),
        Binding("enter", "take", "Take", show=False, tooltip="Take what is chosen.", id="confirm.take"),
    ]
    DEFAULT_CSS = """
    ConfirmScreen { align: center middle; background: $background 60%; }
    ConfirmScreen > Vertical {
        width: 72; max-width: 94%; height: auto; max-height: 90%;
        background: $surface; border: round $warning; padding: 1 2; border-title-color: $text-warning;
    }
    ConfirmScreen VerticalScroll { height: auto; max-height: 12; background: $background; padding: 0 1; margin: 1 0; }
    ConfirmScreen Static { height: auto; }
    """

    def __init__(self, title: str, question: Sequence[Sequence[Span]], quoted: str, ways: Ways = _CALL) -> None:
        """`question` is lines; `quoted` is foreign text that has been made safe; `ways`: no and yes, with keys."""
        super().__init__()
        self._title = title
        self._question = question
        self._quoted = quoted
        self._ways = ways

    def compose(self) -> ComposeResult:
        """A box with the question, what it is about, and the two answers."""
        dark = self.app.current_theme.dark
        with Vertical() as box:
            box.border_title = Text(self._title).plain.replace("[", "(")
            question = Text("\n").join(spans_to_text(line, dark=dark) for line in self._question)
            question.no_wrap = False
            yield Static(question)
            with VerticalScroll(can_focus=False):
                yield Static(Text(self._quoted))
            yield Segments(self._ways, (0,), letters=False)

    def on_mount(self) -> None:
        """Begin at "no"."""
        self.query_one(Segments).focus()

    def on_segments_chosen(self, event: Segments.Chosen) -> None:
        """Choose; a click also takes it."""
        event.stop()
        event.control.choose(event.index)
        if event.clicked:
            self.action_take()

    def action_take(self) -> None:
        """Take what is chosen."""
        self.dismiss(self.query_one(Segments).chosen == (1,))

    def action_answer(self, yes: bool) -> None:
        """Answer."""
        self.dismiss(yes)
