"""Tasks as an extension."""

from typing import Any

import pytest

from tests.checks.both import of_one
from tests.checks.talks import META, Cases, Script, Talk, asked, ids

_CLIENT: dict[str, Any] = {"extensions": {META + "tasks": {}}}
_TASK = {"taskId": "t", "status": "working", "createdAt": "2026", "lastUpdatedAt": "2026", "ttlMs": None}
_ASKS = {"a": {"method": "roots/list"}}
_OTHER = {"a": {"method": "elicitation/create", "params": {"message": "?"}}}


def _begun(**more: Any) -> Talk:
    talk = Talk(5, client=_CLIENT).ask("tools/call", {"name": "a"}, progressToken="p")
    return talk.answer(_TASK | {"resultType": "task"} | more)


def _called(result: dict[str, Any]) -> Talk:
    return Talk(5, client=_CLIENT).ask("tools/call", {"name": "a"}).answer(result)


def _got(**more: Any) -> Script:
    return lambda: _begun().ask("tasks/get", {"taskId": "t"}).answer(_TASK | more)


def _asked_twice(then: Any) -> Script:
    def script() -> Talk:
        talk = _begun().ask("tasks/get", {"taskId": "t"}).answer(_TASK | _waiting(_ASKS))
        return talk.ask("tasks/get", {"taskId": "t"}).answer(_TASK | _waiting(then))

    return script


def _waiting(requests: Any) -> dict[str, Any]:
    return {"status": "input_required", "inputRequests": requests}


def _unknown(after: float, **more: Any) -> Script:
    return lambda: _begun(**more).wait(after).ask("tasks/get", {"taskId": "t"}).error(-32602)


def _told(*ids_: str) -> Script:
    def script() -> Talk:
        talk = _begun().ask("subscriptions/listen", {"notifications": {"taskIds": ["t"]}}, id_=9)
        meta = {"_meta": {META + "subscriptionId": 9}}
        talk.tell("notifications/subscriptions/acknowledged", meta | {"notifications": {"taskIds": list(ids_)}})
        return talk.tell("notifications/tasks", _TASK | meta)

    return script


_FAILED = {"status": "failed", "error": {"code": -32603, "message": "no"}, "statusMessage": "no"}
CASES: Cases = {
    "task-result-incomplete": (_got(resultType="done"), _got(resultType="complete")),
    "task-handle-nested": (
        lambda: _called({"resultType": "task", "task": _TASK}),
        lambda: _called({"content": [], "task": _TASK}),
    ),
    "task-status-member-missing": (_got(status="completed"), _got(status="completed", result={})),
    "task-failure-misreported": (_got(**_FAILED | {"result": {"isError": True}}), _got(**_FAILED)),
    "task-input-key-reused": (_asked_twice(_OTHER), _asked_twice(_ASKS)),
    "new-task-unknown": (_unknown(1), _unknown(1, ttlMs=500)),
    "unsolicited-task-notification": (_told(), _told("t")),
}


@pytest.mark.parametrize(
    ("id_", "severity", "script"),
    [
        ("task-result-incomplete", "error", _got(resultType="task")),
        ("task-status-member-missing", "error", _got(status="input_required")),
        ("task-failure-misreported", "warning", _got(**{**_FAILED, "statusMessage": ""})),
        (
            "unsolicited-task-notification",
            "error",
            lambda: _begun().tell("notifications/progress", {"progressToken": "p", "progress": 1}),
        ),
    ],
)
def test_other_ways_to_break_the_rule_are_found(id_: str, severity: str, script: Script) -> None:
    assert [each.severity for each in of_one(script().findings(), id_)] == [severity]


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        (
            "new-task-unknown",
            lambda: _begun(status="completed", result={}).ask("tasks/get", {"taskId": "t"}).error(-32602),
        ),
        ("new-task-unknown", lambda: Talk(5, client=_CLIENT).ask("tasks/get", {"taskId": "t"}).error(-32602)),
        ("new-task-unknown", _unknown(100)),
    ],
)
def test_task_rule_accepts_legal_neighbour(id_: str, script: Script) -> None:
    assert id_ not in ids(script())


_UNDECLARED: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("task-result-incomplete", _got(resultType="task")),
        ("task-result-incomplete", _got(resultType="done")),
        (
            "task-on-unsupported-method",
            lambda: Talk(5, client=_CLIENT).ask("tools/list").answer(_TASK | {"resultType": "task"}),
        ),
        (
            "task-on-unsupported-method",
            lambda: Talk(5, client=_UNDECLARED).ask("resources/read").answer(_TASK | {"resultType": "task"}),
        ),
        (
            "unknown-result-type",
            lambda: Talk(5, client=_UNDECLARED).ask("tools/call").answer(_TASK | {"resultType": "task"}),
        ),
        ("task-handle-nested", lambda: _called({"resultType": "task", "task": _TASK})),
        ("task-handle-nested", lambda: _called({"task": _TASK})),
        ("task-status-member-missing", _got(status="failed")),
        ("task-failure-misreported", _got(status="failed", result={"isError": True})),
        ("task-failure-misreported", _got(**{**_FAILED, "statusMessage": ""})),
        ("task-invalid", lambda: _got(ttlMs="5")().ask("tasks/get", {"taskId": "t"}).answer(_TASK | {"ttlMs": "5"})),
        (
            "task-status-transition",
            lambda: _got(status="lost")().ask("tasks/get", {"taskId": "t"}).answer(_TASK | {"status": "lost"}),
        ),
    ],
)
def test_one_fact_is_one_finding(id_: str, script: Script) -> None:
    assert [each.id for each in script().findings()] == [id_]


def test_the_same_fault_of_another_task_is_another_fact() -> None:
    talk = _got(status="completed")().ask("tasks/get", {"taskId": "u"})
    talk = talk.answer(_TASK | {"taskId": "u", "status": "completed"})
    assert [each.id for each in talk.findings()] == ["task-status-member-missing", "task-status-member-missing"]


_TASKS_TASK = {"taskId": "t", "status": "working", "createdAt": "2025", "lastUpdatedAt": "2025", "ttl": None}


def _tasks_begun(status: str = "working", then: str = "working") -> Script:
    def talk() -> Talk:
        begun = Talk().ask("tools/call", {"name": "a", "task": {}}).answer({"task": _TASKS_TASK | {"status": status}})
        begun.ask("tasks/get", {"taskId": "t"}).answer(_TASKS_TASK | {"status": then})
        return begun.ask("tasks/get", {"taskId": "t"}).answer(_TASKS_TASK | {"status": "completed"})

    return talk


TASKS_CASES: Cases = {
    "task-not-requested": (
        asked("tools/call", {"task": _TASKS_TASK}, params={"name": "a"}),
        asked("tools/call", {"task": _TASKS_TASK}, params={"name": "a", "task": {}}),
    ),
    "task-status-transition": (_tasks_begun(then="failed"), _tasks_begun(then="input_required")),
    "related-task-missing": (
        asked("tasks/result", {"content": []}),
        asked("tasks/result", {"content": [], "_meta": {META + "related-task": {"taskId": "t"}}}),
    ),
    "task-on-unsupported-method": (
        asked("prompts/get", {"resultType": "task", "taskId": "t"}, 5),
        asked("tools/call", {"resultType": "task", "taskId": "t"}, 5),
    ),
    "task-cancelled-by-notification": (
        lambda: _tasks_begun()().tell("notifications/cancelled", {"requestId": "t"}),
        lambda: _tasks_begun()().tell("notifications/cancelled", {"requestId": "u"}),
    ),
}


def _tasks_called(support: str) -> Talk:
    """A task is asked for, and the result comes at once."""
    promised: dict[str, object] = {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}
    tool = {"name": "a", "inputSchema": {"type": "object"}, "execution": {"taskSupport": support}}
    talk = Talk(capabilities=promised).ask("tools/list").answer({"tools": [tool]})
    return talk.ask("tools/call", {"name": "a", "task": {}}).answer({"content": []})


def test_a_tool_that_promises_tasks_does_not_answer_with_a_result() -> None:
    assert "task-not-requested" in ids(_tasks_called("optional"))
    assert "task-not-requested" not in ids(_tasks_called("forbidden"))


def _extended(*states: str, ttl: object = None, after: float = 0) -> Talk:
    client: dict[str, object] = {"extensions": {META + "tasks": {}}}
    word = {"taskId": "t", "createdAt": "2026", "lastUpdatedAt": "2026", "ttlMs": ttl, "error": {}, "result": {}}
    talk = Talk(5, client=client).ask("tools/call", {"name": "a"})
    talk.answer(word | {"resultType": "task", "status": states[0]})
    for state in states[1:]:
        talk.wait(after).ask("tasks/get", {"taskId": "t"}).answer(word | {"status": state})
    return talk


def test_task_of_the_extension_stays_final_until_its_ttl() -> None:
    assert "task-status-transition" in ids(_extended("working", "completed", "working"))
    assert "task-status-transition" not in ids(_extended("completed", "completed"))
    assert "task-status-transition" not in ids(_extended("completed", "failed", ttl=1000, after=2))


def test_a_task_of_the_extension_has_its_own_members() -> None:
    assert "task-invalid" not in ids(_extended("working", "completed"))
    talk = _extended("working").ask("tasks/get", {"taskId": "t"}).answer({"taskId": "t", "status": "working"})
    assert {each.pointer for each in of_one(talk.findings(), "task-invalid")} == {
        "/result/createdAt",
        "/result/lastUpdatedAt",
    }
    assert not of_one(_extended("working").ask("tasks/cancel", {"taskId": "t"}).answer({}).findings(), "task-invalid")


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("task-not-requested", lambda: Talk().ask("tools/call", {"name": "a"}).answer({"task": _TASKS_TASK})),
        (
            "task-status-transition",
            lambda: Talk().ask("tools/call", {"name": "a", "task": {}}).answer({"task": _TASKS_TASK | {"status": "x"}}),
        ),
        (
            "task-cancelled-by-notification",
            lambda: (
                Talk()
                .ask("tools/call", {"name": "a", "task": {}})
                .answer({"task": _TASKS_TASK})
                .tell("notifications/cancelled", {"requestId": "t"})
            ),
        ),
    ],
)
def test_tasks_one_fact_is_one_finding(id_: str, script: Script) -> None:
    assert [each.id for each in script().findings()] == [id_]
