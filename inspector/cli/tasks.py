"""Tasks on the command line: a call that becomes one, what is told of it meanwhile, and how it ends.

A task outlives its request, so giving up is more than leaving: after Ctrl+C, and where its questions stay
unanswered, whoever runs it is asked to end it.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from inspector.cli.exit_status import ExitStatus
from inspector.cli.headless import Visit
from inspector.cli.output import Output
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Replied
from inspector.protocol.tracking.task_words import TaskState
from inspector.protocol.tracking.tasks import Task
from inspector.session.session import Session
from inspector.viewmodels import text

_SHOWN = 300
"""Characters of what somebody said."""


class TaskWish(msgspec.Struct, frozen=True):
    """That a call is to become a task."""

    ttl_ms: float | None = None
    """How long it is to be kept; None: as the server likes."""
    wait: bool = True
    """Whether it is followed to its end; else its handle is all that is wanted."""


async def called_by(
    session: Session,
    method: str,
    params: Any,
    opened: Callable[[Exchange], None],
    *,
    wish: TaskWish | None = None,
    plain: bool = False,
) -> Called:
    """Make a request, as a task if that is wished, or exactly as it is if `plain`. Ctrl+C ends the task too.

    Raises: UsageError where it can't be one.
    """
    try:
        if wish is None:
            return await session.call(method, params, opened=opened, plain=plain)
        return await session.tasks.run(params, ttl_ms=wish.ttl_ms, opened=opened, wait=wish.wait)
    except asyncio.CancelledError:
        await session.tasks.end_all()
        raise


def task_of(session: Session, called: Called) -> Task | None:
    """What is known of the task that a call became; None if it became none."""
    if called.task is not None:
        return session.journal.conversation.tasks.find(called.task.id)
    exchange = called.reply.exchange
    return None if exchange is None else session.journal.conversation.tasks.of_operation(exchange.operation)


async def settled(visit: Visit, called: Called, wish: TaskWish | None) -> ExitStatus | None:
    """Say how a call's task ended, if its result does not; the exit status if there is nothing more to write."""
    task = task_of(visit.session, called)
    if task is None:
        if wish is not None and wish.wait and isinstance(called.reply, Replied):
            visit.output.narrate("answered at once: whether a call becomes a task is the server's choice")
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
    """Whether a task failed whose result does not say so itself."""
    state = called.task.state if called.task is not None else ""
    return task is not None and TaskState.FAILED in (state, task.state)


def as_json(task: Task) -> dict[str, Any]:
    """What is known of a task; times count in milliseconds from when it became known."""
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


class TaskTeller:
    """Tells of tasks as their words come: each change of state or of what is said about it, once."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._told: dict[int, tuple[str, str]] = {}

    def tell(self, task: Task) -> None:
        """There is news of a task."""
        words = (task.state, task.message)
        if self._told.get(task.number) == words:
            return
        if task.number not in self._told:
            whose = "task" if task.by_server else "our answer is a task of ours"
            self._output.narrate(f"{whose}: {shown(task.id)}")
        self._told[task.number] = words
        said = f": {shown(task.message)}" if task.message else ""
        self._output.narrate(f"  · {shown(task.state) or 'no state'}{said}")


def shown(words: str) -> str:
    """Foreign words in one line that is safe to show."""
    return text.visible(words, limit=_SHOWN)


def _leave_it(visit: Visit, task: Task) -> None:
    """Only the handle was wanted."""
    if visit.session.transport.kind == "stdio":
        visit.output.warn("the server ends with this command, and its task with it: over HTTP it would go on")
    else:
        visit.output.narrate("""ask for it with: mcp-inspect request tasks/get --params '{"taskId": "…"}' URL""")
