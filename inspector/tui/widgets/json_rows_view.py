"""The rows of a payload on the screen: how they are drawn, folded and unfolded, and where in it the cursor is.

Only rows in sight are asked for. What has to look at the whole of a large payload does so on a thread.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from textual import events, work

from inspector.tui.styles import glyphs
from inspector.tui.widgets.virtual_lines import VirtualLines
from inspector.viewmodels.json_folding import Fold
from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.json_places import Step
from inspector.viewmodels.json_rows import JsonRows, Many
from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import clip

AT_ONCE: Final = 1_000_000
"""Bytes up to which a payload is worked through without a thread: some milliseconds."""
_GUTTER = 2


class JsonRowsView(VirtualLines):
    """Rows, arranged by whoever reads them."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._rows = JsonRows(JsonLines(b""))

    @property
    def lines(self) -> JsonLines:
        """The lines of the payload."""
        return self._rows.lines

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
        """Return why this is no JSON, or what of it JSON forbids."""
        said = self._rows.lines.problem or self._rows.lines.note
        return clip([(f"{glyphs().warning} {said}", "warning")], width) if said and self._rows.lines.count else ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The way to the line under the cursor. In 10 MB: some hundredths of a second."""
        return self._rows.lines.places.steps(self.line) if self.line >= 0 and not self._rows.lines.problem else ()

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return a row, with a sign before it if there is more to it."""
        sign, spans = self._rows.row(index, width - _GUTTER)
        mark = {"opened": glyphs().opened, "closed": glyphs().closed, "": " "}[sign]
        return [(f"{mark} ", "accent" if sign == "closed" else "faint"), *spans]

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

    def action_many(self, what: Many) -> None:
        """Fold or unfold many values at once; those of a large payload are found on a thread."""
        if self.line < 0:
            return
        if len(self._rows.lines.text) <= AT_ONCE:
            self._take_folds(self._rows, self.line, self._rows.folds_of(self.line, what))
        else:
            self._fold_slowly(what)

    @work(exclusive=True, group="fold")
    async def _fold_slowly(self, what: Many) -> None:
        rows, line = self._rows, self.line
        folds = await asyncio.to_thread(rows.folds_of, line, what)
        if rows is self._rows:
            self._take_folds(rows, line, folds)

    def _take_folds(self, rows: JsonRows, line: int, folds: list[Fold]) -> None:
        self._arrange(rows, rows.take(line, folds))
