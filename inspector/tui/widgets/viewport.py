"""Which lines of a long list are on the screen, and where the cursor is. Numbers only; draws nothing.

Follow holds only while the cursor is on the last line: any step of the reader's ends it, `last` resumes it.
So a reader who has chosen a line keeps it, however fast lines arrive.
"""

import msgspec


class Viewport(msgspec.Struct):
    """A window of `height` lines over `count` lines, and a cursor."""

    count: int = 0
    height: int = 0
    top: int = 0
    """The first line shown."""
    cursor: int = -1
    """The chosen line; -1 while there is none to choose. It may be outside of the window after scrolling."""
    following: bool = False

    @property
    def last_top(self) -> int:
        """The furthest `top` that leaves no line of the window empty."""
        return max(0, self.count - self.height)

    @property
    def visible(self) -> range:
        """The lines on the screen."""
        return range(self.top, min(self.top + self.height, self.count))

    @property
    def looks(self) -> tuple[range, int, range]:
        """What a reader sees of the numbers; equal looks need no repainting."""
        return self.visible, self.cursor, self.thumb(self.height)

    def resize(self, height: int) -> None:
        """Take another height, with the cursor visible if it was."""
        seen = not self.height or self.cursor in self.visible or self.following
        self.height = height
        if seen:
            self._reveal()
        else:
            self.scroll_to(self.top)

    def set_count(self, count: int) -> None:
        """Have more or fewer lines; follow if asked to."""
        self.count = count
        if self.following:
            self.cursor = count - 1
            self.top = self.last_top
        else:
            self.cursor = min(max(self.cursor, 0), count - 1)
            self.scroll_to(self.top)

    def go_to(self, index: int) -> None:
        """Choose a line, the nearest there is, and bring it into view. Ends following."""
        self.following = False
        self.cursor = min(max(index, 0), self.count - 1)
        self._reveal()

    def go_last(self, *, follow: bool) -> None:
        """Choose the last line, and stay on it if `follow`."""
        self.go_to(self.count - 1)
        self.following = follow

    def scroll_to(self, top: int) -> None:
        """Show other lines; the cursor stays where it is. Scrolling away from the end ends following."""
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
        """Return the cells of a scrollbar `track` cells high that its thumb takes; empty if all lines are visible."""
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
