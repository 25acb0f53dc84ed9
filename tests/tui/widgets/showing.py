"""An app around one widget, with our themes and output filters, for widget tests."""

from typing import Any, ClassVar, Generic, TypeVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from inspector.tui import keys, safety
from inspector.tui import theme as styles
from inspector.tui.panels import Panel
from inspector.tui.queued_app import QueuedApp
from tests.tui.screen_text import lines, text

P = TypeVar("P", bound=Panel)


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
        self.entries_wanted: list[int] = []
        """Entries that a panel wants shown."""

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def on_panel_entry_wanted(self, message: Panel.EntryWanted) -> None:
        self.entries_wanted.append(message.n)

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


class ShowingPanel(Showing, Generic[P]):
    """Shows one panel, updates it as the app does, and has the app's own keys."""

    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.ActionScope.EVERYWHERE)

    def __init__(self, panel: P, **more: Any) -> None:
        super().__init__(panel, **more)
        self.panel = panel
        self.went_back = 0

    def on_mount(self) -> None:
        self.set_interval(1 / 60, self.panel.sync)
        self.panel.take_focus()

    async def action_back(self) -> None:
        self.went_back += not self.panel.go_back()

    async def action_cancel_request(self) -> None:
        await self.panel.cancel_running()


def synced(app: Showing, panel: Panel) -> str:
    """Update a panel, and return the screen."""
    panel.sync()
    return text(app)
