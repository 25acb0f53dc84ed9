"""Makes one request and prints its result, its verdict, and events while it runs.

An unanswered server request is not a result: the response is printed, and the exit status reports it.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from inspector import text
from inspector.capture.format.records import Entry
from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import CommandSession, answered
from inspector.cli.launch import keep_call
from inspector.cli.output import Output
from inspector.cli.progress import ProgressBar
from inspector.forms.validate import Validation
from inspector.present import spans
from inspector.present.blocks import ContentBlock
from inspector.present.result import (
    CallOutcome,
    Finished,
    ResultView,
    StructuredPart,
    incomplete,
    outcome_of,
    request_not_sent,
    result_view,
    verdict_of,
)
from inspector.present.server_log import Meanwhile, telling_lines
from inspector.present.spans import Line, Role, Section, fact_lines, section_lines
from inspector.present.words import ModelRun, left_out, model_run_words, of_log_message
from inspector.protocol import events, jsonrpc, peek
from inspector.protocol.apps import lacks_settings, listed_pages
from inspector.protocol.capabilities import ALL, ROOTS, SAMPLING_TOOLS, TASKS
from inspector.protocol.events import Event
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Replied
from inspector.protocol.frames import Direction
from inspector.protocol.jsonrpc import NULL_ERROR, ErrorResponse, ResultResponse
from inspector.protocol.revisions.openings import MISSING_CAPABILITY
from inspector.protocol.server_requests import KIND_OF_SERVER_REQUEST, RequestKind, ServerRequest
from inspector.protocol.tracking.tasks import Task, TaskState
from inspector.session.inbox import BY_NOBODY, BY_OFFERS
from inspector.session.probing import show_what_waits
from inspector.session.session import Session

_SHOWN = 300
"""Maximum number of printed characters of a text."""

_PREPARE = "Put a response into a file and pass it with --responses."
_MEANWHILE_S = 0.1
_STORED = frozenset({"tools/call", "resources/read", "prompts/get"})


class TaskOptions(msgspec.Struct, frozen=True):
    """Options of a call that becomes a task."""

    ttl_ms: float | None = None
    """Requested ttl; None for the server's default."""
    wait: bool = True
    """Whether to follow the task to its end; otherwise only its handle is returned."""


@dataclass(slots=True)
class CliRequest:
    """A request to make, with its rounds afterwards."""

    method: str
    params: Any
    target: str
    """Tool, URI or prompt of the request."""
    output_schema: Any = None
    """Output schema of the tool; None if it has none or is not listed."""
    judged: bool = False
    """Whether structured content is validated, and the verdict added to the JSON."""
    task: TaskOptions | None = None
    """Task to create; None: only if required, or if the server decides so."""
    plain: bool = False
    """Whether the request is sent exactly as given. A resulting task is not followed."""
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def duration_ns(self) -> int | None:
        """Time from the first request to the last response; None if nothing was sent or received."""
        ended = self.exchanges[-1].ended_ns if self.exchanges else None
        return None if ended is None else ended - self.exchanges[0].started_ns


async def called_by(
    session: Session,
    method: str,
    params: Any,
    opened: Callable[[Exchange], None],
    *,
    task_options: TaskOptions | None = None,
    plain: bool = False,
) -> Called:
    """Make a request, as a task if requested, or exactly as given if `plain`. Ctrl+C cancels the task too.

    Raises: UsageError if it can't be a task.
    """
    try:
        if task_options is None:
            return await session.call(method, params, opened=opened, plain=plain)
        return await session.tasks.run(params, ttl_ms=task_options.ttl_ms, opened=opened, wait=task_options.wait)
    except asyncio.CancelledError:
        await session.tasks.end_all()
        raise


def task_of(session: Session, called: Called) -> Task | None:
    """Return the task that a call became; None if it is not a task."""
    if called.task is not None:
        return session.journal.conversation.tasks.find(called.task.id)
    exchange = called.reply.exchange
    return None if exchange is None else session.journal.conversation.tasks.of_operation(exchange.operation)


async def settled(visit: CommandSession, called: Called, task_options: TaskOptions | None) -> ExitStatus | None:
    """Report how a call's task ended if its result does not. Return the exit status if no result is left to print."""
    task = task_of(visit.session, called)
    if task is None:
        if task_options is not None and task_options.wait and isinstance(called.reply, Replied):
            visit.output.narrate("the server returned a result instead of a task; the choice is its own")
        return None
    if called.unanswered and not task.ended:
        await visit.session.tasks.cancel(task.id)
    for fault in task.faults:
        visit.output.warn(f"task {shown(task.id)}: {shown(fault.what)} (frame {fault.frame})")
    if called.task is None:
        _leave_it(visit, task)
        return None
    if called.task.state == TaskState.CANCELLED:
        because = f": {shown(task.message)}" if task.message else ""
        more = {"task": as_json(task)}
        return visit.output.report(
            "task_cancelled", f"the task was cancelled{because}", "", ExitStatus.TOOL_ERROR, more
        )
    if called.task.why:
        visit.output.warn(f"task {shown(task.id)}: {called.task.why}")
    return None


def failed(called: Called, task: Task | None) -> bool:
    """Return whether a task failed without an error in its result."""
    state = called.task.state if called.task is not None else ""
    return task is not None and TaskState.FAILED in (state, task.state)


def as_json(task: Task) -> dict[str, Any]:
    """Return the known facts of a task. Times are milliseconds since the task became known."""
    return {
        "id": task.id,
        "state": task.state,
        "message": task.message,
        "created_at": task.created_at,
        "ttl_ms": task.ttl_ms,
        "poll_ms": task.poll_ms,
        "polls": task.polls,
        "history": [
            {"state": step.state, "message": step.message, "at_ms": round((step.time_ns - task.seen_ns) / 1e6, 3)}
            for step in task.history
        ],
        "faults": [fault.what for fault in task.faults],
    }


class TaskPrinter:
    """Prints each change of a task's state or status message, once."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._reported: dict[int, tuple[str, str]] = {}

    def tell(self, task: Task) -> None:
        """Print the current state if it has changed."""
        words = (task.state, task.message)
        if self._reported.get(task.number) == words:
            return
        if task.number not in self._reported:
            whose = "task" if task.by_server else "client task"
            self._output.narrate(f"{whose}: {shown(task.id)}")
        self._reported[task.number] = words
        message = f": {shown(task.message)}" if task.message else ""
        self._output.narrate(f"  · {shown(task.state) or 'no state'}{message}")


def shown(words: str) -> str:
    """Return foreign text as one line that is safe to print."""
    return text.visible(words, limit=_SHOWN)


def _leave_it(visit: CommandSession, task: Task) -> None:
    """Stop following a task of which only the handle was requested."""
    if visit.session.transport.kind == "stdio":
        visit.output.warn("the server ends with this command, and its task with it: over HTTP it would go on")
    else:
        visit.output.narrate("""get its state with: mcp-inspect request tasks/get --params '{"taskId": "…"}' URL""")


@contextmanager
def narrating(session: Session, output: Output, *, progress: bool = False, logs: bool = False) -> Iterator[None]:
    """Print events during the block: server requests always, progress and log messages if requested."""
    bar = ProgressBar(output) if progress else None
    stop = session.journal.listen(Narrator(output, bar, logs=logs).hear)
    try:
        yield
    finally:
        stop()
        if bar is not None:
            bar.end()


class Narrator:
    """A journal listener that prints events."""

    def __init__(self, output: Output, bar: ProgressBar | None = None, *, logs: bool = False) -> None:
        self._output = output
        self._bar = bar
        self._logs = logs
        self._tasks = TaskPrinter(output)

    def hear(self, entry: Entry, found: Sequence[Event]) -> None:
        """Print an entry."""
        for event in found:
            match event:
                case events.ServerRequested(server_request):
                    self._output.narrate(f"? {asked(server_request)}")
                case events.RequestSent(exchange, message) if exchange.sender is Direction.TO_SERVER:
                    for reply in peek.mapping(message.params, "inputResponses").values():
                        self._say(_answer(reply))
                case events.Closed(exchange, answer) if exchange.sender is Direction.FROM_SERVER:
                    if exchange.method in KIND_OF_SERVER_REQUEST:
                        self._say(_reply(answer))
                case events.Cancelled(exchange) if exchange.sender is Direction.FROM_SERVER:
                    why = f": {text.visible(exchange.why, limit=_SHOWN)}" if exchange.why else ""
                    self._say(f"the server cancelled {exchange.method}{why}")
                case events.TaskUpdated(task):
                    self._tasks.tell(task)
                case events.Progressed(exchange) if self._bar is not None and exchange.progress is not None:
                    self._bar.show(exchange.progress)
                case events.Notified(Direction.FROM_SERVER, message) if self._logs:
                    if message.method == "notifications/message":
                        self._output.narrate(text.visible(of_log_message(message.params), limit=_SHOWN))

    def _say(self, words: str) -> None:
        self._output.narrate(f"  → {words}")


def asked(server_request: ServerRequest) -> str:
    """Describe a server request in one line that is safe to print."""
    where = f" at {server_request.url}" if server_request.url else ""
    message = server_request.message or _json(server_request.params or {})
    return text.visible(f"{server_request.kind}{where}: {message}", limit=_SHOWN)


def _reply(answer: jsonrpc.ResultResponse | jsonrpc.ErrorResponse) -> str:
    return f"error: {answer.message}" if isinstance(answer, jsonrpc.ErrorResponse) else _answer(answer.result)


def _answer(result: Any) -> str:
    """Summarize a response: its action and content, otherwise its JSON."""
    action = peek.text(result, "action")
    if action is None:
        return text.visible(_json(result), limit=_SHOWN)
    content = peek.at(result, "content")
    return text.visible(action if content is None else f"{action} {_json(content)}", limit=_SHOWN)


def _json(value: Any) -> str:
    return text.decode(jsonrpc.encode(value))


async def make(visit: CommandSession, request: CliRequest, *, progress: bool = False, logs: bool = False) -> ExitStatus:
    """Send the request and print the response; meanwhile print progress and log messages if requested.

    Raises: what `answered` raises.
    """
    with narrating(visit.session, visit.output, progress=progress, logs=logs):
        opened = request.exchanges.append
        called = await called_by(
            visit.session, request.method, request.params, opened, task_options=request.task, plain=request.plain
        )
    if (ended := await settled(visit, called, request.task)) is not None:
        return ended
    task = task_of(visit.session, called)
    await show_what_waits(visit.session, called.reply)
    message = answered(called.reply, request.method).message
    if isinstance(message, ResultResponse) and not visit.output.as_json:
        await _list_pages(visit, request.method, message.result)
    finished = _finished(visit, request, message, called)
    _store(visit, request, finished)
    verdict = verdict_of(finished) if request.judged else None
    failure = await _failure(visit, request, called, finished)
    if visit.output.as_json:
        about: dict[str, Any] = {"task": as_json(task)} if task is not None else {}
        about |= {"failure": found} if (found := failure.as_data()) else {}
        about |= narrate_finding(visit, request.exchanges) if _is_doubtful(visit, request, finished) else {}
        visit.output.data(_as_json(request, message, finished, verdict) | about)
        _narrate_verdict(visit.output, verdict)
    else:
        view = result_view(finished, verdict)
        visit.output.lines(result_lines(replace(view, hint="") if failure.message else view))
        if _is_doubtful(visit, request, finished):
            narrate_finding(visit, request.exchanges)
    if failure.stderr:
        lines: tuple[Line, ...] = tuple(((line, "stderr"),) for line in failure.stderr)
        visit.output.narrate_lines(section_lines(Section("stderr during the call", lines=lines)))
    if NULL_ERROR in message.defects:
        visit.output.warn(f'{request.method}: the response has "error": null beside its result; some clients reject it')
    _narrate_models(visit.session, visit.output)
    if failure.message:
        more = {"stderr": failure.stderr} if failure.stderr else {}
        return visit.output.report(failure.code, failure.message, failure.hint, ExitStatus.TOOL_ERROR, more)
    if outcome_of(finished) in (CallOutcome.OK, CallOutcome.INCOMPLETE) and task is not None and failed(called, task):
        return visit.output.report("task_failed", f"the task failed: {shown(task.message)}", "", ExitStatus.TOOL_ERROR)
    if outcome_of(finished) is CallOutcome.INCOMPLETE:
        sentence = f"{request.method} brought no complete result: {incomplete(finished)}"
        return visit.output.report("incomplete", sentence, "", ExitStatus.TOOL_ERROR)
    return ExitStatus.OK if outcome_of(finished) is CallOutcome.OK else ExitStatus.TOOL_ERROR


def _is_doubtful(visit: CommandSession, request: CliRequest, finished: Finished) -> bool:
    """Whether findings are looked for, which takes time: not if a call succeeded with a result of the right shape."""
    if request.method != "tools/call" or outcome_of(finished) is not CallOutcome.OK:
        return True
    from inspector.checks.registry import row_of_date  # slow to import
    from inspector.checks.shapes.judge import judge_of

    return bool(judge_of(row_of_date(visit.opening.revision.date), "Called")(finished.result))


def narrate_finding(visit: CommandSession, exchanges: Sequence[Exchange]) -> dict[str, Any]:
    """Print the most important finding about what was exchanged since the first; return it as a member of the JSON.

    Beside an error response only errors are printed: it states its reason itself.
    """
    if not exchanges:
        return {}
    return narrate_since(visit, exchanges[0].request_frame, answered=exchanges[-1].state is ExchangeState.ANSWERED)


def narrate_since(visit: CommandSession, since: int, *, answered: bool) -> dict[str, Any]:
    """Print the most important finding about entries from `since`; return it as a member of the JSON."""
    from inspector.checks.findings import Severity
    from inspector.cli.reports import finding_as_json  # slow to import
    from inspector.present.failure_report import finding_since
    from inspector.present.findings import finding_line

    found = finding_since(visit.session.journal, since)
    if found is None:
        return {}
    if found.severity is Severity.ERROR or answered:
        visit.output.narrate_lines([finding_line(found)])
    return {"primary": finding_as_json(found)}


def _store(visit: CommandSession, request: CliRequest, finished: Finished) -> None:
    """Store the call for later sessions."""
    if request.method not in _STORED or request.plain:
        return
    status = outcome_of(finished).value
    ms = None if request.duration_ns is None else round(request.duration_ns / 1e6, 3)
    keep_call(visit.target, visit.output.env.environ, request.method, request.params, status, ms)


def _narrate_models(session: Session, output: Output) -> None:
    """Print which model responded. Content that it did not get is printed as a warning."""
    for proposal in (ticket.proposal for ticket in session.options.inbox.tickets if ticket.proposal is not None):
        if proposal.reply is None:
            continue
        reply = proposal.reply
        account = ModelRun(proposal.model, proposal.took_ns, reply.tokens_in, reply.tokens_out, reply.left_out)
        output.narrate(f"model's response: {model_run_words(account)}")
        if lost := left_out(account):
            output.warn(f"the model did not see {lost}")


class _Failure(msgspec.Struct, frozen=True):
    """What is known of a failed request besides its response."""

    code: str = ""
    message: str = ""
    """The cause; "" if unknown."""
    hint: str = ""
    stderr: tuple[str, ...] = ()
    """Last lines that the server wrote to stderr meanwhile, safe to print."""

    def as_data(self) -> dict[str, Any]:
        return {name: found for name in self.__struct_fields__ if (found := getattr(self, name))}


async def _failure(visit: CommandSession, request: CliRequest, called: Called, finished: Finished) -> _Failure:
    has_failed = outcome_of(finished) in (CallOutcome.TOOL_ERROR, CallOutcome.JSONRPC_ERROR)
    stderr = await _written(visit.session, request) if has_failed else ()
    if (left_open := _left_open(visit.session, called))[0]:
        return _Failure("unanswered", *left_open, stderr)
    if has_failed and (found := request_not_sent(finished, stderr)) is not None:
        return _Failure("request_not_sent", *found, stderr)
    if has_failed and (undeclared := _undeclared(visit.session) or _demanded(finished.error)) is not None:
        return _Failure("unanswered", *undeclared, stderr)
    return _Failure(stderr=stderr)


async def _written(session: Session, request: CliRequest) -> tuple[str, ...]:
    """Return the last lines of stderr during a call. stderr is a separate pipe: they may be read after the response."""
    if not request.exchanges or session.transport.kind != "stdio":
        return ()
    written, loop = Meanwhile(session.journal, request.exchanges[-1]), asyncio.get_running_loop()
    until = loop.time() + _MEANWHILE_S
    while not written.look() and loop.time() < until:  # noqa: ASYNC110 - a pipe that stays empty sends no event
        await asyncio.sleep(_MEANWHILE_S / 10)
    return tuple(line.rstrip()[:_SHOWN] for line in telling_lines([line for _, line in written.lines if line.strip()]))


def _left_open(session: Session, called: Called) -> tuple[str, str]:
    """Return why a server request got no response, and a hint; "" if all got one."""
    for ticket in session.options.inbox.tickets:
        if ticket.by != BY_NOBODY:
            continue
        if ticket.proposal is not None:
            return f"{ticket.proposal.model} failed: {ticket.why}", ticket.proposal.hint
        return ticket.why, _PREPARE
    return called.unanswered, _PREPARE


def _undeclared(session: Session) -> tuple[str, str] | None:
    """Return which server request was refused because the client does not declare it, and a hint; None without one."""
    for ticket in session.options.inbox.tickets:
        if ticket.by == BY_OFFERS:
            asked_for = ticket.server_request
            name = asked_for.kind.value
            if asked_for.kind is RequestKind.ELICITATION:
                name = f"elicitation.{asked_for.mode}"
            elif peek.has(asked_for.params, "tools") or peek.has(asked_for.params, "toolChoice"):
                name = SAMPLING_TOOLS
            return f"{asked_for.kind} was refused: this client does not declare {shown(name)}", _declaring(name)
    return None


def _demanded(error: Any) -> tuple[str, str] | None:
    """Return which capability an error demands, as 2026-07-28 defines it, and a hint; None without one."""
    if peek.integer(error, "code") != MISSING_CAPABILITY:
        return None
    named = list(peek.mapping(error, "data", "requiredCapabilities"))
    which = shown(", ".join(named[:3])) or "a capability"
    return f"the server requires {which}, which this client does not declare", _declaring(named[0] if named else "")


def _declaring(name: str) -> str:
    if name == ROOTS:
        return "Give a directory with --root DIR, which declares the capability."
    if name not in (*ALL, RequestKind.ELICITATION):
        return ""
    also = f"; so does --capability {name}, without a response."
    return f"{_PREPARE} This declares the capability{also}" if name != TASKS else f"Connect with --capability {name}."


def _finished(
    visit: CommandSession, request: CliRequest, message: ResultResponse | ErrorResponse, called: Called
) -> Finished:
    if isinstance(message, ResultResponse):
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


async def _list_pages(visit: CommandSession, method: str, result: Any) -> None:
    """List resources after reading an app page whose permissions are in its list entry."""
    pages = method == "resources/read" and any(map(lacks_settings, peek.items(result, "contents")))
    if pages and peek.has(visit.opening.capabilities, "resources"):
        await visit.session.list_all("resources")


def _as_json(
    request: CliRequest, message: ResultResponse | ErrorResponse, finished: Finished, verdict: Validation | None
) -> dict[str, Any]:
    """Return the printed object: the response's own bytes with additional members."""
    members: dict[str, Any] = {
        "result": msgspec.Raw(message.result_part.raw) if isinstance(message, ResultResponse) else None,
        "error": msgspec.Raw(message.error_part.raw) if isinstance(message, ErrorResponse) else None,
    }
    if request.judged:
        members["valid"] = verdict.ok if verdict else None
    took = request.duration_ns
    members |= {"duration_ms": None if took is None else round(took / 1e6, 3), "rounds": finished.rounds}
    return members | {"outcome": outcome_of(finished).value}


def _narrate_verdict(output: Output, verdict: Validation | None) -> None:
    if verdict is None:
        return
    if verdict.note:
        output.warn(verdict.note)
    for problem in verdict.problems:
        output.warn(f"structuredContent{problem.pointer} {problem.sentence}")


def result_lines(view: ResultView) -> list[Line]:
    """Return the result of a call, a read or a prompt as lines: headline, content blocks, verdict."""
    found: list[Line] = [view.headline]
    found += [(("  ", "text"), *line) for line in view.message]
    found += fact_lines(view.facts, indent="  ")
    for block in view.blocks:
        found += _block(block)
    if view.structured is not None:
        found += _structured(view.structured)
    if view.hint:
        found += [(), ((f"{spans.NOTE} ", "accent"), (view.hint, "muted"))]
    return found


def _block(block: ContentBlock) -> list[Line]:
    found: list[Line] = [(), block.title]
    found += fact_lines(block.facts, indent="  ")
    role: Role = "foreign" if block.look != "json" else "text"
    found += [((line, role),) for line in block.text.split("\n")] if block.text else []
    return found


def _structured(structured: StructuredPart) -> list[Line]:
    found: list[Line] = [(), (("structuredContent  ", "muted"), *structured.verdict)]
    found += fact_lines(structured.problems, indent="  ")
    found += [((line, "text"),) for line in structured.text.split("\n")] if structured.text else []
    return found
