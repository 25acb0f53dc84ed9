"""Spans to strips: one line of a virtual widget as Textual draws it.

A strip is exactly as wide as the widget (a narrower one would silently not be drawn), holds no character that
acts, and has passed Textual's filters, which do not see what a widget's own `render_lines` returns.
"""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip
from textual.widget import Widget

from inspector.tui.safety import through_filters
from inspector.tui.styles import glyphs, grounds, role_styles
from inspector.viewmodels.roles import Role, Span
from inspector.viewmodels.text import visible

CHROME = 3
"""Columns beside a line that are ours: the cursor's mark, a gap, the scrollbar."""


class Painter:
    """Paints the lines of one widget, in the theme of the moment."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._background: Color | None = None
        self._inks: dict[Style, dict[Role, Style]] = {}

    def prepare(self) -> None:
        """Look up what the lines of one picture share: asking Textual anew costs as much as painting a line."""
        self._background = self._widget.background_colors[1]

    def forget(self) -> None:
        """Mix the inks anew, in another theme."""
        self._inks.clear()

    def _mixed(self, paper: Style) -> dict[Role, Style]:
        """The style of each role on a ground."""
        inks = self._inks.get(paper)
        if inks is None:
            roles = role_styles(dark=self._widget.app.current_theme.dark)
            inks = self._inks[paper] = {role: paper + ink for role, ink in roles.items()}
        return inks

    def line(self, spans: Sequence[Span], ground: Style, *, mark: bool = False, thumb: bool = False) -> Strip:
        """Return a line on a ground; `mark` is the cursor's, in the ground's ink, `thumb` a piece of the scrollbar."""
        widget = self._widget
        width = widget.size.width
        paper = Style(bgcolor=ground.bgcolor)
        inks = self._mixed(paper)
        segments = [Segment(glyphs().cursor + " " if mark else "  ", ground)]
        segments += [Segment(visible(text), inks[role]) for text, role in spans]
        strip = Strip(segments).adjust_cell_length(max(0, width - 1), paper)
        bar = grounds(dark=widget.app.current_theme.dark).scrollbar
        end = Segment(glyphs().scrollbar if thumb else " ", bar + paper)
        return through_filters(widget, Strip([*strip, end]).adjust_cell_length(width, paper), self._background)
