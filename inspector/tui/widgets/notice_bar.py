"""One line above the footer while the server waits for an answer: who asks, in which call, what, and the next key.

While nothing waits it tells what the server has changed since it was met, until a person has looked at that.

It takes no focus and covers nothing. Where the questions themselves are in sight it is not needed and not there.
What is known of questions is imported with the first of them: the first picture does not wait for it.
"""

from inspector.session.desk import Ticket, TicketState
from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.subject import Subject
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import clip
from inspector.viewmodels.text import cell_width, human_duration

_LEAST = 24
"""Cells of what is asked that have to be seen, before it is said who asks, and in which call."""
_NOTHING_SAID = (-1, False, -1)


class NoticeBar(ItemBar):
    """Hidden while nothing waits."""

    DEFAULT_CSS = """
    NoticeBar { display: none; height: 1; dock: bottom; margin-bottom: 1; }
    NoticeBar.-asked { display: block; }
    """

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self._subject = subject
        self._changes = -1
        self._told = 0
        self._waiting: tuple[Ticket, ...] = ()
        self._said: tuple[int, bool, int] = _NOTHING_SAID
        """What the line depends on: the age in seconds, whether somebody types, the width."""
        self._said_of_memory = ("", 0)
        """The same for what is to be approved: the words, the width."""

    def rebind(self, subject: Subject) -> None:
        """Tell of another conversation."""
        self._subject = subject
        self._changes, self._told = -1, 0

    @property
    def oldest(self) -> Ticket | None:
        """What has waited longest; None if nothing waits."""
        return next((ticket for ticket in self._waiting if ticket.state is TicketState.WAITING), None)

    def sync(self, *, shown: str) -> str:
        """Look again; `shown` is the screen in sight. What is new, in words for a toast; "" if nothing is."""
        subject, came = self._subject, ""
        if not self.is_attached:  # it is mounted after the first picture
            return came
        if subject.desk_changes != self._changes:
            self._changes = subject.desk_changes
            self._waiting = tuple(each for each in subject.tickets if each.state is TicketState.WAITING)
            self._said = _NOTHING_SAID
            came = self._news()
        memory = subject.memory
        alarmed = memory is not None and memory.alarms and not subject.memory_state.shown
        self.set_class((bool(self._waiting) or alarmed) and shown != "inbox", "-asked")
        if alarmed and not self._waiting:
            self._say_memory()
        if self._waiting:
            self._say(self._waiting[0])
        return came

    def _say_memory(self) -> None:
        """Say what is to be approved, and where."""
        from inspector.viewmodels.since_seen import alarm

        memory, width = self._subject.memory, self.size.width or self.app.size.width
        assert memory is not None, "there is something to approve"
        said = alarm(memory)
        if (said, width) == self._said_of_memory:
            return
        self._said_of_memory, self._said = (said, width), _NOTHING_SAID
        tools, changes = keys.action("screen.tools").keys[0], keys.action("offered.changes").keys[0]
        right = (Item(((tools, "accent"), (" Tools ", "muted"), (changes, "accent"), (" shows", "muted")), "tools"),)
        room = max(1, width - Line((), right, inset=1).width - 2 * Line().gap)
        left: list[Span] = [(f"{glyphs().event} ", "warning"), (said, "strong")]
        self.show([Line((Item(tuple(clip(left, room)), "tools"),), right, inset=1, grave=True)])

    def _news(self) -> str:
        fresh = [ticket for ticket in self._waiting if ticket.number > self._told]
        self._told = max((ticket.number for ticket in self._subject.tickets), default=0)
        if not fresh:
            return ""
        from inspector.viewmodels.question import asked_by, asked_in_short

        more = f" (and {len(fresh) - 1} more)" if len(fresh) > 1 else ""
        return f"{asked_by(self._subject.journal)} asks: {asked_in_short(fresh[0].question)}{more}"

    def _say(self, ticket: Ticket) -> None:
        question, journal = ticket.question, self._subject.journal
        seconds = max(0, self._subject.now_ns - question.asked_ns) // 1_000_000_000
        width = self.size.width or self.app.size.width  # it is as wide, and not laid out yet when it first comes
        state = (seconds, self._typing, width)
        if state == self._said:
            return
        self._said, self._said_of_memory = state, ("", 0)
        from inspector.viewmodels.question import asked_by, asked_in_short, cause_in_short

        right = self._right(human_duration(seconds * 1_000_000_000) if seconds else "")
        room = width - Line((), right, inset=1).width - 2 * Line().gap
        by, cause, asked = asked_by(journal), cause_in_short(question, journal), asked_in_short(question)
        ways = [f"{by} asks in {cause}: ", f"{by} asks: ", "asked: "] if cause else [f"{by} asks: ", "asked: "]
        least = min(cell_width(asked), _LEAST)
        who = next((way for way in ways if cell_width(way) + 2 + least <= room), ways[-1])
        left: list[Span] = [(f"{glyphs().event} ", "warning"), (who, "strong"), (asked, "text")]
        self.show([Line((Item(tuple(clip(left, max(1, room))), "inbox"),), right, inset=1, grave=True)])

    @property
    def _typing(self) -> bool:
        """Whether a text field has the focus, which would take the key."""
        focused = self.app.focused  # the line may not stand on a screen yet
        return focused is not None and focused.check_consume_key("exclamation_mark", "!")

    def _right(self, age: str) -> tuple[Item, ...]:
        here, typing_here = (keys.key_name(key) for key in keys.action("question.here").keys)
        inbox = keys.action("screen.inbox").keys[0]
        items = [Item(((age, "warning"),), rank=3)]
        if self._typing:  # the other keys are text there
            items.append(Item(((typing_here, "accent"), (" here", "muted")), "here"))
        else:
            items.append(Item(((inbox, "accent"), (" Inbox", "muted")), "inbox", rank=1))
            items.append(Item(((here, "accent"), (" here", "muted")), "here"))
        if len(self._waiting) > 1:
            items.insert(0, Item(((f"{len(self._waiting)} wait", "warning"),), "inbox", rank=2))
        return tuple(items)

    def pressed(self, name: str) -> None:
        """Do what the key beside it does."""
        action = keys.action({"inbox": "screen.inbox", "tools": "screen.tools"}.get(name, "question.here"))
        self.app.call_later(self.app.run_action, action.action)
