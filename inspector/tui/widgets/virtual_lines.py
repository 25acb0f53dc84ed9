"""A widget for a million lines that builds only the visible ones; the base of lists and payload views.

Strips are cached, so that scrolling back and forth builds nothing twice. A line that cannot be built shows its error
instead: one bad row must not end the app.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.cache import LRUCache
from textual.color import Color
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.present.spans import Role, Span, spans_width, words_wrapped
from inspector.text import one_line, visible
from inspector.tui import keys
from inspector.tui.safety import through_filters
from inspector.tui.theme import glyphs, grounds, role_styles
from inspector.tui.widgets.section_card import SectionCard
from inspector.tui.widgets.viewport import Viewport

_WHEEL = 3
"""Lines per notch of the mouse wheel."""

MARGIN = 2
"""Columns to the left of the content: the cursor's mark, and a gap."""
CHROME = 3
"""Columns that the widget itself needs: the cursor's mark, a gap, the scrollbar."""

_CURSOR, _BLURRED = "cursor", "cursor, blurred"
_STATES = ("", _CURSOR, _BLURRED)

_BLANK = (-1, "", False)
"""Cache key of the empty line."""

_STEP = 2
"""Lines that one key scrolls."""


class Painter:
    """Paints the lines of one widget in the current theme."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._background: Color | None = None
        self._inks: dict[Style, dict[Role, Style]] = {}

    def prepare(self) -> None:
        """Look up what all lines of one paint share: querying Textual each time costs as much as painting a line."""
        self._background = self._widget.background_colors[1]

    def forget(self) -> None:
        """Drop the blended styles after a change of theme."""
        self._inks.clear()

    def _mixed(self, paper: Style) -> dict[Role, Style]:
        inks = self._inks.get(paper)
        if inks is None:
            roles = role_styles(dark=self._widget.app.current_theme.dark)
            inks = self._inks[paper] = {role: paper + ink for role, ink in roles.items()}
        return inks

    def line(self, spans: Sequence[Span], ground: Style, *, mark: str = "", thumb: bool = False) -> Strip:
        """Return a line; `mark` is the cursor, in the colour of `ground`, `thumb` draws a part of the scrollbar."""
        widget = self._widget
        width = widget.size.width
        paper = Style(bgcolor=ground.bgcolor)
        inks = self._mixed(paper)
        segments = [Segment(mark.ljust(2), ground)]
        segments += [Segment(visible(text), inks[role]) for text, role in spans]
        strip = Strip(segments).adjust_cell_length(max(0, width - 1), paper)
        bar = grounds(dark=widget.app.current_theme.dark).scrollbar
        end = Segment(glyphs().scrollbar if thumb else " ", bar + paper)
        return through_filters(widget, Strip([*strip, end]).adjust_cell_length(width, paper), self._background)


_log = logging.getLogger(__name__)


class StripCache:
    """Cache of painted lines: scrolling back and forth builds nothing twice."""

    def __init__(self, lines: "VirtualLines") -> None:
        self._lines = lines
        self._painter = Painter(lines)
        self._strips: LRUCache[tuple[int, str, bool], Strip] = LRUCache(2048)

    def clear(self, *, theme: bool = False) -> None:
        """Drop all painted lines; with `theme`, also their colours."""
        self._strips.clear()
        if theme:
            self._painter.forget()

    def drop(self, index: int) -> None:
        """Drop a line, so that it is built again when it is next visible."""
        for state in _STATES:
            for thumb in (True, False):
                self._strips.discard((index, state, thumb))

    def strips(self, rows: range) -> list[Strip]:
        """Return the strips of some rows of the widget; row 0 is the header if there is one."""
        self._painter.prepare()
        lines, paper = self._lines, self._lines.rich_style
        head, thumb = lines.header_height, lines.view.thumb(lines.view.height)
        return [self._line(y - head, y - head in thumb, paper) for y in rows]

    def _line(self, y: int, thumb: bool, paper: Style) -> Strip:
        lines = self._lines
        colors = grounds(dark=lines.app.current_theme.dark)
        if y < 0:
            ground = colors.header_focused if lines.has_keys else colors.header
            return self._painter.line(lines.header(lines.line_width), ground)
        index = lines.view.top + y
        if index >= lines.view.count:
            return self._line_below(y, paper)
        state = "" if index != lines.view.cursor else _CURSOR if lines.has_keys else _BLURRED
        strip = self._strips.get((index, state, thumb))
        if strip is None:
            ground = {_CURSOR: colors.cursor, _BLURRED: colors.cursor_blurred}.get(state, paper)
            mark = {_CURSOR: glyphs().cursor, _BLURRED: glyphs().blurred_cursor}.get(state, "")
            strip = self._painter.line(self.spans(index), ground, mark=mark, thumb=thumb)
            self._strips[index, state, thumb] = strip
        return strip

    def spans(self, index: int) -> Sequence[Span]:
        """Return a line of the widget, or the error if it can't be built."""
        width = self._lines.line_width
        try:
            return self._lines.spans(index, width)
        except Exception as error:  # noqa: BLE001 - a border: one line that fails must not end the app
            _log.exception("line %d cannot be drawn", index)
            message = one_line(f"{type(error).__name__}: {error}", max(width - 28, 8))
            return [(f"{glyphs().error} cannot draw this line: {message}", "error")]

    def _line_below(self, y: int, paper: Style) -> Strip:
        """Return a row below the last line: blank, or in an empty list, its text in the middle."""
        lines = self._lines
        width = max(1, lines.line_width)
        words = (
            [row for line in lines.empty for row in words_wrapped(tuple(line), width)] if not lines.view.count else []
        )
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
    """A list of lines; subclasses define their content. Keys, wheel and scrollbar move a `Viewport`."""

    BINDINGS = keys.bindings(keys.ActionScope.MOVING)
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    VirtualLines {
        width: 1fr;
        height: 1fr;
        background: $background;
        color: $foreground;
    }
    """

    empty: reactive[Sequence[Sequence[Span]]] = reactive((), init=False)
    """Centred text of an empty list: what is missing, and the next key."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        self.view = Viewport()
        self._dragging = False
        self._pressed: object = None
        """`identity` of the line on which the mouse button was pressed; None if there is none."""
        self.cache = StripCache(self)
        super().__init__(id=id, classes=classes)

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return one line, `width` cells wide. An exception is logged and shown in its place."""
        raise NotImplementedError

    def header(self, width: int) -> Sequence[Span]:
        """Return the header, which stays above all lines; empty if there is none."""
        return ()

    @property
    def has_keys(self) -> bool:
        """Whether it has the focus, or the search line beside it, whose keys move through the matches."""
        focused = self.screen.focused if self.is_attached else None
        is_search = getattr(focused, "IS_SEARCH", False)
        return self.has_focus or (is_search and focused is not None and self.parent in focused.ancestors)

    @property
    def line_width(self) -> int:
        """Width available for the content of a line, in cells."""
        return max(0, self.size.width - CHROME)

    @property
    def header_height(self) -> int:
        """1 if there is a header, else 0."""
        return 1 if self.header(self.line_width) else 0

    def forget(self, index: int | None = None) -> None:
        """Build a line again, or all lines (None), because their content has changed."""
        if index is None:
            self.cache.clear()
            self.refresh()
            return
        self.cache.drop(index)
        self.refresh(Region(0, index - self.view.top + self.header_height, self.size.width, 1))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the strips of a region of the widget."""
        strips = self.cache.strips(range(crop.y, crop.bottom))
        if crop.x or crop.width != self.size.width:
            strips = [strip.crop(crop.x, crop.right) for strip in strips]
        return strips

    def notify_style_update(self) -> None:
        """Drop the strips of the previous theme."""
        self.cache.clear(theme=True)
        super().notify_style_update()

    def on_resize(self, event: events.Resize) -> None:
        """Apply the new size; lines are laid out for their width."""
        self.cache.clear()
        self.view.resize(max(0, event.size.height - self.header_height))
        self.refresh()  # the scroll bar belongs to the lines, and they have been painted for the earlier size

    @on(events.Focus)
    @on(events.Blur)
    def _show_focus(self) -> None:
        self.refresh()

    def identity(self, index: int) -> object:
        """Return an identifier of a line that survives moves; never None."""
        return index

    def _line_at(self, event: events.MouseEvent) -> int:
        """Return the line under the mouse; -1 if there is none."""
        index = self.view.top + event.y - self.header_height
        is_line = event.x < self.size.width - 1 and event.y >= self.header_height and index < self.view.count
        return index if is_line else -1

    def moved(self) -> None:
        """Handle a move of the cursor or the window by the user. Subclasses extend it."""
        self.refresh()

    def opened(self) -> None:
        """Open the line under the cursor; does nothing by default."""

    def go_to(self, index: int) -> None:
        """Move the cursor to a line, or the nearest one, and scroll it into view."""
        self.view.go_to(index)
        self.moved()

    def action_move(self, by: int) -> None:
        self.go_to(self.view.cursor + by)

    def action_page(self, by: int) -> None:
        """Move the cursor by pages that share one line."""
        self.go_to(self.view.cursor + by * max(1, self.view.height - 1))

    def action_first(self) -> None:
        self.go_to(0)

    def action_last(self) -> None:
        self.go_to(self.view.count - 1)

    def action_open(self) -> None:
        """Open the line under the cursor."""
        self.opened()

    def scroll_lines_to(self, top: int) -> None:
        """Scroll without moving the cursor."""
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
        """Start to drag the scrollbar, or remember the pressed line."""
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
        """Stop dragging the scrollbar."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def on_click(self, event: events.Click) -> None:
        """Open the line on which the button was pressed, as Enter does, even if lines have moved since."""
        index = self._line_at(event)
        pressed, self._pressed = self._pressed, None
        if pressed is not None and (index < 0 or self.identity(index) != pressed):
            index = next((each for each in self.view.visible if self.identity(each) == pressed), -1)
        if index >= 0:
            self.go_to(index)
            if event.chain == 1:
                self.opened()


class Lines(Protocol):
    """Source of the lines of a view."""

    def count(self, width: int) -> int:
        """Return the number of lines at a width of `width` cells."""

    def line(self, index: int, width: int) -> Sequence[Span]:
        """Return a line, counted from 0; at most `width` cells wide."""


class NoLines(Lines):
    def count(self, width: int) -> int:
        return 0

    def line(self, index: int, width: int) -> Sequence[Span]:
        """Return an empty line; never called."""
        return ()


class LinesView(VirtualLines):
    """View of one `Lines` object at a time."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        super().__init__(id=id, classes=classes)
        self._lines: Lines = NoLines()
        self._then: Callable[[], None] | None = None
        nothing: Sequence[Sequence[Span]] = ([("Nothing to show", "muted")],)
        self.set_reactive(VirtualLines.empty, nothing)

    def show(self, lines: Lines) -> None:
        """Show other lines, starting at the first."""
        self._lines, self._then = lines, None
        self._arrange()
        self.go_to(0)

    def spans(self, index: int, width: int) -> Sequence[Span]:
        """Return a line; () if this width, for which the view is laid out in a moment, has fewer lines."""
        return self._lines.line(index, width) if index < self._lines.count(width) else ()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out all lines for the new width."""
        self._arrange()
        then, self._then = self._then, None
        if then is not None and self.view.count:
            then()

    def once_laid_out(self, then: Callable[[], None]) -> None:
        """Call a function once the lines are laid out; it is dropped when other lines are shown."""
        self._then = then

    def lay_out_again(self) -> None:
        """Lay out the lines again after their layout has changed."""
        self._arrange()

    def _arrange(self) -> None:
        self.view.resize(max(0, self.size.height - self.header_height))
        self.view.set_count(self._lines.count(self.line_width) if self.line_width > 0 else 0)
        self.forget()


class Scroller(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Scrollable content. The scroll bar always has its column: one that appears would lay all out a second time."""

    BINDINGS = keys.bindings(keys.ActionScope.MOVING)
    DEFAULT_CSS = """
    Scroller { scrollbar-size-vertical: 1; overflow-y: scroll; background: $background; }
    """

    def action_move(self, by: int) -> None:
        """Focus the next card if the end of the current one is visible; otherwise scroll by some lines."""
        card = self._card_after(by)
        if card is None:
            self.scroll_relative(y=by * _STEP, animate=False)
        else:
            card.focus(scroll_visible=False)
            self.scroll_to_widget(card, animate=False)

    def _card_after(self, by: int) -> SectionCard | None:
        """Return the neighbour of the focused card; None if there is none, or if the card's end is still hidden."""
        cards = [card for card in self.query(SectionCard) if card.display]
        here = next((place for place, card in enumerate(cards) if card.has_focus), None)
        if here is None:
            return None
        now, window = cards[here].region, self.window_region
        if (by > 0 and now.bottom > window.bottom) or (by < 0 and now.y < window.y):
            return None
        return cards[here + by] if 0 <= here + by < len(cards) else None

    def action_page(self, by: int) -> None:
        """Scroll by a page that keeps one line."""
        self.scroll_relative(y=by * max(1, self.size.height - 1), animate=False)

    def action_first(self) -> None:
        self.scroll_home(animate=False)

    def action_last(self) -> None:
        self.scroll_end(animate=False)


class Ground(Widget):
    """Container whose background is painted in one step, not line by line."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the same blank line for all rows."""
        return [through_filters(self, Strip.blank(crop.width, self.rich_style))] * crop.height
