"""What one message says about a task, in one shape for both eras: a handle, a poll's answer, a notification.

In the core of 2025-11-25 a handle nests its task (`{"task": {…}}`) and times are `ttl` and `pollInterval`; in the
extension io.modelcontextprotocol/tasks everything is flat, times are `ttlMs` and `pollIntervalMs`, and a poll's
answer carries the questions, the result or the error itself. Members of the wrong type are kept as they came; what
is wrong with them is said in `flaws`. Nothing here raises on input.
"""

from enum import StrEnum
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.jsonrpc import Part

RELATED_TASK = "io.modelcontextprotocol/related-task"
"""The member of `_meta` that says in which task a message belongs (2025-11-25, basic/utilities/tasks)."""
EXTENSION_NAME = "io.modelcontextprotocol/tasks"


class TaskState(StrEnum):
    """Where a task stands."""

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
    """As it came, one of `STATES` or not; "" if none was said."""
    message: str = ""
    created_at: str = ""
    """In the clock of whoever runs it, as it came."""
    updated_at: str = ""
    ttl_ms: float | None = None
    """From creation; None: for ever, or nothing usable was said."""
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
