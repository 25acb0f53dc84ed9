"""An app around one widget, with our themes and output filters, for widget tests."""

from rich.style import Style
from textual.app import ComposeResult
from textual.message import Message
from textual.widget import Widget

from inspector.tui import safety
from inspector.tui import theme as styles
from inspector.tui.queued_app import QueuedApp
from tests.tui.screen_text import lines


class Showing(QueuedApp[None]):
    """Shows widgets one above the other and keeps the messages that they post."""

    def __init__(self, *widgets: Widget, theme: str = styles.DARK_NAME) -> None:
        super().__init__()
        for known in styles.THEMES:
            self.register_theme(known)
        self.theme = theme
        safety.install(self)
        self._widgets = widgets
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def rows(self) -> list[str]:
        """The screen's lines without spaces and scrollbar at their right edge."""
        return [line.rstrip(f" {styles.glyphs().scrollbar}") for line in lines(self)]

    def marked(self) -> list[str]:
        """The lines that carry the cursor's mark, without it."""
        mark = styles.glyphs().cursor
        return [line.strip(f" {mark}{styles.glyphs().scrollbar}") for line in lines(self) if line.startswith(mark)]

    def style_of(self, word: str) -> Style:
        """The style in which the first segment that contains `word` is drawn."""
        for strip in self.screen._compositor.render_strips():
            for segment in strip:
                if word in segment.text and segment.style is not None:
                    return segment.style
        raise AssertionError(f"{word!r} is not on the screen")
