"""Our own tasks: questions of the server's that it wants answered as tasks, and its asking after them (2025-11-25).

The server adds `task` to its request; it gets a handle at once, and `tasks/get`, `tasks/result`, `tasks/list` and
`tasks/cancel` are served from here while the question lies on the desk. Only what was declared is: where tasks are
not offered, `task` is ignored, as the specification asks.

Source: specification 2025-11-25, basic/utilities/tasks.
"""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from inspector.protocol import jsonrpc, peek
from inspector.protocol.questions import INVALID_PARAMS, Question, Refusal, Reply, Result
from inspector.protocol.tracking.task_words import ENDED, RELATED_TASK, TaskState, asks_for_task
from inspector.session.desk import Desk

METHODS = frozenset({"tasks/get", "tasks/result", "tasks/list", "tasks/cancel"})
KEPT, KEPT_MS = 1000, 3_600_000
"""So many are kept, and so long where the server does not say for how long, or says nothing usable."""
POLL_MS = 1000
_NO_SUCH = "no task of this id is known (any more)"


class OwnTask(msgspec.Struct, eq=False):
    """A question that is being answered as a task."""

    id: str
    question: Question
    created: datetime
    ttl_ms: int | None
    """None: for as long as the conversation lasts."""
    updated: datetime
    state: TaskState = TaskState.WORKING
    message: str = "waiting for an answer"
    reply: Reply | None = None
    over: asyncio.Event = msgspec.field(default_factory=asyncio.Event)


class OwnTasks:
    """Those of one conversation, on its event loop."""

    def __init__(
        self,
        desk: Desk,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        ids: Callable[[], str] = lambda: os.urandom(16).hex(),
    ) -> None:
        self._desk = desk
        self._now = now
        self._ids = ids
        self._tasks: dict[str, OwnTask] = {}
        self._by_question: dict[int, OwnTask] = {}

    def begin(self, question: Question) -> Reply | None:
        """The handle to answer with; None for a question that asks for no task. `work` then answers it."""
        if not asks_for_task(question.params):
            return None
        self._forget_the_old()
        if len(self._tasks) >= KEPT:
            return Refusal(INVALID_PARAMS, f"{KEPT} tasks are kept here already: fetch or cancel some")
        now = self._now()
        task = OwnTask(self._ids(), question, now, _ttl(peek.at(question.params, "task", "ttl")), now)
        self._tasks[task.id] = self._by_question[question.exchange] = task
        return Result({"task": _flat(task)})

    async def work(self, question: Question) -> None:
        """Have the question answered whose handle was given; returns when that is over. Nothing happens for others."""
        task = self._by_question.pop(question.exchange, None)
        if task is None:
            return
        try:
            self._settle(task, await self._desk.ask(question))
        finally:
            self._move(task, TaskState.CANCELLED, "nobody answers any more")

    async def serve(self, request: jsonrpc.Request) -> Reply:
        """The answer to a request about tasks. That to tasks/result comes once the task has ended."""
        self._forget_the_old()
        if request.method == "tasks/list":
            return Result({"tasks": [_flat(task) for task in self._tasks.values()]})
        task = self._tasks.get(peek.text(request.params, "taskId") or "")
        if task is None:
            return Refusal(INVALID_PARAMS, _NO_SUCH)
        if request.method == "tasks/result":
            await task.over.wait()
            return _brought(task)
        if request.method == "tasks/cancel":
            if task.state in ENDED:
                return Refusal(INVALID_PARAMS, f"the task has ended already: it is {task.state}")
            self._cancel(task, "the server cancelled its task")
        return Result(_flat(task))

    def _settle(self, task: OwnTask, reply: Reply | None) -> None:
        if isinstance(reply, Result):
            task.reply = reply
            self._move(task, TaskState.COMPLETED, "it was answered")
        elif isinstance(reply, Refusal):
            task.reply = reply
            self._move(task, TaskState.FAILED, reply.message)

    def _cancel(self, task: OwnTask, why: str) -> None:
        self._move(task, TaskState.CANCELLED, why)
        self._desk.withdraw(why, exchange=task.question.exchange)

    def _move(self, task: OwnTask, state: TaskState, message: str) -> None:
        """The first end counts: terminal states are never left."""
        if task.state not in ENDED:
            task.state, task.message, task.updated = state, message, self._now()
            task.over.set()

    def _forget_the_old(self) -> None:
        now = self._now()
        for task in list(self._tasks.values()):
            if task.ttl_ms is not None and now >= task.created + timedelta(milliseconds=task.ttl_ms):
                self._cancel(task, "its time was over")
                del self._tasks[task.id]


def _ttl(wanted: Any) -> int | None:
    """For how long it is kept, in milliseconds. What is no time, or longer than we would wait, is told otherwise."""
    if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not 0 < wanted < KEPT_MS:
        return KEPT_MS
    return int(wanted) or 1


def _flat(task: OwnTask) -> dict[str, Any]:
    return {
        "taskId": task.id,
        "status": task.state,
        "statusMessage": task.message,
        "createdAt": _moment(task.created),
        "lastUpdatedAt": _moment(task.updated),
        "ttl": task.ttl_ms,
        "pollInterval": POLL_MS,
    }


def _moment(when: datetime) -> str:
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _brought(task: OwnTask) -> Reply:
    """What it came to, saying whose it is: "tasks/result MUST include related-task in its _meta"."""
    if isinstance(task.reply, Result):
        return Result(with_relation(task.reply.value, task.id))
    return task.reply or Refusal(INVALID_PARAMS, f"the task has no result: it is {task.state}")


def with_relation(value: Any, id_: str) -> Any:
    """A result that says to which task it belongs: "all requests, notifications, and responses related to a task".

    Without an id it is as it was; so is what is no object, a prepared answer that is wrong on purpose.
    """
    if not id_ or not isinstance(value, dict):
        return value
    return {**value, "_meta": {**peek.mapping(value, "_meta"), RELATED_TASK: {"taskId": id_}}}
