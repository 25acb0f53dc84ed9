"""Tasks as an extension."""

from typing import Any

import pytest

from inspector.checks.rules import extension_tasks
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import META, Cases, Script, Talk, ids

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
    "D06": (_got(resultType="done"), _got(resultType="complete")),
    "D12": (
        lambda: _called({"resultType": "task", "task": _TASK}),
        lambda: _called({"content": [], "task": _TASK}),
    ),
    "D07": (_got(status="completed"), _got(status="completed", result={})),
    "D08": (_got(**_FAILED | {"result": {"isError": True}}), _got(**_FAILED)),
    "D09": (_asked_twice(_OTHER), _asked_twice(_ASKS)),
    "D10": (_unknown(1), _unknown(1, ttlMs=500)),
    "D11": (_told(), _told("t")),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(extension_tasks)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


@pytest.mark.parametrize(
    ("id_", "severity", "script"),
    [
        ("D06", "error", _got(resultType="task")),
        ("D07", "error", _got(status="input_required")),
        ("D08", "warning", _got(**{**_FAILED, "statusMessage": ""})),
        ("D11", "error", lambda: _begun().tell("notifications/progress", {"progressToken": "p", "progress": 1})),
    ],
)
def test_other_ways_to_break_the_rule_are_found(id_: str, severity: str, script: Script) -> None:
    assert [each.severity for each in of_one(script().findings(), id_)] == [severity]


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("D10", lambda: _begun(status="completed", result={}).ask("tasks/get", {"taskId": "t"}).error(-32602)),
        ("D10", lambda: Talk(5, client=_CLIENT).ask("tasks/get", {"taskId": "t"}).error(-32602)),
        ("D10", _unknown(100)),
    ],
)
def test_what_is_near_and_legal_is_left_alone(id_: str, script: Script) -> None:
    assert id_ not in ids(script())


_UNDECLARED: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("D06", _got(resultType="task")),
        ("D06", _got(resultType="done")),
        ("D05", lambda: Talk(5, client=_CLIENT).ask("tools/list").answer(_TASK | {"resultType": "task"})),
        ("D05", lambda: Talk(5, client=_UNDECLARED).ask("resources/read").answer(_TASK | {"resultType": "task"})),
        ("L11", lambda: Talk(5, client=_UNDECLARED).ask("tools/call").answer(_TASK | {"resultType": "task"})),
        ("D12", lambda: _called({"resultType": "task", "task": _TASK})),
        ("D12", lambda: _called({"task": _TASK})),
        ("D07", _got(status="failed")),
        ("D08", _got(status="failed", result={"isError": True})),
        ("D08", _got(**{**_FAILED, "statusMessage": ""})),
        ("D03", lambda: _got(ttlMs="5")().ask("tasks/get", {"taskId": "t"}).answer(_TASK | {"ttlMs": "5"})),
        ("D02", lambda: _got(status="lost")().ask("tasks/get", {"taskId": "t"}).answer(_TASK | {"status": "lost"})),
    ],
)
def test_one_fact_is_one_finding(id_: str, script: Script) -> None:
    assert [each.id for each in script().findings()] == [id_]


def test_the_same_fault_of_another_task_is_another_fact() -> None:
    talk = _got(status="completed")().ask("tasks/get", {"taskId": "u"})
    talk = talk.answer(_TASK | {"taskId": "u", "status": "completed"})
    assert [each.id for each in talk.findings()] == ["D07", "D07"]
