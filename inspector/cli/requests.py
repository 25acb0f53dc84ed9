"""One request and what is written of it: the answer as it came, the verdict on it, how long it took.

A question of the server's that nobody answers is no result: what came is written, and the exit status says so.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit
from inspector.cli.narration import narrating
from inspector.cli.outcome import answered
from inspector.cli.output import Output
from inspector.cli.tasks import TaskWish, as_json, called_by, failed, settled, shown, task_of
from inspector.forms.validate import Verdict
from inspector.protocol import peek
from inspector.protocol.apps import lacks_settings, listed_pages
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.jsonrpc import NULL_ERROR, Answer, ErrorAnswer
from inspector.session.desk import BY_NOBODY
from inspector.session.session import Session
from inspector.viewmodels.proposed import Account, left_out, told
from inspector.viewmodels.readable import result_lines
from inspector.viewmodels.result import Came, Finished, came_of, incomplete, result_view, verdict_of


@dataclass(slots=True)
class Request:
    """A request to be made, and its rounds once it was."""

    method: str
    params: Any
    target: str
    """What it is about: a tool, a uri, a prompt."""
    output_schema: Any = None
    """Of the tool it calls; None if there is none, or the tool was not listed."""
    judged: bool = False
    """Whether structured content is judged, and the verdict a member of the JSON."""
    task: TaskWish | None = None
    """That it is to become a task; None: only where it must, or where the server decides so."""
    plain: bool = False
    """Whether it is sent exactly as it is, and what becomes a task is not followed."""
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def duration_ns(self) -> int | None:
        """From the first request to the last answer; None if nothing was sent or nothing came."""
        ended = self.exchanges[-1].ended_ns if self.exchanges else None
        return None if ended is None else ended - self.exchanges[0].started_ns


_PREPARE = "Prepare an answer, and name its file with --answers."


async def make(visit: Visit, request: Request, *, progress: bool = False, logs: bool = False) -> ExitStatus:
    """Send it, wait, write what came. Progress and log messages are told meanwhile if they are wanted.

    Raises: what `answered` raises, if no answer came.
    """
    with narrating(visit.session, visit.output, progress=progress, logs=logs):
        opened = request.exchanges.append
        called = await called_by(
            visit.session, request.method, request.params, opened, wish=request.task, plain=request.plain
        )
    if (ended := await settled(visit, called, request.task)) is not None:
        return ended
    task = task_of(visit.session, called)
    message = answered(called.reply, request.method).message
    if isinstance(message, Answer) and not visit.output.as_json:
        await _list_pages(visit, request.method, message.result)
    finished = _finished(visit, request, message, called)
    verdict = verdict_of(finished) if request.judged else None
    if visit.output.as_json:
        about = {"task": as_json(task)} if task is not None else {}
        visit.output.data(_as_json(request, message, finished, verdict) | about)
        _narrate_verdict(visit.output, verdict)
    else:
        visit.output.lines(result_lines(result_view(finished, verdict)))
    if NULL_ERROR in message.defects:
        visit.output.warn(f'{request.method}: the response has "error": null beside its result; some clients reject it')
    _narrate_models(visit.session, visit.output)
    left_open, hint = _left_open(visit.session, called)
    if left_open:
        return visit.output.report("unanswered", left_open, hint, ExitStatus.TOOL_ERROR)
    if came_of(finished) in (Came.OK, Came.INCOMPLETE) and task is not None and failed(called, task):
        return visit.output.report("task_failed", f"the task failed: {shown(task.message)}", "", ExitStatus.TOOL_ERROR)
    if came_of(finished) is Came.INCOMPLETE:
        said = f"{request.method} brought no complete result: {incomplete(finished)}"
        return visit.output.report("incomplete", said, "", ExitStatus.TOOL_ERROR)
    return ExitStatus.OK if came_of(finished) is Came.OK else ExitStatus.TOOL_ERROR


def _narrate_models(session: Session, output: Output) -> None:
    """Which real model answered what the server asked; what it did not get to see is a warning."""
    for proposal in (ticket.proposal for ticket in session.options.desk.tickets if ticket.proposal is not None):
        if proposal.said is None:
            continue
        said = proposal.said
        account = Account(proposal.model, proposal.took_ns, said.tokens_in, said.tokens_out, said.left_out)
        output.narrate(f"the model's answer: {told(account)}")
        if lost := left_out(account):
            output.warn(f"the model did not see {lost}")


def _left_open(session: Session, called: Called) -> tuple[str, str]:
    """Why a question of the server's got no answer, and what to do; "" if none was left without."""
    for ticket in session.options.desk.tickets:
        if ticket.by != BY_NOBODY:
            continue
        if ticket.proposal is not None:
            return f"{ticket.proposal.model} gave no answer: {ticket.why}", ticket.proposal.hint
        return ticket.why, _PREPARE
    return called.unanswered, _PREPARE


def _finished(visit: Visit, request: Request, message: Answer | ErrorAnswer, called: Called) -> Finished:
    if isinstance(message, Answer):
        result, error, size = message.result, None, len(message.result_part.raw)
    else:
        result, error, size = None, message.error if message.error is not None else {}, len(message.error_part.raw)
    return Finished(
        method=request.method,
        target=request.target,
        result=result,
        error=error,
        duration_ns=request.duration_ns,
        size=size,
        rounds=called.rounds,
        unfinished=called.unanswered or (called.task.why if called.task is not None else ""),
        handle_wanted=request.plain or (request.task is not None and not request.task.wait),
        output_schema=request.output_schema,
        revision=visit.session.revision,
        listed=listed_pages(result, visit.session.journal.conversation.catalogue.resources),
    )


async def _list_pages(visit: Visit, method: str, result: Any) -> None:
    """List the resources where a page was read that leaves it to its entry there what it may do."""
    pages = method == "resources/read" and any(map(lacks_settings, peek.items(result, "contents")))
    if pages and peek.has(visit.opening.capabilities, "resources"):
        await visit.session.list_all("resources")


def _as_json(
    request: Request, message: Answer | ErrorAnswer, finished: Finished, verdict: Verdict | None
) -> dict[str, Any]:
    """The object that is written: the answer's own bytes, and what we add."""
    told: dict[str, Any] = {
        "result": msgspec.Raw(message.result_part.raw) if isinstance(message, Answer) else None,
        "error": msgspec.Raw(message.error_part.raw) if isinstance(message, ErrorAnswer) else None,
    }
    if request.judged:
        told["valid"] = verdict.ok if verdict else None
    took = request.duration_ns
    told |= {"duration_ms": None if took is None else round(took / 1e6, 3), "rounds": finished.rounds}
    return told | {"outcome": came_of(finished).value}


def _narrate_verdict(output: Output, verdict: Verdict | None) -> None:
    if verdict is None:
        return
    if verdict.note:
        output.warn(verdict.note)
    for problem in verdict.problems:
        output.warn(f"structuredContent{problem.pointer} {problem.sentence}")
