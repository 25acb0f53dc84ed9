"""A widget that scrolls by itself: keys, wheel and scrollbar move a `Viewport`. Knows nothing of what is shown.

It is a plain Widget: a ScrollView would lay the whole screen out again each time a line comes.
"""

from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from inspector.tui import keys
from inspector.tui.widgets.viewport import Viewport

_WHEEL = 3
"""Lines that one notch of the wheel moves."""


class Movable(Widget, can_focus=True):
    """A window over lines that the reader moves."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.Where.MOVING)
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's word
        self.view = Viewport()
        self._dragging = False
        self._pressed: object = None
        """The line that a button was pressed on, as `identity` names it; None for none."""
        super().__init__(id=id, classes=classes)

    @property
    def header_height(self) -> int:
        """Lines above the window that do not move."""
        return 0

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
        """Choose a line, the nearest there is, and bring it in sight."""
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

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll by the wheel."""
        event.stop()
        self.scroll_lines_to(self.view.top + _WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll by the wheel."""
        event.stop()
        self.scroll_lines_to(self.view.top - _WHEEL)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the scrollbar."""
        if event.x == self.size.width - 1 and self.view.thumb(self.view.height):
            self._dragging = True
            self.capture_mouse()
            self._drag(event.y)
        index = self._line_at(event)
        self._pressed = self.identity(index) if index >= 0 else None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the scrollbar."""
        if self._dragging:
            self._drag(event.y)

    def on_mouse_up(self) -> None:
        """Let go of the scrollbar."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _drag(self, y: int) -> None:
        self.scroll_lines_to(self.view.top_at(y - self.header_height, self.view.height))

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
