"""A subject whose server asks what a test wants it to ask."""

import asyncio
from collections.abc import Sequence
from typing import Any

from inspector.protocol.server_requests import Reply, RequestKind, Root, ServerRequest
from inspector.sampler.chat import ModelReply
from inspector.sampler.choice import Approve, ModelChoice
from inspector.sampler.endpoint import ChatModel
from inspector.session.inbox import BY_PERSON, Proposal, ProposalState, Proposer, Ticket, TicketState
from inspector.tui.conversation import About, ConversationStage, InboxView, OpenConversation
from tests.present.tape import Tape

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "minLength": 2}, "token": {"type": "string"}},
    "required": ["city"],
}


class AskedInbox(InboxView):
    """Keeps what was asked and how it was answered."""

    tickets: tuple[Ticket, ...] = ()
    answered_earlier: Sequence[int] = ()
    changes = 0
    roots: tuple[Root, ...] = (Root("file:///srv"),)
    patience_s = 90
    proposer: Proposer | None = None

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape
        self.consulted: list[Any] = []
        """What the model was asked."""

    async def answer(self, ticket: Ticket, reply: Reply) -> bool:
        if ticket.state is not TicketState.WAITING:
            return False
        ticket.reply, ticket.by = reply, BY_PERSON
        ticket.state = TicketState.ANSWERED
        self.changes += 1
        return True

    async def set_roots(self, roots: Sequence[Root]) -> None:
        self.roots = tuple(roots)

    async def request_proposal(self, ticket: Ticket, params: Any) -> None:
        self.consulted.append(params)
        ticket.proposal = Proposal("tide at here", self._tape.now)
        ticket.proposal.stop = lambda: self.propose(ticket, state=ProposalState.STOPPED)
        self.changes += 1

    async def cancel_proposal(self, ticket: Ticket) -> None:
        if ticket.proposal is not None:
            ticket.proposal.stop()

    def propose(
        self,
        ticket: Ticket,
        said: ModelReply | None = None,
        *,
        state: ProposalState = ProposalState.READY,
        why: str = "",
    ) -> None:
        """Let the model answer, or not."""
        proposal = ticket.proposal
        assert proposal is not None, "it was asked"
        proposal.reply, proposal.why, proposal.took_ns = said, why, 1_500_000_000
        proposal.state = state
        self.changes += 1


class Asking(OpenConversation):
    def __init__(self) -> None:
        self.tape = Tape()
        self.tape.initialized("2025-11-25", {"name": "harbour"}).call(1, "book")
        super().__init__(self.tape.journal, About("harbour"))
        self.can_act = True
        self.inbox: AskedInbox = AskedInbox(self.tape)

    @property
    def stage(self) -> ConversationStage:
        return ConversationStage.OPEN

    @property
    def now_ns(self) -> int:
        return self.tape.now

    def ask(self, kind: RequestKind = RequestKind.ELICITATION, **params: Any) -> Ticket:
        """Let the server ask."""
        number = len(self.inbox.tickets) + 1
        server_request = ServerRequest(kind, params, 100 + number, 1, self.tape.now, cause=2)
        ticket = Ticket(number, server_request, future=asyncio.get_running_loop().create_future())
        self.inbox.tickets = (*self.inbox.tickets, ticket)
        self.inbox.changes += 1
        return ticket

    def ask_city(self, message: str = "Which city?") -> Ticket:
        """Ask by a form."""
        return self.ask(message=message, requestedSchema=CITY)

    def ask_link(self, url: str = "https://pay.example/x") -> Ticket:
        return self.ask(mode="url", message="Please pay.", url=url)

    def ask_model(self, text: str = "Why is the sea salt?") -> Ticket:
        content = {"type": "text", "text": text}
        return self.ask(RequestKind.SAMPLING, messages=[{"role": "user", "content": content}], maxTokens=10)

    def withdraw(self, ticket: Ticket, why: str) -> None:
        """Let the server take a question back."""
        ticket.why = why
        ticket.state = TicketState.WITHDRAWN
        self.inbox.changes += 1


def model(approve: Approve = Approve.ALWAYS) -> Proposer:
    """A model that may be asked; nobody dials it here."""
    return Proposer(ChatModel(ModelChoice("http://127.0.0.1:9/v1", "tide")), approve)
