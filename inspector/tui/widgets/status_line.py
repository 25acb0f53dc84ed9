"""One line with something at its left and something at its right. Draws itself, repaints only what has changed."""

from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget

from inspector.tui.styles import spans_to_text
from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import clip, spans_width


class StatusLine(Widget):
    """Two groups of spans; the left one is cut first."""

    DEFAULT_CSS = """
    StatusLine { height: 1; width: 1fr; padding: 0 1; background: $background; color: $text-muted; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._shown: tuple[Sequence[Span], Sequence[Span]] = ((), ())

    def show(self, left: Sequence[Span], right: Sequence[Span] = ()) -> None:
        """Show other spans."""
        if (left, right) != self._shown:
            self._shown = (left, right)
            self.refresh()

    def render(self) -> Text:
        """Lay the groups out for the width there is."""
        left, right = self._shown
        width = self.content_size.width
        right = clip(right, width)
        room = max(0, width - spans_width(right) - 2) if right else width
        left = clip(left, room)
        gap = " " * max(0, width - spans_width(left) - spans_width(right))
        return spans_to_text([*left, (gap, "text"), *right], dark=self.app.current_theme.dark)
