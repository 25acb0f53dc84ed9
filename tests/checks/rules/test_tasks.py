"""Tasks of both kinds."""

import pytest

from inspector.checks.rules import tasks
from tests.checks.both import assert_both, checks_of, of_one
from tests.checks.talks import META, Cases, Script, Talk, asked, ids

_TASK = {"taskId": "t", "status": "working", "createdAt": "2025", "lastUpdatedAt": "2025", "ttl": None}


def _begun(status: str = "working", then: str = "working") -> Script:
    def talk() -> Talk:
        begun = Talk().ask("tools/call", {"name": "a", "task": {}}).answer({"task": _TASK | {"status": status}})
        begun.ask("tasks/get", {"taskId": "t"}).answer(_TASK | {"status": then})
        return begun.ask("tasks/get", {"taskId": "t"}).answer(_TASK | {"status": "completed"})

    return talk


CASES: Cases = {
    "D01": (
        asked("tools/call", {"task": _TASK}, params={"name": "a"}),
        asked("tools/call", {"task": _TASK}, params={"name": "a", "task": {}}),
    ),
    "D02": (_begun(then="failed"), _begun(then="input_required")),
    "D04": (
        asked("tasks/result", {"content": []}),
        asked("tasks/result", {"content": [], "_meta": {META + "related-task": {"taskId": "t"}}}),
    ),
    "D05": (
        asked("prompts/get", {"resultType": "task", "taskId": "t"}, 5),
        asked("tools/call", {"resultType": "task", "taskId": "t"}, 5),
    ),
    "X03": (
        lambda: _begun()().tell("notifications/cancelled", {"requestId": "t"}),
        lambda: _begun()().tell("notifications/cancelled", {"requestId": "u"}),
    ),
}


def test_each_check_has_a_fault_and_a_near_miss() -> None:
    assert set(CASES) == checks_of(tasks)


@pytest.mark.parametrize("id_", CASES)
def test_the_fault_is_found_and_the_near_miss_is_not(id_: str) -> None:
    assert_both(CASES, id_)


def _called(support: str) -> Talk:
    """A task is asked for, and the result comes at once."""
    promised: dict[str, object] = {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}
    tool = {"name": "a", "inputSchema": {"type": "object"}, "execution": {"taskSupport": support}}
    talk = Talk(capabilities=promised).ask("tools/list").answer({"tools": [tool]})
    return talk.ask("tools/call", {"name": "a", "task": {}}).answer({"content": []})


def test_a_tool_that_promises_tasks_does_not_answer_with_a_result() -> None:
    assert "D01" in ids(_called("optional"))
    assert "D01" not in ids(_called("forbidden"))


def _extended(*states: str, ttl: object = None, after: float = 0) -> Talk:
    client: dict[str, object] = {"extensions": {META + "tasks": {}}}
    word = {"taskId": "t", "createdAt": "2026", "lastUpdatedAt": "2026", "ttlMs": ttl, "error": {}, "result": {}}
    talk = Talk(5, client=client).ask("tools/call", {"name": "a"})
    talk.answer(word | {"resultType": "task", "status": states[0]})
    for state in states[1:]:
        talk.wait(after).ask("tasks/get", {"taskId": "t"}).answer(word | {"status": state})
    return talk


def test_in_the_extension_too_what_has_ended_stays_until_its_time_is_over() -> None:
    assert "D02" in ids(_extended("working", "completed", "working"))
    assert "D02" not in ids(_extended("completed", "completed"))
    assert "D02" not in ids(_extended("completed", "failed", ttl=1000, after=2))


def test_a_task_of_the_extension_has_its_own_members() -> None:
    assert "D03" not in ids(_extended("working", "completed"))
    talk = _extended("working").ask("tasks/get", {"taskId": "t"}).answer({"taskId": "t", "status": "working"})
    assert {each.pointer for each in of_one(talk.findings(), "D03")} == {
        "/result/createdAt",
        "/result/lastUpdatedAt",
    }
    assert not of_one(_extended("working").ask("tasks/cancel", {"taskId": "t"}).answer({}).findings(), "D03")


@pytest.mark.parametrize(
    ("id_", "script"),
    [
        ("D01", lambda: Talk().ask("tools/call", {"name": "a"}).answer({"task": _TASK})),
        ("D02", lambda: Talk().ask("tools/call", {"name": "a", "task": {}}).answer({"task": _TASK | {"status": "x"}})),
        ("X03", lambda: _begun_only().tell("notifications/cancelled", {"requestId": "t"})),
    ],
)
def test_one_fact_is_one_finding(id_: str, script: Script) -> None:
    assert [each.id for each in script().findings()] == [id_]


def _begun_only() -> Talk:
    return Talk().ask("tools/call", {"name": "a", "task": {}}).answer({"task": _TASK})
