"""The content of a result as lines that can be searched."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import BindingType

from inspector.present.rows import RowSource, RowView, SpanRows
from inspector.present.spans import Span, in_text, marked
from inspector.tui import keys
from inspector.tui.actions import lend_actions
from inspector.tui.widgets.json_tree.view import JsonSearch
from inspector.tui.widgets.virtual_list import LogList

_ROW = 80
"""Characters of a row, on average at most."""


class ContentRows(SpanRows):
    """Lines in which a search finds its matches."""

    needle = ""
    """Text to highlight."""

    def row(self, index: int, width: int) -> RowView:
        """Return a line with its matches marked."""
        return RowView(marked(self._rows[index], self.needle))

    @property
    def length(self) -> int:
        """About the length of the text, in characters: a full row at most for each line."""
        return _ROW * self.count

    def _line(self, index: int) -> str:
        return "".join(text for text, _ in self._rows[index])

    def find(
        self, needle: str, start: int = 0, *, backwards: bool = False, go_on: Callable[[], bool] = lambda: True
    ) -> int | None:
        """Return the nearest line with a match, from line `start` on (inclusive), wrapping around at the end."""
        if not needle:
            return None
        pattern, step = in_text(needle), -1 if backwards else 1
        places = ((start + step * n) % self.count for n in range(self.count))
        return next((at for at in places if pattern.search(self._line(at)) or not go_on()), None)

    def matches(self, needle: str, limit: int = 10_000, *, go_on: Callable[[], bool] = lambda: True) -> int:
        """Return the number of matches, counting up to `limit`."""
        found = (each for at in range(self.count) for each in in_text(needle).finditer(self._line(at)))
        return sum(1 for _ in zip(range(limit), found, strict=False))


class ContentView(LogList):
    """The lines of a result, with a search line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(keys.ActionScope.FINDING_HERE),
        *(keys.binding(keys.action(name)) for name in ("json.next", "json.previous")),
    ]

    def __init__(self, source: RowSource, *, empty: Sequence[Sequence[Span]], classes: str) -> None:
        super().__init__(source, empty=empty, classes=classes)
        self.rows = ContentRows()
        self.finder = JsonSearch(self)
        lend_actions(self, lambda: (self.finder,))

    def show(self, lines: Sequence[Sequence[Span]]) -> None:
        """Show other lines; a search stays."""
        needle, self.rows = self.rows.needle, ContentRows(lines)
        self.rows.needle = needle
        self.source = self.rows

    @property
    def lines(self) -> ContentRows:
        """What is searched."""
        return self.rows

    @property
    def line(self) -> int:
        """Line under the cursor."""
        return self.view.cursor

    def step_in_line(self, *, backwards: bool) -> bool:
        """Return that no row has a hit that is not visible: rows are as wide as the view."""
        return False

    def go_to_found(self, line: int, *, backwards: bool = False) -> None:
        """Go to a line and show some lines around it."""
        seen = self.view.visible
        self.go_to(line)
        if line not in seen:
            self.scroll_lines_to(line - self.view.height // 3)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the search only where there is text, and what needs its text only after one."""
        if action in ("unfind", "next_match", "previous_match"):
            return bool(self.rows.needle)
        return super().check_action(action, parameters)
