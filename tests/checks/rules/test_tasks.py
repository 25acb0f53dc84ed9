"""Tasks of both kinds."""

import pytest

from inspector.checks.rules import tasks
from tests.checks.both import assert_both, checks_of
from tests.checks.talks import META, Cases, Script, Talk, asked

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
