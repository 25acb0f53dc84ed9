"""The demo's tasks on the wire, in both eras."""

from typing import Any

import pytest

from inspector.demo.tasks import EXTENSION, KEPT_MS, MOST_MS
from tests.demo.driving import Here, meta, opening, request, stateless

ELICITS: dict[str, Any] = {"elicitation": {"form": {}}}
QUICK = {"seconds_per_step": 0.01}


def extended(id_: int, method: str, **params: Any) -> dict[str, Any]:
    """A stateless request of a client that can follow tasks and fill in forms."""
    able = {"extensions": {EXTENSION: {}}, **ELICITS}
    return stateless(id_, method, **params, _meta=meta(clientCapabilities=able))


async def opened(**capabilities: Any) -> Here:
    here = Here()
    await here.ask(opening(**capabilities))
    return here


async def begin(here: Here, name: str, task: Any = None, **arguments: Any) -> dict[str, Any]:
    asked = request(1, "tools/call", name=name, arguments={**QUICK, **arguments}, task={} if task is None else task)
    return await here.ask(asked)


async def test_a_call_that_asks_for_a_task_gets_its_handle_at_once_and_its_result_at_the_end() -> None:
    here = await opened()
    handle = (await begin(here, "task_optional", {"ttl": 5000}, coats=1))["result"]["task"]
    assert (handle["status"], handle["ttl"]) == ("working", 5000)
    brought = await here.ask(request(2, "tasks/result", taskId=handle["taskId"]))
    assert brought["result"]["content"][0]["text"] == "The tower is white again, by 1 coats."
    assert brought["result"]["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": handle["taskId"]}
    told = await here.ask(request(3, "tasks/get", taskId=handle["taskId"]))
    assert told["result"]["status"] == "completed"
    listed = await here.ask(request(4, "tasks/list"))
    assert [task["taskId"] for task in listed["result"]["tasks"]] == [handle["taskId"]]


async def test_the_question_of_a_task_comes_on_the_stream_of_its_result() -> None:
    here = await opened(**ELICITS)
    handle = (await begin(here, "task_that_asks"))["result"]["task"]
    answer = {"result": {"action": "accept", "content": {"goods": "biscuits", "barrels": 5}}}
    asked = await here.converse(request(2, "tasks/result", taskId=handle["taskId"]), answer)
    assert asked[0]["method"] == "elicitation/create"
    assert asked[0]["params"]["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": handle["taskId"]}
    assert here.sent[-1]["result"]["content"][0]["text"] == "The boat brings 5 barrels of biscuits."


async def test_task_for_a_client_without_elicitation_uses_a_default() -> None:
    here = await opened()
    handle = (await begin(here, "task_that_asks"))["result"]["task"]
    brought = await here.ask(request(2, "tasks/result", taskId=handle["taskId"]))
    assert "what it always brings" in brought["result"]["content"][0]["text"]


async def test_the_extension_asks_and_brings_everything_by_polls() -> None:
    here = Here()
    handle = (await here.ask(extended(1, "tools/call", name="task_that_asks", arguments=QUICK)))["result"]
    assert (handle["resultType"], handle["status"]) == ("task", "working")
    await _until_state(here, handle["taskId"], "input_required")
    polled = here.sent[-1]["result"]
    assert polled["inputRequests"]["how"]["method"] == "elicitation/create"
    answers = {"how": {"action": "accept", "content": {"goods": "oil"}}, "nobody's": {}}
    assert (
        "taskId"
        not in (await here.ask(extended(3, "tasks/update", taskId=handle["taskId"], inputResponses=answers)))["result"]
    )
    await _until_state(here, handle["taskId"], "completed")
    result = here.sent[-1]["result"]
    assert result["result"]["content"][0]["text"] == "The boat brings 2 barrels of oil."
    assert result["resultType"] == "complete"


async def test_a_failure_is_an_error_in_the_extension_and_a_result_in_the_core() -> None:
    here = Here()
    handle = (await here.ask(extended(1, "tools/call", name="task_that_fails", arguments=QUICK)))["result"]
    await _until_state(here, handle["taskId"], "failed")
    assert here.sent[-1]["result"]["error"]["message"].startswith("The chain has parted")
    core = await opened()
    handle = (await begin(core, "task_that_fails"))["result"]["task"]
    brought = await core.ask(request(2, "tasks/result", taskId=handle["taskId"]))
    assert brought["result"]["isError"]


async def test_an_endless_task_is_called_off() -> None:
    here = await opened()
    handle = (await begin(here, "task_that_never_ends"))["result"]["task"]
    assert (await here.ask(request(2, "tasks/cancel", taskId=handle["taskId"])))["result"]["status"] == "cancelled"
    again = await here.ask(request(3, "tasks/cancel", taskId=handle["taskId"]))
    assert again["error"]["message"] == "The task is already cancelled"
    assert (await here.ask(request(4, "tasks/result", taskId=handle["taskId"])))["error"]["code"] == -32602


async def test_task_support_is_enforced_per_tool() -> None:
    here = await opened()
    plain = await here.ask(request(1, "tools/call", name="task_that_fails", arguments=QUICK))
    assert (plain["error"]["code"], "as a task" in plain["error"]["message"]) == (-32601, True)
    forbidden = await here.ask(request(2, "tools/call", name="echo", arguments={"text": "x"}, task={}))
    assert forbidden["error"]["code"] == -32601
    wrong = await here.ask(request(3, "tools/call", name="task_optional", arguments=QUICK, task=5))
    assert wrong["error"]["code"] == -32602


async def test_without_the_extension_an_optional_task_is_none_and_a_required_one_refused() -> None:
    here = Here()
    refused = await here.ask(stateless(1, "tools/call", name="task_that_fails", arguments=QUICK))
    assert refused["error"]["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
    assert (await here.call("task_optional", coats=1, **QUICK))["content"][0]["type"] == "text"
    assert (await here.ask(stateless(2, "tasks/get", taskId="x")))["error"]["code"] == -32021


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
async def test_an_unknown_id_is_an_error(method: str) -> None:
    here = await opened()
    assert (await here.ask(request(1, method, taskId="nobody's")))["error"]["code"] == -32602
    assert (await here.ask(request(2, method)))["error"]["code"] == -32602


@pytest.mark.parametrize(("ttl", "kept"), [(None, KEPT_MS), (5, 5), (1e12, MOST_MS)])
async def test_task_ttl_is_limited(ttl: Any, kept: int) -> None:
    here = await opened()
    assert (await begin(here, "task_optional", {"ttl": ttl}))["result"]["task"]["ttl"] == kept


@pytest.mark.parametrize("ttl", [-1, "soon", True])
async def test_a_time_that_is_none_is_refused(ttl: Any) -> None:
    here = await opened()
    assert (await begin(here, "task_optional", {"ttl": ttl}))["error"]["code"] == -32602


async def test_an_update_needs_answers() -> None:
    here = Here()
    handle = (await here.ask(extended(1, "tools/call", name="task_that_never_ends", arguments=QUICK)))["result"]
    wrong = await here.ask(extended(2, "tasks/update", taskId=handle["taskId"]))
    assert wrong["error"]["code"] == -32602


async def _until_state(here: Here, id_: str, state: str) -> None:
    """Poll until the task is in a state."""
    for n in range(10, 100_000):
        if (await here.ask(extended(n, "tasks/get", taskId=id_)))["result"]["status"] == state:
            return
