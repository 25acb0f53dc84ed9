"""Lines to be read, over what is there: they wrap, are walked through and copied."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from inspector.tui import keys
from inspector.tui.screens.changes import Wrapped
from inspector.tui.screens.dialog import Dialog
from inspector.tui.widgets.lines_view import LinesView
from inspector.viewmodels.lines import Line, plain
from inspector.viewmodels.text import for_clipboard


class LinesScreen(Dialog[None]):
    """Lines that somebody else has laid out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Back", tooltip="Back to what was there.", id="lines.back"),
        keys.binding(keys.action("copy")),
    ]
    DEFAULT_CSS = """
    LinesScreen { align: center middle; background: $background 60%; }
    LinesScreen > Vertical {
        width: 96%; height: 92%; background: $background; border: round $border; padding: 0 1;
        border-title-color: $text-accent; border-title-style: bold; border-subtitle-color: $text-muted;
    }
    """

    def __init__(self, name: str, lines: Sequence[Line]) -> None:
        """`name` has been made safe, and the lines have."""
        super().__init__()
        self._heading = name
        self._lines = lines

    def compose(self) -> ComposeResult:
        """A box with lines."""
        with Vertical() as box:
            box.border_title = self._heading
            box.border_subtitle = "y copies, Esc closes"
            yield LinesView()

    def on_mount(self) -> None:
        """Show them."""
        view = self.query_one(LinesView)
        view.show(Wrapped(self._lines))
        view.focus()

    def action_copy(self) -> None:
        """Copy all of it, without control characters."""
        copied, _ = for_clipboard("\n".join(plain(line).rstrip() for line in self._lines))
        self.app.copy_to_clipboard(copied)
        self.app.notify(f"Copied {len(copied):,} characters.", markup=False)
