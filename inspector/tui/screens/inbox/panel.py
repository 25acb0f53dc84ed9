"""Inbox, screen 5: server requests and their responses. A request stays pending here until it is answered or withdrawn.

A wide terminal shows the list beside the selected request. A narrow one shows the list, and on Enter the request.
Completed requests stay in the list, with their response and its author.
"""

import asyncio
from typing import cast

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical

from inspector.present.held_messages import HeldRows, TapStatus
from inspector.present.spans import Span
from inspector.text import counted
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation
from inspector.tui.input_queue import hold_keys, release_keys
from inspector.tui.panels import Panel
from inspector.tui.screens.inbox.model import has_form
from inspector.tui.screens.inbox.rows import InboxRows
from inspector.tui.screens.inbox.server_request import QuestionAction, QuestionPane
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.divider import Divider
from inspector.tui.widgets.list_detail import ListDetail
from inspector.tui.widgets.virtual_list import LogList

_NARROW = 110


class InboxPanel(Panel):
    """Panel that lists the requests of a server and responds to them."""

    places = keys.SCREENS["inbox"].places
    BINDINGS = keys.bindings("Inbox")
    DEFAULT_CSS = """
    InboxPanel > Vertical { width: 2fr; height: 1fr; }
    InboxPanel.-right > Vertical { max-width: 69; }
    InboxPanel > QuestionPane { width: 3fr; height: 1fr; }
    InboxPanel .inbox--held { display: none; height: auto; max-height: 8; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self.conversation = conversation
        self._rows = InboxRows(conversation)
        self._wanted: tuple[int, str] | None = None
        """Key of the request under the cursor."""
        self._left: tuple[int, str] | None = None
        """Key of the request that was answered last. It no longer counts as being read, wherever the focus is."""
        self._goes_on = False
        """Whether to open the next pending request: a request was just answered and the user has not moved since."""
        self._holds = False
        """Whether keys are held for the next pending request."""
        self._drawing = asyncio.Lock()
        self._line = StatusLine()
        self._list = LogList(self._rows)
        self._held_rows = HeldRows(rules=False)
        self._held = LogList(self._held_rows, classes="inbox--held")
        """Messages that an attached tap holds."""
        self.pane = QuestionPane(conversation)
        self.pane.add_class("panel--detail")
        self.title_rows = (self._line, self.pane.title_row)
        self.frame: ListDetail = ListDetail(
            self, lambda: self._list, lambda: self.pane, narrow=_NARROW, focus_detail=self.pane.focus_first
        )

    def compose(self) -> ComposeResult:
        self.frame.arrange(self.app.size.width)
        with Vertical(classes="panel--list"):
            yield self._held
            yield self._line
            yield self._list
        yield Divider("inbox")
        yield self.pane

    # Interface for the app

    def sync(self) -> None:
        if not (self.is_attached and self.pane.is_ready and self._list.is_mounted):
            return
        if self._rows.take() or (self.pane.is_outdated and self.screen.is_active):
            self._follow()
        self._list.sync()
        self.pane.tick()

    def show_held(self, status: TapStatus) -> None:
        """Show the messages that an attached tap holds, above the requests."""
        if not self._held.is_mounted:
            return
        self._held_rows.show(status)
        self._held.display = self._held_rows.count > 0
        self._held.styles.height = min(8, self._held_rows.count)
        self._held.sync()

    def rebind(self, conversation: OpenConversation) -> None:
        self.conversation = self.pane.conversation = conversation
        self._rows = InboxRows(conversation)
        self._wanted = None
        self._list.source = self._rows
        self.frame.close()

    def take_focus(self) -> None:
        """Focus the request if it is open, else the list."""
        self.call_after_refresh(self.frame.take_focus)

    def go_back(self) -> bool:
        if self._is_open and self.pane.edits_request:
            self.run_worker(self.pane.leave_request(), group="question")
            return True
        went = self.frame.go_back()
        if went:
            self._show()  # shows the request again after roots were edited
        return went

    def _follow(self) -> None:
        """Keep the selected request; if it is completed and not being read, select a pending one."""
        rows = self._rows
        at = rows.index_of_server_request(self._wanted)
        if at < 0 or (rows.unanswered and not rows.asked[at].waits and not self._reads):
            at = 0 if rows.count else -1
        self._wanted = rows.asked[at].key if at >= 0 else None
        self._list.empty = self._empty_text()
        self._list.sync()
        self._list.go_to(max(at, 0))
        self._say()
        # Without a form, the button would get the focus, and a stray Enter would accept.
        goes_on = self._goes_on and self.screen.focused is self._list and at >= 0 and rows.asked[at].waits
        goes_on = goes_on and has_form(rows.asked[at].server_request)
        if at >= 0 and rows.asked[at].key == self._left and rows.asked[at].waits:
            goes_on = False  # its response is still on its way
        elif goes_on:
            self._goes_on = self._holds = False
            self.frame.open()
            hold_keys(self)  # from now on the list shows its row
        elif self._holds:
            self._holds = False
            release_keys(self)
        self._show(read=goes_on)

    @property
    def _is_open(self) -> bool:
        return self.frame.is_open or self.frame.has_focus

    @property
    def _reads(self) -> bool:
        return self._is_open and (self._wanted is None or self._wanted != self._left)

    @work(group="question")
    async def _show(self, *, read: bool = False) -> None:
        """Show the selected request; see `_draw`."""
        await self._draw(read=read)

    async def _draw(self, *, read: bool = False) -> None:
        """Show the selected request. `read`: also focus its first field, which exists only afterwards."""
        async with self._drawing:  # finish drawing one form before the next one
            at = self._rows.index_of_server_request(self._wanted)
            await (self.pane.read if read else self.pane.show)(self._rows.asked[at] if at >= 0 else None)
        self.refresh_bindings()

    def _say(self) -> None:
        waiting = len(self._rows.unanswered) + self._rows.waited
        left: list[Span] = [("Server requests", "title"), (f"  {waiting} waiting", "warning" if waiting else "faint")]
        roots = len(self.conversation.inbox.roots)
        listed = f"{counted(roots, 'root')}  {keys.shown_key('inbox.roots')}"
        every = f"decline all  {keys.shown_key('inbox.all')}   " if waiting > 1 else ""
        self._line.show(left, [(f"{every}{listed}", "faint")] if self.conversation.can_act else [])

    def _empty_text(self) -> list[list[Span]]:
        return [
            [("No server requests", "muted")],
            [("Server requests (elicitation, sampling, roots) appear here.", "faint")],
        ]

    # User actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.pane.can(cast(QuestionAction, parameters[0])) if action == "question" and parameters else True

    async def action_question(self, name: QuestionAction) -> None:
        """Respond to the request or run another of its actions."""
        await self.pane.do(name)

    async def action_roots(self) -> None:
        """Edit the list of roots."""
        if not self.conversation.can_act:
            self.app.notify("Not available in a recording.")
            return
        async with self._drawing:
            await self.pane.show_roots()
        self.frame.open()
        self.call_after_refresh(self.frame.focus_detail)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Show the request under the cursor."""
        event.stop()
        if event.control is self._held:
            return
        self._goes_on = self._goes_on and not event.by_reader
        if 0 <= event.index < self._rows.count:
            self._wanted = self._rows.asked[event.index].key
            self._show()

    async def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Open the request. Text typed right after the key goes to its first field."""
        event.stop()
        if event.control is self._held:
            found = self._held_rows.at(event.index)
            if found is not None:
                self.post_message(self.HeldWanted(found["held"]))
            return
        self._goes_on = False
        self.frame.open()
        await self._draw(read=True)

    async def on_question_pane_answered(self, event: QuestionPane.Answered) -> None:
        """Send the response and open the next pending request, now or when it arrives; until then focus the list."""
        event.stop()
        self._left, self._goes_on = self._wanted, True
        self.frame.close()
        self.screen.set_focus(self._list)  # at once, so that the next update finds the focus in the list
        if any(asked.key != self._left and has_form(asked.server_request) for asked in self._rows.unanswered):
            self._holds = True
            hold_keys(self)  # what is typed now is meant for the next request
        if not await self.pane.send(event.ticket, event.reply):
            self.app.notify("That request no longer waits for a response.", severity="warning")

    async def on_question_pane_roots_chosen(self, event: QuestionPane.RootsChosen) -> None:
        """Return the edited roots to the server from the next request on."""
        event.stop()
        await self.conversation.inbox.set_roots(event.roots)
        count = len(event.roots)
        self.app.notify(f"{counted(count, 'root')} from the next request.")
        self._say()
        self.frame.close()
        self._list.focus()
        self._show()
