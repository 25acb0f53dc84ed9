"""Dialog that shows a server request over the visible screen. Leaving it leaves the request in the Inbox.

It opens on a key and never by itself. When its request is withdrawn, it shows the reason and stays, so that what is
typed next is no key of the screen below. When its request was answered, it waits a moment for the next and shows it.
"""

from typing import ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType

from inspector.session.inbox import Ticket, TicketState
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation
from inspector.tui.input_queue import hold_keys, release_keys
from inspector.tui.screens.inbox.rows import RequestRow
from inspector.tui.screens.inbox.server_request import QuestionAction, QuestionPane
from inspector.tui.widgets.dialogs import Dialog, DialogBox, is_on_top
from inspector.tui.widgets.key_bars import FooterBar

_TICKS_PER_SECOND = 10
_ACTIONS = (
    *("inbox.accept", "inbox.decline", "inbox.dismiss", "inbox.open", "inbox.json", "inbox.again", "inbox.model"),
    "inbox.all",
)


class QuestionScreen(Dialog[None]):
    """Shows one pending request after another, until none is left or the user leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(keys.binding(keys.action(identifier)) for identifier in _ACTIONS),
        *keys.bindings_of("respond.later", "respond.close"),
    ]
    DEFAULT_CSS = """
    QuestionScreen { align: center middle; }
    QuestionScreen > Vertical {
        width: 84; max-width: 96%; height: 90%; max-height: 40;
        background: $background; border: round $warning; border-title-color: $text-warning;
    }
    QuestionScreen QuestionPane { height: 1fr; }
    """

    def __init__(self, conversation: OpenConversation, ticket: Ticket) -> None:
        super().__init__()
        self._conversation = conversation
        self._ticket = ticket
        self._answered = self._is_last = False
        """Whether the response was sent; whether no other request was pending at the last tick."""
        self._pane = QuestionPane(conversation)

    def compose(self) -> ComposeResult:
        with DialogBox() as box:
            box.border_title = "Server request"
            yield self._pane
        yield FooterBar()

    async def on_mount(self) -> None:
        """Show the request and check its state regularly."""
        await self._show(self._ticket)
        self.set_interval(1 / _TICKS_PER_SECOND, self._tick)

    async def _show(self, ticket: Ticket) -> None:
        self._ticket, self._answered = ticket, False
        await self._pane.read(RequestRow(ticket.server_request, ticket))
        self.refresh_bindings()

    async def _tick(self) -> None:
        if self in self.app.screen_stack:
            self._pane.tick()
        if not is_on_top(self):  # dismissed but not yet removed, or covered by another dialog
            return
        match self._ticket.state:
            case TicketState.WAITING | TicketState.WITHDRAWN:
                await self._pane.show(RequestRow(self._ticket.server_request, self._ticket))
            case TicketState.ANSWERED:
                following = next(iter(self._conversation.inbox.waiting), None)
                if following is not None:
                    await self._show(following)
                elif self._is_last:
                    release_keys(self)
                    self.dismiss()
                self._is_last = following is None  # a server often asks again at once

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("leave", "dismiss"):
            return (self._ticket.state is TicketState.WITHDRAWN) is (action == "dismiss")
        return self._pane.can(cast(QuestionAction, parameters[0])) if action == "question" and parameters else True

    async def action_question(self, name: QuestionAction) -> None:
        """Respond to the request or run another of its actions."""
        await self._pane.do(name)

    async def action_leave(self) -> None:
        """Return from the edited model request to the response; otherwise close and leave the request in the Inbox."""
        if not await self._pane.leave_request():
            self.dismiss()

    async def on_question_pane_answered(self, event: QuestionPane.Answered) -> None:
        """Send the response, once."""
        event.stop()
        if not self._answered:
            self._answered = True
            hold_keys(self)  # what is typed now is meant for the next request, or the screen below
            await self._pane.send(event.ticket, event.reply)
            if event.ticket.state is TicketState.WAITING:
                release_keys(self)
