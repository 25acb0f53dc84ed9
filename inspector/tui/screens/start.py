"""The start: what there is to look at. It ends with a choice, and starts and opens nothing itself.

It is an app of its own, so that the inspector begins afresh on what was chosen. A server from a file is somebody's
command line: it is shown in full first, and a second key is needed.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from rich.console import Group
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from inspector import __version__
from inspector.tui import keys
from inspector.tui.keys import Where
from inspector.tui.safety import install
from inspector.tui.screens.dialog import Dialog
from inspector.tui.styles import glyphs, spans_to_text
from inspector.tui.theming import dress, turn_theme
from inspector.tui.widgets.footer_bar import FooterBar
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.scroller import Scroller
from inspector.tui.widgets.section_card import section_renderable
from inspector.viewmodels.start import (
    Capture,
    OpenDemo,
    OpenServer,
    Server,
    StartChoice,
    StartRows,
    can_open,
    server_section,
)

_HERE = ("help", "help.typing", "theme", "quit")


class StartApp(App[StartChoice]):
    """Shows what there is; `run` returns the choice, None if the person left."""

    TITLE = "mcp-inspect"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(Where.START),
        *(keys.binding(keys.action(name)) for name in _HERE),
    ]
    CSS = """
    #start-list { margin: 1 1 0 1; }
    """

    def __init__(self, servers: Sequence[Server], captures: Sequence[Capture]) -> None:
        """Show servers in the order given, and captures, the newest first."""
        super().__init__()
        install(self, ascii_only=glyphs().to_server.isascii())
        dress(self)
        self._rows = StartRows(servers, captures)

    def compose(self) -> ComposeResult:
        """One line of name, one list, one line of keys."""
        bar = ItemBar()
        name = Item((("mcp-inspect", "title"), (f" {__version__}", "muted")))
        said = Item((("See what an MCP server says, byte by byte.", "text"),), rank=1)
        bar.show([Line((name,), (said,), inset=1)])
        yield bar
        yield StartList(self._rows)
        yield FooterBar()

    def on_mount(self) -> None:
        """Begin with the first thing that can be chosen."""
        rows = self.query_one(StartList)
        rows.focus()
        rows.go_to(0)

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Take the choice; ask first if it starts or dials something."""
        choice = self._rows.choice(message.index)
        if isinstance(choice, OpenServer):
            self.push_screen(ConfirmScreen(choice.server), lambda sure: self._open(choice.server) if sure else None)
        elif choice is not None:
            self.exit(choice)

    def _open(self, server: Server) -> None:
        from inspector.tui.screens.approve import ask_for

        ask_for(self, server, lambda filled: self.exit(OpenServer(filled)) if filled is not None else None)

    def action_demo(self) -> None:
        """Choose the demo."""
        self.exit(OpenDemo())

    def action_toggle_theme(self) -> None:
        """Switch between dark and light."""
        turn_theme(self)

    def action_help(self) -> None:
        """Show the keys, or put them away."""
        from inspector.tui.screens.help import turn_help

        turn_help(self, (Where.START, Where.MOVING))


class StartList(LogList):
    """A list whose headings are passed over."""

    def __init__(self, rows: StartRows) -> None:
        super().__init__(rows, id="start-list")
        self._start = rows

    def go_to(self, index: int) -> None:
        """Choose the next row that is a choice."""
        found = self._start.nearest(max(0, min(index, self._start.count - 1)), index - self.view.cursor)
        super().go_to(found)

    def action_last(self) -> None:
        """Go to the last row that is a choice; nothing comes that could be followed."""
        self.go_to(self._start.count - 1)


class ConfirmScreen(Dialog[bool]):
    """All about a server, before it is started or dialled. Its end must have been in sight before it can be."""

    BINDINGS: ClassVar[list[BindingType]] = [
        keys.binding(keys.action("start.confirm")),
        replace(keys.binding(keys.action("back")), show=True),
    ]
    DEFAULT_CSS = """
    ConfirmScreen {
        align: center middle;
        background: $background 60%;
        & > #confirm {
            width: 90%;
            max-width: 110;
            height: auto;
            max-height: 90%;
            padding: 1 1 0 1;
            background: $background;
            border: round $border;
            border-title-color: $text-accent;
            border-title-style: bold;
        }
        Scroller { height: auto; max-height: 70vh; }
        Scroller > Static { height: auto; padding: 0 1 1 1; }
        FooterBar { dock: none; }
    }
    """

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server
        self._is_read = False
        """Whether the end was in sight."""

    def compose(self) -> ComposeResult:
        """What would be done, and two keys."""
        dark = self.app.current_theme.dark
        section = server_section(self._server)
        question = spans_to_text([(_question(self._server), "strong")], dark=dark)
        question.append("\n\n")
        with Vertical(id="confirm") as frame:
            frame.border_title = Content(section.title)
            with Scroller():
                yield Static(Group(question, section_renderable(section, dark=dark)), markup=False)
            yield FooterBar()

    def on_mount(self) -> None:
        """See how far it was read, now and whenever that changes."""
        scroller = self.query_one(Scroller)
        for changing in ("scroll_y", "virtual_size", "size"):
            self.watch(scroller, changing, self._look, init=False)
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        """Allow to go on once the end is in sight; say until then how much is below."""
        scroller = self.query_one(Scroller)
        if self._is_read or not scroller.size.height or not self.query_one(Static).size.height:
            return
        below = round(scroller.max_scroll_y - scroller.scroll_y)
        self._is_read = below <= 0
        frame = self.query_one("#confirm")
        frame.border_subtitle = "" if self._is_read else Content(f"{below} more lines: End, then Enter")
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to go on only where there is something to go on with, and all of it was in sight."""
        if action != "confirm":
            return True
        return can_open(self._server) and (self._is_read or None)

    def action_confirm(self) -> None:
        """Yes."""
        self.dismiss(True)

    def action_back(self) -> None:
        """No."""
        self.dismiss(False)


def _question(server: Server) -> str:
    if not can_open(server):
        return "There is nothing here to start or to connect to."
    return "Connect to this server?" if server.url else "Start this program, with your rights?"
