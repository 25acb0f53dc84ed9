"""Log screen: log messages and stderr of the server in one list.

The list is updated only by `sync`, in slices, so that a flood of messages cannot block the screen. The line above it
shows the requested log level, and whether it was requested once or with every call.
"""

import asyncio
import time

from msgspec.structs import replace
from textual.app import ComposeResult

from inspector.present.server_log import NO_MESSAGES, requested_level, takes_levels
from inspector.present.spans import Span
from inspector.protocol.flows.steps import Replied
from inspector.protocol.jsonrpc import ErrorResponse
from inspector.protocol.request_meta import LEVELS
from inspector.text import counted, visible
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import ConversationStage, OpenConversation, why_silent
from inspector.tui.input_queue import settling
from inspector.tui.panels import Panel
from inspector.tui.screens.log.model import LogFilter, ServerLog, Sources
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.choose import ChooseScreen
from inspector.tui.widgets.search_bar import NO_FILTER, SearchBar
from inspector.tui.widgets.virtual_list import LogList

_LONGEST_S = 0.008
"""Time limit of one update, in seconds."""
_AT_ONCE = 500
"""Number of entries processed between two checks of the time limit."""
_LEASTS = ("", *LEVELS)


class ServerLogPanel(Panel):
    """Panel of the server's log."""

    places = keys.SCREENS["log"].places
    BINDINGS = keys.bindings("Log")
    DEFAULT_CSS = """
    ServerLogPanel { layout: vertical; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self.model = ServerLog(conversation.journal)
        self._line = StatusLine()
        self._bar = SearchBar("filter", placeholder="text, logger or level", grows=True)
        self._bar.display = False
        follow = conversation.stage not in (ConversationStage.LOADING, ConversationStage.RECORDED)
        self.rows = LogList(self.model, follow=follow)
        self._foot = StatusLine()
        self._matches: tuple[str, int, int] | None = None

    def compose(self) -> ComposeResult:
        yield self._line
        yield self._bar
        yield self.rows
        yield self._foot

    # Interface for the app

    def sync(self) -> None:
        if not self.rows.is_mounted or not self._bar.is_mounted:
            return
        self._take_in()
        self.rows.empty = () if self.model.count else _empty(self._conversation, self.model)
        self.rows.sync()
        conversation, setting = self._conversation, self.model.setting
        key = keys.shown_key("log.ask") if conversation.can_act else ""
        self._line.show(*requested_level(conversation.journal, setting, conversation.requests.log_level, set_key=key))
        self._foot.show(*_shown(self.model))
        self._show_count()

    def _show_count(self) -> None:
        """Show the number of matches next to the filter. Cheap while nothing has changed."""
        model = self.model
        now = (model.filter.text, model.count, model.total) if model.filter.text else None
        if now != self._matches and not model.is_filtering:
            self._matches = now
            self._bar.show_count(None) if now is None else self._bar.show_count(now[1], of=now[2])

    def rebind(self, conversation: OpenConversation) -> None:
        """Show another conversation from its beginning; the filter is kept."""
        self._conversation = conversation
        wanted = self.model.filter
        self.model = ServerLog(conversation.journal)
        self.model.show(wanted)
        self.rows.source = self.model
        self.rows.action_last()

    def take_focus(self) -> None:
        self.rows.focus()

    def go_back(self) -> bool:
        """Return from the filter line to the lines."""
        if not self._bar.has_focus_within:
            return False
        self.rows.focus()
        return True

    def copy(self) -> None:
        """Copy the chosen line."""
        at = self.rows.view.cursor
        if 0 <= at < self.model.count:
            copy(self.app, visible(self.model.line_at(self.model.key(at)).words, newlines=True), "line")

    # Keys

    def action_filter(self) -> None:
        """Open the filter line."""
        self._bar.display = True
        self._bar.focus()

    def action_clear_filter(self) -> None:
        """Show all lines again."""
        if self.model.filter == LogFilter() and not self._bar.display:
            self.notify(NO_FILTER, timeout=3)
        self._bar.text = ""
        self._bar.display = False
        self._show(LogFilter())
        self.rows.focus()

    def action_level(self, by: int) -> None:
        """Raise or lower the minimum level."""
        at = _LEASTS.index(self.model.filter.least) + by
        self._show(replace(self.model.filter, least=_LEASTS[min(max(at, 0), len(_LEASTS) - 1)]))

    def action_sources(self) -> None:
        """Cycle through log messages and stderr, log messages only, and stderr only."""
        order = tuple(Sources)
        at = order.index(self.model.filter.sources)
        self._show(replace(self.model.filter, sources=order[(at + 1) % len(order)]))

    def action_ask(self) -> None:
        """Choose the level to request from the server."""
        if why := why_silent(self._conversation):
            self.app.notify(why, severity="warning")
            return
        each = takes_levels(self._conversation.journal)
        labels = [*LEVELS, *([NO_MESSAGES] if each else [])]
        heading = "Minimum level requested with every call" if each else "Send logging/setLevel"
        self.app.push_screen(ChooseScreen(heading, labels), self._asked)

    async def _asked(self, chosen: int | None) -> None:
        if chosen is not None:
            self.run_worker(self._ask_for(LEVELS[chosen] if chosen < len(LEVELS) else ""), group="level")

    async def _ask_for(self, level: str) -> None:
        called = await self._conversation.requests.ask_for_level(level)
        reply = called.reply if called is not None else None
        if isinstance(reply, Replied) and isinstance(reply.message, ErrorResponse):
            message = visible(reply.message.message, limit=200)
            self.app.notify(f"Cannot set the level: {message}", severity="warning")

    # Messages of the widgets

    def on_search_bar_changed(self, message: SearchBar.Changed) -> None:
        self._show(replace(self.model.filter, text=message.text))

    def on_search_bar_done(self, message: SearchBar.Done) -> None:
        """Return to the lines; hide an empty filter."""
        self._bar.display = bool(self.model.filter.text)
        self.rows.focus()

    def on_log_list_opened(self, message: LogList.Opened) -> None:
        """Show the frame in Traffic."""
        message.stop()
        if 0 <= message.index < self.model.count:
            self.post_message(self.EntryWanted(self.model.entry_of(message.index)))

    def _show(self, wanted: LogFilter) -> None:
        if wanted != self.model.filter:
            self.model.show(wanted)
            self._take_in()  # the next key may open what is found
            self.rows.sync()  # the lines have changed, so sync before the next draw
            self._show_count()
            if self.model.is_filtering:
                settling(self, "filter", self._filter_rest)

    async def _filter_rest(self) -> None:
        """Filter the remaining lines of a long log."""
        while self.model.is_filtering and self.is_attached:
            self._take_in()
            await asyncio.sleep(0)
        self._show_count()

    def _take_in(self) -> None:
        """Process new entries for some milliseconds; the next updates process the rest."""
        end = time.perf_counter() + _LONGEST_S
        while self.model.refresh(_AT_ONCE) and time.perf_counter() < end:
            pass
        if self.model.is_filtering:
            self.model.filter_step()


def _shown(model: ServerLog) -> tuple[list[Span], list[Span]]:
    """Return the footer: the active filters and the number of lines."""
    wanted = model.filter
    sources = "Log messages and stderr" if wanted.sources is Sources.ALL else f"{wanted.sources} only"
    left: list[Span] = [(sources, "muted"), (f"  {keys.shown_key('log.sources')}   ", "faint")]
    if wanted.least:
        left.append((f"{wanted.least} and higher", "accent"))
    else:
        left.append(("all levels", "muted"))
    left.append((f"  {keys.shown_key('log.lower')} {keys.shown_key('log.raise')}", "faint"))
    if model.is_filtering:
        left.append((f"  {glyphs().pending} filtering", "pending"))
    lines = counted(model.total, "line")
    return left, [(lines if wanted == LogFilter() else f"{model.count:,} of {lines}", "muted")]


def _empty(conversation: OpenConversation, model: ServerLog) -> list[list[Span]]:
    """Return the text of an empty list: why it is empty and what to do."""
    if conversation.stage is ConversationStage.LOADING:
        return [[("Reading the capture…", "muted")]]
    if model.total:
        return [[("No matches.", "muted")], [(f"{keys.shown_key('log.clear')} clears the filter", "faint")]]
    asks: list[list[Span]] = (
        [[(f"{keys.shown_key('log.ask')} sets the server's log level", "faint")]] if conversation.can_act else []
    )
    return [[("No log messages yet.", "muted")], *asks]
