"""A widget that only holds others: its own colour is painted in one stroke, not line by line.

Textual paints what lies under other widgets too. It has no border and no padding, which such a stroke would paint over.
"""

from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from inspector.tui.safety import through_filters


class Ground(Widget):
    """Room for other widgets."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the same line for all."""
        return [through_filters(self, Strip.blank(crop.width, self.rich_style))] * crop.height
