"""What is to be made of a conversation, of which part of it, with or without notes, and into which file.

Nothing is replaced without being asked, and nothing is written before the path was seen.
"""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from inspector.present.rows import RowSource, RowView
from inspector.present.spans import clip
from inspector.text import pad, visible
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.panels import ExportScope
from inspector.tui.screens.export.ways import WAYS, ExportRequest, ExportSource, Made, make, proposed
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.save import Making
from inspector.tui.widgets.virtual_list import LogList

# A dialog with a line for a path, and a file that is made there: on a thread, and one at a time.


_LABEL = 16
"""Cells of the first column."""


class _Rows(RowSource):
    """The ways, in their order."""

    @property
    def count(self) -> int:
        return len(WAYS)

    def row(self, index: int, width: int) -> RowView:
        way = WAYS[index]
        return RowView(clip([(pad(way.label, _LABEL), "strong"), (way.says, "muted")], width))


class ExportScreen(Making[Made]):
    """Answers with what was made; None if nothing was."""

    SAID = "#export-said"
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(ActionScope.EXPORT)
    DEFAULT_CSS = """
    ExportScreen { align: center middle; background: $background 60%; }
    ExportScreen > Vertical {
        width: 92; max-width: 96%; height: auto; max-height: 96%;
        background: $surface; border: round $border; padding: 0 1;
        border-title-color: $text-accent; border-title-style: bold; border-subtitle-color: $text-muted;
    }
    ExportScreen LogList { height: 10; background: $surface; margin: 1 0; }
    ExportScreen StatusLine { background: $surface; }
    ExportScreen Input { background: $panel; border: none; height: 1; padding: 0 1; }
    ExportScreen Input:focus { border: none; }
    ExportScreen Static { height: auto; max-height: 4; color: $text-warning; padding: 0 1; }
    """

    def __init__(self, source: ExportSource) -> None:
        super().__init__()
        self._source = source
        self._scopes: tuple[ExportScope | None, ...] = (None, *source.scopes)
        self._scope = 0
        self._notes = False
        self._way = WAYS[0]
        self._proposal = ""

    def compose(self) -> ComposeResult:
        """What of it, with what; as what; into which file; what is wrong with that."""
        with Vertical() as box:
            box.border_title = "Export"
            box.border_subtitle = "Enter continues, Esc closes"
            yield StatusLine(id="export-what")
            yield LogList(_Rows(), empty=())
            yield Input(compact=True, select_on_focus=False)
            yield Static(id="export-said")

    def on_mount(self) -> None:
        """Begin with the list."""
        line = self.query_one(Input)
        line.cursor_blink = False
        rows = self.query_one(LogList)
        rows.focus()
        rows.sync()
        rows.go_to(0)
        self._propose()

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        """Another way; a path that nobody has touched follows."""
        message.stop()
        if 0 <= message.index < len(WAYS):
            self._way = WAYS[message.index]
            self._propose()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show where it goes, before it does."""
        message.stop()
        line = self.query_one(Input)
        line.focus()
        line.cursor_position = len(line.value)

    def maker(self, path: Path, *, replace: bool) -> Callable[[], Made]:
        """Make what is chosen now."""
        way = self._way
        scope = None if way.whole else self._scopes[self._scope]
        wish = ExportRequest(way, path, scope, self._notes and way.notes, replace)
        return lambda: make(wish, self._source)

    def told(self, made: Made) -> str:
        """What it says of itself."""
        return made.said

    def busy(self) -> str:
        """What is said meanwhile."""
        return "Reading…" if self._way.reads else "Writing…"

    def _propose(self) -> None:
        line = self.query_one(Input)
        if line.value == self._proposal:
            line.value = self._proposal = str(proposed(self._way, self._source))
            line.cursor_position = 0
            self.call_after_refresh(line.action_end)  # of a long one the end is visible: what it is called
        self._tell()

    def _tell(self) -> None:
        """Say what it is made of."""
        way, scope = self._way, None if self._way.whole else self._scopes[self._scope]
        path = self._source.path if self._source.journal is None else None
        everything = f"all of {path.name}" if path is not None else "everything"
        name = visible(scope.name if scope is not None else everything, limit=60)
        count = len(scope.entries) if scope is not None else 0
        size = f", {count:,} entries" if count > 1 else ""
        more = not way.whole and len(self._scopes) > 1
        what = [
            ("what  ", "muted"),
            (name + size, "strong"),
            (f"  {self._keys('what')} changes" if more else "", "faint"),
        ]
        with_notes = ("with notes" if self._notes else "without notes", "strong" if self._notes else "muted")
        notes = [with_notes, (f"  {self._keys('notes')} changes", "faint")] if way.notes else []
        self.query_one("#export-what", StatusLine).show(what, notes)  # type: ignore[arg-type]

    def _keys(self, name: str) -> str:
        return keys.key_name(keys.action(f"export.{name}").keys[0])

    def action_what(self, by: int) -> None:
        """Another part of it."""
        if not self._way.whole:
            self._scope = (self._scope + by) % len(self._scopes)
            self._tell()

    def action_notes(self) -> None:
        """With notes, or without."""
        self._notes = not self._notes
        self._tell()

    def action_list(self) -> None:
        """From the path to the list."""
        self.query_one(LogList).focus()


# Where to save what a server gave: a path that the person types. A file that is there is never replaced
# without being asked.
