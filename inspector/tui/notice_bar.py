"""One line above the footer while server requests wait: the requester, the causing call, the request, the next key."""

from inspector.present.spans import Span, clip
from inspector.session.inbox import Ticket, TicketState
from inspector.text import cell_width, human_duration
from inspector.tui import keys
from inspector.tui.conversation import OpenConversation
from inspector.tui.theme import glyphs
from inspector.tui.widgets.bars import BarItem, BarLine, ItemBar
from inspector.tui.widgets.key_bars import working_key

_LEAST = 24
"""Minimum visible width of the request, in cells; requester and call are shown only if more space is left."""
_NOTHING_SHOWN = (-1, "", -1)


class NoticeBar(ItemBar):
    """The line about server requests; hidden while none waits."""

    DEFAULT_CSS = """
    NoticeBar { display: none; height: 1; dock: bottom; margin-bottom: 1; }
    NoticeBar.-asked { display: block; }
    """

    def __init__(self, conversation: OpenConversation) -> None:
        super().__init__()
        self._conversation = conversation
        self._changes = -1
        self._announced = 0
        self._waiting: tuple[Ticket, ...] = ()
        self._shown: tuple[int, str, int] = _NOTHING_SHOWN
        """State that the line depends on: the age in seconds, the key that works, the width."""
        self._shown_of_memory = ("", 0)
        """The same for definition changes to approve: the text with the key, the width."""

    def rebind(self, conversation: OpenConversation) -> None:
        self._conversation = conversation
        self._changes, self._announced = -1, 0

    @property
    def oldest(self) -> Ticket | None:
        """The server request that has waited longest; None if there is none."""
        return next((ticket for ticket in self._waiting if ticket.state is TicketState.WAITING), None)

    def sync(self, *, shown: str) -> str:
        """Update, with `shown` as the visible screen; return the text of a toast about new requests, or ""."""
        conversation, came = self._conversation, ""
        if not self.is_attached:  # it is mounted after the first paint
            return came
        if conversation.inbox.changes != self._changes:
            self._changes = conversation.inbox.changes
            self._waiting = conversation.inbox.waiting
            self._shown = _NOTHING_SHOWN
            came = self._news()
        memory = conversation.memory.comparison
        alarmed = memory is not None and memory.alarms and not conversation.memory.shown
        self.set_class((bool(self._waiting) or alarmed) and shown != "inbox", "-asked")
        if self.app.screen.is_modal:  # its keys do nothing in a dialog, which may show the request itself
            self.show([BarLine()])  # blank: nothing below a dialog is laid out
            self._shown, self._shown_of_memory = _NOTHING_SHOWN, ("", 0)
        elif alarmed and not self._waiting:
            self._show_changes()
        elif self._waiting:
            self._say(self._waiting[0])
        return came

    def _show_changes(self) -> None:
        """Show what needs approval, and where."""
        from inspector.present.changes.lists import alarm

        memory, width = self._conversation.memory.comparison, self.size.width or self.app.size.width
        assert memory is not None, "there is something to approve"
        message = alarm(memory)
        tools, changes = working_key(self.app, "screen.tools"), keys.action("offered.changes").keys[0]
        if (state := (message + tools, width)) == self._shown_of_memory:
            return
        self._shown_of_memory, self._shown = state, _NOTHING_SHOWN
        hint: tuple[Span, ...] = ((tools, "accent"), (" Tools ", "muted"), (changes, "accent"), (" shows", "muted"))
        right = (BarItem(hint, "tools"),) if tools else ()
        room = max(1, width - BarLine((), right, inset=1).width - 2 * BarLine().gap)
        left: list[Span] = [(f"{glyphs().event} ", "warning"), (message, "strong")]
        self.show([BarLine((BarItem(tuple(clip(left, room)), "tools"),), right, inset=1, grave=True)])

    def _news(self) -> str:
        fresh = [ticket for ticket in self._waiting if ticket.number > self._announced]
        self._announced = max((ticket.number for ticket in self._conversation.inbox.tickets), default=0)
        if not fresh:
            return ""
        from inspector.tui.screens.inbox.model import asked_by, request_summary

        more = f" (and {len(fresh) - 1} more)" if len(fresh) > 1 else ""
        return f"{asked_by(self._conversation.journal)} asks: {request_summary(fresh[0].server_request)}{more}"

    def _say(self, ticket: Ticket) -> None:
        server_request, journal = ticket.server_request, self._conversation.journal
        seconds = max(0, self._conversation.now_ns - server_request.asked_ns) // 1_000_000_000
        width = self.size.width or self.app.size.width  # before the first layout it has no width
        state = (seconds, working_key(self.app, "respond"), width)
        if state == self._shown:
            return
        self._shown, self._shown_of_memory = state, ("", 0)
        from inspector.tui.screens.inbox.model import asked_by, cause_summary, request_summary

        right = self._right(human_duration(seconds * 1_000_000_000) if seconds else "")
        room = width - BarLine((), right, inset=1).width - 2 * BarLine().gap
        by, cause, asked = asked_by(journal), cause_summary(server_request, journal), request_summary(server_request)
        ways = [f"{by} asks in {cause}: ", f"{by} asks: ", "asked: "] if cause else [f"{by} asks: ", "asked: "]
        least = min(cell_width(asked), _LEAST)
        who = next((way for way in ways if cell_width(way) + 2 + least <= room), ways[-1])
        left: list[Span] = [(f"{glyphs().event} ", "warning"), (who, "strong"), (asked, "text")]
        self.show([BarLine((BarItem(tuple(clip(left, max(1, room))), "inbox"),), right, inset=1, grave=True)])

    def _right(self, age: str) -> tuple[BarItem, ...]:
        items = [BarItem(((age, "warning"),), rank=3)]
        if inbox := working_key(self.app, "screen.inbox"):
            items.append(BarItem(((inbox, "accent"), (" Inbox", "muted")), "inbox", rank=1))
        items.append(BarItem(((working_key(self.app, "respond"), "accent"), (" here", "muted")), "here"))
        if len(self._waiting) > 1:
            items.insert(0, BarItem(((f"{len(self._waiting)} wait", "warning"),), "inbox", rank=2))
        return tuple(items)

    def pressed(self, name: str) -> None:
        action = keys.action({"inbox": "screen.inbox", "tools": "screen.tools"}.get(name, "respond"))
        self.app.call_later(self.app.run_action, action.action)
