"""Flow of a request that may need several rounds: a tool call, a read, a prompt.

Two errors of the stateless revision state their own remedy, which is tried once: another version that the server
supports (-32022), and the tool's current schema if the mirrored headers did not match it (-32020). If a result
requests input, the request is repeated with all responses, until a final result arrives.

Source: specification 2026-07-28, basic/patterns/mrtr.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from inspector.protocol import peek, server_requests
from inspector.protocol.flows.list_all import is_repeated, sent
from inspector.protocol.flows.steps import Flow, Pause, Replied, Reply, RequestUserInput, Send
from inspector.protocol.flows.tasks import TaskEnd
from inspector.protocol.frames import Cause
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.openings import HEADER_MISMATCH, UNSUPPORTED_VERSION, modern_code
from inspector.protocol.revisions.table import mutual, resolve
from inspector.protocol.server_requests import asks_for_input, visits_in

_PAUSES = (0.05, 0.1, 0.2, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25)
"""Seconds before each retry that only carries the request state. The number of rounds is that of common SDKs."""


class Called(msgspec.Struct, frozen=True):
    reply: Reply
    """The last reply."""
    rounds: int
    """Number of requests, including retries."""
    unanswered: str = ""
    """Why the last reply's requests for input were not answered; "" if it has none."""
    task: TaskEnd | None = None
    """How its task ended, if it became one; then `reply` is the task's result."""


def call(
    method: str,
    params: Any,
    *,
    revision: Revision,
    schema_of: Callable[[str], Any] = lambda name: None,
    again: bool | None = None,
) -> Flow[Called]:
    """Make a request, and repeat it if the error states a remedy.

    `schema_of` returns a tool's input schema by name; None if the tool was never listed. `again` is whether to
    repeat a request whose stream was cut; None means only if that is safe.
    """
    name = peek.text(params, "name") or ""
    again = is_repeated(method, revision) if again is None else again

    def send(params: Any, revision: Revision, cause: Cause | None = Cause.RETRY) -> Flow[tuple[Reply, int]]:
        schema = schema_of(name)
        whole = Send(method, params, revision=revision, cause=cause, input_schema=schema, progress=True)
        return sent(whole, again=bool(again))

    reply, rounds = yield from send(params, revision, None)
    error, more = _modern_error(revision, reply), 0
    if error == UNSUPPORTED_VERSION and (other := _another_version(revision, reply)):
        revision = other
        reply, more = yield from send(params, revision)
    elif error == HEADER_MISMATCH and method == "tools/call":
        yield Send("tools/list", revision=revision, cause=Cause.RETRY)
        reply, more = yield from send(params, revision)
    return (yield from _with_input(reply, rounds + more, params, lambda changed: send(changed, revision), revision))


def _with_input(
    reply: Reply, rounds: int, params: Any, send: Callable[[Any], Flow[tuple[Reply, int]]], revision: Revision
) -> Flow[Called]:
    """Answer a result's requests for input and repeat the request with the responses, in as many rounds as needed.

    For an error that requires visiting URLs, the user's consent is obtained in the same way, but no responses are
    sent.
    """
    nobody_there = False
    for wait in _PAUSES:
        if visits := _visits(reply, revision):
            consents: tuple[server_requests.Reply, ...] | None = yield RequestUserInput(visits)
            if why := _not_visited(consents):
                return Called(reply, rounds, why)
            reply, tries = yield from send(params)
            rounds += tries
            continue
        if not (isinstance(reply, Replied) and isinstance(reply.message, ResultResponse)):
            return Called(reply, rounds)
        result = reply.message.result
        if not asks_for_input(result):
            return Called(reply, rounds)
        asked = _input_requests(reply, result)
        if wrong := _wrong(result, asked):
            return Called(reply, rounds, wrong)
        if asked:
            answers: tuple[server_requests.Reply, ...] | None = yield RequestUserInput(asked)
            if answers is None or any(isinstance(answer, server_requests.ErrorReply) for answer in answers):
                return Called(reply, rounds, _refused(answers))
            if any(isinstance(answer, server_requests.Result) and answer.unattended for answer in answers):
                if nobody_there:
                    return Called(reply, rounds, "no user can respond, and the server asks again after `cancel`")
                nobody_there = True
        else:
            answers = ()
            yield Pause(wait)
        values = {q.key: a.value for q, a in zip(asked, answers, strict=True) if isinstance(a, server_requests.Result)}
        params = server_requests.retried(params, result, values)
        reply, tries = yield from send(params)
        rounds += tries
    return Called(reply, rounds, f"it asked more than {len(_PAUSES)} times")


def _visits(reply: Reply, revision: Revision) -> tuple[server_requests.ServerRequest, ...]:
    if not isinstance(reply, Replied) or isinstance(reply.message, ResultResponse):
        return ()
    exchange = reply.exchange
    return visits_in(
        reply.message.error,
        revision,
        exchange=exchange.number,
        frame=exchange.answer_frame or 0,
        asked_ns=exchange.ended_ns or 0,
    )


def _not_visited(consents: tuple[server_requests.Reply, ...] | None) -> str:
    """Return why the request is not repeated; "" if the user visited every URL."""
    if consents is None or any(isinstance(each, server_requests.ErrorReply) for each in consents):
        return _refused(consents)
    lines = [peek.text(each.value, "action") for each in consents if isinstance(each, server_requests.Result)]
    return "" if all(each == "accept" for each in lines) else "its link was not visited, so it was not made again"


def _input_requests(reply: Replied, result: Any) -> tuple[server_requests.ServerRequest, ...]:
    exchange = reply.exchange
    return server_requests.server_requests_in(
        result, exchange=exchange.number, frame=exchange.answer_frame or 0, asked_ns=exchange.ended_ns or 0
    )


def _wrong(result: Any, asked: tuple[server_requests.ServerRequest, ...]) -> str:
    """Return why a retry would be pointless; "" if it would not be."""
    requests = peek.at(result, "inputRequests")
    if not requests and not peek.has(result, "requestState"):
        return "it requires input but lists no input requests and has no requestState"
    if not isinstance(requests, dict | None) or len(asked) < len(requests or {}):
        return "it requests input in a form that the specification does not define"
    return ""


def _refused(answers: tuple[server_requests.Reply, ...] | None) -> str:
    refusals = [answer.message for answer in answers or () if isinstance(answer, server_requests.ErrorReply)]
    return refusals[0] if refusals else "its questions were left unanswered"


def _modern_error(revision: Revision, reply: Reply) -> int | None:
    if revision.era is not Era.MODERN or not isinstance(reply, Replied) or isinstance(reply.message, ResultResponse):
        return None
    return modern_code(reply.message.error)


def _another_version(revision: Revision, reply: Reply) -> Revision | None:
    error = reply.message.error if isinstance(reply, Replied) and isinstance(reply.message, ErrorResponse) else None
    named = [item for item in peek.items(error, "data", "supported") if isinstance(item, str)]
    date = mutual([item for item in named if item != revision.date], Era.MODERN)
    return resolve(date, Era.MODERN)[0] if date else None
