"""A widget of a million lines that builds only those in sight. Lists and payload views are made from it.

Strips are cached, so scrolling back and forth builds nothing twice. A line that cannot be built becomes a line
that says so: one bad row must not end the app.
"""

import logging
from collections.abc import Sequence

from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region
from textual.strip import Strip

from inspector.tui.styles import Grounds, glyphs, grounds
from inspector.tui.widgets.movable import Movable
from inspector.tui.widgets.painter import CHROME, Painter
from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import spans_width
from inspector.viewmodels.text import one_line

_log = logging.getLogger(__name__)
_CURSOR, _BLURRED = "cursor", "cursor, blurred"
_STATES = ("", _CURSOR, _BLURRED)
_BLANK = (-1, "", False)
"""Where the empty line is kept among the others."""


class VirtualLines(Movable):
    """Lines from somewhere. Subclasses say what a line holds."""

    DEFAULT_CSS = """
    VirtualLines {
        width: 1fr;
        height: 1fr;
        background: $background;
        color: $foreground;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        self._painter = Painter(self)
        self._strips: LRUCache[tuple[int, str, bool], Strip] = LRUCache(2048)
        self.empty: Sequence[Sequence[Span]] = ()
        """What is shown, centred, while there is no line: what is missing, and the next key."""
        super().__init__(id=id, classes=classes)

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return one line, for `width` cells. What it raises is logged and said in its place."""
        raise NotImplementedError

    def header(self, width: int) -> Sequence[Span]:
        """Return the line that stays above all others; empty for none."""
        return ()

    @property
    def line_width(self) -> int:
        """The cells that a line has for itself."""
        return max(0, self.size.width - CHROME)

    @property
    def header_height(self) -> int:
        """1 if there is a header, else 0."""
        return 1 if self.header(self.line_width) else 0

    def forget(self, index: int | None = None) -> None:
        """Build a line anew, or all (None), because what they hold has changed."""
        if index is None:
            self._strips.clear()
            self.refresh()
            return
        self.drop(index)
        self.refresh(Region(0, index - self.view.top + self.header_height, self.size.width, 1))

    def drop(self, index: int) -> None:
        """Build a line anew when it is next in sight."""
        for state in _STATES:
            for thumb in (True, False):
                self._strips.discard((index, state, thumb))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips of a part of the widget."""
        self._painter.prepare()
        head = self.header_height
        thumb = self.view.thumb(self.view.height)
        paper = self.rich_style
        strips = [self._line(y - head, y - head in thumb, paper) for y in range(crop.y, crop.bottom)]
        if crop.x or crop.width != self.size.width:
            strips = [strip.crop(crop.x, crop.right) for strip in strips]
        return strips

    def _line(self, y: int, thumb: bool, paper: Style) -> Strip:
        if y < 0:
            return self._painter.line(self.header(self.line_width), self._grounds.header)
        index = self.view.top + y
        if index >= self.view.count:
            return self._line_below(y, paper)
        state = "" if index != self.view.cursor else _CURSOR if self.has_focus else _BLURRED
        strip = self._strips.get((index, state, thumb))
        if strip is None:
            ground = {_CURSOR: self._grounds.cursor, _BLURRED: self._grounds.cursor_blurred}.get(state, paper)
            strip = self._painter.line(self.safe_spans(index), ground, mark=bool(state), thumb=thumb)
            self._strips[index, state, thumb] = strip
        return strip

    @property
    def _grounds(self) -> Grounds:
        return grounds(dark=self.app.current_theme.dark)

    def safe_spans(self, index: int) -> Sequence[Span]:
        try:
            return self.spans(index, self.line_width)
        except Exception as error:  # noqa: BLE001 - a border: one line that fails must not end the app
            _log.exception("line %d cannot be drawn", index)
            said = one_line(f"{type(error).__name__}: {error}", max(self.line_width - 28, 8))
            return [(f"{glyphs().error} this line cannot be drawn: {said}", "error")]

    def _line_below(self, y: int, paper: Style) -> Strip:
        """Return a line under the last one: nothing, or the words for an empty list, in the middle."""
        words = self.empty if not self.view.count else ()
        at = y - max(0, (self.view.height - len(words)) // 2 - 1)
        if not 0 <= at < len(words):
            return self._blank(paper)
        spans = list(words[at])
        room = self.line_width - spans_width(spans)
        return self._painter.line([(" " * (room // 2), "text"), *spans], paper)

    def _blank(self, paper: Style) -> Strip:
        strip = self._strips.get(_BLANK)
        if strip is None:
            strip = self._strips[_BLANK] = self._painter.line((), paper)
        return strip

    def notify_style_update(self) -> None:
        """Drop what was painted in another theme."""
        self._strips.clear()
        self._painter.forget()
        super().notify_style_update()

    def on_resize(self, event: events.Resize) -> None:
        """Take the new size; lines are laid out for their width."""
        self._strips.clear()
        self.view.resize(max(0, event.size.height - self.header_height))

    def on_focus(self) -> None:
        """Show that keys come here."""
        self.refresh()

    def on_blur(self) -> None:
        """Show that keys go elsewhere."""
        self.refresh()
