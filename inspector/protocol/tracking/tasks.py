"""Tasks: work that outlives the request that created it, as far as the frames show it.

Either side may run one (2025-11-25); in the extension io.modelcontextprotocol/tasks it is the server. A task becomes
known by its handle, or by the first message that mentions it: a list, a notification. The latest state is used,
valid or not; violations are in its faults, with the frame that shows them.

Source: specification 2025-11-25, basic/utilities/tasks; ext-tasks, specification 2026-07-28 (stable), tasks.
"""

from enum import StrEnum
from typing import Any

import msgspec
from msgspec.structs import replace

from inspector.documents import prepared_type
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Part, ResultResponse
from inspector.protocol.server_requests import ServerRequest, server_requests_in
from inspector.text import cut

RELATED_TASK = "io.modelcontextprotocol/related-task"
"""Member of `_meta` with the task that a message belongs to (2025-11-25, basic/utilities/tasks)."""
EXTENSION_NAME = "io.modelcontextprotocol/tasks"
_PAYLOADS = ("result", "error")
_MOST_MS = 1e15
"""Maximum duration, about thirty thousand years."""
STEPS, FAULTS = 500, 50
"""Maximum numbers per task: the first step and the newest ones are kept, and the first faults."""
UNKNOWN_TASK = -32602
"""Error code for a task id that is unknown or expired (both eras)."""
_ABOUT_ONE = frozenset({"tasks/get", "tasks/result", "tasks/cancel", "tasks/update"})
MAY_BE_TASKS = frozenset({"tools/call", "sampling/createMessage", "elicitation/create"})
"""Requests whose response may be a task handle."""
TELLING = frozenset({"notifications/tasks/status", "notifications/tasks"})


class TaskState(StrEnum):
    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED})
"""States that a task never leaves."""
STATES = frozenset(TaskState)


class TaskReport(msgspec.Struct, frozen=True):
    id: str
    state: str
    """State as received, one of `TaskState` or not; "" if missing."""
    message: str = ""
    created_at: str = ""
    """Creation time by the clock of the side that runs the task, as received."""
    updated_at: str = ""
    ttl_ms: float | None = None
    """Lifetime from creation; None: no limit, or no usable value."""
    poll_ms: float | None = None
    """Requested poll interval; None: no usable value."""
    server_requests: Any = None
    """`inputRequests` as received (extension)."""
    result: Part | None = None
    """The task's result, if the message has it (extension)."""
    error: Part | None = None
    result_type: str = ""
    flaws: tuple[str, ...] = ()
    """Defects of the data, as short phrases."""

    @property
    def ended(self) -> bool:
        return self.state in ENDED


@prepared_type
class _Fields(msgspec.Struct):
    """The members to decode; the payload stays bytes because it may be large."""

    taskId: Any = None  # noqa: N815, the names on the wire
    status: Any = None
    statusMessage: Any = None  # noqa: N815
    createdAt: Any = None  # noqa: N815
    lastUpdatedAt: Any = None  # noqa: N815
    ttl: Any = msgspec.UNSET
    ttlMs: Any = msgspec.UNSET  # noqa: N815
    pollInterval: Any = msgspec.UNSET  # noqa: N815
    pollIntervalMs: Any = msgspec.UNSET  # noqa: N815
    inputRequests: Any = None  # noqa: N815
    resultType: Any = None  # noqa: N815
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class Handle(msgspec.Struct, frozen=True):
    """A result that is a task handle, valid or not."""

    word: TaskReport | None
    """None if it has no task id."""
    nested: bool
    """Whether the task is nested, as in the core of 2025-11-25; otherwise flat, as in the extension."""


@prepared_type
class _Head(msgspec.Struct):
    resultType: Any = ""  # noqa: N815
    task: Any = None


_NO_HEAD = _Head()


class TaskStep(msgspec.Struct, frozen=True):
    """A change of a task's state or status message."""

    state: str
    """One of `TaskState`, another value as received, or ""."""
    message: str
    frame: int
    time_ns: int


class TaskFault(msgspec.Struct, frozen=True):
    """A violation by a task, or a defect of its data."""

    what: str
    """A short phrase; may contain server text."""
    frame: int


class Task(msgspec.Struct, eq=False):
    """Work that outlives its request. Updated by later frames; read-only for other code."""

    number: int
    """Counted from 1 in the order of first mention, both sides together."""
    id: str
    by_server: bool
    """Whether the server runs it; False if the client runs it to answer a server request."""
    seen_ns: int
    """Time of its first mention."""
    seen_frame: int
    state: str = ""
    """Latest status: one of `TaskState`, or another value as received."""
    message: str = ""
    created_at: str = ""
    updated_at: str = ""
    ttl_ms: int | float | None = None
    """Lifetime from creation; None: no limit, or no usable value."""
    poll_ms: int | float | None = None
    """Requested poll interval; None: not specified."""
    exchange: int | None = None
    """The exchange whose response was its handle; None without one."""
    operation: int | None = None
    """The operation that contains the task's call and polls; None without a handle."""
    method: str = ""
    """Method of its request: "tools/call", "sampling/createMessage", "elicitation/create"; "" without a handle."""
    target: str = ""
    """Name of the tool; "" for other methods."""
    history: tuple[TaskStep, ...] = ()
    """State changes, oldest first; at most `STEPS`."""
    left_out: int = 0
    """Number of state changes that were dropped."""
    polls: int = 0
    """Number of polls."""
    heard_ns: int = 0
    """Time of the latest status."""
    ended_ns: int | None = None
    """Time of the first status that is final."""
    cancel_asked: int | None = None
    """The exchange that requested its cancellation."""
    result_frame: int | None = None
    """Frame with its result: the response to tasks/result, or a message that contains the result."""
    failed: bool = False
    """Whether the result is an error, or a tool result with isError."""
    lost: bool = False
    """Whether the side that runs it reported that the id is unknown."""
    asked_keys: frozenset[str] = frozenset()
    """Keys of its requests for input so far (extension)."""
    faults: tuple[TaskFault, ...] = ()

    @property
    def ended(self) -> bool:
        return self.ended_ns is not None or self.lost


@prepared_type
class _Flag(msgspec.Struct):
    isError: Any = False  # noqa: N815, the name on the wire


def read_task_report(part: Part) -> TaskReport | None:
    """Read a task whose members are at the top level (result of tasks/get, params); None if it has no id."""
    fields = peek.decoded_as(_Fields, part.raw)
    if fields is None:
        return word_of(part.value)
    return _word(fields, _part(fields.result), _part(fields.error))


def word_of(value: Any) -> TaskReport | None:
    """Read a task from a decoded value: nested in a handle, or an item of a list; None if it has no id."""
    if not isinstance(value, dict):
        return None
    given = {name: value[name] for name in _Fields.__struct_fields__ if name in value and name not in _PAYLOADS}
    result, error = (Part(None, value[name]) if value.get(name) is not None else None for name in _PAYLOADS)
    return _word(_Fields(**given), result, error)


def _part(raw: msgspec.Raw | msgspec.UnsetType) -> Part | None:
    return None if isinstance(raw, msgspec.UnsetType) or bytes(raw) == b"null" else Part(bytes(raw))


def _word(fields: _Fields, result: Part | None, error: Part | None) -> TaskReport | None:
    if not isinstance(fields.taskId, str) or not fields.taskId:
        return None
    flaws: list[str] = []
    return TaskReport(
        id=fields.taskId,
        state=_state(fields.status, flaws),
        message=fields.statusMessage if isinstance(fields.statusMessage, str) else "",
        created_at=_moment(fields.createdAt, "createdAt", flaws),
        updated_at=_moment(fields.lastUpdatedAt, "lastUpdatedAt", flaws),
        ttl_ms=_ttl(fields, flaws),
        poll_ms=_poll(fields, flaws),
        server_requests=fields.inputRequests,
        result=result,
        error=error,
        result_type=fields.resultType if isinstance(fields.resultType, str) else "",
        flaws=tuple(flaws),
    )


def _state(status: Any, flaws: list[str]) -> str:
    if isinstance(status, str) and status in STATES:
        return status
    if isinstance(status, str) and status:
        flaws.append(f"{cut(status, 40)!r} is not a task state")
        return status
    flaws.append("it has no status" if status is None else f"its status is of type {peek.type_name(status)}")
    return ""


def _moment(value: Any, name: str, flaws: list[str]) -> str:
    if isinstance(value, str):
        return value
    flaws.append(f"it has no {name}" if value is None else f"{name} is of type {peek.type_name(value)}")
    return ""


def _ttl(fields: _Fields, flaws: list[str]) -> float | None:
    name = "ttl" if fields.ttlMs is msgspec.UNSET else "ttlMs"
    value = getattr(fields, name)
    if value is None:
        return None
    if value is msgspec.UNSET:
        flaws.append("it has no ttl")
        return None
    return _milliseconds(value, name, flaws, least=0)


def _poll(fields: _Fields, flaws: list[str]) -> float | None:
    name = "pollInterval" if fields.pollIntervalMs is msgspec.UNSET else "pollIntervalMs"
    value = getattr(fields, name)
    return None if value is msgspec.UNSET or value is None else _milliseconds(value, name, flaws, least=0)


def _milliseconds(value: Any, name: str, flaws: list[str], *, least: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        flaws.append(f"{name} is of type {peek.type_name(value)}")
        return None
    if not least <= value < float("inf"):
        flaws.append(f"{name} is {value!r:.40}")
        return None
    return float(value) if value < _MOST_MS else _MOST_MS


def handle_in(result: Part, *, asked: bool) -> Handle | None:
    """Return the handle in a result; None for an ordinary result.

    `asked` is whether a task was requested; then a nested task without an id is a handle, too.
    """
    head = _head_of(result)
    if head.resultType == "task":
        return Handle(read_task_report(result), nested=False)
    if isinstance(head.task, dict) and (asked or isinstance(head.task.get("taskId"), str)):
        return Handle(word_of(head.task), nested=True)
    return None


def _head_of(result: Part) -> _Head:
    raw = result.raw
    if b'"task' not in raw:
        return _NO_HEAD
    if (head := peek.decoded_as(_Head, raw)) is not None:
        return head
    value = result.value
    return _Head(peek.text(value, "resultType") or "", peek.at(value, "task"))


def asks_for_task(params: Any) -> bool:
    """Return whether a request asks to be run as a task (2025-11-25)."""
    return isinstance(peek.at(params, "task"), dict)


def related_task(params: Any) -> str | None:
    """Return the id of the task that a message belongs to; None if it has none."""
    return peek.text(params, "_meta", RELATED_TASK, "taskId")


class News(msgspec.Struct, frozen=True):
    """New information about a task."""

    task: "Task"
    asked: dict[str, Any]
    """New requests for input by key (extension)."""

    def server_requests(self, frame: Frame, exchange: int | None) -> tuple[ServerRequest, ...]:
        """Return the valid requests for input. `exchange` carried them; None for a notification."""
        if not self.asked:
            return ()
        there = self.task.exchange or 0 if exchange is None else exchange
        found = server_requests_in({"inputRequests": self.asked}, exchange=there, frame=frame.n, asked_ns=frame.time_ns)
        return tuple(replace(each, cause=self.task.exchange, task=self.task.id) for each in found)


class Tasks:
    def __init__(self) -> None:
        self.all: list[Task] = []
        """Task number n is at position n - 1."""
        self.faults: tuple[TaskFault, ...] = ()
        """Faults that belong to no task, such as a handle without an id."""
        self._by_id: dict[tuple[bool, str], Task] = {}
        self._by_operation: dict[int, Task] = {}
        self._about: dict[int, str] = {}
        """Task id in an open request, by exchange number; "" if it requests a new task."""

    def find(self, id_: str, *, by_server: bool = True) -> Task | None:
        """Return the task with this id. The two sides have separate ids."""
        return self._by_id.get((by_server, id_))

    def of_operation(self, number: int | None) -> Task | None:
        """Return the task that an operation became; None if it did not."""
        return None if number is None else self._by_operation.get(number)

    def opened(self, exchange: Exchange, params: Any) -> Task | None:
        """Process a request. Return the task that it is about, if known."""
        if exchange.method in MAY_BE_TASKS and asks_for_task(params):
            self._about[exchange.number] = ""
        if exchange.method not in _ABOUT_ONE or not (id_ := peek.text(params, "taskId")):
            return None
        self._about[exchange.number] = id_
        task = self._task_of_request(exchange, id_)
        if task is not None and exchange.method == "tasks/get":
            task.polls += 1
        if task is not None and exchange.method == "tasks/cancel" and task.cancel_asked is None:
            task.cancel_asked = exchange.number
        return task

    def answered(self, frame: Frame, exchange: Exchange, message: ResultResponse | ErrorResponse) -> list[News]:
        """Process a response. Return new information about tasks."""
        id_ = self._about.pop(exchange.number, None)
        if isinstance(message, ResultResponse) and exchange.method in MAY_BE_TASKS:
            return self._begun(frame, exchange, message.result_part, asked=id_ is not None)
        if isinstance(message, ResultResponse) and exchange.method == "tasks/list":
            return self._listed(frame, exchange, message.result)
        if not id_:
            return []
        task = self._task_of_request(exchange, id_)
        if isinstance(message, ErrorResponse):
            return self._refused(frame, exchange, task, message)
        if exchange.method in ("tasks/get", "tasks/cancel"):
            return self._process_response(frame, exchange, task, message.result_part)
        if exchange.method == "tasks/result" and task is not None:
            self._brought(frame, exchange, task, message.result_part)
            return [News(task, {})]
        return []

    def _brought(self, frame: Frame, exchange: Exchange, task: Task, result: Part) -> None:
        """Record the result. Only ended tasks have one, so the task has ended even if no later status was fetched."""
        self._keep_result(task, frame, failed=_is_error(result))
        if task.ended_ns is None:
            task.ended_ns, task.state = frame.time_ns, TaskState.FAILED if task.failed else TaskState.COMPLETED
            task.message = ""
            self._step(task, TaskStep(task.state, "", frame.n, frame.time_ns))

    def _task_of_request(self, exchange: Exchange, id_: str) -> Task | None:
        """Return the task that a request is about; it is run by the receiver."""
        return self.find(id_, by_server=exchange.sender is Direction.TO_SERVER)

    def notified(self, frame: Frame, params: Part) -> list[News]:
        """Process a notification about a task."""
        word = read_task_report(params)
        if word is None:
            self._blame(None, "a notification about a task names none", frame.n)
            return []
        by_server = frame.direction is Direction.FROM_SERVER
        task = self.find(word.id, by_server=by_server)
        if task is None:
            task = self._new(word.id, by_server, frame)  # some servers send it before the handle
        return self._take(frame, task, word)

    def _begun(self, frame: Frame, exchange: Exchange, result: Part, *, asked: bool) -> list[News]:
        handle = handle_in(result, asked=asked)
        if handle is None:
            return []
        if handle.word is None:
            self._blame(None, f"{exchange.method} was answered with a task that has no id", frame.n)
            return []
        task = self._given(frame, exchange, handle.word)
        if handle.nested and not asked:
            self._blame(task, "a task that was not requested", frame.n)
        if handle.nested and handle.word.state != TaskState.WORKING:
            self._blame(task, f"it began as {handle.word.state or 'nothing'}, not as working", frame.n)
        return self._take(frame, task, handle.word, exchange)

    def _given(self, frame: Frame, exchange: Exchange, word: TaskReport) -> Task:
        """Return the task of a handle, creating it if necessary."""
        by_server = exchange.sender is Direction.TO_SERVER
        task = known = self.find(word.id, by_server=by_server)
        if task is None or task.exchange is not None:
            task = self._new(word.id, by_server, frame)
        if known is not None and task is not known:
            self._blame(task, f"its id was given before, to task {known.number}", frame.n)
        task.exchange, task.operation = exchange.number, exchange.operation
        task.method = exchange.method
        task.target = exchange.target if exchange.method == "tools/call" else ""
        if exchange.operation is not None:
            self._by_operation[exchange.operation] = task
        return task

    def _listed(self, frame: Frame, exchange: Exchange, result: Any) -> list[News]:
        by_server = exchange.sender is Direction.TO_SERVER
        news: list[News] = []
        for item in peek.items(result, "tasks"):
            if (word := word_of(item)) is None:
                self._blame(None, "a listed task has no id", frame.n)
                continue
            task = self.find(word.id, by_server=by_server) or self._new(word.id, by_server, frame)
            news += self._take(frame, task, word)
        return news

    def _process_response(self, frame: Frame, exchange: Exchange, task: Task | None, result: Part) -> list[News]:
        """Process the response to tasks/get or tasks/cancel; for the latter it is empty in the extension."""
        word = read_task_report(result)
        if task is None:
            if word is None or exchange.method != "tasks/get":
                return []
            task = self._new(word.id, exchange.sender is Direction.TO_SERVER, frame)
        if word is None:
            if exchange.method == "tasks/get":
                self._blame(task, "the response to tasks/get names no task", frame.n)
            return [News(task, {})]
        if word.id != task.id:
            self._blame(task, f"the response names a different task: {cut(word.id, 80)!r}", frame.n)
            return []
        if word.result_type == "task":
            self._blame(task, 'the resultType of a poll is "complete", and not "task"', frame.n)
        return self._take(frame, task, word, exchange)

    def _refused(self, frame: Frame, exchange: Exchange, task: Task | None, message: ErrorResponse) -> list[News]:
        if task is None:
            return []
        if exchange.method == "tasks/result" and task.state in ENDED:
            self._keep_result(task, frame, failed=True)
            return [News(task, {})]
        if message.code == UNKNOWN_TASK and exchange.method == "tasks/get" and not task.lost:
            task.lost = True
            if task.ended_ns is None and task.polls <= 1 and task.exchange is not None:
                self._blame(task, "the server returned its handle, but does not know the task", frame.n)
            return [News(task, {})]
        return []

    def _take(self, frame: Frame, task: Task, word: TaskReport, exchange: Exchange | None = None) -> list[News]:
        """Update a task. Return the new information."""
        before = (task.state, task.message)
        self._judge(task, word, frame.n)
        task.heard_ns, task.lost = frame.time_ns, False
        task.created_at, task.updated_at = word.created_at or task.created_at, word.updated_at or task.updated_at
        task.ttl_ms, task.poll_ms = word.ttl_ms, word.poll_ms
        asked = {key: each for key, each in peek.mapping(word.server_requests).items() if key not in task.asked_keys}
        task.asked_keys |= frozenset(asked)
        if word.ended and task.ended_ns is None:
            task.ended_ns = frame.time_ns
        if word.result is not None or word.error is not None:
            failed = word.error is not None or (word.result is not None and _is_error(word.result))
            self._keep_result(task, frame, failed=failed)
        task.state, task.message = word.state, word.message
        if before == (task.state, task.message) and task.history and not asked:
            return []
        self._step(task, TaskStep(task.state, task.message, frame.n, frame.time_ns))
        return [News(task, asked)]

    def _judge(self, task: Task, word: TaskReport, frame: int) -> None:
        for flaw in word.flaws:
            self._blame(task, flaw, frame)
        if task.history and task.state in ENDED and word.state != task.state:
            self._blame(task, f"the state changed from {task.state} back to {word.state or 'none'}", frame)
        if word.state == TaskState.INPUT_REQUIRED and word.server_requests is not None and not word.server_requests:
            self._blame(task, "it needs input and asks nothing", frame)

    def _keep_result(self, task: Task, frame: Frame, *, failed: bool) -> None:
        if task.result_frame is not None:
            return
        task.result_frame, task.failed = frame.n, failed

    def _new(self, id_: str, by_server: bool, frame: Frame) -> Task:
        task = Task(len(self.all) + 1, id_, by_server, frame.time_ns, frame.n)
        self.all.append(task)
        self._by_id[by_server, id_] = task
        return task

    def _step(self, task: Task, step: TaskStep) -> None:
        history = (*task.history, step)
        if len(history) > STEPS:
            history, task.left_out = (history[0], *history[2:]), task.left_out + 1
        task.history = history

    def _blame(self, task: Task | None, what: str, frame: int) -> None:
        """Record a fault once."""
        there = self.faults if task is None else task.faults
        if len(there) >= FAULTS or any(fault.what == what for fault in there):
            return
        there = (*there, TaskFault(what, frame))
        if task is None:
            self.faults = there
        else:
            task.faults = there


def _is_error(result: Part) -> bool:
    found = peek.decoded_as(_Flag, result.raw)
    return (peek.flag(result.value, "isError") if found is None else found.isError) is True
