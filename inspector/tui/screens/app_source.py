"""The source of an MCP App: read because somebody asked for it, shown as text, never as a page."""

from typing import Any, ClassVar

from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from inspector.capture.journal import Journal
from inspector.protocol import jsonrpc, peek
from inspector.protocol.apps import Page, app_of, listed_pages, page_of
from inspector.protocol.flows.steps import Replied, Reply
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer
from inspector.protocol.things import Tool
from inspector.tui.screens.dialog import Dialog
from inspector.tui.styles import glyphs
from inspector.tui.subject import Stage, Subject
from inspector.tui.widgets.log_list import LogList
from inspector.tui.widgets.section_card import section_renderable
from inspector.viewmodels.apps import source_facts, source_lines
from inspector.viewmodels.lines import Section
from inspector.viewmodels.rows import SpanRows
from inspector.viewmodels.text import visible

_READ = "resources/read"


class AppSourceScreen(Dialog[None]):
    """One page's source. Escape goes back, `w` saves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,o", "dismiss", "Back", tooltip="Back to the tool.", id="app.back"),
        Binding("w", "save", "Save", tooltip="Save the source to a file.", id="app.save"),
    ]
    DEFAULT_CSS = """
    AppSourceScreen { align: center middle; background: $background 60%; }
    AppSourceScreen > Vertical {
        width: 96%; height: 96%; background: $surface; border: round $border; padding: 0 1;
    }
    AppSourceScreen Static { height: auto; max-height: 50%; margin: 0 0 1 0; }
    AppSourceScreen LogList { height: 1fr; background: $surface; }
    """

    def __init__(self, subject: Subject, uri: str) -> None:
        super().__init__()
        self._subject = subject
        self._uri = uri
        self._page: Page | None = None
        self._rows = SpanRows()

    def compose(self) -> ComposeResult:
        """What is known of it, above its source."""
        with Vertical() as box:
            box.border_title = Content(f"App {visible(self._uri, limit=200)}")
            yield Static("", markup=False)
            yield LogList(self._rows, empty=((("reading", "muted"),),))

    def on_mount(self) -> None:
        """Read it, or show what was read before where nothing can be read."""
        self.query_one(LogList).focus()
        if self._subject.can_act and self._subject.stage is Stage.OPEN:
            self._read()
            return
        result = _read_before(self._subject.journal, self._uri)
        if result is None:
            self._say("it was not read in this conversation, and there is no server to ask")
        else:
            self._show(result)

    @work(exclusive=True)
    async def _read(self) -> None:
        called = await self._subject.call(_READ, {"uri": self._uri}, lambda exchange: None)
        problem = _problem(called.reply)
        if problem:
            self._say(problem)
        elif isinstance(called.reply, Replied) and isinstance(called.reply.message, Answer):
            self._show(called.reply.message.result)

    def _show(self, result: Any) -> None:
        contents = peek.items(result, "contents")
        content = next((each for each in contents if peek.text(each, "uri") == self._uri), None)
        if content is None:
            self._say(f"the answer has {len(contents)} contents, and none of this URI")
            return
        listed = listed_pages(result, self._subject.journal.conversation.catalogue.resources)
        self._page = page = page_of(content, listed.get(self._uri))
        section = Section("", source_facts(page))
        self.query_one(Static).update(section_renderable(section, dark=self.app.current_theme.dark))
        self._rows.replace(source_lines(page))
        self.query_one(LogList).sync()

    def _say(self, problem: str) -> None:
        self.query_one(LogList).empty = (((f"{glyphs().error} {visible(problem, limit=300)}", "error"),),)
        self.query_one(LogList).refresh()

    def action_save(self) -> None:
        """Save the source."""
        from inspector.tui.screens.save import SaveScreen, file_name

        if self._page is not None:
            self.app.push_screen(SaveScreen(self._page.source, file_name(self._uri, "text/html")))


def show_app_of(app: App[Any], subject: Subject, tool: Tool | None) -> None:
    """Show the source of the page that a tool brings, or say that it brings none."""
    link = None if tool is None else app_of(tool)
    if link is None or not link.uri:
        app.notify("This tool brings no app.", markup=False)
    else:
        app.push_screen(AppSourceScreen(subject, link.uri))


def _problem(reply: Reply) -> str:
    if not isinstance(reply, Replied):
        return f"no answer came: {getattr(reply, 'why', '') or 'the time is up'}"
    message = reply.message
    return (
        f"the server answered with error {message.code}: {message.message}" if isinstance(message, ErrorAnswer) else ""
    )


def _read_before(journal: Journal, uri: str) -> Any:
    """The newest result of reading it in a journal; None if there is none."""
    exchanges = journal.conversation.exchanges
    for place in range(len(exchanges) - 1, -1, -1):
        exchange = exchanges[place]
        if exchange.method != _READ or exchange.target != uri or not exchange.answer_frame:
            continue
        what = journal.store.entry(exchange.answer_frame).what
        for message in jsonrpc.read(what.payload) if isinstance(what, Frame) else ():
            if isinstance(message, Answer) and message.id == exchange.id:
                return message.result
    return None
