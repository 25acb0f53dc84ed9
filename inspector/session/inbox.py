"""Inbox: server requests wait here for an answer, in both eras.

Policies are tried first, in order: scripted answers, then the list of roots. Then a model answers if no user
approval is needed; otherwise the user may request a proposal from it. Everything else waits for the user, as a
ticket. A ticket can be withdrawn: the server cancelled its request, or the connection is lost.

Without a user, a request that no policy answers is rejected at once, and an elicitation gets `cancel`: silence would
block the server.

Another thread may read `tickets` and their content: the tuple is replaced and never changed, and the state of a
ticket is written last. Everything else stays on one loop.
"""

import asyncio
import time
from array import array
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from inspector.errors import InspectError
from inspector.protocol.server_requests import (
    REJECTED,
    ErrorReply,
    Reply,
    RequestKind,
    Result,
    Root,
    ServerRequest,
    rooted,
    unattended,
)
from inspector.sampler.choice import Approve

if TYPE_CHECKING:
    from inspector.sampler.chat import ModelReply

BY_PERSON, BY_NOBODY, BY_ROOTS = "person", "nobody", "list of roots"
"""Values of `Ticket.by` besides the names of policies."""

BY_OFFERS = "this client: the capability was not advertised"

MOST_REFUSED = 200
"""Maximum number of rejected requests kept whose capability was not advertised; the traffic has all of them."""

MOST_OVER = 100
"""Minimum number of finished tickets kept; the traffic has the requests and responses of all others."""


# Proposals of a model for sampling requests


class Model(Protocol):
    """Answers sampling requests."""

    @property
    def label(self) -> str:
        """Model and endpoint for display."""

    async def answer(self, params: Any) -> "ModelReply":
        """Return the model's reply to the params of `sampling/createMessage`. Raises: InspectError."""


class ProposalState(StrEnum):
    ASKING = "asking"
    READY = "ready"
    FAILED = "failed"
    STOPPED = "stopped"
    """The proposal is no longer needed."""


class Proposal(msgspec.Struct, eq=False):
    """A pending or finished answer of a model."""

    model: str
    """Model and endpoint for display."""
    started_ns: int
    """Start on the monotonic clock."""
    state: ProposalState = ProposalState.ASKING
    reply: "ModelReply | None" = None
    took_ns: int = 0
    why: str = ""
    """Why it failed; may contain untrusted text."""
    hint: str = ""
    stop: Callable[[], object] = lambda: None
    """Cancels the proposal. Call it on the loop that requested it."""

    @property
    def result(self) -> Result | None:
        """Answer; None if there is none."""
        return self.reply.result if self.reply is not None else None


class Proposer:
    """Requests proposals from one model."""

    def __init__(self, model: Model, approve: Approve = Approve.ALWAYS) -> None:
        self._model = model
        self.approve = approve

    @property
    def label(self) -> str:
        """Model and endpoint for display."""
        return self._model.label

    def begin(self) -> Proposal:
        """Return a new proposal, which starts now. `finish` requests it."""
        return Proposal(self._model.label, time.monotonic_ns())

    async def finish(self, proposal: Proposal, params: Any, unwanted: asyncio.Future[Any]) -> None:
        """Request the answer from the model; return when the proposal has its final state.

        It is stopped when the future `unwanted` is done.
        """
        async with asyncio.TaskGroup() as group:
            work = group.create_task(self._ask(proposal, params))
            proposal.stop = work.cancel
            unwanted.add_done_callback(lambda _: work.cancel())
        if proposal.state is ProposalState.ASKING:  # stopped before it began
            proposal.state = ProposalState.STOPPED

    async def _ask(self, proposal: Proposal, params: Any) -> None:
        state = ProposalState.STOPPED
        try:
            proposal.reply = await self._model.answer(params)
            state = ProposalState.READY
        except InspectError as error:
            proposal.why, proposal.hint = str(error), error.hint
            state = ProposalState.FAILED
        finally:
            proposal.took_ns = time.monotonic_ns() - proposal.started_ns
            proposal.state = state


Policy = Callable[[ServerRequest], Awaitable[Reply | None]]
"""Answers a question; returns None to leave it to the next policy."""


class TicketState(StrEnum):
    WAITING = "waiting"
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"


class Ticket(msgspec.Struct, eq=False):
    """A server request that waits, or waited, for the user."""

    number: int
    """Number from 1, in order of arrival."""
    server_request: ServerRequest
    state: TicketState = TicketState.WAITING
    reply: Reply | None = None
    """The answer."""
    why: str = ""
    """Why it was withdrawn, or has no answer."""
    by: str = ""
    """Who answered: "person", the name of a policy, or a model."""
    undelivered: str = ""
    """Why the answer did not reach the server; "" if it did, or is on its way."""
    proposal: Proposal | None = None
    """Answer of a model to a sampling request."""
    future: "asyncio.Future[Reply | None] | None" = msgspec.field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    """Future that the requesting coroutine awaits; None once the ticket is finished."""


class Inbox:
    """All server requests of one conversation, including those that a policy answered."""

    def __init__(
        self,
        policies: Sequence[tuple[str, Policy]] = (),
        *,
        has_person: bool = False,
        roots: Sequence[Root] = (),
        proposer: Proposer | None = None,
    ) -> None:
        """Create an inbox.

        The name of a policy is stored in the tickets that it answers. `proposer` is None if there is no model.
        """
        self._policies = (*policies, (BY_ROOTS, self._list_roots))
        self.roots = tuple(roots)
        """Response to a request for roots; may be replaced."""
        self.has_person = has_person
        self.proposer = proposer
        self.tickets: tuple[Ticket, ...] = ()
        """Tickets in order of arrival: all waiting ones, and those that were finished last."""
        self.earlier = array("Q")
        """Exchanges of tickets that are no longer kept. Grows only."""
        self._asked = self._over = self._refused = 0
        self.changes = 0
        """Counter that grows with every change, so that polling is cheap."""

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """Tickets that wait for the user, oldest first."""
        return tuple(ticket for ticket in self.tickets if ticket.state is TicketState.WAITING)

    async def ask(self, server_request: ServerRequest) -> Reply | None:
        """Get the answer to a server request; None if it was withdrawn."""
        ticket = self._open(server_request)
        future = ticket.future
        assert future is not None, "it was opened just now"
        self.changes += 1
        try:
            async with asyncio.TaskGroup() as group:
                work = group.create_task(self._by_policy(ticket))
                future.add_done_callback(lambda _: work.cancel())  # a slow policy blocks nothing else
            return await future
        except asyncio.CancelledError:
            self._end(ticket, TicketState.WITHDRAWN, why="the call it belongs to was cancelled")
            raise

    def answer(self, ticket: Ticket, reply: Reply) -> bool:
        """Answer a ticket on behalf of the user; return False if it no longer waits."""
        if ticket.state is not TicketState.WAITING:
            return False
        self._end(ticket, TicketState.ANSWERED, reply, BY_PERSON)
        return True

    async def request_proposal(self, ticket: Ticket, params: object) -> None:
        """Request a proposal for these params of a sampling request from the model; it is stored in the ticket.

        If only the request needs the user's approval, the answer is sent immediately.
        """
        if self.proposer is None or ticket.state is not TicketState.WAITING:
            return
        proposal = await self._proposed(self.proposer, ticket, params)
        if proposal.state is ProposalState.READY and self.proposer.approve is not Approve.ALWAYS:
            self._end(ticket, TicketState.ANSWERED, proposal.result, proposal.model)

    def refuse(self, server_request: ServerRequest, refusal: ErrorReply) -> None:
        """Record a server request that was rejected because its capability was not advertised."""
        if self._refused >= MOST_REFUSED:
            return
        self._refused += 1
        self._end(self._open(server_request), TicketState.ANSWERED, refusal, BY_OFFERS)

    def withdraw(self, why: str, *, exchange: int | None = None) -> None:
        """Withdraw the server requests of one exchange, or all of them: answers are no longer needed."""
        for ticket in self.waiting:
            if exchange in (None, ticket.server_request.exchange):
                self._end(ticket, TicketState.WITHDRAWN, why=why)

    def note_undelivered(self, server_request: ServerRequest, why: str) -> None:
        """Record that the answer to a server request did not reach the server."""
        for ticket in self.tickets:
            if ticket.server_request is server_request:
                ticket.undelivered = why
                self.changes += 1

    async def _list_roots(self, server_request: ServerRequest) -> Reply | None:
        return rooted(self.roots) if server_request.kind is RequestKind.ROOTS else None

    async def _by_policy(self, ticket: Ticket) -> None:
        for name, policy in self._policies:
            if (reply := await policy(ticket.server_request)) is not None:
                self._end(ticket, TicketState.ANSWERED, reply, name)
                return
        if self.proposer is not None and self.proposer.approve is Approve.NEVER:
            if ticket.server_request.kind is RequestKind.SAMPLING:
                await self._by_model(self.proposer, ticket)
        if not self.has_person:
            why = f"no user to respond to {ticket.server_request.kind}, and no response was prepared"
            reply = unattended() if ticket.server_request.kind is RequestKind.ELICITATION else ErrorReply(REJECTED, why)
            self._end(ticket, TicketState.ANSWERED, reply, BY_NOBODY, why=why)

    async def _by_model(self, proposer: Proposer, ticket: Ticket) -> None:
        """Answer with the model without approval. If that fails, the ticket waits for the user, or is rejected."""
        proposal = await self._proposed(proposer, ticket, ticket.server_request.params)
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

    def _open(self, server_request: ServerRequest) -> Ticket:
        self._asked += 1
        ticket = Ticket(self._asked, server_request)
        self.tickets = (*self.tickets, ticket)
        return ticket

    def _let_go(self) -> None:
        """Drop finished tickets, except the newest `MOST_OVER`.

        A ticket with information that the traffic lacks is kept.
        """
        over = [each for each in self.tickets if each.state is not TicketState.WAITING]
        gone = {each.number for each in over[:-MOST_OVER] if each.proposal is None and each.by != BY_NOBODY}
        self.earlier.extend(each.server_request.exchange for each in over if each.number in gone)
        self.tickets = tuple(each for each in self.tickets if each.number not in gone)
        self._over = MOST_OVER
        self.changes += 1  # for another thread that has read in between
