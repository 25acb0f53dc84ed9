"""A payload in the form that was asked for: as a tree, as its exact text, or as bytes."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.widget import Widget

from inspector.tui.widgets.json_view import JsonView
from inspector.tui.widgets.lines_view import Lines, LinesView
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.hex_lines import HexLines, bytes_per_line
from inspector.viewmodels.payload_lines import RawLines
from inspector.viewmodels.roles import Span

TREE, RAW, BYTES = "Tree", "Raw", "Bytes"


class _Hex(Lines):
    """Bytes in as many columns as there is room for."""

    def __init__(self, payload: bytes) -> None:
        self._lines = HexLines(payload)

    def count(self, width: int) -> int:
        """How many lines."""
        self._lines.per_line = bytes_per_line(width)
        return self._lines.count

    def line(self, index: int, width: int) -> Sequence[Span]:
        """One line."""
        return self._lines.row(index, width).spans


class PayloadView(Widget):
    """One payload under its name."""

    DEFAULT_CSS = """
    PayloadView { height: 1fr; width: 1fr; layout: vertical; }
    PayloadView > StatusLine { background: $background; }
    PayloadView > .hidden { display: none; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._shown: tuple[bytes, str] | None = None
        self.payload = b""
        """What is shown, to be copied."""

    def compose(self) -> ComposeResult:
        """A name, and both kinds of view, one of them in sight."""
        yield StatusLine()
        yield JsonView()
        yield LinesView(classes="hidden")

    def show(self, name: Sequence[Span], size: Sequence[Span], payload: bytes, form: str) -> None:
        """Show a payload; nearly free if it is the one that is shown."""
        self.query_one(StatusLine).show(name, size)
        if self._shown is not None and self._shown[0] is payload and self._shown[1] == form:
            return
        self._shown, self.payload = (payload, form), payload
        tree, lines = self.query_one(JsonView), self.query_one(LinesView)
        tree.set_class(form != TREE, "hidden")
        lines.set_class(form == TREE, "hidden")
        if form == TREE:
            tree.show(payload)
        else:
            lines.show(RawLines(payload) if form == RAW else _Hex(payload))

    def focus_content(self) -> None:
        """Let keys go to the view in sight."""
        tree = self.query_one(JsonView)
        (self.query_one(LinesView) if tree.has_class("hidden") else tree).focus()

    @property
    def path(self) -> str:
        """Where the cursor is in the tree; "" elsewhere."""
        tree = self.query_one(JsonView)
        return "" if tree.has_class("hidden") else tree.path

    @property
    def value(self) -> bytes:
        """The value under the cursor of the tree; the whole payload elsewhere."""
        tree = self.query_one(JsonView)
        return self.payload if tree.has_class("hidden") else tree.value or self.payload
