"""Screen 5, Inbox: what the server asks, and the answers. A question waits here until it is answered or withdrawn.

A wide terminal shows the list beside the question, a narrow one the list, and on Enter the question. What is over
stays in the list, with what was answered and by whom.
"""

import asyncio
from typing import ClassVar, cast

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from inspector.present.held import HeldRows, TapStatus
from inspector.present.spans import Span
from inspector.tui import keys
from inspector.tui.actions import ActionScope
from inspector.tui.conversation import OpenConversation
from inspector.tui.input_queue import hold_keys
from inspector.tui.panels import Panel
from inspector.tui.screens.inbox.model import has_form
from inspector.tui.screens.inbox.question import Deed, QuestionPane
from inspector.tui.screens.inbox.rows import InboxRows
from inspector.tui.widgets.bars import StatusLine
from inspector.tui.widgets.virtual_list import LogList

_NARROW = 110


class InboxPanel(Panel):
    """The questions of a server, and answering them."""

    places = (
        ActionScope.EVERYWHERE,
        ActionScope.INBOX,
        ActionScope.FORM,
        ActionScope.FORM_LINE,
        ActionScope.FORM_CHOICE,
        ActionScope.MOVING,
        ActionScope.LIST,
    )
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(ActionScope.INBOX)
    DEFAULT_CSS = """
    InboxPanel { layout: horizontal; }
    InboxPanel > Vertical { width: 2fr; max-width: 70; height: 1fr; border-right: solid $border-blurred; }
    InboxPanel > QuestionPane { width: 3fr; height: 1fr; }
    InboxPanel .inbox--held { display: none; height: auto; max-height: 8; }
    InboxPanel.-narrow > Vertical { width: 1fr; max-width: 100%; border: none; }
    InboxPanel.-narrow > QuestionPane { width: 1fr; display: none; }
    InboxPanel.-narrow.-reading > Vertical { display: none; }
    InboxPanel.-narrow.-reading > QuestionPane { display: block; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self.conversation = conversation
        self._rows = InboxRows(conversation)
        self._wanted: tuple[int, str] | None = None
        """The question under the cursor."""
        self._left: tuple[int, str] | None = None
        """The question that was answered last: nobody reads it any more, wherever the focus still is."""
        self._goes_on = False
        """Whether a request was just answered, and the reader has done nothing since: the next one is gone to."""
        self._drawing = asyncio.Lock()
        self._line = StatusLine()
        self._list = LogList(self._rows)
        self._held_rows = HeldRows(rules=False)
        self._held = LogList(self._held_rows)
        self._held.add_class("inbox--held")
        """What an attached tap holds."""
        self.pane = QuestionPane(conversation)

    def compose(self) -> ComposeResult:
        """The list, and the question."""
        with Vertical():
            yield self._held
            yield self._line
            yield self._list
        yield self.pane

    def on_resize(self, event: events.Resize) -> None:
        """Use the room."""
        self.set_class(event.size.width < _NARROW, "-narrow")

    # What the app asks

    def sync(self) -> None:
        """Take in what is new."""
        if not (self.is_attached and self.pane.is_ready and self._list.is_mounted):
            return
        if self._rows.take():
            self._follow()
        self._list.sync()
        self.pane.tick()

    def show_held(self, status: TapStatus) -> None:
        """Show what an attached tap holds, above the questions."""
        if not self._held.is_mounted:
            return
        self._held_rows.show(status)
        self._held.display = self._held_rows.count > 0
        self._held.styles.height = min(8, self._held_rows.count)
        self._held.sync()

    def rebind(self, conversation: OpenConversation) -> None:
        """Show another conversation."""
        self.conversation = self.pane.conversation = conversation
        self._rows = InboxRows(conversation)
        self._wanted = None
        self._list.source = self._rows
        self.remove_class("-reading")

    def take_focus(self) -> None:
        """The question if one waits and is visible, else the list."""
        self.call_after_refresh(self._list.focus if not self.has_class("-reading") else self.pane.focus_first)

    def go_back(self) -> bool:
        """From the question to the list."""
        if not self.has_class("-reading") and not self.pane.has_focus_within:
            return False
        if self.pane.edits_request:
            self.run_worker(self.pane.leave_request(), group="question")
            return True
        self.remove_class("-reading")
        self._list.focus()
        self._show()  # the question again, where roots were edited
        return True

    def _follow(self) -> None:
        """Stay with the question that is shown; if it is over and nobody reads it, go on to one that waits."""
        rows = self._rows
        at = rows.index_of_question(self._wanted)
        if at < 0 or (rows.unanswered and not rows.asked[at].waits and not self._reads):
            at = 0 if rows.count else -1
        self._wanted = rows.asked[at].key if at >= 0 else None
        self._list.empty = self._empty()
        self._list.sync()
        self._list.go_to(max(at, 0))
        self._say()
        # Where there is no form, the first thing to focus would be the button, and Enter would say yes.
        goes_on = self._goes_on and self.screen.focused is self._list and at >= 0 and rows.asked[at].waits
        goes_on = goes_on and has_form(rows.asked[at].question)
        if goes_on:
            self._goes_on = False
            self.add_class("-reading")
            hold_keys(self)  # from now on its line is seen in the list
        self._show(read=goes_on)

    @property
    def _reads(self) -> bool:
        looks = self.has_class("-reading") or self.pane.has_focus_within
        return looks and (self._wanted is None or self._wanted != self._left)

    @work(group="question")
    async def _show(self, *, read: bool = False) -> None:
        """Show the question that is wanted; see `_draw`."""
        await self._draw(read=read)

    async def _draw(self, *, read: bool = False) -> None:
        """Show the question that is wanted; `read`: and go to its first field, which is there only then."""
        async with self._drawing:  # a form that is being drawn is drawn to its end
            at = self._rows.index_of_question(self._wanted)
            await (self.pane.read if read else self.pane.show)(self._rows.asked[at] if at >= 0 else None)
        self.refresh_bindings()

    def _say(self) -> None:
        waiting = len(self._rows.unanswered) + self._rows.waited
        left: list[Span] = [("Questions", "title"), (f"  {waiting} waiting", "warning" if waiting else "faint")]
        roots = len(self.conversation.desk.roots)
        listed = f"{roots} root{'' if roots == 1 else 's'}  {keys.shown_key('inbox.roots')}"
        every = f"decline all  {keys.shown_key('inbox.all')}   " if waiting > 1 else ""
        self._line.show(left, [(f"{every}{listed}", "faint")] if self.conversation.can_act else [])

    def _empty(self) -> list[list[Span]]:
        return [
            [("No server requests", "muted")],
            [("Server requests (elicitation, sampling, roots) appear here.", "faint")],
        ]

    # What is asked for

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what means anything for the question that is shown."""
        return self.pane.can(cast(Deed, parameters[0])) if action == "deed" and parameters else True

    async def action_deed(self, deed: Deed) -> None:
        """Answer, or what else a key asks for."""
        await self.pane.do(deed)

    async def action_roots(self) -> None:
        """Edit the list of roots."""
        if not self.conversation.can_act:
            self.app.notify("Not available in a recording.", markup=False)
            return
        async with self._drawing:
            await self.pane.show_roots()
        self.add_class("-reading")
        self.call_after_refresh(self.pane.focus_first)

    def on_log_list_selected(self, event: LogList.Selected) -> None:
        """Show the question under the cursor."""
        event.stop()
        if event.control is self._held:
            return
        self._goes_on = self._goes_on and not event.by_reader
        if 0 <= event.index < self._rows.count:
            self._wanted = self._rows.asked[event.index].key
            self._show()

    async def on_log_list_opened(self, event: LogList.Opened) -> None:
        """Go to the question; what is typed right behind the key is meant for its first field."""
        event.stop()
        if event.control is self._held:
            found = self._held_rows.at(event.index)
            if found is not None:
                self.post_message(self.HeldWanted(found["held"]))
            return
        self._goes_on = False
        self.add_class("-reading")
        await self._draw(read=True)

    async def on_question_pane_answered(self, event: QuestionPane.Answered) -> None:
        """Answer, and go on to the next question, now or when it comes; until then back to the list."""
        event.stop()
        self._left, self._goes_on = self._wanted, True
        self.remove_class("-reading")
        self.screen.set_focus(self._list)  # at once: a look that came before it would stay in the list
        if not await self.conversation.desk.answer(event.ticket, event.reply):
            self.app.notify("That request no longer waits for a response.", severity="warning", markup=False)

    async def on_question_pane_roots_chosen(self, event: QuestionPane.RootsChosen) -> None:
        """List other roots from the next request."""
        event.stop()
        await self.conversation.desk.set_roots(event.roots)
        count = len(event.roots)
        self.app.notify(f"{count} root{'' if count == 1 else 's'} from the next request.", markup=False)
        self._say()
        self.remove_class("-reading")
        self._list.focus()
        self._show()
