"""Calls, running and over, and how to look at one of them again: everything is read back from the journal.

A call made here and one found in a capture are shown by the same code. Only what no frame says is taken from the
session's reply: which clock ran out, what the carriage refused, how many rounds it took.
"""

from dataclasses import dataclass
from typing import Any

from inspector.capture.journal import Journal
from inspector.forms.validate import Verdict
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Request, read
from inspector.protocol.things import Thing
from inspector.viewmodels.result import Finished, ResultView, result_view, verdict_of


@dataclass(slots=True, eq=False)
class Call:
    """A request that was made here: a tool's call, a read, a prompt."""

    thing: Thing
    """What it is about."""
    arguments: Any
    journal: Journal
    exchange: Exchange | None = None
    """None until it was sent."""
    called: Called | None = None
    """What came of it; None while it runs."""
    over: bool = False
    cancelling: bool = False
    method: str = "tools/call"
    params: Any = None
    """What is sent; None: the tool's name and the arguments."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A call that is over, ready to be shown."""

    finished: Finished
    view: ResultView
    verdict: Verdict | None
    raw: bytes
    """The frame of the answer; b"" if none came."""
    arguments: Any
    exchange: Exchange | None
    """None if it was never sent."""


def look(
    journal: Journal,
    exchange: Exchange | None,
    output_schema: Any,
    called: Called | None = None,
    *,
    method: str = "tools/call",
) -> Looked:
    """Read a call back and judge its result. Reads the disk and may take a quarter of a second: for a thread."""
    if exchange is None:
        finished = Finished(method, answered=False, **_failure(None, called.reply if called else None))
        return Looked(finished, result_view(finished), None, b"", None, None)
    raw, finished = _finished(journal, exchange, output_schema, called)
    verdict = verdict_of(finished)
    view = result_view(finished, verdict)
    return Looked(finished, view, verdict, raw, arguments_of(journal, exchange), exchange)


def arguments_of(journal: Journal, exchange: Exchange) -> Any:
    """The arguments of a recorded call; None if it had none or they can't be read."""
    for message in read(_payload(journal, exchange.request_frame)):
        if isinstance(message, Request) and message.id == exchange.id:
            return peek.at(message.params, "arguments")
    return None


def _finished(journal: Journal, exchange: Exchange, schema: Any, called: Called | None) -> tuple[bytes, Finished]:
    opening = journal.conversation.opening
    common: dict[str, Any] = {
        "method": exchange.method,
        "target": exchange.target,
        "duration_ns": exchange.duration_ns,
        "rounds": called.rounds if called else 1,
        "output_schema": schema,
        "revision": opening.revision if opening else None,
    }
    if exchange.answer_frame is None:
        return b"", Finished(answered=False, **common, **_failure(exchange, called.reply if called else None))
    raw = _payload(journal, exchange.answer_frame)
    common["size"] = len(raw)
    for message in read(raw):
        if isinstance(message, Answer) and message.id == exchange.id:
            return raw, Finished(result=message.result, **common)
        if isinstance(message, ErrorAnswer) and message.id == exchange.id:
            return raw, Finished(answered=False, error=message.error, **common)
    return raw, Finished(answered=False, failure="its answer can't be read back from the capture", **common)


def _failure(exchange: Exchange | None, reply: Reply | None) -> dict[str, Any]:
    """Why there is no answer."""
    match reply:
        case Silent():
            words = f"Nothing came for {reply.seconds:g} seconds (the {reply.clock} clock ran out)."
            return {"timed_out": True, "failure": words, "hint": "A longer --timeout gives it more time."}
        case Refused():
            status = f"HTTP {reply.status}" if reply.status is not None else "The HTTP exchange"
            return {"failure": f"{status} came without an answer. {reply.why}".strip()}
        case Broken():
            return {"failure": reply.why or "The connection ended.", "hint": reply.hint}
        case GivenUp():
            return {"cancelled": True, "failure": reply.why or "Cancelled here."}
        case Replied() | None:
            return _recorded_failure(exchange)


def _recorded_failure(exchange: Exchange | None) -> dict[str, Any]:
    if exchange is None:
        return {"failure": "It was never sent."}
    if exchange.state is ExchangeState.CANCELLED:
        return {"cancelled": True, "failure": exchange.why or "It was cancelled."}
    if exchange.state is ExchangeState.PENDING:
        return {"failure": "No answer has come."}
    return {"failure": exchange.why or "The connection ended before an answer."}


def _payload(journal: Journal, n: int) -> bytes:
    what = journal.store.entry(n).what
    return what.payload if isinstance(what, Frame) else b""
