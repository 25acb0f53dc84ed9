"""Many questions at once: which of them is shown, and saying no to all of them with two presses of one key."""

from inspector.session.desk import Ticket, TicketState
from inspector.tui.subject import Subject
from inspector.viewmodels.answers import no_to


def waiting(subject: Subject) -> tuple[Ticket, ...]:
    """What waits for an answer, oldest first."""
    return tuple(ticket for ticket in subject.tickets if ticket.state is TicketState.WAITING)


def place_of(ticket: Ticket | None, subject: Subject) -> str:
    """Which of those that wait this is, in words; "" for the only one, and for what is over."""
    asked = waiting(subject)
    at = next((at for at, each in enumerate(asked, 1) if each is ticket), 0)
    return f"{at} of {len(asked)}" if at and len(asked) > 1 else ""


class DecliningAll:
    """The first press says what a second one does; a question that comes in between is not declined unseen."""

    def __init__(self) -> None:
        self._meant: tuple[Ticket, ...] = ()

    async def press(self, subject: Subject) -> str:
        """Take a press of the key; what to tell the person."""
        asked = waiting(subject)
        if not asked:
            return "Nothing waits for an answer."
        if asked != self._meant:
            self._meant = asked
            return f"Once more declines all {len(asked)} questions that wait now."
        self._meant = ()
        said = [await subject.answer(ticket, no_to(ticket.question)) for ticket in asked]
        return f"{sum(said)} questions were declined."
