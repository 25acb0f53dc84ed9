"""The outcome of a request of the agent: the result, an error, or requests of the server that wait for an answer."""

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from msgspec import field

from inspector.checks.findings import Finding
from inspector.present.calls import CompletedCall, view_call
from inspector.present.result import CallOutcome
from inspector.present.server_log import telling_lines
from inspector.protocol import peek
from inspector.protocol.revisions.openings import SERVER_INFO
from inspector.serve.bounded import bounded, cut_text
from inspector.serve.facts import answer_call, end_of, finding_facts, requests_facts, wait_words
from inspector.serve.sessions import AgentCall, AgentSession, LastCall
from inspector.serve.tool import Answer
from inspector.session.options import SessionState

_TOKENS = 600
_LINE = 200
"""Characters of a line of stderr."""

_STATES: dict[CallOutcome, Literal["ok", "tool error", "error", "no response"]] = {
    CallOutcome.OK: "ok",
    CallOutcome.TOOL_ERROR: "tool error",
    CallOutcome.JSONRPC_ERROR: "error",
    CallOutcome.INCOMPLETE: "error",
}


class OutcomeAnswer(Answer):
    session: str
    state: Literal["ok", "tool error", "error", "no response", "waiting", "running"]
    request: int = 0
    """Entry of the request."""
    response: int = 0
    ms: float = 0
    problems: list[str] = field(default_factory=list)
    pending: list[dict[str, Any]] = field(default_factory=list)
    """Requests of the server that wait for `answer`."""
    why: str = ""
    findings: list[dict[str, Any]] = field(default_factory=list)
    ended: dict[str, Any] = field(default_factory=dict)
    stderr: list[str] = field(default_factory=list)
    """What the server wrote to stderr during a request that failed: the last lines."""
    from_server: Any = None


async def outcome_of(opened: AgentSession, call: AgentCall, wait_s: float) -> OutcomeAnswer:
    """Wait for a request of the agent and return its outcome. If the agent cancels that, the request is cancelled."""
    try:
        return await outcome_of_one(opened, (call,), wait_s)
    except asyncio.CancelledError:
        call.future.cancel()
        raise


async def outcome_of_one(opened: AgentSession, calls: Sequence[AgentCall], wait_s: float) -> OutcomeAnswer:
    """Wait for one of several requests of the agent and return its outcome."""
    call = await opened.settled(calls, wait_s)
    if not call.future.done():
        return await asyncio.to_thread(_unfinished, opened, call)
    if call.future.cancelled():
        why = "the session was closed or restarted before the response"
        return OutcomeAnswer(session=opened.id, state="no response", why=why, next="sessions()")
    schema = None
    if call.method == "tools/call" and (tool := opened.tool(call.params["name"])) is not None:
        schema = tool.output_schema
    completed = await asyncio.to_thread(view_call, opened.journal, call.last, schema, call.called, method=call.method)
    return await asyncio.to_thread(_finished, opened, call, completed)


def _unfinished(opened: AgentSession, call: AgentCall) -> OutcomeAnswer:
    request = call.exchange.request_frame if call.exchange is not None else 0
    if waiting := call.asked(opened.waiting):
        follow = answer_call(opened.id, waiting[0])
        return OutcomeAnswer(
            session=opened.id, state="waiting", request=request, pending=requests_facts(waiting), next=follow
        )
    follow = f'trace(session="{opened.id}", entry={request}) shows it later' if request else "sessions()"
    why = "the user holds a message in mcp-inspect attach" if opened.is_held else wait_words(opened.journal)
    return OutcomeAnswer(session=opened.id, state="running", request=request, why=why, next=follow)


def _finished(opened: AgentSession, call: AgentCall, completed: CompletedCall) -> OutcomeAnswer:
    finished, exchange = completed.finished, completed.exchange
    answer = OutcomeAnswer(session=opened.id, state=_STATES.get(completed.view.outcome, "no response"), next="")
    if exchange is not None:
        answer.request, answer.response = exchange.request_frame, exchange.answer_frame or 0
        answer.findings = [finding_facts(each) for each in _findings_of(opened, answer)]
    answer.ms = round((finished.duration_ns or 0) / 1e6, 1)
    answer.why = " ".join(filter(None, (finished.failure, finished.hint, finished.unfinished)))
    if completed.verdict is not None:
        answer.problems = [
            f"structuredContent{each.pointer} {each.sentence}" for each in completed.verdict.problems[:5]
        ]
    value = finished.error if finished.error is not None else finished.result
    opened.last_call = LastCall(call.method, call.params, value)
    answer.from_server, cut = bounded(_in_short(value), _TOKENS)
    if answer.state != "ok" and completed.written is not None:
        completed.written.look()
        answer.stderr = [cut_text(line, _LINE) for line in telling_lines([line for _, line in completed.written.lines])]
    pointer = ', pointer="/result"' if finished.error is None else ""
    if opened.state is not SessionState.OPEN:
        answer.ended, answer.stderr = end_of(opened.journal, opened.why), []
        answer.next = f'restart(session="{opened.id}") after a fix'
    elif cut:
        answer.next = f'message(session="{opened.id}", entry={answer.response}{pointer}) has all of it'
    elif answer.state == "ok" or not answer.stderr:
        answer.next = f'trace(session="{opened.id}", entry={answer.request}) shows how it went'
    else:
        answer.next = f'logs(session="{opened.id}", after={answer.request}) has stderr of the call'
    return answer


def _findings_of(opened: AgentSession, answer: OutcomeAnswer) -> list[Finding]:
    """Return the worst findings about the request and the response."""
    opened.checks.catch_up()
    found = [*opened.checks.of(answer.request), *opened.checks.of(answer.response)]
    return sorted(found, key=lambda each: each.severity.rank)[:3]


def _in_short(result: Any) -> Any:
    """Return a result without what every result of a server repeats."""
    if not isinstance(result, dict):
        return result
    meta = {name: value for name, value in peek.mapping(result, "_meta").items() if name != SERVER_INFO}
    left = {name: value for name, value in result.items() if (name, value) != ("resultType", "complete")}
    return {name: value for name, value in left.items() if name != "_meta"} | ({"_meta": meta} if meta else {})
