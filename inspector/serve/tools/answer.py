"""`answer`: answer a request of the server for input."""

import asyncio
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from inspector.errors import UsageError
from inspector.protocol.server_requests import REJECTED, ErrorReply, Reply, RequestKind, accepted, sampled
from inspector.protocol.server_requests import Result as ReplyResult
from inspector.serve.facts import answer_call, requests_facts
from inspector.serve.outcome import OutcomeAnswer, outcome_of_one
from inspector.serve.sessions import AgentSession, Sessions
from inspector.serve.tool import Arguments, SessionId, WaitSeconds, tool
from inspector.session.inbox import Ticket


class AnswerArguments(Arguments):
    request: Annotated[int, Meta(description="Number of the pending request.")]
    session: SessionId = ""
    action: Annotated[Literal["accept", "decline", "cancel"], Meta(description="Of the user.")] = "accept"
    content: Annotated[
        dict[str, Any] | UnsetType, Meta(description="Form values, or for sampling a content block.")
    ] = UNSET
    wait_s: WaitSeconds = 30


@tool(read_only=False, open_world=True)
async def answer(sessions: Sessions, wanted: AnswerArguments) -> OutcomeAnswer:
    """Answer a request that the server asks: confirm an elicitation, write a sampling text.

    Returns the call's outcome.
    """
    opened = await sessions.server(wanted.session)
    ticket = next((each for each in opened.waiting if each.number == wanted.request), None)
    if ticket is None:
        numbers = ", ".join(str(each.number) for each in opened.waiting) or "none"
        raise UsageError(f"request {wanted.request} does not wait", hint=f"Pending: {numbers}.")
    reply, callers = _reply_of(ticket, wanted), opened.callers(ticket)
    await _reply(opened, ticket, reply)
    if callers:
        return await outcome_of_one(opened, callers, wanted.wait_s)
    await opened.started(wanted.wait_s)
    return _of_opening(opened)


def _of_opening(opened: AgentSession) -> OutcomeAnswer:
    """Return the state of the opening after an answer: the server has asked while it was listed."""
    if opened.waiting:
        follow = answer_call(opened.id, opened.waiting[0])
        pending = requests_facts(opened.waiting)
        return OutcomeAnswer(session=opened.id, state="waiting", pending=pending, next=follow)
    if not opened.has_started:
        return OutcomeAnswer(session=opened.id, state="running", next="sessions()")
    return OutcomeAnswer(session=opened.id, state="ok", next=f'check(session="{opened.id}")')


async def _reply(opened: AgentSession, ticket: Ticket, reply: Reply) -> None:
    session = opened.live.session
    assert session is not None, "its request waits"

    async def on_engine(_: object) -> None:
        session.options.inbox.answer(ticket, reply)

    await asyncio.wrap_future(opened.live.run(on_engine))


def _reply_of(ticket: Ticket, wanted: AnswerArguments) -> Reply:
    content = None if isinstance(wanted.content, UnsetType) else wanted.content
    if ticket.server_request.kind is RequestKind.ELICITATION:
        return accepted(content) if wanted.action == "accept" else ReplyResult({"action": wanted.action})
    if wanted.action != "accept":
        return ErrorReply(REJECTED, "rejected by the user")
    if content is None:
        raise UsageError("sampling needs content", hint='For example: {"type": "text", "text": "…"}.')
    return sampled(content, model="mcp-inspect serve")
