"""Dialogs of lists and tools: changes with both versions, the source of an MCP App, and the matrix of hosts.

Comparisons run on a thread: lists and descriptions may be long.
"""

from collections.abc import Sequence
from typing import Any

from textual import work
from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Static

from inspector.capture.journal import Journal
from inspector.capture.messages import result_response_of
from inspector.checks.compat.matrix import Matrix
from inspector.present.changes.lists import ListNews, RememberedServer, about_lines, can_approve, since_lines
from inspector.present.compatibility import compatibility_matrix, definitions_of, matrix_lines
from inspector.present.items import source_facts, source_lines
from inspector.present.rows import SpanRows
from inspector.present.spans import Line, Section, Span
from inspector.protocol import peek
from inspector.protocol.apps import Page, app_of, listed_pages, page_of
from inspector.protocol.flows.steps import Replied, Reply
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.conversation import ConversationStage, OpenConversation
from inspector.tui.theme import glyphs
from inspector.tui.threads import read_on_thread
from inspector.tui.widgets.dialogs import Dialog, DialogBox
from inspector.tui.widgets.lines import LinesScreen, Wrapped
from inspector.tui.widgets.save import SaveScreen, file_name
from inspector.tui.widgets.section_card import section_renderable
from inspector.tui.widgets.virtual_lines import Lines
from inspector.tui.widgets.virtual_list import LogList

_READ = "resources/read"


class ChangesScreen(LinesScreen[bool]):
    """Changes of lists. Escape and the key that opened it close it; approving pending changes returns True."""

    BINDINGS = keys.bindings_of("changes.back", "changes.approve", "copy")

    def __init__(
        self, news: Sequence[ListNews], now_ns: int, memory: RememberedServer | None = None, kinds: Sequence[str] = ()
    ) -> None:
        """`now_ns`: time on the journal's clock; `memory`: baseline of the server; `kinds`: the visible lists."""
        super().__init__("Changes")
        self._memory = memory if memory is not None and memory.alarms else None
        self._kinds = kinds
        self._news = news
        self._now_ns = now_ns

    @property
    def hint(self) -> str:
        approve = f"{keys.shown_key('changes.approve')} Approve  " if self._can_approve else ""
        return approve + super().hint

    def on_mount(self) -> None:
        self.view.empty = ([("Comparing", "muted")],)
        self._compare()

    @work(exclusive=True)
    async def _compare(self) -> None:
        self.show_lines(await read_on_thread(self._compared))

    def _compared(self) -> list[Line]:
        """Return the changes to approve, followed by everything about the lists."""
        found = about_lines(self._news, self._now_ns)
        return found if self._memory is None else since_lines(self._memory, self._kinds) + found

    @property
    def _can_approve(self) -> bool:
        if self._memory is None:
            return False
        return can_approve(self._memory, self._kinds)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable approval only if there are changes to approve."""
        return self._can_approve if action == "approve" else True

    def action_approve(self) -> None:
        """Accept the current definitions as the baseline."""
        self.dismiss(True)


# Source of an MCP App: read on request and shown as text, never rendered as a page


class AppSourceScreen(Dialog[None]):
    """Source of one page. Escape closes it, `w` saves it."""

    BINDINGS = keys.bindings_of("app.back", "app.save")
    DEFAULT_CSS = """
    AppSourceScreen { align: center middle; background: $background 60%; }
    AppSourceScreen > Vertical {
        width: 96%; height: 96%; background: $surface; border: round $border; padding: 0 1;
    }
    AppSourceScreen Static { height: auto; max-height: 50%; margin: 0 0 1 0; }
    AppSourceScreen LogList { height: 1fr; background: $surface; }
    """

    def __init__(self, conversation: OpenConversation, uri: str) -> None:
        super().__init__()
        self._conversation = conversation
        self._uri = uri
        self._page: Page | None = None
        self._rows = SpanRows()

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = Content(f"App {visible(self._uri, limit=200)}")
            yield Static("", markup=False)
            yield LogList(self._rows, empty=((("reading", "muted"),),))

    def on_mount(self) -> None:
        """Read the source, or show what was read earlier if no request can be made."""
        self.query_one(LogList).focus()
        if self._conversation.can_act and self._conversation.stage is ConversationStage.OPEN:
            self._read()
            return
        result = _read_before(self._conversation.journal, self._uri)
        if result is None:
            self._say("not read in this session, and not connected")
        else:
            self._show(result)

    @work(exclusive=True)
    async def _read(self) -> None:
        called = await self._conversation.call(_READ, {"uri": self._uri}, lambda exchange: None)
        problem = _problem(called.reply)
        if problem:
            self._say(problem)
        elif isinstance(called.reply, Replied) and isinstance(called.reply.message, ResultResponse):
            self._show(called.reply.message.result)

    def _show(self, result: Any) -> None:
        contents = peek.items(result, "contents")
        content = next((each for each in contents if peek.text(each, "uri") == self._uri), None)
        if content is None:
            self._say(f"the result has {len(contents)} contents, none with this URI")
            return
        listed = listed_pages(result, self._conversation.journal.conversation.catalogue.resources)
        self._page = page = page_of(content, listed.get(self._uri))
        section = Section("", source_facts(page))
        self.query_one(Static).update(section_renderable(section, dark=self.app.current_theme.dark))
        self._rows.replace(source_lines(page))
        self.query_one(LogList).sync()

    def _say(self, problem: str) -> None:
        self.query_one(LogList).empty = (((f"{glyphs().error} {visible(problem, limit=300)}", "error"),),)

    def action_save(self) -> None:
        if self._page is not None:
            self.app.push_screen(SaveScreen(self._page.source, file_name(self._uri, "text/html")))


def show_app_of(app: App[Any], conversation: OpenConversation, tool: Tool | None) -> None:
    """Show the source of a tool's page, if it has one."""
    if tool is not None and (link := app_of(tool)) is not None:
        app.push_screen(AppSourceScreen(conversation, link.uri))


def _problem(reply: Reply) -> str:
    if not isinstance(reply, Replied):
        return f"no response: {getattr(reply, 'why', '') or 'the time is up'}"
    message = reply.message
    return f"the server returned error {message.code}: {message.message}" if isinstance(message, ErrorResponse) else ""


def _read_before(journal: Journal, uri: str) -> Any:
    """Return the newest result of reading a URI in a journal; None if there is none."""
    exchanges = journal.conversation.exchanges
    for place in range(len(exchanges) - 1, -1, -1):
        exchange = exchanges[place]
        if exchange.method != _READ or exchange.target != uri or not exchange.answer_frame:
            continue
        if (response := result_response_of(journal, exchange)) is not None:
            return response.result
    return None


# The matrix of tools and hosts


class HostsScreen(LinesScreen[None]):
    """Matrix of how hosts handle the tools of one server."""

    BINDINGS = keys.bindings_of("clients.back", "clients.all", "copy")
    DEFAULT_CSS = """
    HostsScreen > Vertical { width: 100%; height: 100%; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__(f"Client compatibility: {visible(conversation.about.label, limit=40)}")
        self._conversation = conversation
        self._matrix: Matrix | None = None
        self._every = False

    @property
    def hint(self) -> str:
        return f"{keys.shown_key('clients.all')} shows all, {super().hint}"

    def on_mount(self) -> None:
        """Check every tool against every host."""
        self.view.empty = ([("Comparing", "muted")],)
        self._compare()

    @work(exclusive=True)
    async def _compare(self) -> None:
        surface = definitions_of(self._conversation.journal.conversation)
        self._matrix = await read_on_thread(compatibility_matrix, surface)
        self._show()

    def _show(self) -> None:
        if self._matrix is not None:
            self.view.show(MatrixLines(self._matrix, every=self._every))

    def action_every(self) -> None:
        """Toggle between all tools and those with known problems."""
        self._every = not self._every
        self._show()

    def action_copy(self) -> None:
        """Copy the matrix, without control characters."""
        if self._matrix is not None:
            self._lines = matrix_lines(self._matrix, self.view.size.width or 80, every=self._every)
            super().action_copy()


class MatrixLines(Lines):
    """Matrix as wide as the available space; its notes wrap."""

    def __init__(self, matrix: Matrix, *, every: bool) -> None:
        self._matrix, self._every = matrix, every
        self._width = 0
        self._wrapped = Wrapped(())

    def count(self, width: int) -> int:
        if width != self._width:
            self._width = width
            lines: Sequence[Line] = matrix_lines(self._matrix, width, every=self._every)
            self._wrapped = Wrapped(lines)
        return self._wrapped.count(width)

    def line(self, index: int, width: int) -> Sequence[Span]:
        return self._wrapped.line(index, width)


def show_hosts(app: App[Any], conversation: OpenConversation) -> None:
    """Open the matrix, or notify the user why there is nothing to show."""
    if conversation.journal.conversation.catalogue.listings["tools"].items:
        app.push_screen(HostsScreen(conversation))
    else:
        app.notify("The server lists no tools.")
