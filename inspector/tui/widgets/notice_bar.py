"""One line above the footer while the server waits for an answer: who asks, in which call, what, and the next key.

It takes no focus and covers nothing. Where the questions themselves are in sight it is not needed and not there.
What is known of questions is imported with the first of them: the first picture does not wait for it.
"""

from inspector.session.desk import Ticket, TicketState
from inspector.tui import keys
from inspector.tui.styles import glyphs
from inspector.tui.subject import Subject
from inspector.tui.widgets.item_bar import Item, ItemBar, Line
from inspector.viewmodels.text import human_duration


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
        self._seconds = -1

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
        if subject.desk_changes != self._changes:
            self._changes = subject.desk_changes
            self._waiting = tuple(each for each in subject.tickets if each.state is TicketState.WAITING)
            self._seconds = -1
            came = self._news()
        self.set_class(bool(self._waiting) and shown != "inbox", "-asked")
        if self._waiting:
            self._say(self._waiting[0])
        return came

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
        if seconds == self._seconds:
            return
        self._seconds = seconds
        from inspector.viewmodels.question import asked_by, asked_in_short, cause_in_short

        cause = cause_in_short(question, journal)
        inside = f" in {cause}" if cause else ""
        left = [Item(((f"{glyphs().event} ", "warning"), (f"{asked_by(journal)} asks{inside}: ", "strong"),
                      (asked_in_short(question), "text")), "inbox")]  # fmt: skip
        right = [
            Item(((human_duration(seconds * 1_000_000_000) if seconds else "", "warning"),), rank=3),
            Item((("5", "accent"), (" Inbox", "muted")), "inbox"),
            Item(((keys.action("question.here").keys[0], "accent"), (" here", "muted")), "here", rank=1),
        ]
        if len(self._waiting) > 1:
            right.insert(0, Item(((f"{len(self._waiting)} wait", "warning"),), "inbox", rank=2))
        self.show([Line(tuple(left), tuple(right), inset=1, grave=True)])

    def pressed(self, name: str) -> None:
        """Do what the key beside it does."""
        action = keys.action("screen.inbox" if name == "inbox" else "question.here")
        self.app.call_later(self.app.run_action, action.action)
