"""Shows the app of a tool (MCP Apps) in the web browser, with the result of a call, beside the terminal.

The host of the app runs on the engine's thread, with the session; the dialog reads its state. Closing the dialog leaves
the app open; the key shows it again.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from inspector.auth.addresses import open_browser, out_of_reach, tunnel
from inspector.capture import messages
from inspector.capture.journal import Journal
from inspector.errors import InspectError
from inspector.features.apps.context import HostSettings, Theme
from inspector.features.apps.opening import link_of, open_app
from inspector.features.apps.outlet import HostNotice
from inspector.features.apps.run import AppRun
from inspector.features.apps.site import AppSite
from inspector.present.spans import Line, Role, Span
from inspector.protocol import jsonrpc, peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.steps import Replied
from inspector.protocol.listed_items import Tool
from inspector.text import visible
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation
from inspector.tui.theme import glyphs, spans_to_text
from inspector.tui.widgets.dialogs import ConfirmScreen, Dialog, DialogBox
from inspector.tui.widgets.key_bars import FooterBar

if TYPE_CHECKING:
    from inspector.session.session import Session

_TICKS_PER_SECOND = 5
_MOST = 12
"""Notices that the dialog shows."""
_ROLES: dict[str, Role] = {"refused": "warning", "violation": "error", "error": "error", "state": "muted"}


class ShownApp:
    """The app of one tool while it is open. Its attributes may be read on any thread."""

    def __init__(self, tool: Tool, arguments: Any, reply: Replied, theme: Theme) -> None:
        self.tool = tool
        self.url = ""
        """Address of the page; "" before it is open."""
        self.ports: tuple[int, ...] = ()
        self.notices: deque[HostNotice] = deque(maxlen=_MOST)
        self.has_ended = False
        self.why = ""
        """Why it could not be shown; "" if it could."""
        self.question: tuple[str, Any] | None = None
        """Destructive tool that the app wants to call, and the arguments; None if there is none."""
        self._arguments, self._reply, self._theme = arguments, reply, theme
        self._answer: asyncio.Future[bool] | None = None
        self._run: AppRun | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def show(self, session: "Session") -> None:
        """Show the app until it has ended. Runs on the engine's loop."""
        self._loop = asyncio.get_running_loop()
        try:
            tool, link = link_of([self.tool], self.tool.name)
            app = await open_app(session, tool, link)
            settings = HostSettings(theme=self._theme)
            self._run = AppRun(session, app, settings, ask=self._ask, notify=self.notices.append)
            await self._run.show(self._arguments, self._opened, self._reply)
        except InspectError as error:
            self.why = str(error)
        finally:
            self.has_ended = True

    def end(self) -> None:
        """End the app. Any thread."""
        if self._run is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._run.host.close_soon, "the user closed the app")

    def answer(self, yes: bool) -> None:
        """Answer the question. Any thread."""
        waiting, self._answer, self.question = self._answer, None, None
        if waiting is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(_settle, waiting, yes)

    async def _opened(self, site: AppSite) -> None:
        self.ports, self.url = site.ports, site.url

    async def _ask(self, tool: str, arguments: Any) -> bool:
        if self._answer is not None:
            return False  # one question at a time
        waiting: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._answer, self.question = waiting, (tool, arguments)
        return await waiting


def _settle(waiting: "asyncio.Future[bool]", yes: bool) -> None:
    if not waiting.done():
        waiting.set_result(yes)


def result_of(journal: Journal, exchange: Exchange | None) -> tuple[Any, Replied] | None:
    """Return the arguments and the result of a tool call in a journal; None if it has none."""
    if exchange is None:
        return None
    asked, response = messages.request_of(journal, exchange), messages.result_response_of(journal, exchange)
    if asked is None or response is None:
        return None
    return peek.at(asked.params, "arguments"), Replied(response, exchange)


class AppOpener:
    """The app that a panel has open, if any."""

    def __init__(self, panel: Widget, conversation: OpenConversation) -> None:
        self._panel, self._conversation = panel, conversation
        self._shown: ShownApp | None = None
        self._timer: Timer | None = None

    def open(self, tool: Tool | None, exchange: Exchange | None) -> None:
        """Show the app of a tool with the result of a call, or the dialog of the app that is open."""
        if tool is None:
            return
        shown = self._shown
        if shown is not None and not shown.has_ended and shown.tool.name == tool.name:
            self._panel.app.push_screen(AppScreen(shown))
            return
        found = result_of(self._conversation.journal, exchange)
        if found is None:
            self._panel.app.notify("Call the tool first: its app shows the result.")
            return
        if shown is not None:
            shown.end()
        theme: Theme = "dark" if self._panel.app.current_theme.dark else "light"
        self._shown = shown = ShownApp(tool, *found, theme)
        if self._timer is None:
            self._timer = self._panel.set_interval(1 / _TICKS_PER_SECOND, self._ask)
        self._panel.run_worker(self._conversation.perform(shown.show), exit_on_error=False)
        self._panel.app.push_screen(AppScreen(shown))

    def _ask(self) -> None:
        """Ask the user about a destructive tool that the app wants to call."""
        shown = self._shown
        if shown is None or shown.question is None or isinstance(self._panel.app.screen, ConfirmScreen):
            return
        tool, arguments = shown.question
        quoted = visible(jsonrpc.encode(arguments).decode("utf-8", "replace"), limit=2000)
        lines: list[list[Span]] = [
            [(f"{glyphs().warning} The app of {visible(shown.tool.name, limit=60)} wants to call it.", "warning")]
        ]
        screen = ConfirmScreen(f"Call {visible(tool, limit=40)}?", lines, quoted)
        self._panel.app.push_screen(screen, lambda yes: shown.answer(bool(yes)))


class AppScreen(Dialog[None]):
    """Address and state of an app that is open in the browser. Escape leaves it open."""

    BINDINGS = keys.bindings_of("shown.open", "shown.end", "shown.back")
    DEFAULT_CSS = """
    AppScreen { align: center middle; background: $background 60%; }
    AppScreen > Vertical {
        width: 96; max-width: 96%; height: auto; max-height: 92%;
        background: $surface; border: round $border; padding: 0 1;
    }
    AppScreen Static { height: auto; }
    """

    def __init__(self, shown: ShownApp) -> None:
        super().__init__()
        self._shown = shown
        self._seen: tuple[object, ...] = ()
        self._is_opened = False

    def compose(self) -> ComposeResult:
        """Lay out address, ways to open it, and notices."""
        with DialogBox() as box:
            box.border_title = Content(f"App of {visible(self._shown.tool.name, limit=100)}")
            yield Static(id="shown-lines", markup=False)
        yield FooterBar()

    def on_mount(self) -> None:
        """Show the state now and regularly; open the browser once the page is there."""
        self._tick()
        self.set_interval(1 / _TICKS_PER_SECOND, self._tick)

    def _tick(self) -> None:
        shown = self._shown
        if shown.url and not self._is_opened:
            self._is_opened = True
            if not out_of_reach():
                self.action_open()
        seen = (shown.url, shown.has_ended, shown.why, *shown.notices)
        if seen != self._seen:
            self._seen = seen
            dark = self.app.current_theme.dark
            lines = Text("\n").join(spans_to_text(line, dark=dark) for line in self._lines())
            self.query_one("#shown-lines", Static).update(lines)

    def _lines(self) -> list[Line]:
        shown = self._shown
        if shown.why:
            return [((f"{glyphs().error} {visible(shown.why, limit=500)}", "error"),)]
        found: list[Line] = [((shown.url or "reading the app", "target" if shown.url else "muted"),)]
        if shown.url and (why_not := out_of_reach()):
            found.append(((f"Not opened: {why_not}. Forward both ports there:", "muted"),))
            found.append(((tunnel(*shown.ports), "text"),))
        if shown.has_ended:
            found.append((("The app has ended.", "warning"),))
        found += [((each.text, _ROLES.get(each.kind, "text")),) for each in list(shown.notices)]
        return found

    def action_open(self) -> None:
        """Open the page in the browser."""
        why_not = out_of_reach()
        if why_not or not self._shown.url or not open_browser(self._shown.url):
            self.app.notify(f"Not opened: {why_not or 'no browser was found'}.", severity="warning")

    def action_end(self) -> None:
        """End the app."""
        self._shown.end()
