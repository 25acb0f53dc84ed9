"""The demo's tools that take their time, where there are no tasks."""

from inspector.demo import call
from inspector.demo.tools import SLOW
from tests.demo.driving import Here, opening, request

OLDER = [*call.LEGACY][2]
QUICK = {"seconds_per_step": 0.01}


async def test_one_revision_lists_who_must_be_called_as_a_task_and_the_others_do_not() -> None:
    newest, older = Here(), Here()
    await newest.ask(opening())
    await older.ask(opening(OLDER))
    listed = [(await here.ask(request(1, "tools/list")))["result"]["tools"] for here in (newest, older)]
    support = {tool["name"]: tool["execution"]["taskSupport"] for tool in listed[0] if "execution" in tool}
    assert support == {tool.name: tool.task for tool in SLOW}
    assert not any("execution" in tool for tool in listed[1])


async def test_work_without_tasks_blocks_the_call() -> None:
    here = Here()
    await here.ask(opening(OLDER))
    painted = request(
        1, "tools/call", name="task_optional", arguments={"coats": 2, **QUICK}, _meta={"progressToken": 1}
    )
    assert (await here.ask(painted))["result"]["content"][0]["text"] == "The tower is white again, by 2 coats."
    told = [m["params"]["message"] for m in here.sent if m.get("method") == "notifications/progress"]
    assert told == ["scraping", "coat 1", "coat 2"]
    wreck = await here.ask(request(2, "tools/call", name="task_that_fails", arguments=QUICK))
    assert wreck["result"]["isError"]


async def test_there_it_asks_before_it_begins() -> None:
    here = Here()
    await here.ask(opening(OLDER, elicitation={}))
    asked = await here.converse(
        request(1, "tools/call", name="task_that_asks", arguments=QUICK), {"result": {"action": "decline"}}
    )
    assert asked[0]["method"] == "elicitation/create"
    assert "what it always brings" in here.sent[-1]["result"]["content"][0]["text"]
