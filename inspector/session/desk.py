"""Desk: server requests wait here for a response, in both eras.

Policies are asked first, in order: scripted answers, then the list of roots. A real model is next if no user is
asked first, else the person may ask it for a proposal. What none of them answers waits for the person, as a ticket. A
ticket can be withdrawn: the server cancelled its request, or the connection is gone.
Where no person is there, a question without an answer is refused at once, and an elicitation gets `cancel`: silence
would hang the server.

Another thread may read `tickets` and what they hold: the tuple is replaced and never changed, and a ticket's state is
written last. Everything else stays on one loop.
"""

import asyncio
import time
from array import array
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from inspector.errors import InspectError
from inspector.protocol.questions import (
    REJECTED,
    ErrorReply,
    Question,
    Reply,
    RequestKind,
    Result,
    Root,
    rooted,
    unattended,
)
from inspector.sampler.choice import Approve

if TYPE_CHECKING:
    from inspector.sampler.chat import ModelReply


# Proposals of a model for sampling requests


class Model(Protocol):
    """Answers sampling requests."""

    @property
    def label(self) -> str:
        """The model and where it is, for people."""

    async def answer(self, params: Any) -> "ModelReply":
        """What it says to the params of `sampling/createMessage`. Raises: InspectError."""


class ProposalState(StrEnum):
    """The state of a proposal."""

    ASKING = "asking"
    READY = "ready"
    FAILED = "failed"
    STOPPED = "stopped"
    """It is no longer needed."""


def _nothing() -> None:
    """There is nothing to stop."""


class Proposal(msgspec.Struct, eq=False):
    """One answer of a model's, on its way or here."""

    model: str
    """For people: the model and where it is."""
    started_ns: int
    """By the monotonic clock."""
    state: ProposalState = ProposalState.ASKING
    said: "ModelReply | None" = None
    took_ns: int = 0
    why: str = ""
    """Why there is none; may contain foreign text."""
    hint: str = ""
    stop: Callable[[], object] = _nothing
    """Give it up. On the loop that asked."""

    @property
    def result(self) -> Result | None:
        """The answer; None while there is none."""
        return self.said.result if self.said is not None else None


class Proposer:
    """Asks one model, any number of times."""

    def __init__(self, model: Model, approve: Approve = Approve.ALWAYS) -> None:
        self._model = model
        self.approve = approve

    @property
    def label(self) -> str:
        """The model and where it is, for people."""
        return self._model.label

    def begin(self) -> Proposal:
        """A proposal that is asked for now; `finish` does it."""
        return Proposal(self._model.label, time.monotonic_ns())

    async def finish(self, proposal: Proposal, params: Any, unwanted: asyncio.Future[Any]) -> None:
        """Ask the model. Returns when the proposal has its state; it is stopped once the future is done."""
        async with asyncio.TaskGroup() as group:
            work = group.create_task(self._ask(proposal, params))
            proposal.stop = work.cancel
            unwanted.add_done_callback(lambda _: work.cancel())
        if proposal.state is ProposalState.ASKING:  # it was stopped before it could begin
            proposal.state = ProposalState.STOPPED

    async def _ask(self, proposal: Proposal, params: Any) -> None:
        state = ProposalState.STOPPED
        try:
            proposal.said = await self._model.answer(params)
            state = ProposalState.READY
        except InspectError as error:
            proposal.why, proposal.hint = str(error), error.hint
            state = ProposalState.FAILED
        finally:
            proposal.took_ns = time.monotonic_ns() - proposal.started_ns
            proposal.state = state


Policy = Callable[[Question], Awaitable[Reply | None]]
"""Answers a question, or leaves it (None) to the next."""
BY_PERSON, BY_NOBODY, BY_ROOTS = "person", "nobody", "list of roots"
"""Who answers beside the policies that were given."""
BY_OFFERS = "this client: the capability was not advertised"
MOST_REFUSED = 200
"""Questions kept that were never offered an answer: the traffic has all of them."""
MOST_OVER = 100
"""Tickets that are over and are kept at least; the traffic has the requests and responses of all others."""


class TicketState(StrEnum):
    """The state of a server request."""

    WAITING = "waiting"
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"


class Ticket(msgspec.Struct, eq=False):
    """A question that waits, or waited, for the person."""

    number: int
    """From 1, in the order of asking."""
    question: Question
    state: TicketState = TicketState.WAITING
    reply: Reply | None = None
    """What was answered."""
    why: str = ""
    """Why it was withdrawn, or has no response."""
    by: str = ""
    """Who answered: "person", the name of a policy, or a model."""
    proposal: Proposal | None = None
    """What a model answers, or answered, to a sampling request."""
    future: "asyncio.Future[Reply | None] | None" = msgspec.field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    """What the one who asked waits for; None once the ticket is over."""


class Desk:
    """All questions of one conversation, those that a policy answered included."""

    def __init__(
        self,
        policies: Sequence[tuple[str, Policy]] = (),
        *,
        has_person: bool = False,
        roots: Sequence[Root] = (),
        proposer: Proposer | None = None,
    ) -> None:
        """`policies` have names, which the ticket keeps. `proposer` knows a model; None if there is none."""
        self._policies = (*policies, (BY_ROOTS, self._list_roots))
        self.roots = tuple(roots)
        """What a request for roots is answered with; may be replaced."""
        self.has_person = has_person
        self.proposer = proposer
        self.tickets: tuple[Ticket, ...] = ()
        """In the order of asking: all that wait, and those that were over last."""
        self.earlier = array("Q")
        """The exchanges of tickets that are no longer kept. Grows only."""
        self._asked = self._over = self._refused = 0
        self.changes = 0
        """Grows with everything that happens here, so that a look is nearly free while nothing does."""

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """What waits for the person, oldest first."""
        return tuple(ticket for ticket in self.tickets if ticket.state is TicketState.WAITING)

    async def ask(self, question: Question) -> Reply | None:
        """Have a question answered; None if it was withdrawn."""
        ticket = self._open(question)
        future = ticket.future
        assert future is not None, "it was opened just now"
        self.changes += 1
        try:
            async with asyncio.TaskGroup() as group:
                work = group.create_task(self._by_policy(ticket))
                future.add_done_callback(lambda _: work.cancel())  # a slow policy blocks nothing
            return await future
        except asyncio.CancelledError:
            self._end(ticket, TicketState.WITHDRAWN, why="the call it belongs to was cancelled")
            raise

    def answer(self, ticket: Ticket, reply: Reply) -> bool:
        """The person answers. False if the ticket no longer waits."""
        if ticket.state is not TicketState.WAITING:
            return False
        self._end(ticket, TicketState.ANSWERED, reply, BY_PERSON)
        return True

    async def consult(self, ticket: Ticket, params: object) -> None:
        """Have the model propose an answer to these params of a sampling request; it is in the ticket.

        Where only the request needs the person's consent, the answer goes out at once.
        """
        if self.proposer is None or ticket.state is not TicketState.WAITING:
            return
        proposal = await self._proposed(self.proposer, ticket, params)
        if proposal.state is ProposalState.READY and self.proposer.approve is not Approve.ALWAYS:
            self._end(ticket, TicketState.ANSWERED, proposal.result, proposal.model)

    def refuse(self, question: Question, refusal: ErrorReply) -> None:
        """Record a server request that was rejected because its capability was not advertised."""
        if self._refused >= MOST_REFUSED:
            return
        self._refused += 1
        self._end(self._open(question), TicketState.ANSWERED, refusal, BY_OFFERS)

    def withdraw(self, why: str, *, exchange: int | None = None) -> None:
        """Responses are no longer needed: to the server requests of one exchange, or to all of them."""
        for ticket in self.waiting:
            if exchange in (None, ticket.question.exchange):
                self._end(ticket, TicketState.WITHDRAWN, why=why)

    async def _list_roots(self, question: Question) -> Reply | None:
        return rooted(self.roots) if question.kind is RequestKind.ROOTS else None

    async def _by_policy(self, ticket: Ticket) -> None:
        for name, policy in self._policies:
            if (reply := await policy(ticket.question)) is not None:
                self._end(ticket, TicketState.ANSWERED, reply, name)
                return
        if self.proposer is not None and self.proposer.approve is Approve.NEVER:
            if ticket.question.kind is RequestKind.SAMPLING:
                await self._by_model(self.proposer, ticket)
        if not self.has_person:
            why = f"no user to respond to {ticket.question.kind}, and no response was prepared"
            reply = unattended() if ticket.question.kind is RequestKind.ELICITATION else ErrorReply(REJECTED, why)
            self._end(ticket, TicketState.ANSWERED, reply, BY_NOBODY, why=why)

    async def _by_model(self, proposer: Proposer, ticket: Ticket) -> None:
        """The model answers without anybody's consent. If it can't, the question is the person's, or is refused."""
        proposal = await self._proposed(proposer, ticket, ticket.question.params)
        if proposal.result is not None:
            self._end(ticket, TicketState.ANSWERED, proposal.result, proposal.model)
        elif not self.has_person:
            refusal = ErrorReply(REJECTED, "the sampling model gave no response")
            self._end(ticket, TicketState.ANSWERED, refusal, BY_NOBODY, why=proposal.why)

    async def _proposed(self, proposer: Proposer, ticket: Ticket, params: object) -> Proposal:
        ticket.proposal = proposal = proposer.begin()
        self.changes += 1
        try:
            if ticket.future is not None:
                await proposer.finish(proposal, params, ticket.future)
        finally:
            self.changes += 1
        return proposal

    def _end(self, ticket: Ticket, state: TicketState, reply: Reply | None = None, by: str = "", why: str = "") -> None:
        if ticket.state is not TicketState.WAITING:
            return
        ticket.reply, ticket.by, ticket.why = reply, by, why
        ticket.state = state
        self.changes += 1
        future, ticket.future = ticket.future, None
        if future is not None and not future.done():
            future.set_result(reply)
        self._over += 1
        if self._over >= 2 * MOST_OVER:
            self._let_go()

    def _open(self, question: Question) -> Ticket:
        self._asked += 1
        ticket = Ticket(self._asked, question)
        self.tickets = (*self.tickets, ticket)
        return ticket

    def _let_go(self) -> None:
        """Keep no longer what was over before the newest `MOST_OVER`. What the traffic does not tell is kept."""
        over = [each for each in self.tickets if each.state is not TicketState.WAITING]
        gone = {each.number for each in over[:-MOST_OVER] if each.proposal is None and each.by != BY_NOBODY}
        self.earlier.extend(each.question.exchange for each in over if each.number in gone)
        self.tickets = tuple(each for each in self.tickets if each.number not in gone)
        self._over = MOST_OVER
        self.changes += 1  # for another thread that has looked in between
