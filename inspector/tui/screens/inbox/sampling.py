"""Forwarding a sampling request to a real model: the model request and its response, both editable.

It fills the form of the request pane and calls the conversation. It draws nothing and sends nothing to the server.
"""

from typing import Any, assert_never

from inspector.forms.fields import UNSET
from inspector.forms.values import FormValue
from inspector.present.spans import Section, Span
from inspector.present.words import ModelRun, model_run_section
from inspector.protocol import peek
from inspector.protocol.server_requests import Reply, RequestKind, Result, ServerRequest
from inspector.sampler.choice import Approve
from inspector.session.inbox import Proposal, ProposalState, Ticket
from inspector.text import human_duration, visible
from inspector.tui.conversation import OpenConversation
from inspector.tui.screens.inbox.model import answer_schema, filled_by, reply_of
from inspector.tui.screens.inbox.rows import RequestRow
from inspector.tui.widgets.schema_form.form import SchemaForm

_ANY_OBJECT = {"type": "object"}
_JSON = "-json"


class SamplingEditor:
    """Model requests and responses per sampling request, edited in one form."""

    def __init__(self, form: SchemaForm) -> None:
        self._form = form
        self.edits_request = False
        """Whether the form holds the model request."""
        self._exact = False
        """Whether it holds a complete result as JSON, because no form can show it."""
        self._taken: dict[tuple[int, str], Proposal] = {}
        """Model proposal that the form was filled with, by request key."""
        self._requests: dict[tuple[int, str], Any] = {}

    def can_begin(self, conversation: OpenConversation, server_request: ServerRequest | None) -> bool:
        """Return whether a model can respond to this request."""
        return (
            conversation.inbox.proposer is not None
            and server_request is not None
            and server_request.kind is RequestKind.SAMPLING
        )

    @property
    def is_json(self) -> bool:
        """Whether the content forces the form to JSON."""
        return self.edits_request or self._exact

    async def load(self, asked: RequestRow, typed: FormValue) -> None:
        """Fill the form for a pending request, with the typed text or with a new response of the model."""
        self.edits_request = False
        proposal = proposal_of(asked)
        fresh = proposal is not None and proposal is not self._taken.get(asked.key) and proposal.result is not None
        if fresh and proposal is not None:
            self._taken[asked.key] = proposal
        result = answered_by(self._taken.get(asked.key))
        await self._shape(exact=result is not None and not _plain(result))
        schema = _ANY_OBJECT if self._exact else answer_schema(asked.server_request)
        await self._form.load(schema, UNSET if fresh else typed)
        if fresh and result is not None:
            await self._form.take(result.value if self._exact else filled_by(asked.server_request, result))

    async def show_request(self, asked: RequestRow) -> None:
        """Show the model request for editing."""
        self.edits_request = True
        self._form.add_class(_JSON)
        await self._form.load(_ANY_OBJECT)
        await self._form.take(self._requests.get(asked.key, asked.server_request.params))
        self._form.focus_first()

    def keep_request(self, asked: RequestRow) -> Any:
        """Return the edited model request and keep it for the next time."""
        self._requests[asked.key] = request = self._form.arguments
        return request

    async def leave(self) -> None:
        """Reset the form for another request."""
        self.edits_request = False
        await self._shape(exact=False)

    def reply(self, server_request: ServerRequest) -> Reply:
        """Return the content of the form as a response."""
        return Result(self._form.arguments) if self._exact else reply_of(server_request, self._form.arguments)

    async def _shape(self, *, exact: bool) -> None:
        """Switch to JSON for what no form can show, and back to a form afterwards."""
        if exact or self._exact or self._form.has_class(_JSON):
            self._form.set_class(exact, _JSON)
        self._exact = exact


def proposal_of(asked: RequestRow | None) -> Proposal | None:
    """Return the model's proposal for a request, finished or running; None if there is none."""
    return asked.ticket.proposal if asked is not None and asked.ticket is not None else None


def answered_by(proposal: Proposal | None) -> Result | None:
    """Return the result of a finished proposal, else None."""
    return proposal.result if proposal is not None and proposal.state is ProposalState.READY else None


def asks_now(asked: RequestRow | None) -> bool:
    """Return whether a model request is running."""
    proposal = proposal_of(asked)
    return asked is not None and asked.waits and proposal is not None and proposal.state is ProposalState.ASKING


def proposal_line(proposal: Proposal, now_ns: int) -> Span:
    """Return the model's name with the elapsed time or the outcome, as short safe text."""
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
    """Return the section above the model request while it is edited."""
    proposer = conversation.inbox.proposer
    assert proposer is not None, "a request is edited for a model that is there"
    at_once = proposer.approve is not Approve.ALWAYS
    then = "Its response is sent to the server directly." if at_once else "Its response is shown here first."
    return Section(f"Request for {visible(proposer.label, limit=80)}", note=f"Edit if needed. {then}")


def proposal_section(ticket: Ticket | None) -> Section | None:
    """Return the outcome of the model request; None while there is none."""
    proposal = ticket.proposal if ticket is not None else None
    if proposal is None or proposal.state is ProposalState.ASKING:
        return None
    if proposal.state is ProposalState.STOPPED:
        return Section("Model request cancelled", note=visible(proposal.model, limit=80))
    reply = proposal.reply
    if reply is None:
        return model_run_section(ModelRun(proposal.model, proposal.took_ns, why=proposal.why, hint=proposal.hint))
    return model_run_section(
        ModelRun(proposal.model, proposal.took_ns, reply.tokens_in, reply.tokens_out, reply.left_out)
    )


def _plain(result: Result) -> bool:
    """Return whether a form can show the result: a single text and no additional keys."""
    return peek.text(result.value, "content", "type") == "text" and set(result.value) <= {
        "role", "content", "model", "stopReason",
    }  # fmt: skip
