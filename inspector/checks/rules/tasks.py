"""Rules for tasks: in the core of 2025-11-25, and as an extension of 2026-07-28."""

from collections.abc import Iterator
from typing import Any

from inspector.checks.findings import Severity
from inspector.checks.registry import Violation, rules_of
from inspector.checks.state import PREFIX, CheckMoment
from inspector.checks.state_updates import TASK, is_nested, requests_of
from inspector.protocol import peek
from inspector.text import cut

_TOPIC = "basic/utilities/tasks"
error = rules_of(_TOPIC).error
_ENDED = {"completed", "failed", "cancelled"}
_MAY_BE = {"working", "input_required", *_ENDED}
_RELATED = PREFIX + "related-task"
_WARNING = Severity.WARNING
_TOLD = ("answer tasks/get", "notification notifications/tasks")
_BRINGS = {"completed": "result", "failed": "error", "input_required": "inputRequests"}
_EXTENSION_TASKS_ENDED = ("completed", "failed", "cancelled")
_SOON_MS = 60_000


@error(
    "Unrequested task, or result instead of a task",
    "answer tools/call",
    since="2025-11-25",
    until="2025-11-25",
    needs=TASK,
)
def task_not_requested(case: CheckMoment) -> Iterator[Violation]:
    """Only a request with `task` becomes a task.

    Fix: Return a task only if the request has `task`.
    """
    params = case.asked_params
    asked = peek.has(params, "task")
    if type(case.value) is not dict:
        return
    if "task" not in case.value:
        known = case.listed_as("tools", peek.text(params, "name"))
        promised = peek.text(known.item if known else None, "execution", "taskSupport") in ("optional", "required")
        if asked and promised and case.state.capable("tasks", "requests", "tools", "call"):
            yield Violation("a task was requested, but the result was returned instead", "/result")
    elif not asked and peek.has(case.value, "task", "taskId") and not peek.has(case.value, "content"):
        yield Violation("a task was returned, but not requested", "/result/task")


@error(
    "Invalid task status transition",
    "answer tools/call",
    "answer tasks/get",
    "notification notifications/tasks/status",
    "notification notifications/tasks",
    since="2025-11-25",
    needs=TASK,
)
def task_status_transition(case: CheckMoment) -> Iterator[Violation]:
    """A terminal status is final; core tasks also begin with the status working.

    Fix: Keep a terminal status, and begin with working.
    """
    word = peek.at(case.value, "task") if case.method == "tools/call" and not case.is_modern else case.value
    if type(word) is not dict:
        return
    id_, status = peek.text(word, "taskId"), peek.text(word, "status")
    if id_ is None or status is None:
        return
    before = case.state.ongoing.task_status.get(id_)
    if not case.is_modern and case.method == "tools/call" and before is None and status in _MAY_BE - {"working"}:
        yield Violation(f"a task begins as {cut(status, 20)!r} instead of working", "/result/task/status")
    if before in _ENDED and status != before and not _is_past(case, id_):
        yield Violation(f"a task changed from {before} to {cut(status, 20)}", f"{case.root}/status")


def _is_past(case: CheckMoment, id_: str) -> bool:
    """Whether a task of the extension has exceeded its TTL, after which it may fail from any status."""
    task = case.state.ongoing.tasks.get(id_)
    return task is not None and task.ttl_ms is not None and (case.time_ns - task.made_ns) / 1e6 > task.ttl_ms


@error("Task result does not name its task", "answer tasks/result", since="2025-11-25", until="2025-11-25")
def related_task_missing(case: CheckMoment) -> Iterator[Violation]:
    """Fix: Add io.modelcontextprotocol/related-task to `_meta`."""
    if peek.text(case.value, "_meta", _RELATED, "taskId") is None:
        yield Violation("the result of a task does not name it in _meta", "/result/_meta")


@error(
    "Task cancelled by `notifications/cancelled`",
    "notification notifications/cancelled",
    since="2025-11-25",
    until="2025-11-25",
)
def task_cancelled_by_notification(case: CheckMoment) -> Iterator[Violation]:
    """Tasks are cancelled by `tasks/cancel`.

    Fix: Use tasks/cancel.
    """
    if peek.text(case.value, "requestId") in case.state.ongoing.task_status:
        yield Violation("notifications/cancelled names a task", "/params/requestId")


@error("Task for a method without task support", "answer", topic="schema", since="2026-07-28")
def task_on_unsupported_method(case: CheckMoment) -> Iterator[Violation]:
    """In the extension only `tools/call` may become a task; `task-result-incomplete` covers `tasks/get`.

    Fix: Return tasks for tools/call only.
    """
    if case.method not in ("tools/call", "tasks/get") and peek.text(case.value, "resultType") == "task":
        yield Violation(f"{case.named} returned a task", "/result/resultType")


# The tasks extension


@error("`tasks/get` result is not complete", "answer tasks/get", since="2026-07-28")
def task_result_incomplete(case: CheckMoment) -> Iterator[Violation]:
    """“The resultType field MUST be set to "complete"”; only the handle has "task".

    Fix: Return "resultType": "complete" from tasks/get.
    """
    word = peek.text(case.value, "resultType")
    if word is not None and word != "complete":
        yield Violation(f'tasks/get returned resultType {cut(word, 40)!r} instead of "complete"', "/result/resultType")


@error("Task handle is nested in `task`", "answer tools/call", since="2026-07-28", needs=TASK)
def task_handle_nested(case: CheckMoment) -> Iterator[Violation]:
    """Tasks of 2025-11-25 were nested; members missing outside of `task` are no further fault.

    Fix: Put the members of the task into the result itself, beside "resultType": "task".
    """
    if is_nested(case.value):
        yield Violation("the task is nested in `task`, as in 2025-11-25", "/result/task")


@error("Task lacks the member of its status", *_TOLD, since="2026-07-28")
def task_status_member_missing(case: CheckMoment) -> Iterator[Violation]:
    """A completed task has a result, a failed one an error, and a waiting one input requests.

    Fix: Add `result`, `error` or `inputRequests`, as the status requires.
    """
    status = peek.text(case.value, "status")
    member = _BRINGS.get(status or "")
    if status == "failed" and peek.flag(case.value, "result", "isError"):
        return  # the status is wrong, and `task-failure-misreported` reports it
    if member is not None and type(peek.at(case.value, member)) is not dict:
        yield Violation(f"a task is {status}, but has no {member}", f"{case.root}/{member}")


@error("Task failure is reported incorrectly", *_TOLD, since="2026-07-28")
def task_failure_misreported(case: CheckMoment) -> Iterator[Violation]:
    """“The failed status MUST NOT be used to represent non-JSON-RPC errors, such as isError: true.”

    Fix: Use completed for a result with isError, and add a statusMessage to a failed task.
    """
    if peek.text(case.value, "status") != "failed":
        return
    if peek.flag(case.value, "result", "isError") or peek.flag(case.value, "error", "isError"):
        fix = "Set the status to completed, with the result that has isError."
        yield Violation("the status is failed because the tool returned isError", f"{case.root}/status", fix=fix)
    elif peek.has(case.value, "error") and not peek.text(case.value, "statusMessage"):
        yield Violation("a failed task has no statusMessage", f"{case.root}/statusMessage", severity=_WARNING)


@error("Key of an input request is reused", *_TOLD, since="2026-07-28")
def task_input_key_reused(case: CheckMoment) -> Iterator[Violation]:
    """“Each request key in inputRequests MUST be unique over the lifetime of a single task.”

    Fix: Use a new key for each input request.
    """
    task = case.state.ongoing.tasks.get(peek.text(case.value, "taskId") or "")
    for key, request in requests_of(case.value).items() if task is not None else ():
        if task is not None and task.requests.get(key, request) != request:
            yield Violation(
                f"{cut(key, 60)!r} was the key of another request before", f"{case.root}/inputRequests/{key[:60]}"
            )


@error("New task is unknown to `tasks/get`", "error tasks/get", since="2026-07-28")
def new_task_unknown(case: CheckMoment) -> Iterator[Violation]:
    """“A server MUST NOT return CreateTaskResult until a tasks/get for the returned taskId would resolve.”

    Fix: Store the task before returning its handle.
    """
    id_ = peek.text(case.asked_params, "taskId") or ""
    task = case.state.ongoing.tasks.get(id_)
    if (
        task is None
        or peek.integer(case.value, "code") != -32602
        or case.state.ongoing.task_status.get(id_) in _EXTENSION_TASKS_ENDED
    ):
        return
    age_ms = (case.time_ns - task.made_ns) / 1e6
    if age_ms < min(_SOON_MS, _SOON_MS if task.ttl_ms is None else task.ttl_ms):
        sentence = f"the task {cut(id_, 60)!r} is unknown {age_ms / 1000:.1f} s after it was returned"
        yield Violation(sentence, "/error/code", frames=(task.frame,))


@error(
    "Unsolicited task notification",
    "notification notifications/tasks",
    "notification notifications/progress",
    since="2026-07-28",
)
def unsolicited_task_notification(case: CheckMoment) -> Iterator[Violation]:
    """Tasks are reported only for acknowledged task ids; there is no progress of tasks.

    Fix: Send task notifications only for acknowledged task ids.
    """
    if case.method == "notifications/tasks":
        id_ = peek.text(case.value, "taskId") or ""
        if not any(id_ in peek.items(each.acknowledged, "taskIds") for each in _listening(case)):
            yield Violation(
                f"notification about the task {cut(id_, 60)!r}, which was not acknowledged", "/params/taskId"
            )
    elif case.asked is not None and case.asked.lives_on and case.asked.answered is not None:
        sentence = "progress of a task: only tasks/get reports its status"
        yield Violation(sentence, "/params/progressToken", frames=(case.asked.answered,))


def _listening(case: CheckMoment) -> list[Any]:
    """Return the stream that a notification names, or all streams if it names none."""
    id_ = peek.at(case.value, "_meta", PREFIX + "subscriptionId")
    return [each for key, each in case.state.ongoing.listens.items() if id_ is None or key == id_]
