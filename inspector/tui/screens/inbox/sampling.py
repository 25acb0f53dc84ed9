"""Talking with a real model about a sampling request: what it will be asked, and its answer, both to be edited.

It fills the one form of the question's pane and asks the conversation; it draws nothing and answers no server.
"""

from typing import Any, assert_never

from inspector.forms.fields import UNSET
from inspector.forms.values import FormValue
from inspector.present.spans import Section, Span
from inspector.present.words import ModelRun, account_section
from inspector.protocol import peek
from inspector.protocol.questions import Question, Reply, RequestKind, Result
from inspector.sampler.choice import Approve
from inspector.session.desk import Proposal, ProposalState, Ticket
from inspector.text import human_duration, visible
from inspector.tui.conversation import OpenConversation
from inspector.tui.screens.inbox.model import answer_schema, filled_by, reply_of
from inspector.tui.screens.inbox.rows import RequestRow
from inspector.tui.widgets.schema_form.form import SchemaForm

_ANY_OBJECT = {"type": "object"}
_JSON = "-json"


class ModelTalk:
    """What a person and a model have come to, question by question."""

    def __init__(self, form: SchemaForm) -> None:
        self._form = form
        self.edits_request = False
        """Whether the form holds what the model is to be asked."""
        self._exact = False
        """Whether it holds a result as it will be sent, which no form can show."""
        self._taken: dict[tuple[int, str], Proposal] = {}
        """Whose answer the form was filled with, by question."""
        self._requests: dict[tuple[int, str], Any] = {}

    def can_begin(self, conversation: OpenConversation, question: Question | None) -> bool:
        """Whether there is a model that could be asked."""
        return conversation.desk.proposer is not None and question is not None and question.kind is RequestKind.SAMPLING

    @property
    def is_json(self) -> bool:
        """Whether the form is JSON because of what it holds."""
        return self.edits_request or self._exact

    async def load(self, asked: RequestRow, typed: FormValue) -> None:
        """Fill the form for a question that waits: with what was typed, or with a model's answer that has come."""
        self.edits_request = False
        proposal = proposal_of(asked)
        fresh = proposal is not None and proposal is not self._taken.get(asked.key) and proposal.result is not None
        if fresh and proposal is not None:
            self._taken[asked.key] = proposal
        result = answered_by(self._taken.get(asked.key))
        await self._shape(exact=result is not None and not _plain(result))
        schema = _ANY_OBJECT if self._exact else answer_schema(asked.question)
        await self._form.load(schema, UNSET if fresh else typed)
        if fresh and result is not None:
            await self._form.take(result.value if self._exact else filled_by(asked.question, result))

    async def show_request(self, asked: RequestRow) -> None:
        """Let it be edited what the model will be asked."""
        self.edits_request = True
        self._form.add_class(_JSON)
        await self._form.load(_ANY_OBJECT)
        await self._form.take(self._requests.get(asked.key, asked.question.params))
        self._form.focus_first()

    def keep_request(self, asked: RequestRow) -> Any:
        """What it is to be asked, which stays for the next time."""
        self._requests[asked.key] = request = self._form.arguments
        return request

    async def leave(self) -> None:
        """Make room for another question."""
        self.edits_request = False
        await self._shape(exact=False)

    def reply(self, question: Question) -> Reply:
        """What the form says, as an answer."""
        return Result(self._form.arguments) if self._exact else reply_of(question, self._form.arguments)

    async def _shape(self, *, exact: bool) -> None:
        """JSON for what no form shows, and from there back to a form."""
        if exact or self._exact or self._form.has_class(_JSON):
            self._form.set_class(exact, _JSON)
        self._exact = exact


def proposal_of(asked: RequestRow | None) -> Proposal | None:
    """What a model answers to a question, or was asked to."""
    return asked.ticket.proposal if asked is not None and asked.ticket is not None else None


def answered_by(proposal: Proposal | None) -> Result | None:
    """The answer of a proposal that has come."""
    return proposal.result if proposal is not None and proposal.state is ProposalState.READY else None


def asks_now(asked: RequestRow | None) -> bool:
    """Whether a model is being asked."""
    proposal = proposal_of(asked)
    return asked is not None and asked.waits and proposal is not None and proposal.state is ProposalState.ASKING


def proposal_line(proposal: Proposal, now_ns: int) -> Span:
    """Which model is being asked, and for how long, or the outcome of it; in a few safe words."""
    model = visible(proposal.model, limit=40)
    match proposal.state:
        case ProposalState.ASKING:
            return f"  waiting for {model}  {human_duration(max(0, now_ns - proposal.started_ns))}", "accent"
        case ProposalState.READY:
            return f"  {model} responded in {human_duration(proposal.took_ns)}", "ok"
        case ProposalState.FAILED:
            return f"  no response from {model}", "error"
        case ProposalState.STOPPED:
            return "  model request cancelled", "muted"
        case _:
            assert_never(proposal.state)


def request_section(conversation: OpenConversation) -> Section:
    """What is above the request while it is edited."""
    proposer = conversation.desk.proposer
    assert proposer is not None, "a request is edited for a model that is there"
    at_once = proposer.approve is not Approve.ALWAYS
    then = "Its response is sent to the server directly." if at_once else "Its response is shown here first."
    return Section(f"Request for {visible(proposer.label, limit=80)}", note=f"Edit if needed. {then}")


def proposal_section(ticket: Ticket | None) -> Section | None:
    """The outcome of asking the model; None while nothing has."""
    proposal = ticket.proposal if ticket is not None else None
    if proposal is None or proposal.state is ProposalState.ASKING:
        return None
    if proposal.state is ProposalState.STOPPED:
        return Section("Model request cancelled", note=visible(proposal.model, limit=80))
    said = proposal.said
    if said is None:
        return account_section(ModelRun(proposal.model, proposal.took_ns, why=proposal.why, hint=proposal.hint))
    return account_section(ModelRun(proposal.model, proposal.took_ns, said.tokens_in, said.tokens_out, said.left_out))


def _plain(result: Result) -> bool:
    """Whether a form can show it: one text and nothing more."""
    return peek.text(result.value, "content", "type") == "text" and set(result.value) <= {
        "role", "content", "model", "stopReason",
    }  # fmt: skip
