"""Desk: where questions wait for an answer. Both eras meet here.

Policies are asked first, in order: scripted answers, roots from the configuration. What none of them answers waits
for the person, as a ticket. A ticket can be withdrawn: the server cancelled its question, or the connection is gone.
Where no person is there, a question without an answer is refused at once: silence would hang the server.

`tickets` is replaced and never changed, so that another thread can read it; everything else stays on one loop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from inspector.protocol.questions import REJECTED, Question, Refusal, Reply

Policy = Callable[[Question], Awaitable[Reply | None]]
"""Answers a question, or leaves it (None) to the next."""


class TicketState(StrEnum):
    """Where a question stands."""

    WAITING = "waiting"
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"


@dataclass(slots=True)
class Ticket:
    """A question that waits, or waited, for the person."""

    number: int
    """From 1, in the order of asking."""
    question: Question
    state: TicketState = TicketState.WAITING
    reply: Reply | None = None
    """What was answered."""
    why: str = ""
    """Why it was withdrawn."""
    by: str = ""
    """Who answered: "person", or the name of a policy."""
    future: "asyncio.Future[Reply | None]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Desk:
    """All questions of one conversation, those that a policy answered included."""

    def __init__(self, policies: Sequence[tuple[str, Policy]] = (), *, has_person: bool = False) -> None:
        """`policies` have names, which the ticket keeps."""
        self._policies = tuple(policies)
        self.has_person = has_person
        self.tickets: tuple[Ticket, ...] = ()

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """What waits for the person, oldest first."""
        return tuple(ticket for ticket in self.tickets if ticket.state is TicketState.WAITING)

    async def ask(self, question: Question) -> Reply | None:
        """Have a question answered; None if it was withdrawn."""
        ticket = Ticket(len(self.tickets) + 1, question)
        self.tickets = (*self.tickets, ticket)
        for name, policy in self._policies:
            reply = await policy(question)
            if ticket.state is TicketState.WITHDRAWN:
                return None
            if reply is not None:
                self._settle(ticket, reply, name)
                return reply
        if not self.has_person:
            reply = Refusal(REJECTED, f"nobody is there to answer {question.kind}, and no answer was prepared")
            self._settle(ticket, reply, "nobody")
            return reply
        return await ticket.future

    def answer(self, ticket: Ticket, reply: Reply) -> bool:
        """The person answers. False if the ticket no longer waits."""
        if ticket.state is not TicketState.WAITING:
            return False
        self._settle(ticket, reply, "person")
        return True

    def withdraw(self, why: str, *, exchange: int | None = None) -> None:
        """Nobody wants an answer any more: to the questions of one exchange, or to all of them."""
        for ticket in self.waiting:
            if exchange in (None, ticket.question.exchange):
                ticket.state, ticket.why = TicketState.WITHDRAWN, why
                self._renew()
                if not ticket.future.done():
                    ticket.future.set_result(None)

    def _settle(self, ticket: Ticket, reply: Reply, by: str) -> None:
        ticket.state, ticket.reply, ticket.by = TicketState.ANSWERED, reply, by
        self._renew()
        if not ticket.future.done():
            ticket.future.set_result(reply)

    def _renew(self) -> None:
        self.tickets = tuple(self.tickets)
