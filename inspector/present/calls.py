"""Completed requests, read back from the journal: their results, validated and ready to be shown.

Live calls and calls from a capture are read by the same code. Only what no frame records is taken from the session's
reply: which timeout passed, what the transport refused, how many rounds it took. A journal ends with its connection;
`PastCall.keep` first reads what must outlive it.
"""

import dataclasses
from dataclasses import dataclass, replace
from typing import Any

from inspector.capture.journal import Journal
from inspector.capture.messages import request_of
from inspector.forms.validate import Validation
from inspector.present import words
from inspector.present.blocks import json_block
from inspector.present.result import CallOutcome, Finished, ResultView, outcome_of, result_view, verdict_of
from inspector.present.server_log import Meanwhile, exception_in
from inspector.present.spans import paragraph
from inspector.protocol import peek
from inspector.protocol.apps import listed_pages
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.connect import refusal
from inspector.protocol.flows.list_all import was_cut
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import ErrorResponse, Notification, ResultResponse, read
from inspector.protocol.tracking.tasks import ENDED, Task, TaskState

_GONE = "The result was lost with the previous connection. Record the session to keep results."


# The result of a task, from the journal of its conversation.


@dataclass(frozen=True, slots=True)
class CompletedCall:
    """A completed call, ready to be shown."""

    finished: Finished
    view: ResultView
    verdict: Validation | None
    raw: bytes
    """Frame of the response; b"" if there is none."""
    arguments: Any
    exchange: Exchange | None
    """None if the request was never sent."""
    written: Meanwhile | None = None
    """The server's stderr during the call; None if unknown."""


def outcome(journal: Journal, task: Task) -> tuple[Finished, bytes] | None:
    """Return the outcome of a task as if its call had been answered, with the frame that carried it. Reads the disk.

    None if there is no outcome.
    """
    if task.result_frame is None:
        return None
    what = journal.store.entry(task.result_frame).what
    raw = what.payload if isinstance(what, Frame) else b""
    opening = journal.conversation.opening
    found = Finished(
        task.method or "tools/call",
        target=task.target,
        duration_ns=None if task.ended_ns is None else task.ended_ns - task.seen_ns,
        size=len(raw),
        rounds=task.polls + 1,
        revision=opening.revision if opening else None,
        failed_task=task.state == TaskState.FAILED,
        answered=False,
        failure="Cannot read the result from the capture.",
    )
    for message in read(raw):
        if (done := _of_message(message, found)) is not None:
            return done, raw
    return found, raw


def _of_message(message: object, found: Finished) -> Finished | None:
    match message:
        case ErrorResponse():
            return replace(found, error=message.error, failure="")
        case ResultResponse():
            reported = message.result
        case Notification():
            reported = message.params
        case _:
            return None
    if peek.text(reported, "status") not in ENDED:  # the response to tasks/result is the result itself
        return replace(found, result=reported, answered=True, failure="")
    if peek.at(reported, "error") is not None:
        return replace(found, error=peek.at(reported, "error"), failure="")
    return replace(found, result=peek.at(reported, "result"), answered=True, failure="")


class PastCall:
    """A call in this conversation, or in an earlier one with the same server."""

    def __init__(self, journal: Journal, exchange: Exchange) -> None:
        self.exchange = exchange
        self._journal: Journal | None = journal
        self._kept: tuple[Any, int] = (None, 0)

    @property
    def is_earlier(self) -> bool:
        """Whether its conversation has ended and only this object is left of it."""
        return self._journal is None

    @property
    def arguments(self) -> Any:
        """Arguments of the call; None if there were none. Reads the disk until `keep` is called."""
        return self._kept[0] if self._journal is None else arguments_of(self._journal, self.exchange)

    @property
    def wall_ns(self) -> int:
        """Wall-clock time of the request, in nanoseconds."""
        return self._kept[1] if self._journal is None else self._journal.store.wall_ns(self.exchange.request_frame)

    def keep(self) -> None:
        """Keep in memory what can't be read after the conversation has ended, and release its journal."""
        self._kept = (self.arguments, self.wall_ns)
        self._journal = None


def view_call(
    journal: Journal,
    exchange: Exchange | None,
    output_schema: Any,
    called: Called | None = None,
    *,
    method: str = "tools/call",
) -> CompletedCall:
    """Read a call back and validate its result. Reads the disk and may take 0.25 s: run it on a thread."""
    if exchange is None:
        finished = Finished(method, answered=False, **_failure(None, called.reply if called else None))
        return CompletedCall(finished, result_view(finished), None, b"", None, None)
    task = journal.conversation.tasks.of_operation(exchange.operation)
    if task is not None and task.exchange == exchange.number and task.result_frame is not None:
        return view_task(journal, task, output_schema)
    raw, finished = _finished(journal, exchange, output_schema, called)
    verdict = verdict_of(finished)
    written = Meanwhile(journal, exchange)
    if outcome_of(finished) is CallOutcome.NO_ANSWER and exchange.state is ExchangeState.LOST:
        written.look()
        finished = replace(finished, last_words=exception_in([line for _, line in written.lines]))
    view = result_view(finished, verdict)
    return CompletedCall(finished, view, verdict, raw, arguments_of(journal, exchange), exchange, written)


def view_task(journal: Journal, task: Task, output_schema: Any) -> CompletedCall:
    """Read back a task's outcome and validate it like the result of a call. Reads the disk: run it on a thread."""
    exchange = journal.conversation.exchanges[task.exchange - 1] if task.exchange is not None else None
    found = outcome(journal, task) or (Finished(task.method, answered=False, failure="No result yet."), b"")
    finished, raw = dataclasses.replace(found[0], output_schema=output_schema), found[1]
    verdict = verdict_of(finished)
    arguments = arguments_of(journal, exchange) if exchange is not None else None
    return CompletedCall(finished, result_view(finished, verdict), verdict, raw, arguments, exchange)


def view_past_call(past: PastCall) -> CompletedCall:
    """Return what is left of a call of an earlier conversation: its status and its arguments."""
    status = words.status(past.exchange, live=False)
    finished = Finished(past.exchange.method, answered=False, duration_ns=past.exchange.duration_ns, failure=_GONE)
    blocks = () if past.arguments is None else (json_block(past.arguments, "arguments"),)
    view = ResultView(CallOutcome.NO_ANSWER, (status,), paragraph(_GONE, "muted"), blocks=blocks)
    return CompletedCall(finished, view, None, b"", past.arguments, past.exchange)


def arguments_of(journal: Journal, exchange: Exchange) -> Any:
    """Return the arguments of a recorded call; None if it had none or they can't be read."""
    asked = request_of(journal, exchange)
    return None if asked is None else peek.at(asked.params, "arguments")


def _finished(journal: Journal, exchange: Exchange, schema: Any, called: Called | None) -> tuple[bytes, Finished]:
    opening = journal.conversation.opening
    common: dict[str, Any] = {
        "method": exchange.method,
        "target": exchange.target,
        "duration_ns": exchange.duration_ns,
        "rounds": called.rounds if called else 1,
        "unfinished": _unfinished(called),
        "output_schema": schema,
        "revision": opening.revision if opening else None,
    }
    if exchange.answer_frame is None or (called is not None and isinstance(called.reply, Silent | GivenUp)):
        # A response after the cancellation is in the traffic; whether it arrived before this function runs must not
        # matter.
        failure = _failure(exchange, called.reply if called else None)
        if called is None and exchange.state is ExchangeState.LOST:
            failure["http_status"] = words.http_status(journal, exchange)
        return b"", Finished(answered=False, **common, **failure)
    raw = _payload(journal, exchange.answer_frame)
    common["size"] = len(raw)
    answers = [message for message in read(raw) if isinstance(message, ResultResponse | ErrorResponse)]
    own = [message for message in answers if message.id == exchange.id]
    for message in own or answers:  # an error that is a whole response body may lack the request's id
        if isinstance(message, ErrorResponse):
            return raw, Finished(answered=False, error=message.error, **common)
        if own:
            if exchange.method == "resources/read":
                common["listed"] = listed_pages(message.result, journal.conversation.catalogue.resources)
            return raw, Finished(result=message.result, **common)
    return raw, Finished(answered=False, failure="cannot read the response from the capture", **common)


def _unfinished(called: Called | None) -> str:
    """Return why a call's result is not final; "" if it is, or if no caller waited for it."""
    if called is None:
        return ""
    return called.unanswered or (called.task.why if called.task is not None else "")


def _failure(exchange: Exchange | None, reply: Reply | None) -> dict[str, Any]:
    """Return why there is no response, as fields of `Finished`."""
    match reply:
        case Silent():
            why = f"No response within {reply.seconds:g} seconds ({reply.clock} timeout)."
            return {"timed_out": True, "failure": why, "hint": "Set a longer --timeout."}
        case Refused():
            cut = (
                "The server received the call and may have run it. Run it again only if twice does no harm."
                if was_cut(reply)
                else ""
            )
            method = exchange.method if exchange is not None else "the request"
            why = (refusal(method, reply) if reply.status else reply.why) or "No response."
            return {"failure": why[0].upper() + why[1:], "hint": cut, "http_status": reply.status or 0}
        case Broken():
            return {"failure": reply.why or "The connection ended.", "hint": reply.hint}
        case GivenUp():
            return {"cancelled": True, "failure": reply.why or "Cancelled."}
        case Replied() | None:
            return _recorded_failure(exchange)


def _recorded_failure(exchange: Exchange | None) -> dict[str, Any]:
    if exchange is None:
        return {"failure": "Not sent."}
    if exchange.state is ExchangeState.CANCELLED:
        return {"cancelled": True, "failure": exchange.why or "Cancelled."}
    if exchange.state is ExchangeState.PENDING:
        return {"failure": "No response yet."}
    return {"failure": exchange.why or "The connection ended before the response."}


def _payload(journal: Journal, n: int) -> bytes:
    what = journal.store.entry(n).what
    return what.payload if isinstance(what, Frame) else b""
