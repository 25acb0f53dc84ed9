"""The start screen as a separate app: what can be opened before there is a conversation."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Event

from inspector import __version__
from inspector.config.servers import FoundServer
from inspector.config.targets import Capture, LiveTap, StartChoice
from inspector.tui import keymap, keys
from inspector.tui.actions import ActionScope
from inspector.tui.queued_app import QueuedApp
from inspector.tui.safety import apply_theme, install, switch_theme
from inspector.tui.screens.help.help import toggle_help
from inspector.tui.screens.start.start import StartPane
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar
from inspector.tui.widgets.key_bars import FooterBar, MenuBar, Menus


class StartApp(QueuedApp[StartChoice]):
    """Shows the choices; `run` returns the chosen one, None if the user quits."""

    TITLE = "mcp-inspect"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action(name))
        for name in ("menu.go", "menu.view", "menu.act", "help", "help.typing", "theme", "quit", "back")
    ]

    def __init__(
        self,
        servers: Sequence[FoundServer],
        captures: Sequence[Capture],
        taps: Sequence[LiveTap] = (),
        *,
        typed: str = "",
        problem: str = "",
    ) -> None:
        """Show servers in the given order, running taps, and captures with the newest first.

        `typed` and `problem`: text typed earlier, and why it could not be opened; "" at first.
        """
        super().__init__()
        install(self, ascii_only=glyphs().to_server.isascii())
        apply_theme(self)
        self._pane = StartPane(servers, captures, taps, typed=typed, problem=problem, alone=True)
        self._menus = Menus(self, lambda: self.input_queue.has_key)

    @property
    def typed(self) -> str:
        """Text of the input line; "" if a row was chosen."""
        return self._pane.typed

    def compose(self) -> ComposeResult:
        """Compose a line with the name, the pane, and the footer."""
        bar = ItemBar()
        name = BarItem((("mcp-inspect", "title"), (f" {__version__}", "muted")))
        bar_item = BarItem((("Inspect, test and debug MCP servers.", "text"),), rank=1)
        bar.show([BarLine((name,), (bar_item,), inset=1)])
        yield bar
        yield self._pane
        yield FooterBar()

    async def act(self, event: Event) -> None:
        """Handle an event, in an open menu first."""
        if not await self._menus.take(event):
            await super().act(event)

    async def on_menu_bar_pressed(self, message: MenuBar.Pressed) -> None:
        """Run a clicked menu entry."""
        await self._menus.choose(message.key)

    def action_menu(self, leader: str) -> None:
        self._menus.action_menu(leader)

    def on_mount(self) -> None:
        """Bind the user's own keys."""
        keymap.take(self)
        self.watch_queue()

    def on_start_pane_chosen(self, message: StartPane.Chosen) -> None:
        """Exit with the choice."""
        self.exit(message.choice)

    async def action_back(self) -> None:
        """Go back one step."""
        self._pane.leave()

    def action_toggle_theme(self) -> None:
        """Switch between dark and light."""
        switch_theme(self)

    def action_help(self) -> None:
        """Show or hide the keys."""
        toggle_help(self, (ActionScope.START, ActionScope.MOVING))
