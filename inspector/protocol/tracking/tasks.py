"""Tasks: work that outlives the request that began it, as far as the frames show it.

Either side may run one (2025-11-25); in the extension io.modelcontextprotocol/tasks it is the server. A task is known
from its handle on, or from the first mention if there was no handle: a list, a notification. The latest state
counts, valid or not; violations are in its faults, with the frame that shows them.

Source: specification 2025-11-25, basic/utilities/tasks;
ext-tasks, specification 2026-07-28 (stable), tasks.
"""

from enum import StrEnum
from typing import Any

import msgspec
from msgspec.structs import replace

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Part
from inspector.protocol.questions import Question, questions_in

# What one message says about a task, in one shape for both eras: a handle, a poll's answer, a notification.

RELATED_TASK = "io.modelcontextprotocol/related-task"
"""The member of `_meta` that says in which task a message belongs (2025-11-25, basic/utilities/tasks)."""
EXTENSION_NAME = "io.modelcontextprotocol/tasks"


class TaskState(StrEnum):
    """The state of a task."""

    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({TaskState.COMPLETED, TaskState.FAILED, TaskState.CANCELLED})
"""States that a task never leaves."""
STATES = frozenset(TaskState)


class Word(msgspec.Struct, frozen=True):
    """What a message says about a task."""

    id: str
    state: str
    """As received, one of `STATES` or not; "" if missing."""
    message: str = ""
    created_at: str = ""
    """By the clock of the side that runs it, as received."""
    updated_at: str = ""
    ttl_ms: float | None = None
    """From creation; None: no limit, or no usable value."""
    poll_ms: float | None = None
    """None: nothing usable was said."""
    questions: Any = None
    """`inputRequests`, as they came (extension)."""
    result: Part | None = None
    """What the task came to, where the message carries it (extension)."""
    error: Part | None = None
    result_type: str = ""
    flaws: tuple[str, ...] = ()
    """What is wrong with it, half a sentence each."""

    @property
    def ended(self) -> bool:
        """Whether nothing more is to come."""
        return self.state in ENDED


class _Fields(msgspec.Struct):
    """The members that are read; the payload stays bytes, it may be large."""

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


def read_word(part: Part) -> Word | None:
    """What a flat task says (an answer to tasks/get, a notification's params); None if it names no task."""
    try:
        fields = msgspec.json.decode(part.raw, type=_Fields)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return word_of(part.value)
    return _word(fields, _part(fields.result), _part(fields.error))


def word_of(value: Any) -> Word | None:
    """The same of a value that was decoded before: a task nested in a handle, an item of a list."""
    if not isinstance(value, dict):
        return None
    given = {name: value[name] for name in _Fields.__struct_fields__ if name in value and name not in _PAYLOADS}
    result, error = (Part(None, value[name]) if value.get(name) is not None else None for name in _PAYLOADS)
    return _word(_Fields(**given), result, error)


_PAYLOADS = ("result", "error")


def _part(raw: msgspec.Raw | msgspec.UnsetType) -> Part | None:
    return None if isinstance(raw, msgspec.UnsetType) or bytes(raw) == b"null" else Part(bytes(raw))


def _word(fields: _Fields, result: Part | None, error: Part | None) -> Word | None:
    if not isinstance(fields.taskId, str) or not fields.taskId:
        return None
    flaws: list[str] = []
    return Word(
        id=fields.taskId,
        state=_state(fields.status, flaws),
        message=fields.statusMessage if isinstance(fields.statusMessage, str) else "",
        created_at=_moment(fields.createdAt, "createdAt", flaws),
        updated_at=_moment(fields.lastUpdatedAt, "lastUpdatedAt", flaws),
        ttl_ms=_ttl(fields, flaws),
        poll_ms=_poll(fields, flaws),
        questions=fields.inputRequests,
        result=result,
        error=error,
        result_type=fields.resultType if isinstance(fields.resultType, str) else "",
        flaws=tuple(flaws),
    )


def _state(status: Any, flaws: list[str]) -> str:
    if isinstance(status, str) and status in STATES:
        return status
    if isinstance(status, str) and status:
        flaws.append(f"{status[:40]!r} is no state of a task")
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


_MOST_MS = 1e15
"""Thirty thousand years; what is longer than that is as good as this."""


class Handle(msgspec.Struct, frozen=True):
    """A result that is a task's handle, right or wrong."""

    word: Word | None
    """None if it names no task."""
    nested: bool
    """As in the core of 2025-11-25; flat as in the extension otherwise."""


def handle_in(result: Part, *, asked: bool) -> Handle | None:
    """The handle that a result is; None if it is an ordinary result.

    `asked`: whether the request asked for a task, so that a nested task without an id is still one.
    """
    head = _head_of(result)
    if head.resultType == "task":
        return Handle(read_word(result), nested=False)
    if isinstance(head.task, dict) and (asked or isinstance(head.task.get("taskId"), str)):
        return Handle(word_of(head.task), nested=True)
    return None


class _Head(msgspec.Struct):
    resultType: Any = ""  # noqa: N815
    task: Any = None


def _head_of(result: Part) -> _Head:
    raw = result.raw
    if b'"task' not in raw:
        return _NO_HEAD
    try:
        return msgspec.json.decode(raw, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = result.value
        return _Head(peek.text(value, "resultType") or "", peek.at(value, "task"))


_NO_HEAD = _Head()


def asks_for_task(params: Any) -> bool:
    """Whether a request asks to be run as a task (2025-11-25)."""
    return isinstance(peek.at(params, "task"), dict)


def related_task(params: Any) -> str | None:
    """The id of the task that a message belongs to, if it says so."""
    return peek.text(params, "_meta", RELATED_TASK, "taskId")


STEPS, FAULTS = 500, 50
"""How many of each a task keeps: of the steps the first and the newest, of the faults the first."""
UNKNOWN_TASK = -32602
"""What a receiver answers to an id that it does not know, or no longer (both eras)."""
_ABOUT_ONE = frozenset({"tasks/get", "tasks/result", "tasks/cancel", "tasks/update"})
MAY_BE_TASKS = frozenset({"tools/call", "sampling/createMessage", "elicitation/create"})
"""Requests that may be answered with a task's handle."""
TELLING = frozenset({"notifications/tasks/status", "notifications/tasks"})


class TaskStep(msgspec.Struct, frozen=True):
    """A change of a task's state, or of what is said about it."""

    state: str
    """As received: one of `TaskState`, or something else, or ""."""
    message: str
    frame: int
    time_ns: int


class TaskFault(msgspec.Struct, frozen=True):
    """Something that a task must not do, or that was wrong in what was said about it."""

    what: str
    """Half a sentence; may hold foreign text."""
    frame: int


class News(msgspec.Struct, frozen=True):
    """What a frame newly says of a task."""

    task: "Task"
    asked: dict[str, Any]
    """Questions of the task's that were not asked before (extension), by their names."""

    def questions(self, frame: Frame, exchange: int | None) -> tuple[Question, ...]:
        """Those that a person can be asked. `exchange` is what carried them; None for a notification."""
        if not self.asked:
            return ()
        there = self.task.exchange or 0 if exchange is None else exchange
        found = questions_in({"inputRequests": self.asked}, exchange=there, frame=frame.n, asked_ns=frame.time_ns)
        return tuple(replace(each, cause=self.task.exchange, task=self.task.id) for each in found)


class Task(msgspec.Struct, eq=False):
    """Work that outlives its request. Filled in as frames come; everybody else only reads it."""

    number: int
    """From 1, in the order in which they became known, both sides together."""
    id: str
    by_server: bool
    """Whether the server runs it and the client waits; False for a question that the client was to answer as a task."""
    seen_ns: int
    """When it became known."""
    seen_frame: int
    state: str = ""
    """The latest status: one of `TaskState`, or anything else that was received."""
    message: str = ""
    created_at: str = ""
    updated_at: str = ""
    ttl_ms: int | float | None = None
    """How long it is kept from its creation on; None: no limit, or no usable value."""
    poll_ms: int | float | None = None
    """How often it wants to be asked; None: not said."""
    exchange: int | None = None
    """The exchange whose response was its handle; None if there was none."""
    operation: int | None = None
    """The operation it belongs to with all of its polls; None without a handle."""
    method: str = ""
    """What it serves: "tools/call", "sampling/createMessage", "elicitation/create"; "" without a handle."""
    target: str = ""
    """The name of the tool; "" for others."""
    history: tuple[TaskStep, ...] = ()
    """Oldest first; at most `STEPS`."""
    left_out: int = 0
    """Steps that are not kept."""
    polls: int = 0
    """How often it was asked for its state."""
    heard_ns: int = 0
    """When the latest status was received."""
    ended_ns: int | None = None
    """When it was first said to have ended."""
    cancel_asked: int | None = None
    """The exchange that asked it to end."""
    result_frame: int | None = None
    """The frame with what it came to: the answer to tasks/result, or the word that carried it."""
    result_exchange: int | None = None
    failed: bool = False
    """Whether that is an error, or a tool's result that says isError."""
    lost: bool = False
    """Whether the side that runs it reported that it does not know it (any more)."""
    asked_keys: frozenset[str] = frozenset()
    """The names of the questions that it has asked so far (extension)."""
    faults: tuple[TaskFault, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether nothing more is to come of it."""
        return self.ended_ns is not None or self.lost

    @property
    def needs_input(self) -> bool:
        """Whether it waits for an answer."""
        return self.state == TaskState.INPUT_REQUIRED and not self.ended


class Tasks:
    """All tasks of a conversation."""

    def __init__(self) -> None:
        self.all: list[Task] = []
        """Task number n is at position n - 1."""
        self.faults: tuple[TaskFault, ...] = ()
        """What was wrong and belongs to no task: a handle without an id."""
        self._by_id: dict[tuple[bool, str], Task] = {}
        self._by_operation: dict[int, Task] = {}
        self._about: dict[int, str] = {}
        """The task's id that an open request names, by the number of its exchange; "" where it asks for a new task."""

    def find(self, id_: str, *, by_server: bool = True) -> Task | None:
        """The task of that id; the two sides have separate ids."""
        return self._by_id.get((by_server, id_))

    def of_operation(self, number: int | None) -> Task | None:
        """The task that an operation became, if it became one."""
        return None if number is None else self._by_operation.get(number)

    def opened(self, exchange: Exchange, params: Any) -> Task | None:
        """A request was sent: the task that it is about, if that is known."""
        if exchange.method in MAY_BE_TASKS and asks_for_task(params):
            self._about[exchange.number] = ""
        if exchange.method not in _ABOUT_ONE or not (id_ := peek.text(params, "taskId")):
            return None
        self._about[exchange.number] = id_
        task = self._asked_by(exchange, id_)
        if task is not None and exchange.method == "tasks/get":
            task.polls += 1
        if task is not None and exchange.method == "tasks/cancel" and task.cancel_asked is None:
            task.cancel_asked = exchange.number
        return task

    def answered(self, frame: Frame, exchange: Exchange, message: Answer | ErrorAnswer) -> list[News]:
        """An answer came: what it newly says of tasks."""
        id_ = self._about.pop(exchange.number, None)
        if isinstance(message, Answer) and exchange.method in MAY_BE_TASKS:
            return self._begun(frame, exchange, message.result_part, asked=id_ is not None)
        if isinstance(message, Answer) and exchange.method == "tasks/list":
            return self._listed(frame, exchange, message.result)
        if not id_:
            return []
        task = self._asked_by(exchange, id_)
        if isinstance(message, ErrorAnswer):
            return self._refused(frame, exchange, task, message)
        if exchange.method in ("tasks/get", "tasks/cancel"):
            return self._told(frame, exchange, task, message.result_part)
        if exchange.method == "tasks/result" and task is not None:
            self._brought(frame, exchange, task, message.result_part)
            return [News(task, {})]
        return []

    def _brought(self, frame: Frame, exchange: Exchange, task: Task, result: Part) -> None:
        """Its result. Only ended tasks have one, so this task has ended, even if no status was fetched since."""
        self._keep_result(task, frame, exchange, failed=_says_error(result))
        if task.ended_ns is None:
            task.ended_ns, task.state = frame.time_ns, TaskState.FAILED if task.failed else TaskState.COMPLETED
            task.message = ""
            self._step(task, TaskStep(task.state, "", frame.n, frame.time_ns))

    def _asked_by(self, exchange: Exchange, id_: str) -> Task | None:
        """Who asks for a task is who does not run it."""
        return self.find(id_, by_server=exchange.sender is Direction.TO_SERVER)

    def notified(self, frame: Frame, params: Part) -> list[News]:
        """A notification about a task."""
        word = read_word(params)
        if word is None:
            self._blame(None, "a notification about a task names none", frame.n)
            return []
        by_server = frame.direction is Direction.FROM_SERVER
        task = self.find(word.id, by_server=by_server)
        if task is None:
            task = self._new(word.id, by_server, frame)  # some servers send it before its handle
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

    def _given(self, frame: Frame, exchange: Exchange, word: Word) -> Task:
        """The task of a handle, which begins with it."""
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
        told: list[News] = []
        for item in peek.items(result, "tasks"):
            if (word := word_of(item)) is None:
                self._blame(None, "a listed task has no id", frame.n)
                continue
            task = self.find(word.id, by_server=by_server) or self._new(word.id, by_server, frame)
            told += self._take(frame, task, word)
        return told

    def _told(self, frame: Frame, exchange: Exchange, task: Task | None, result: Part) -> list[News]:
        """An answer to tasks/get or tasks/cancel; in the extension the latter is an empty one."""
        word = read_word(result)
        if task is None:
            if word is None or exchange.method != "tasks/get":
                return []
            task = self._new(word.id, exchange.sender is Direction.TO_SERVER, frame)
        if word is None:
            if exchange.method == "tasks/get":
                self._blame(task, "the answer to tasks/get names no task", frame.n)
            return [News(task, {})]
        if word.id != task.id:
            self._blame(task, f"it was asked for, and the answer speaks of {word.id[:80]!r}", frame.n)
            return []
        if word.result_type == "task":
            self._blame(task, 'the resultType of a poll is "complete", and not "task"', frame.n)
        return self._take(frame, task, word, exchange)

    def _refused(self, frame: Frame, exchange: Exchange, task: Task | None, message: ErrorAnswer) -> list[News]:
        if task is None:
            return []
        if exchange.method == "tasks/result" and task.state in ENDED:
            self._keep_result(task, frame, exchange, failed=True)
            return [News(task, {})]
        if message.code == UNKNOWN_TASK and exchange.method == "tasks/get" and not task.lost:
            task.lost = True
            if task.ended_ns is None and task.polls <= 1 and task.exchange is not None:
                self._blame(task, "the server returned its handle, but does not know the task", frame.n)
            return [News(task, {})]
        return []

    def _take(self, frame: Frame, task: Task, word: Word, exchange: Exchange | None = None) -> list[News]:
        """The latest state of a task; what of it is new."""
        before = (task.state, task.message)
        self._judge(task, word, frame.n)
        task.heard_ns, task.lost = frame.time_ns, False
        task.created_at, task.updated_at = word.created_at or task.created_at, word.updated_at or task.updated_at
        task.ttl_ms, task.poll_ms = word.ttl_ms, word.poll_ms
        asked = {key: each for key, each in peek.mapping(word.questions).items() if key not in task.asked_keys}
        task.asked_keys |= frozenset(asked)
        if word.ended and task.ended_ns is None:
            task.ended_ns = frame.time_ns
        if word.result is not None or word.error is not None:
            failed = word.error is not None or (word.result is not None and _says_error(word.result))
            self._keep_result(task, frame, exchange, failed=failed)
        task.state, task.message = word.state, word.message
        if before == (task.state, task.message) and task.history and not asked:
            return []
        self._step(task, TaskStep(task.state, task.message, frame.n, frame.time_ns))
        return [News(task, asked)]

    def _judge(self, task: Task, word: Word, frame: int) -> None:
        for flaw in word.flaws:
            self._blame(task, flaw, frame)
        if task.history and task.state in ENDED and word.state != task.state:
            self._blame(task, f"it was {task.state}, and is {word.state or 'nothing'} again", frame)
        if word.state == TaskState.INPUT_REQUIRED and word.questions is not None and not word.questions:
            self._blame(task, "it needs input and asks nothing", frame)

    def _keep_result(self, task: Task, frame: Frame, exchange: Exchange | None, *, failed: bool) -> None:
        if task.result_frame is not None:
            return
        task.result_frame, task.failed = frame.n, failed
        task.result_exchange = exchange.number if exchange else None

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
        """Note a fault, each only once."""
        there = self.faults if task is None else task.faults
        if len(there) >= FAULTS or any(fault.what == what for fault in there):
            return
        there = (*there, TaskFault(what, frame))
        if task is None:
            self.faults = there
        else:
            task.faults = there


class _Flag(msgspec.Struct):
    isError: Any = False  # noqa: N815, the name on the wire


def _says_error(result: Part) -> bool:
    try:
        return msgspec.json.decode(result.raw, type=_Flag).isError is True
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return peek.flag(result.value, "isError") is True
