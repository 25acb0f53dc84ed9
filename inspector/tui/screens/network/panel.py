"""Network, screen H: all HTTP exchanges, and the selected one with its headers, timing and content.

A wide terminal shows the list beside the exchange. A narrow one shows the list, and on Enter the exchange.
Recordings look the same. A server without HTTP has no exchanges, and the screen says so.
"""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.capture.connection_facts import HttpExchange
from inspector.present.http import as_curl
from inspector.present.rows import RowSource, RowView, SpanRows
from inspector.present.spans import Line, Span, section_lines, wrapped
from inspector.tui import keys
from inspector.tui.clipboard import copy
from inspector.tui.conversation import OpenConversation
from inspector.tui.panels import Panel
from inspector.tui.screens.network import model
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.divider import Divider
from inspector.tui.widgets.list_detail import ListDetail
from inspector.tui.widgets.virtual_list import LogList

_NARROW = 120


class NetworkRows(RowSource):
    """Exchanges in the order of their start. Rows are always current, even of a running exchange."""

    def __init__(self, conversation: OpenConversation) -> None:
        self._conversation = conversation

    @property
    def exchanges(self) -> Sequence[HttpExchange]:
        return self._conversation.journal.connection_facts.http_in_order

    @property
    def count(self) -> int:
        return len(self.exchanges)

    def row(self, index: int, width: int) -> RowView:
        conversation, exchange = self._conversation, self.exchanges[index]
        spans = model.row(conversation.journal, exchange, conversation.now_ns, width)
        return RowView(spans, live=conversation.journal.live and not exchange.end_n)

    def header(self, width: int) -> Sequence[Span]:
        return model.titles(width)


class NetworkPanel(Panel):
    """Panel of the exchanges, with one of them in full."""

    places = keys.SCREENS["network"].places
    BINDINGS = keys.bindings("HTTP exchanges")
    DEFAULT_CSS = """
    NetworkPanel > .panel--list, NetworkPanel > .panel--detail { width: 1fr; height: 1fr; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self._rows = NetworkRows(conversation)
        self._line = StatusLine()
        self.title_rows = (self._line,)
        self.list = self.row_list = LogList(self._rows, follow=True, empty=_empty())
        """List of exchanges."""
        self._lines = SpanRows()
        self.exchange = LogList(self._lines, classes="panel--detail")
        """Selected exchange, line by line."""
        self.frame: ListDetail = ListDetail(self, lambda: self.list, lambda: self.exchange, narrow=_NARROW)
        self._reveal = False
        self._shown: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        self.frame.arrange(self.app.size.width)
        with Vertical(classes="panel--list"):
            yield self._line
            yield self.list
        yield Divider("http")
        yield self.exchange

    # Interface for the app

    def sync(self) -> None:
        if not (self.list.is_mounted and self.exchange.is_mounted):
            return
        self.list.sync()
        self._line.show([("HTTP exchanges", "title")], [(f"{self._rows.count:,}", "muted")])
        self._show()

    def rebind(self, conversation: OpenConversation) -> None:
        self._conversation = conversation
        self._rows = NetworkRows(conversation)
        self.list.source = self._rows
        self._shown = ()
        self.frame.close()

    def copy(self) -> None:
        """Copy the request as a curl command."""
        chosen = self.chosen
        request = chosen.request if chosen is not None else None
        if chosen is None or request is None:
            return
        command = as_curl(request, model.body_of(self._conversation.journal, chosen))
        copy(self.app, command, "curl command", "Secrets are variables.")

    ROW_ACTIONS = frozenset(("entry",))

    @property
    def chosen(self) -> HttpExchange | None:
        """Exchange under the cursor; None if there is none."""
        exchanges, at = self._rows.exchanges, self.list.view.cursor
        return exchanges[at] if 0 <= at < len(exchanges) else None

    # Keys

    def action_entry(self) -> None:
        """Show the request in Traffic."""
        chosen = self.chosen
        if chosen is not None and chosen.request_n:
            has_body = bool(model.body_of(self._conversation.journal, chosen))
            self.post_message(self.EntryWanted(chosen.request_n + has_body))

    def action_reveal(self) -> None:
        """Toggle the masking of secrets."""
        self._reveal = not self._reveal
        self.notify(f"Secrets are {'shown' if self._reveal else 'masked'}.", timeout=3)
        self._show()

    def on_log_list_opened(self, event: LogList.Opened) -> None:
        event.stop()
        if event.control is self.list:
            self.frame.open()
            self.call_after_refresh(self.exchange.focus)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        event.stop()
        if event.control is self.list and self.exchange.is_mounted:
            self._show()

    def _show(self) -> None:
        """Render the selected exchange. Cheap while nothing has changed."""
        chosen, width = self.chosen, self.exchange.line_width
        if chosen is None or width < 2:
            return
        journal = self._conversation.journal
        grows = 0 if chosen.end_n else journal.count
        shown = (chosen, chosen.response_n, chosen.end_n, grows, width, self._reveal)
        if shown == self._shown:
            return
        other = not self._shown or self._shown[0] is not chosen
        self._shown = shown
        found = model.sections(journal, chosen, reveal=self._reveal)
        lines: list[Line] = [line for section in found for line in (*section_lines(section), ())]
        self._lines.replace([row for line in lines for row in wrapped(line, width, 4)])
        self.exchange.sync()
        if other:
            self.exchange.go_to(0)


def _empty() -> Sequence[list[Span]]:
    hint = f"The stdio transport has none. {keys.shown_key('screen.traffic')} shows Traffic."
    return [("No HTTP exchanges.", "muted")], [(hint, "faint")]
