"""A payload, to be walked through: folded and unfolded, searched, each line with its path.

Only lines in sight are read, so 10 MB scroll like ten lines; a big payload is prepared on a thread and the view
says so meanwhile. A line too long for the screen shows its beginning and its exact size until it is opened.
"""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import events, work
from textual.binding import BindingType
from textual.message import Message

from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.widgets.virtual_lines import VirtualLines
from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.json_rows import JsonRows
from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import clip
from inspector.viewmodels.text import human_size

_AT_ONCE = 1_000_000
"""Bytes up to which a payload is prepared without a thread: some milliseconds."""
_GUTTER = 2
_NOTHING: Sequence[Sequence[Span]] = ([("Nothing to show", "muted")],)


class JsonView(VirtualLines):
    """One payload at a time."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.Where.JSON)
    HELP = """\
The payload, indented; numbers, escapes and the order of keys are as they came. Enter folds and unfolds a value,
and opens a line that is too long for the screen. `n` and `N` go through what a search has found.
"""

    class Selected(Message):
        """Another line is under the cursor."""

        def __init__(self, control: "JsonView") -> None:
            super().__init__()
            self._control = control

        @property
        def control(self) -> "JsonView":
            """The view it comes from; its `path` says where the cursor is."""
            return self._control

    class Ready(Message):
        """The payload is prepared and on the screen."""

        def __init__(self, control: "JsonView") -> None:
            super().__init__()
            self._control = control

        @property
        def control(self) -> "JsonView":
            """The view it comes from."""
            return self._control

    def __init__(
        self,
        raw: bytes = b"",
        *,
        empty: Sequence[Sequence[Span]] = _NOTHING,
        id: str | None = None,  # noqa: A002 - Textual's word
        classes: str | None = None,
    ) -> None:
        """Show a payload; `empty` is what stands there without one."""
        super().__init__(id=id, classes=classes)
        self._raw = raw
        self._nothing = empty
        self._rows = JsonRows(JsonLines(b""))
        self.empty = empty

    def on_mount(self) -> None:
        """Prepare what was given at first."""
        self.show(self._raw)

    def show(self, raw: bytes) -> None:
        """Show another payload from its first line; a search stays. b"" shows nothing."""
        self._raw = raw
        self.workers.cancel_node(self)
        if len(raw) <= _AT_ONCE:
            self._take(JsonLines(raw))
            return
        self._arrange(JsonRows(JsonLines(b"")), 0)
        self.empty = ([(f"{glyphs().pending} reading {human_size(len(raw))}", "pending")],)
        self._prepare()

    @work(exclusive=True)
    async def _prepare(self) -> None:
        raw = self._raw
        lines = await asyncio.to_thread(JsonLines, raw)
        if raw is self._raw:
            self._take(lines)

    def _take(self, lines: JsonLines) -> None:
        rows = JsonRows(lines)
        rows.needle = self._rows.needle
        self.empty = self._nothing
        self._arrange(rows, 0)
        self.post_message(self.Ready(self))

    def _arrange(self, rows: JsonRows, line: int) -> None:
        """Take rows as they now are, with the cursor on a line."""
        self._rows = rows
        self.view.resize(max(0, self.size.height - self.header_height))
        self.view.set_count(rows.count)
        self.forget()
        self.go_to(rows.row_of(line))

    @property
    def line(self) -> int:
        """The line under the cursor, from 0; -1 if there is none."""
        return self._rows.line_of(self.view.cursor) if self.view.cursor >= 0 else -1

    @property
    def path(self) -> str:
        """Where the cursor is, for example `params.arguments.q`; "" at the outside. In 10 MB: some milliseconds."""
        return self._rows.lines.path(self.line) if self.line >= 0 else ""

    @property
    def value(self) -> bytes:
        """The value under the cursor, indented."""
        return self._rows.lines.value(self.line) if self.line >= 0 else b""

    def header(self, width: int) -> Sequence[Span]:
        """Return why this is no JSON, if it is none."""
        lines = self._rows.lines
        return (
            clip([(f"{glyphs().warning} {lines.problem}", "warning")], width) if lines.count and lines.problem else ()
        )

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return a row, with a sign before it if there is more to it."""
        sign, spans = self._rows.row(index, width - _GUTTER)
        mark = {"opened": glyphs().opened, "closed": glyphs().closed, "": " "}[sign]
        return [(f"{mark} ", "accent" if sign == "closed" else "faint"), *spans]

    def moved(self) -> None:
        """Show and tell where the reader went."""
        super().moved()
        self.post_message(self.Selected(self))

    def opened(self) -> None:
        """Take a double click as Enter."""
        self.action_toggle_fold()

    def on_click(self, event: events.Click) -> None:
        """Fold and unfold by a click on the sign before a line."""
        index = self.view.top + event.y - self.header_height
        if event.x < 2 * _GUTTER and event.y >= self.header_height and index < self.view.count:
            event.prevent_default()
            self.go_to(index)
            self.action_toggle_fold()

    def on_resize(self, event: events.Resize) -> None:
        """Close opened lines: they were laid out for another width."""
        line = max(self.line, 0)
        self._rows.close_all()
        self._arrange(self._rows, line)

    def search(self, needle: str) -> int:
        """Mark what matches and go to the nearest from the cursor on; return how many there are, up to 10,000."""
        self._rows.needle = needle
        self._go_to_match(max(self.line, 0))
        self.forget()
        return self._rows.lines.matches(needle)

    def _go_to_match(self, start: int, *, backwards: bool = False) -> None:
        start %= max(self._rows.lines.count, 1)
        found = self._rows.lines.find(self._rows.needle, start, backwards=backwards)
        if found is None:
            return
        seen = self.view.visible
        self._arrange(self._rows, self._rows.reveal(found))
        if self.view.cursor not in seen:  # with what stands around it, not at the edge
            self.scroll_lines_to(self.view.cursor - self.view.height // 3)

    def action_next_match(self) -> None:
        """Go to the next line that matches."""
        self._go_to_match(self.line + 1)

    def action_previous_match(self) -> None:
        """Go to the line before that matches."""
        self._go_to_match(self.line - 1, backwards=True)

    def action_toggle_fold(self) -> None:
        """Fold or unfold the value, open or close the long line."""
        if self.line >= 0:
            self._arrange(self._rows, self._rows.toggle(self.line, self.line_width - _GUTTER))

    def action_unfold(self) -> None:
        """Unfold the value or open the long line; else go on into it."""
        if self.line < 0:
            return
        before = self._rows.count
        line = self._rows.unfold(self.line, self.line_width - _GUTTER)
        self._arrange(self._rows, line if self._rows.count != before else line + 1)

    def action_fold(self) -> None:
        """Close the long line or fold the value; else go out to what it stands in."""
        if self.line >= 0:
            self._arrange(self._rows, self._rows.fold(self.line))
