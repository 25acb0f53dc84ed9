"""Tasks: in the core of one revision, an extension of the next."""

from collections.abc import Iterator

from inspector.checks.findings import Severity
from inspector.checks.registry import LAST, Flaw, check
from inspector.checks.scene import PREFIX, Case
from inspector.checks.traits import TASK
from inspector.protocol import peek
from inspector.protocol.jsonrpc import Answer

_ERROR = Severity.ERROR
_TOPIC = "basic/utilities/tasks"
_ENDED = {"completed", "failed", "cancelled"}
_MAY_BE = {"working", "input_required", *_ENDED}
_RELATED = PREFIX + "related-task"


@check(
    "D01",
    _ERROR,
    "a task that nobody asked for, or a handle without a task",
    "answer tools/call",
    topic=_TOPIC,
    since=4,
    until=4,
    needs=TASK,
)
def tasks_are_asked_for(case: Case) -> Iterator[Flaw]:
    """Only a request with `task` becomes one."""
    params = case.asked.params if case.asked else None
    asked = peek.has(params, "task")
    if type(case.value) is not dict:
        return
    if "task" not in case.value:
        known = case.scene.known["tools"].get(peek.text(params, "name") or "")
        promised = peek.text(known.item if known else None, "execution", "taskSupport") in ("optional", "required")
        if asked and promised and case.scene.capable("tasks", "requests", "tools", "call"):
            yield Flaw("a task was asked for, and the result came in its place", "/result")
    elif not asked and peek.has(case.value, "task", "taskId") and not peek.has(case.value, "content"):
        yield Flaw("a task was returned, and none was asked for", "/result/task")


@check(
    "D02",
    _ERROR,
    "a task's state that can't be",
    "answer tools/call",
    "answer tasks/get",
    "notification notifications/tasks/status",
    "notification notifications/tasks",
    topic=_TOPIC,
    since=4,
    needs=TASK,
)
def states_follow_one_another(case: Case) -> Iterator[Flaw]:
    """What has ended stays as it is; in the core tasks begin as working, too."""
    word = peek.at(case.value, "task") if case.method == "tools/call" and case.row < LAST else case.value
    if type(word) is not dict:
        return
    id_, status = peek.text(word, "taskId"), peek.text(word, "status")
    if id_ is None or status is None:
        return
    before = case.scene.states.get(id_)
    if case.row < LAST and case.method == "tools/call" and before is None and status in _MAY_BE - {"working"}:
        yield Flaw(f"a task begins as {status[:20]!r}, not as working", "/result/task/status")
    if before in _ENDED and status != before and not _is_past(case, id_):
        root = "/result" if isinstance(case.message, Answer) else "/params"
        yield Flaw(f"a task that was {before} is {status[:20]}", f"{root}/status")


def _is_past(case: Case, id_: str) -> bool:
    """Whether a task of the extension has outlived its time, after which it may fail whatever it was."""
    life = case.scene.tasks.get(id_)
    return life is not None and life.ttl_ms is not None and (case.time_ns - life.made_ns) / 1e6 > life.ttl_ms


@check(
    "D04", _ERROR, "a task's result does not say of which task", "answer tasks/result", topic=_TOPIC, since=4, until=4
)
def results_name_their_task(case: Case) -> Iterator[Flaw]:
    """By `_meta`."""
    if peek.text(case.value, "_meta", _RELATED, "taskId") is None:
        yield Flaw("the result of a task does not name it in _meta", "/result/_meta")


@check(
    "X03",
    _ERROR,
    "a task is cancelled by the notification for requests",
    "notification notifications/cancelled",
    topic=_TOPIC,
    since=4,
    until=4,
)
def tasks_are_cancelled_by_request(case: Case) -> Iterator[Flaw]:
    """`tasks/cancel` does that."""
    if peek.text(case.value, "requestId") in case.scene.states:
        yield Flaw("notifications/cancelled names a task", "/params/requestId")


@check("D05", _ERROR, "a task on a method that has none", "answer", topic="schema", since=5)
def tasks_are_calls(case: Case) -> Iterator[Flaw]:
    """In the extension only `tools/call` may become one. Of `tasks/get` D06 says so."""
    if case.method not in ("tools/call", "tasks/get") and peek.text(case.value, "resultType") == "task":
        yield Flaw(f"{case.method[:60]} became a task", "/result/resultType")
