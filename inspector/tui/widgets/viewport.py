"""Visible lines of a long list, and its cursor. Numbers only; draws nothing.

Following lasts only while the cursor is on the last line: any move by the user ends it, `last` resumes it. A chosen
line therefore stays selected, however fast lines arrive.
"""

import msgspec


class Viewport(msgspec.Struct):
    """A window of `height` lines over `count` lines, and a cursor."""

    count: int = 0
    height: int = 0
    top: int = 0
    """First visible line."""
    cursor: int = -1
    """Line under the cursor; -1 if the list is empty. It may be outside of the window after scrolling."""
    following: bool = False

    @property
    def last_top(self) -> int:
        """Largest `top` that leaves no line of the window empty."""
        return max(0, self.count - self.height)

    @property
    def visible(self) -> range:
        """Visible lines."""
        return range(self.top, min(self.top + self.height, self.count))

    @property
    def looks(self) -> tuple[range, int, range]:
        """State that determines the picture; if it is equal, no repaint is needed."""
        return self.visible, self.cursor, self.thumb(self.height)

    def resize(self, height: int) -> None:
        """Change the height; the cursor stays visible if it was."""
        seen = not self.height or self.cursor in self.visible or self.following
        self.height = height
        if seen:
            self._reveal()
        else:
            self.scroll_to(self.top)

    def set_count(self, count: int) -> None:
        """Change the number of lines, and follow if enabled."""
        self.count = count
        if self.following:
            self.cursor = count - 1
            self.top = self.last_top
        else:
            self.cursor = min(max(self.cursor, 0), count - 1)
            self.scroll_to(self.top)

    def go_to(self, index: int) -> None:
        """Move the cursor to a line, or the nearest one, and scroll it into view. Ends following."""
        self.following = False
        self.cursor = min(max(index, 0), self.count - 1)
        self._reveal()

    def go_last(self, *, follow: bool) -> None:
        """Move the cursor to the last line, and follow if `follow`."""
        self.go_to(self.count - 1)
        self.following = follow

    def scroll_to(self, top: int) -> None:
        """Scroll; the cursor stays where it is. Scrolling away from the end ends following."""
        self.top = min(max(top, 0), self.last_top)
        if self.top < self.last_top:
            self.following = False

    def _reveal(self) -> None:
        if not self.height:
            return  # not laid out yet: the first size brings the cursor into view
        if self.cursor < self.top:
            self.top = self.cursor
        elif self.cursor >= self.top + self.height:
            self.top = self.cursor - self.height + 1
        self.top = min(max(self.top, 0), self.last_top)

    def thumb(self, track: int) -> range:
        """Return the cells of the thumb in a scrollbar `track` cells high; empty if all lines are visible."""
        if self.count <= self.height or track <= 0:
            return range(0)
        size = self._thumb_size(track)
        start = round((track - size) * self.top / self.last_top)
        return range(start, start + size)

    def top_at(self, cell: int, track: int) -> int:
        """Return the `top` for a thumb centred on a cell of the scrollbar."""
        size = self._thumb_size(track)
        return round(self.last_top * (cell - size // 2) / max(track - size, 1))

    def _thumb_size(self, track: int) -> int:
        return max(min(2, track), track * self.height // max(self.count, 1))
