"""The list of tools with its search line. It tells which tool is meant once the cursor rests, and at once on Enter.

Rows are drawn only where they are in sight, so ten thousand tools are listed as fast as ten.
"""

from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from inspector.protocol.things import Tool
from inspector.protocol.tracking.catalogue import Listing
from inspector.tui.styles import glyphs
from inspector.tui.subject import Stage, Subject
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.search_bar import SearchBar
from inspector.tui.widgets.status_line import StatusLine
from inspector.viewmodels.roles import Span
from inspector.viewmodels.tools import ToolList, tool_rows, total_cost

_REST = 0.1
"""Seconds that the cursor rests on a tool before it is meant."""


class ToolSide(Widget):
    """The tools of a server, to choose one."""

    DEFAULT_CSS = """
    ToolSide { layout: vertical; }
    ToolSide SearchBar { display: none; }
    ToolSide.-searching SearchBar { display: block; }
    """

    class Chosen(Message):
        """Another tool is meant; `opened` if the reader wants to work with it."""

        def __init__(self, tool: Tool | None, *, opened: bool) -> None:
            super().__init__()
            self.tool = tool
            self.opened = opened

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self._subject = subject
        self._rows = ToolList()
        self._listing = Listing()
        self._tools: tuple[Tool, ...] = ()
        self._cost = ""
        self._searched = ""
        self._told: Tool | None = None
        self._timer: Timer | None = None
        self._stage: tuple[Stage, bool] | None = None
        self._line = StatusLine()
        self._bar = SearchBar("search", placeholder="name, title or description")
        self._list = LogList(self._rows)

    def compose(self) -> ComposeResult:
        """What there is, the search, the list."""
        yield self._line
        yield self._bar
        yield self._list

    @property
    def is_ready(self) -> bool:
        """Whether all of it has been laid out."""
        return self._list.is_mounted and self._bar.is_mounted

    def sync(self) -> None:
        """Take over a list that has changed. Nearly free while none has."""
        listing = self._subject.journal.conversation.catalogue.listings["tools"]
        stage = (self._subject.stage, self._subject.listing == "tools")
        if listing is not self._listing:
            self._take(listing)
        elif stage == self._stage:
            return
        self._stage = stage
        rows = self._list
        rows.empty = self._empty()
        rows.refresh()
        self._say()

    def rebind(self, subject: Subject) -> None:
        """Show the tools of another conversation; until they come, those of the one before stay."""
        self._subject = subject
        self._stage = None

    def _take(self, listing: Listing) -> None:
        if not listing.asked and self._tools:
            return
        self._listing = listing
        self._tools = tuple(map(Tool, listing.items))
        self._cost = total_cost(tool_rows(self._tools)) if self._tools else ""
        self._search()

    def _search(self) -> None:
        wanted = self._bar.text
        told = self._told
        self._searched = wanted
        self._rows.replace(self._tools, wanted)
        rows = self._list
        rows.sync()
        kept = next((at for at, row in enumerate(self._rows.rows) if told and row.tool.name == told.name), 0)
        rows.go_to(kept)
        self._bar.say_count(len(self._rows.rows) if wanted else None, of=len(self._tools))
        self._mean()

    def _say(self) -> None:
        count, _, rest = self._cost.partition(",")
        every: list[Span] = [(count or "Tools", "title"), ("," + rest if rest else "", "faint")]
        if self._listing.outdated:
            every.append((f"  {glyphs().warning} changed since", "warning"))
        self._line.show(every)

    def _empty(self) -> list[list[Span]]:
        """What stands in an empty list: why, and what can be done."""
        if self._tools:
            return [[("No tool matches", "muted")], [("Esc shows all again", "faint")]]
        if self._subject.stage is Stage.CONNECTING or self._subject.listing == "tools":
            return [[("Fetching the tools", "muted")]]
        if self._listing.asked:
            return [[("The server has no tools", "muted")]]
        return [[("The tools were never listed", "muted")]]

    @property
    def chosen(self) -> Tool | None:
        """The tool under the cursor."""
        cursor = self._list.view.cursor
        return self._rows.rows[cursor].tool if 0 <= cursor < len(self._rows.rows) else None

    def named(self, name: str) -> Tool | None:
        """The tool of a name."""
        return next((tool for tool in self._tools if tool.name == name), None)

    def _mean(self, *, opened: bool = False) -> None:
        """Tell which tool is meant, if that is another one."""
        tool = self.chosen
        if opened or tool != self._told:
            self._told = tool
            self.post_message(self.Chosen(tool, opened=opened))

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Wait until the cursor rests."""
        event.stop()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_REST, self._mean)

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Work with the tool."""
        event.stop()
        self._mean(opened=True)

    def search(self) -> None:
        """Let keys go to the search line."""
        self.add_class("-searching")
        self._bar.focus()
        self._bar.select_all()

    def end_search(self) -> bool:
        """Show all tools again; whether some were hidden."""
        bar = self._bar
        if not self.has_class("-searching") and not bar.text:
            return False
        bar.text = ""
        self.remove_class("-searching")
        self._list.focus()
        return True

    def focus_list(self) -> None:
        """Focus the list."""
        self._list.focus()

    def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        """Search."""
        event.stop()
        if event.text != self._searched:
            self._search()

    def on_search_bar_done(self, event: SearchBar.Done) -> None:
        """Go to what was found."""
        event.stop()
        if not event.control.text:
            self.remove_class("-searching")
        self._list.focus()
