"""Another server to be opened beside: what hosts know, recent captures, or what somebody types. Starts nothing itself.

A server from a host's file is shown in full and takes a second key, as at the start.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from inspector.errors import UsageError
from inspector.tui import keys
from inspector.tui.keys import Where
from inspector.tui.screens.approve import ask_for
from inspector.tui.screens.dialog import Dialog
from inspector.tui.screens.start import ConfirmScreen, StartList
from inspector.tui.widgets.footer_bar import FooterBar
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.start import Capture, OpenDemo, OpenServer, Server, StartRows
from inspector.viewmodels.text import visible
from inspector.viewmodels.wanted import Wanted, wanted


class OpenScreen(Dialog["Wanted | None"]):
    """Answers with what is to be opened; None for nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *keys.bindings(Where.START, Where.OPEN),
        replace(keys.binding(keys.action("back")), show=True),
    ]
    DEFAULT_CSS = """
    OpenScreen { background: $background; layout: vertical; }
    OpenScreen > Input { margin: 1 1 0 1; border: round $border; background: $background; }
    OpenScreen > Input:focus { border: round $accent; }
    OpenScreen > #start-list { margin: 0 1; height: 1fr; }
    """

    def __init__(
        self, servers: Sequence[Server], captures: Sequence[Capture], *, typed: str = "", problem: str = ""
    ) -> None:
        """`typed` and `problem`: what was typed before, and why it could not be opened; "" at first."""
        super().__init__()
        self._typed = typed
        self._problem = problem
        self._servers = servers
        self._rows = StartRows(servers, captures, advice=False)

    def compose(self) -> ComposeResult:
        """A line to type into, what is wrong with it, and a list."""
        bar = ItemBar()
        said = Item((("It gets a tab of its own.", "text"),), rank=1)
        bar.show([Line((Item((("Open another server", "title"),)), said), inset=1)])
        yield bar
        words = "a URL, a command with its arguments, a capture, or a name from below"
        yield Input(self._typed, placeholder=words, select_on_focus=False)
        yield StatusLine()
        yield StartList(self._rows)
        yield FooterBar()

    def on_mount(self) -> None:
        """Begin with the line, which takes every character from the first on. Enter alone takes the chosen row."""
        self.query_one(StartList).go_to(0)
        line = self.query_one(Input)
        line.cursor_position = len(line.value)
        line.focus()
        if self._problem:
            self._say(self._problem)

    def _say(self, problem: str) -> None:
        self.query_one(StatusLine).show([(visible(problem, limit=300), "error")])

    @property
    def typed(self) -> str:
        """What stands in the line."""
        return self._typed

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Take the choice."""
        self._choose(message.index)

    def _choose(self, index: int) -> None:
        choice = self._rows.choice(index)
        if choice is not None:
            self._typed = ""
            self._take(choice)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what was typed."""
        event.stop()
        if not event.value.strip():
            self._choose(self.query_one(StartList).view.cursor)
            return
        try:
            self._take(wanted(event.value, self._servers))
        except UsageError as error:
            self._say(f"{error}. {error.hint}" if error.hint else str(error))

    def on_input_changed(self, event: Input.Changed) -> None:
        """What was wrong is no more said of something else."""
        if event.value != self._typed:
            self._typed = event.value
            self.query_one(StatusLine).show([])

    def _take(self, choice: Wanted) -> None:
        """Ask first if a host's file says what is started or dialled."""
        if isinstance(choice, OpenServer):

            def answered(sure: bool | None) -> None:
                if sure:
                    ask_for(self.app, choice.server, take)

            def take(server: Server | None) -> None:
                if server is not None:
                    self.dismiss(OpenServer(server))

            self.app.push_screen(ConfirmScreen(choice.server), answered)
        else:
            self.dismiss(choice)

    def action_demo(self) -> None:
        """Choose the demo."""
        self._take(OpenDemo())

    def action_type(self) -> None:
        """Go to the line to type into."""
        self.query_one(Input).focus()

    def action_list(self) -> None:
        """Go to the list."""
        self.query_one(StartList).focus()

    def action_back(self) -> None:
        """Open nothing."""
        self.dismiss(None)
