"""A widget of a million lines that builds only the visible ones. Lists and payload views are made from it.

Strips are cached, so scrolling back and forth builds nothing twice. A line that cannot be built becomes a line
that says so: one bad row must not end the app.
"""

import logging
from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.color import Color
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from inspector.present.spans import Role, Span, spans_width
from inspector.text import one_line, visible
from inspector.tui import keys
from inspector.tui.safety import through_filters
from inspector.tui.theme import glyphs, grounds, role_styles
from inspector.tui.widgets.section_card import SectionCard
from inspector.tui.widgets.viewport import Viewport

_WHEEL = 3
"""Lines that one notch of the wheel moves."""


CHROME = 3
"""Columns beside a line that are ours: the cursor's mark, a gap, the scrollbar."""


class Painter:
    """Paints the lines of one widget, in the theme of the moment."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._background: Color | None = None
        self._inks: dict[Style, dict[Role, Style]] = {}

    def prepare(self) -> None:
        """Look up what the lines of one picture share: asking Textual again costs as much as painting a line."""
        self._background = self._widget.background_colors[1]

    def forget(self) -> None:
        """Mix the inks again, in another theme."""
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


_log = logging.getLogger(__name__)
_CURSOR, _BLURRED = "cursor", "cursor, blurred"
_STATES = ("", _CURSOR, _BLURRED)
_BLANK = (-1, "", False)
"""Where the empty line is kept among the others."""


class StripCache:
    """The painted lines of one widget, kept for the next picture: scrolling back and forth builds nothing twice."""

    def __init__(self, lines: "VirtualLines") -> None:
        self._lines = lines
        self._painter = Painter(lines)
        self._strips: LRUCache[tuple[int, str, bool], Strip] = LRUCache(2048)

    def clear(self, *, theme: bool = False) -> None:
        """Paint everything again; `theme`: in other colours."""
        self._strips.clear()
        if theme:
            self._painter.forget()

    def drop(self, index: int) -> None:
        """Build a line again when it is next visible."""
        for state in _STATES:
            for thumb in (True, False):
                self._strips.discard((index, state, thumb))

    def strips(self, rows: range) -> list[Strip]:
        """The strips of some rows of the widget, the header's being row 0 if there is one."""
        self._painter.prepare()
        lines, paper = self._lines, self._lines.rich_style
        head, thumb = lines.header_height, lines.view.thumb(lines.view.height)
        return [self._line(y - head, y - head in thumb, paper) for y in rows]

    def _line(self, y: int, thumb: bool, paper: Style) -> Strip:
        lines = self._lines
        colors = grounds(dark=lines.app.current_theme.dark)
        if y < 0:
            return self._painter.line(lines.header(lines.line_width), colors.header)
        index = lines.view.top + y
        if index >= lines.view.count:
            return self._line_below(y, paper)
        state = "" if index != lines.view.cursor else _CURSOR if lines.has_focus else _BLURRED
        strip = self._strips.get((index, state, thumb))
        if strip is None:
            ground = {_CURSOR: colors.cursor, _BLURRED: colors.cursor_blurred}.get(state, paper)
            strip = self._painter.line(self.spans(index), ground, mark=bool(state), thumb=thumb)
            self._strips[index, state, thumb] = strip
        return strip

    def spans(self, index: int) -> Sequence[Span]:
        """A line of the widget; one that can't be built says so."""
        width = self._lines.line_width
        try:
            return self._lines.spans(index, width)
        except Exception as error:  # noqa: BLE001 - a border: one line that fails must not end the app
            _log.exception("line %d cannot be drawn", index)
            said = one_line(f"{type(error).__name__}: {error}", max(width - 28, 8))
            return [(f"{glyphs().error} cannot draw this line: {said}", "error")]

    def _line_below(self, y: int, paper: Style) -> Strip:
        """Return a line under the last one: nothing, or the words for an empty list, in the middle."""
        lines = self._lines
        words = lines.empty if not lines.view.count else ()
        at = y - max(0, (lines.view.height - len(words)) // 2 - 1)
        if not 0 <= at < len(words):
            return self._blank(paper)
        spans = list(words[at])
        room = lines.line_width - spans_width(spans)
        return self._painter.line([(" " * (room // 2), "text"), *spans], paper)

    def _blank(self, paper: Style) -> Strip:
        strip = self._strips.get(_BLANK)
        if strip is None:
            strip = self._strips[_BLANK] = self._painter.line((), paper)
        return strip


class VirtualLines(Widget, can_focus=True):
    """Lines from somewhere. Subclasses say what a line holds. Keys, wheel and scrollbar move a `Viewport`."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.MOVING)
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    VirtualLines {
        width: 1fr;
        height: 1fr;
        background: $background;
        color: $foreground;
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        self.view = Viewport()
        self._dragging = False
        self._pressed: object = None
        """The line that a button was pressed on, as `identity` names it; None for none."""
        self.cache = StripCache(self)
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
        """Build a line again, or all (None), because what they hold has changed."""
        if index is None:
            self.cache.clear()
            self.refresh()
            return
        self.cache.drop(index)
        self.refresh(Region(0, index - self.view.top + self.header_height, self.size.width, 1))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips of a part of the widget."""
        strips = self.cache.strips(range(crop.y, crop.bottom))
        if crop.x or crop.width != self.size.width:
            strips = [strip.crop(crop.x, crop.right) for strip in strips]
        return strips

    def notify_style_update(self) -> None:
        """Drop what was painted in another theme."""
        self.cache.clear(theme=True)
        super().notify_style_update()

    def on_resize(self, event: events.Resize) -> None:
        """Take the new size; lines are laid out for their width."""
        self.cache.clear()
        self.view.resize(max(0, event.size.height - self.header_height))

    @on(events.Focus)
    @on(events.Blur)
    def _show_focus(self) -> None:
        self.refresh()

    def identity(self, index: int) -> object:
        """What a line is known by while it moves; never None."""
        return index

    def _line_at(self, event: events.MouseEvent) -> int:
        """The line under the mouse; -1 if there is none."""
        index = self.view.top + event.y - self.header_height
        is_line = event.x < self.size.width - 1 and event.y >= self.header_height and index < self.view.count
        return index if is_line else -1

    def moved(self) -> None:
        """The reader has moved the cursor or the window. To be extended."""
        self.refresh()

    def opened(self) -> None:
        """The reader wants more of the line under the cursor."""

    def go_to(self, index: int) -> None:
        """Choose a line, the nearest there is, and bring it into view."""
        self.view.go_to(index)
        self.moved()

    def action_move(self, by: int) -> None:
        """Move the cursor by lines."""
        self.go_to(self.view.cursor + by)

    def action_page(self, by: int) -> None:
        """Move the cursor by windows that have one line in common."""
        self.go_to(self.view.cursor + by * max(1, self.view.height - 1))

    def action_first(self) -> None:
        """Move to the first line."""
        self.go_to(0)

    def action_last(self) -> None:
        """Move to the last line."""
        self.go_to(self.view.count - 1)

    def action_open(self) -> None:
        """Ask for all of the chosen line."""
        self.opened()

    def scroll_lines_to(self, top: int) -> None:
        """Move the window and leave the cursor."""
        before = self.view.top
        self.view.scroll_to(top)
        if self.view.top != before:
            self.moved()

    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    def _turn_wheel(self, event: events.MouseEvent) -> None:
        event.stop()
        self.scroll_lines_to(self.view.top + (_WHEEL if isinstance(event, events.MouseScrollDown) else -_WHEEL))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the scrollbar."""
        if event.x == self.size.width - 1 and self.view.thumb(self.view.height):
            self._dragging = True
            self.capture_mouse()
            self.on_mouse_move(event)
        index = self._line_at(event)
        self._pressed = self.identity(index) if index >= 0 else None

    def on_mouse_move(self, event: events.MouseEvent) -> None:
        """Drag the scrollbar."""
        if self._dragging:
            self.scroll_lines_to(self.view.top_at(event.y - self.header_height, self.view.height))

    def on_mouse_up(self) -> None:
        """Let go of the scrollbar."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Open the line that the button was pressed on, as Enter does, also if lines have come or gone since."""
        index = self._line_at(event)
        pressed, self._pressed = self._pressed, None
        if pressed is not None and (index < 0 or self.identity(index) != pressed):
            index = next((each for each in self.view.visible if self.identity(each) == pressed), -1)
        if index >= 0:
            self.go_to(index)
            if event.chain == 1:
                self.opened()


class Lines(Protocol):
    """What a view asks of whoever has the lines."""

    def count(self, width: int) -> int:
        """How many lines there are when each has `width` cells."""

    def line(self, index: int, width: int) -> Sequence[Span]:
        """One of them, from 0; at most `width` cells."""


class NoLines(Lines):
    """Nothing to show."""

    def count(self, width: int) -> int:
        """None."""
        return 0

    def line(self, index: int, width: int) -> Sequence[Span]:
        """Never asked for."""
        return ()


class LinesView(VirtualLines):
    """One set of lines at a time."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._lines: Lines = NoLines()
        self._then: Callable[[], None] | None = None
        self.empty = ([("Nothing to show", "muted")],)

    def show(self, lines: Lines) -> None:
        """Show other lines, from the first."""
        self._lines, self._then = lines, None
        self._arrange()
        self.go_to(0)

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Ask for one line."""
        return self._lines.line(index, width)

    def on_resize(self, event: events.Resize) -> None:
        """Ask for all lines again: they are laid out for a width."""
        self._arrange()
        then, self._then = self._then, None
        if then is not None and self.view.count:
            then()

    def once_laid_out(self, then: Callable[[], None]) -> None:
        """Do something once there are lines for a width; forgotten when others are shown."""
        self._then = then

    def lay_anew(self) -> None:
        """The lines are laid out otherwise now."""
        self._arrange()

    def _arrange(self) -> None:
        self.view.resize(max(0, self.size.height - self.header_height))
        self.view.set_count(self._lines.count(self.line_width) if self.line_width > 0 else 0)
        self.forget()


_STEP = 2
"""Lines that one key moves a page."""


class Scroller(VerticalScroll, can_focus=True, inherit_bindings=False):
    """What is higher than its place."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.MOVING)
    DEFAULT_CSS = """
    Scroller { scrollbar-size-vertical: 1; background: $background; }
    """

    def action_move(self, by: int) -> None:
        """Go on: to the next card if the end of this one is visible, else by some lines."""
        card = self._card_after(by)
        if card is None:
            self.scroll_relative(y=by * _STEP, animate=False)
        else:
            card.focus(scroll_visible=False)
            self.scroll_to_widget(card, animate=False)

    def _card_after(self, by: int) -> SectionCard | None:
        """The neighbour of the card that has the focus; None if this one isn't read to its end, or none is there."""
        cards = [card for card in self.query(SectionCard) if card.display]
        here = next((place for place, card in enumerate(cards) if card.has_focus), None)
        if here is None:
            return None
        now, window = cards[here].region, self.window_region
        if (by > 0 and now.bottom > window.bottom) or (by < 0 and now.y < window.y):
            return None
        return cards[here + by] if 0 <= here + by < len(cards) else None

    def action_page(self, by: int) -> None:
        """Scroll by a window that keeps one line."""
        self.scroll_relative(y=by * max(1, self.size.height - 1), animate=False)

    def action_first(self) -> None:
        """Go to the beginning."""
        self.scroll_home(animate=False)

    def action_last(self) -> None:
        """Go to the end."""
        self.scroll_end(animate=False)


class Ground(Widget):
    """Room for other widgets: its own colour is painted in one stroke, not line by line."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the same line for all."""
        return [through_filters(self, Strip.blank(crop.width, self.rich_style))] * crop.height
