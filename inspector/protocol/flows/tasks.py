"""Flow of polling a task until it ends, with one strategy per protocol and a common result.

Core (2025-11-25): poll `tasks/get`. Once the task needs input, send `tasks/result`, whose stream carries the server
requests, and keep polling while it is open. At the end, `tasks/result` returns the task's result. Extension: the
results of `tasks/get` contain the requests for input, answered by `tasks/update`, and finally the result.

Polls keep the interval that the server requests, including the first poll and those after an update. Only an
extremely short interval is raised to a minimum. There is no overall timeout here.

Source: specification 2025-11-25, basic/utilities/tasks; ext-tasks, specification 2026-07-28 (stable), tasks.
"""

from enum import StrEnum
from typing import Any

import msgspec
from msgspec.structs import replace

from inspector.errors import UsageError
from inspector.protocol import peek, server_requests
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.list_all import PAGE_LIMIT
from inspector.protocol.flows.steps import (
    Await,
    Flow,
    GivenUp,
    Refused,
    Replied,
    Reply,
    RequestUserInput,
    Send,
    Silent,
    StillWaiting,
    WaitForNews,
    Withdraw,
)
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.protocol.revisions._shape import Revision, TaskSupport
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.server_requests import ServerRequest, server_requests_in
from inspector.protocol.tracking.tasks import (
    EXTENSION_NAME,
    STATES,
    UNKNOWN_TASK,
    Task,
    TaskReport,
    TaskState,
    read_task_report,
)
from inspector.text import cut

LEAST_S, USUAL_S, MOST_S = 0.1, 1.0, 86_400.0
"""Seconds between two polls: minimum, default without a usable interval, maximum."""
FIRST_S = 0.5
"""Seconds before the first poll without a usable interval: many tasks end quickly."""
FAILURES = 3
"""Number of consecutive failed polls after which polling ends."""
AFTER_CANCEL = 10
"""Maximum number of polls after cancelling a task that continues."""

_FINAL = frozenset({401, 403, 404})
"""HTTP statuses that a retry does not fix."""


class TaskEnd(msgspec.Struct, frozen=True):
    """How polling a task ended."""

    id: str
    state: str
    """Its last state, as received."""
    why: str = ""
    """Why polling ended before the task did, or what is missing; "" on success."""


class Followed(msgspec.Struct, frozen=True):
    """The outcome of polling a task."""

    reply: Reply
    """The task's result, as if it were the response to the request itself; or what was received instead."""
    rounds: int
    """Number of requests made."""
    end: TaskEnd
    unanswered: str = ""
    """Why its requests for input were not answered; "" if it has none."""


class _Course(msgspec.Struct):
    """Progress of polling a task."""

    id: str
    revision: Revision
    cause: int | None
    """Number of the exchange that created the task."""
    word: TaskReport
    rounds: int = 0
    failures: int = 0
    polls_after_cancel: int = 0
    polled: Replied | None = None
    """The last response to a poll."""
    result: Exchange | None = None
    """Exchange of `tasks/result` while its response is awaited (core)."""
    result_refused: bool = False
    asking: tuple[ServerRequest, ...] = ()
    """Requests for input that the user is answering (extension)."""
    asked: set[str] = msgspec.field(default_factory=set)
    """Keys of all requests for input so far (extension)."""

    def send(self, method: str, silence_s: float | None = None, **more: Any) -> Send:
        """Return the step for a request about the task."""
        self.rounds += 1
        return Send(method, {"taskId": self.id, **more}, revision=self.revision, silence_s=silence_s)

    def over(self, reply: Reply, why: str = "", unanswered: str = "") -> Followed:
        """Return the outcome: polling ends."""
        return Followed(reply, self.rounds, TaskEnd(self.id, self.word.state, why), unanswered)

    @property
    def pause_s(self) -> float:
        """Seconds until the next poll."""
        if self.word.poll_ms is None and self.polled is None and self.failures == 0:
            return FIRST_S
        return pause_of(self.word.poll_ms)


class Support(StrEnum):
    """Whether a call may become a task."""

    NONE = "none"
    """Neither the revision nor the server knows tasks."""
    FORBIDDEN = "forbidden"
    """The server has tasks, but not for this tool; also the default for tools."""
    OPTIONAL = "optional"
    REQUIRED = "required"
    SERVER_DECIDES = "server decides"
    """Tasks can't be requested: any call may be answered with one."""


class TaskList(msgspec.Struct, frozen=True):
    """The fetched part of the list; the tasks themselves are in the conversation."""

    ids: tuple[str, ...]
    pages: int
    stopped: str = ""
    """Why fetching ended before the server's end of the list; "" if the list is complete."""
    failed: Reply | None = None
    """What was received instead of a page, if that is the reason."""


def follow(id_: str, *, revision: Revision, word: TaskReport | None = None, cause: int | None = None) -> Flow[Followed]:
    """Poll a task until it ends. `word` is the content of its handle; if None, the task is polled at once.

    `cause` is the number of the exchange that created the task, if known.
    """
    course = _Course(id_, revision, cause, word or TaskReport(id_, ""))
    if word is None and (over := (yield from _poll(course))):
        return over
    step = _extension_step if revision.tasks is TaskSupport.EXTENSION else _core_step
    while True:
        if over := (yield from step(course)):
            return over
        if over := (yield from _poll(course)):
            return over


def pause_of(poll_ms: float | None) -> float:
    """Return the seconds between polls for the interval that a task requests."""
    return min(max(USUAL_S if poll_ms is None else poll_ms / 1000, LEAST_S), MOST_S)


def _core_step(course: _Course) -> Flow[Followed | None]:
    """Fetch the result if the task has ended, otherwise wait. Return None if another poll is needed."""
    if course.word.state == TaskState.CANCELLED:
        return (yield from _cancelled(course))
    if course.word.ended:
        return course.over((yield from _result(course)))
    if course.word.state == TaskState.INPUT_REQUIRED or course.result is not None:
        # "the requestor SHOULD preemptively call tasks/result": its stream carries the questions
        return (yield from _input_by_result(course))
    return (yield from _watch(course))


def _input_by_result(course: _Course) -> Flow[Followed | None]:
    if course.result_refused:
        return (yield from _watch(course))
    if course.result is None:
        reply: Reply = yield course.send("tasks/result", silence_s=course.pause_s)
    else:
        reply = yield Await(course.result, silence_s=course.pause_s)
    if isinstance(reply, Silent) and reply.exchange is not None:
        course.result = reply.exchange
        return None
    course.result = None
    if isinstance(reply, Replied) and isinstance(reply.message, ErrorResponse):
        course.result_refused = True  # some servers have no result until the end; a poll shows the state
        return None
    state = TaskState.COMPLETED if isinstance(reply, Replied) else course.word.state
    course.word = replace(course.word, state=state)
    return course.over(reply)


def _result(course: _Course) -> Flow[Reply]:
    if course.result is not None:
        reply: Reply = yield Await(course.result)
    else:
        reply = yield course.send("tasks/result")
    return reply


def _cancelled(course: _Course) -> Flow[Followed]:
    """End after a cancellation. An open request for the result gets a last chance to be answered."""
    if course.result is not None:
        yield Await(course.result, silence_s=LEAST_S)
    message = f": {course.word.message}" if course.word.message else ""
    exchange = course.polled.exchange if course.polled else None
    return course.over(GivenUp(exchange, f"the task was cancelled{message}"))


def _extension_step(course: _Course) -> Flow[Followed | None]:
    word, polled = course.word, course.polled
    if course.asking and (word.ended or not _outstanding(course)):
        yield Withdraw(course.asking, "the task no longer needs the answer")
        course.asking = ()
    if word.state == TaskState.CANCELLED:
        return (yield from _cancelled(course))
    if word.ended and polled is None:
        return None  # the handle shows that the task has ended, but only a poll has the outcome
    if word.ended and polled is not None:
        return _ended(course, polled)
    course.asking = course.asking or _new_questions(course)
    if course.asking:
        return (yield from _ask(course))
    return (yield from _watch(course))


def _ended(course: _Course, polled: Replied) -> Followed:
    """Return the task's outcome as if it were the response to the call."""
    word, id_ = course.word, polled.message.id
    if word.state == TaskState.COMPLETED and word.result is not None and id_ is not None:
        return course.over(Replied(ResultResponse(id_, word.result), polled.exchange))
    if word.state == TaskState.FAILED and word.error is not None:
        return course.over(Replied(ErrorResponse(id_, word.error), polled.exchange))
    lacking = "result" if word.state == TaskState.COMPLETED else "error"
    return course.over(polled, f"it is {word.state}, and brings no {lacking}")


def _new_questions(course: _Course) -> tuple[ServerRequest, ...]:
    """Return the requests for input that are new. "Clients SHOULD deduplicate inputRequests keys"."""
    if course.word.state != TaskState.INPUT_REQUIRED:
        return ()
    new = {key: each for key, each in peek.mapping(course.word.server_requests).items() if key not in course.asked}
    exchange = course.polled.exchange if course.polled else None
    found = server_requests_in(
        {"inputRequests": new},
        exchange=exchange.number if exchange else course.cause or 0,
        frame=(exchange.answer_frame if exchange else None) or 0,
        asked_ns=(exchange.ended_ns if exchange else None) or 0,
    )
    course.asked |= new.keys()
    return tuple(replace(each, cause=course.cause, task=course.id) for each in found)


def _outstanding(course: _Course) -> bool:
    """Return whether the server still wants all responses that the user is working on."""
    wanted = peek.mapping(course.word.server_requests)
    return course.word.state == TaskState.INPUT_REQUIRED and all(each.key in wanted for each in course.asking)


def _ask(course: _Course) -> Flow[Followed | None]:
    """Get the responses for the task and send them. Return None if another poll is needed first."""
    answers: tuple[server_requests.Reply, ...] | StillWaiting | None = yield RequestUserInput(
        course.asking, patience_s=course.pause_s
    )
    if isinstance(answers, StillWaiting):
        return None
    asked, course.asking = course.asking, ()
    refusals = [answer.message for answer in answers or () if isinstance(answer, server_requests.ErrorReply)]
    if refusals:
        return course.over(course.polled or GivenUp(None, refusals[0]), unanswered=refusals[0])
    if answers is None:
        return None  # withdrawn: a poll shows its state
    values = {q.key: a.value for q, a in zip(asked, answers, strict=True) if isinstance(a, server_requests.Result)}
    reply: Reply = yield course.send("tasks/update", inputResponses=values)
    if isinstance(reply, Replied) and isinstance(reply.message, ErrorResponse):
        return course.over(reply, "it does not take the answers")
    if not isinstance(reply, Replied):
        return course.over(reply)
    return (yield from _watch(course))


def _watch(course: _Course) -> Flow[Followed | None]:
    """Wait for the next poll, or for an update of the task."""
    known: Task | None = yield WaitForNews(course.id, course.pause_s)
    if known is None or known.cancel_asked is None:
        return None
    course.polls_after_cancel += 1
    if known.state == TaskState.CANCELLED:
        course.word = replace(course.word, state=known.state, message=known.message)
        return (yield from _cancelled(course))
    if course.polls_after_cancel > AFTER_CANCEL:
        return course.over(GivenUp(None, "the task was asked to end"), "it was cancelled, but continues")
    return None


def _poll(course: _Course) -> Flow[Followed | None]:
    """Poll the task's state. Return None if it is updated, or if polling again may help."""
    reply: Reply = yield course.send("tasks/get")
    if isinstance(reply, Replied) and isinstance(reply.message, ResultResponse):
        word = read_task_report(reply.message.result_part)
        if word is not None and word.id == course.id:
            course.failures, course.polled = 0 if word.state in STATES else course.failures + 1, reply
            course.result_refused = course.result_refused and word.state == course.word.state
            course.word = word
            if course.failures < FAILURES:
                return None
            return course.over(reply, f"its status is {cut(word.state, 40)!r}, which no version has")
    elif isinstance(reply, Replied) and isinstance(reply.message, ErrorResponse) and reply.message.code == UNKNOWN_TASK:
        return course.over(reply, "the server does not know it (any more)")
    elif not isinstance(reply, Replied | Refused) or (isinstance(reply, Refused) and reply.status in _FINAL):
        return course.over(reply, "it can't be polled")
    course.failures += 1
    return course.over(reply, f"it can't be polled: {FAILURES} times in a row") if course.failures >= FAILURES else None


# Whether a tool can be called as a task, and how to request that.


def support_of(tool: Tool | None, opening: Opening) -> Support:
    """Return whether calls of a tool may become tasks. `tool` is None if it is not listed."""
    if opening.revision.tasks is TaskSupport.EXTENSION:
        declared = peek.has(opening.capabilities, "extensions", EXTENSION_NAME)
        return Support.SERVER_DECIDES if declared else Support.NONE
    if opening.revision.tasks is TaskSupport.NONE or not peek.has(
        opening.capabilities, "tasks", "requests", "tools", "call"
    ):
        return Support.NONE
    message = tool.task_support if tool is not None else ""
    return Support(message) if message in ("required", "optional") else Support.FORBIDDEN


def why_no_task(support: Support, name: str, opening: Opening) -> str:
    """Return why a call can't be made as a task, one sentence; "" if it can, or if the server decides."""
    match support:
        case Support.FORBIDDEN:
            return f"the server does not let {name} be called as a task"
        case Support.NONE if opening.revision.tasks is TaskSupport.NONE:
            return f"{opening.revision.date} has no tasks"
        case Support.NONE:
            return "the server does not declare tasks for tool calls"
    return ""


def as_task(params: Any, ttl_ms: float | None = None) -> dict[str, Any]:
    """Add the request for a task to a call's params. `ttl_ms` is its lifetime; None for the server's choice."""
    ttl = int(ttl_ms) if ttl_ms is not None and float(ttl_ms).is_integer() else ttl_ms
    return {**peek.mapping(params), "task": {} if ttl is None else {"ttl": ttl}}


# Listing the tasks of a server, page by page, protected against cursors that never end.


def why_no_list(opening: Opening) -> str:
    """Return why tasks can't be listed, one sentence; "" if they can."""
    if opening.revision.tasks is TaskSupport.CORE:
        declared = peek.has(opening.capabilities, "tasks", "list")
        return "" if declared else "the server does not declare tasks.list"
    return f"{opening.revision.date} has no list of tasks"


def list_tasks(opening: Opening) -> Flow[TaskList]:
    """Fetch the list. Raises: UsageError if the server has none."""
    if why := why_no_list(opening):
        raise UsageError(why, hint="Tasks that this session began are known without a list.")
    ids: dict[str, None] = {}
    seen: set[str] = set()
    cursor: str | None = None
    for page in range(1, PAGE_LIMIT + 1):
        params = None if cursor is None else {"cursor": cursor}
        reply: Reply = yield Send("tasks/list", params, revision=opening.revision)
        if not isinstance(reply, Replied) or not isinstance(reply.message, ResultResponse):
            return TaskList(tuple(ids), page - 1, f"page {page} could not be fetched", reply)
        result: Any = reply.message.result
        found = [id_ for item in peek.items(result, "tasks") if (id_ := peek.text(item, "taskId"))]
        new = [id_ for id_ in found if id_ not in ids]
        ids |= dict.fromkeys(new)
        cursor = peek.text(result, "nextCursor")
        if cursor is None:
            return TaskList(tuple(ids), page, _oddity(result))
        if cursor in seen or (cursor == "" and not new):
            return TaskList(tuple(ids), page, f"the server gave the cursor {cut(cursor, 80)!r} a second time")
        seen.add(cursor)
    return TaskList(tuple(ids), PAGE_LIMIT, f"more than {PAGE_LIMIT} pages")


def _oddity(result: Any) -> str:
    return "" if isinstance(peek.at(result, "tasks"), list) else "the result has no array 'tasks'"
