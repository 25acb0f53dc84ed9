"""Export dialog: the format, the scope, with or without notes, and the target file.

Files are overwritten only after confirmation, and nothing is written before the path was shown.
"""

from collections.abc import Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Input, Static

from inspector.present.rows import RowSource, RowView
from inspector.present.spans import clip
from inspector.text import pad, visible
from inspector.tui import keys
from inspector.tui.panels import ExportScope
from inspector.tui.screens.export.ways import TARGETS, ExportRequest, ExportResult, ExportSource, make, proposed
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.dialogs import DialogBox, DialogButtons
from inspector.tui.widgets.save import CreateDialog
from inspector.tui.widgets.virtual_list import LogList

_LABEL = 2 + max(len(way.label) for way in TARGETS)
"""Width of the first column in cells."""


class _Rows(RowSource):
    """Export formats as rows."""

    @property
    def count(self) -> int:
        return len(TARGETS)

    def row(self, index: int, width: int) -> RowView:
        way = TARGETS[index]
        return RowView(clip([(pad(way.label, _LABEL), "strong"), (way.says, "muted")], width))


class ExportScreen(CreateDialog[ExportResult]):
    """Dialog that returns the export; None if there is none."""

    SAID = "#export-said"
    BINDINGS = keys.bindings("Export")
    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text("utf-8")

    def __init__(self, source: ExportSource) -> None:
        super().__init__()
        self._source = source
        self._scopes: tuple[ExportScope | None, ...] = (None, *source.scopes)
        self._scope = 0
        self._notes = False
        self._way = TARGETS[0]
        self._proposal = ""

    def compose(self) -> ComposeResult:
        """Lay out scope and notes, the formats, the path, and its error."""
        with DialogBox() as box:
            box.border_title = "Export"
            yield StatusLine(id="export-what")
            yield LogList(_Rows(), empty=())
            yield Input(compact=True, select_on_focus=False)
            yield Static(id="export-said")
            yield DialogButtons("Export")

    def on_mount(self) -> None:
        line = self.query_one(Input)
        line.cursor_blink = False
        rows = self.query_one(LogList)
        rows.focus()
        rows.sync()
        rows.go_to(0)
        self._propose()

    def on_log_list_selected(self, message: LogList.Selected) -> None:
        """Choose another format; a path that the user has not edited follows."""
        message.stop()
        if 0 <= message.index < len(TARGETS):
            self._way = TARGETS[message.index]
            self._propose()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Export, as the button says. The path gets the focus, to be corrected if that fails."""
        message.stop()
        line = self.query_one(Input)
        line.focus()
        line.cursor_position = len(line.value)
        self.call_later(line.run_action, "submit")

    def creator(self, path: Path, *, replace: bool) -> Callable[[], ExportResult]:
        way = self._way
        scope = None if way.whole else self._scopes[self._scope]
        request = ExportRequest(way, path, scope, self._notes and way.notes, replace)
        return lambda: make(request, self._source)

    def result_text(self, made: ExportResult) -> str:
        return made.message

    def busy(self) -> str:
        return "Reading…" if self._way.reads else "Writing…"

    def _propose(self) -> None:
        line = self.query_one(Input)
        if line.value == self._proposal:
            line.value = self._proposal = str(proposed(self._way, self._source))
            line.cursor_position = 0
            self.call_after_refresh(line.action_end)  # shows the end of a long path: the file name
        self._tell()

    def _tell(self) -> None:
        """Show scope and notes."""
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
        """Choose the next or previous scope."""
        if not self._way.whole:
            self._scope = (self._scope + by) % len(self._scopes)
            self._tell()

    def action_notes(self) -> None:
        self._notes = not self._notes
        self._tell()

    def action_list(self) -> None:
        self.query_one(LogList).focus()
