"""Fields in which the cursor goes by what a reader sees as one sign: a flag, a family, a letter with its accents.

No key, no click and no deletion ends within such a grapheme cluster (Unicode UAX #29, extended), and none is drawn in
two pieces: a terminal would show the pieces side by side.
"""

from typing import Any

import regex
from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.document._document import Location
from textual.document._document import Selection as AreaSelection
from textual.widgets import Input, TextArea
from textual.widgets.input import Selection

_CLUSTER = regex.compile(r"\X")
_JOINERS = frozenset(("\u200c", "\u200d", *map(chr, range(0xE0020, 0xE0080))))
"""Parts of clusters that Python does not call printable: the joiners, and the tags of a flag."""


def cluster_start(text: str, at: int) -> int:
    """The start of the cluster that the character at position `at` belongs to; between two clusters `at` itself."""
    if at <= 0 or at >= len(text) or text.isascii():
        return max(0, min(at, len(text)))
    return max(found.start() for found in _CLUSTER.finditer(text) if found.start() <= at)


def cluster_end(text: str, at: int) -> int:
    """The end of the cluster at position `at`; the end of the text behind the last one."""
    if at >= len(text) or text.isascii():
        return min(at + 1, len(text))
    return next(found.end() for found in _CLUSTER.finditer(text) if found.end() > at)


class WholeText(Text):
    """A text whose clusters get one style each."""

    def stylize(self, style: Any, start: int = 0, end: int | None = None) -> None:
        """Apply a style to whole clusters."""
        super().stylize(style, *self._whole(start, end))

    def stylize_before(self, style: Any, start: int = 0, end: int | None = None) -> None:
        """The same below the styles that are there."""
        super().stylize_before(style, *self._whole(start, end))

    def _whole(self, start: int, end: int | None) -> tuple[int, int | None]:
        if end is None or start < 0 or end <= start or self.plain.isascii():
            return start, end
        return cluster_start(self.plain, start), cluster_end(self.plain, end - 1)


class ClusterInput(Input):
    """One line."""

    def validate_selection(self, selection: Selection) -> Selection:
        """Let neither end stand within a cluster."""
        start, end = super().validate_selection(selection)
        return Selection(cluster_start(self.value, start), cluster_start(self.value, end))

    async def _on_key(self, event: events.Key) -> None:
        """Take what joins signs into one, too."""
        typed = event.character or ""
        if typed in _JOINERS:
            event.stop()
            event.prevent_default()  # all else is taken by the base, which Textual asks as well
            self.replace(typed, *self.selection)

    def action_cursor_right(self, select: bool = False) -> None:
        """Go to the end of the cluster."""
        start, end = self.selection
        if select:
            self.selection = Selection(start, cluster_end(self.value, end))
        elif self.selection.is_empty:
            self.cursor_position = cluster_end(self.value, end)
        else:
            super().action_cursor_right()

    def action_delete_left(self) -> None:
        """Delete the cluster before the cursor, or what is selected."""
        if self.selection.is_empty:
            self.delete(cluster_start(self.value, self.cursor_position - 1), self.cursor_position)
        else:
            self.delete_selection()

    def action_delete_right(self) -> None:
        """Delete the cluster at the cursor, or what is selected."""
        if self.selection.is_empty:
            self.delete(self.cursor_position, cluster_end(self.value, self.cursor_position))
        else:
            self.delete_selection()

    @property
    def _value(self) -> Text:
        drawn = super()._value
        whole = WholeText(drawn.plain, no_wrap=True, overflow="ignore", end="")
        whole.spans = drawn.spans
        return whole

    def _cell_offset_to_index(self, offset: int) -> int:
        """The start of the cluster at a cell: where a click sets the cursor."""
        if self.password or self.value.isascii():
            return super()._cell_offset_to_index(offset)
        cell, offset = 0, offset + self.scroll_offset.x
        for found in _CLUSTER.finditer(self.value):
            cell += cell_len(found[0])
            if offset < cell:
                return int(found.start())
        return len(self.value)


class ClusterArea(TextArea):
    """Several lines."""

    def validate_selection(self, selection: AreaSelection) -> AreaSelection:
        """Let neither end stand within a cluster."""
        return AreaSelection(self._snapped(selection.start), self._snapped(selection.end))

    def _snapped(self, place: Location) -> Location:
        row, column = place
        if not 0 <= row < self.document.line_count:
            return place
        return row, cluster_start(self.document.get_line(row), column)

    async def _on_key(self, event: events.Key) -> None:
        """Take what joins signs into one, too."""
        typed = event.character or ""
        if typed in _JOINERS and not self.read_only:
            event.stop()
            event.prevent_default()
            self._replace_via_keyboard(typed, *self.selection)

    def get_cursor_left_location(self) -> Location:
        """The start of the cluster before the cursor."""
        return self._snapped(super().get_cursor_left_location())

    def get_cursor_right_location(self) -> Location:
        """The end of the cluster at the cursor."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        return (row, cluster_end(line, column)) if column < len(line) else super().get_cursor_right_location()

    def get_line(self, line_index: int) -> Text:
        """A line to be drawn."""
        return WholeText(self.document.get_line(line_index), end="", no_wrap=True)
