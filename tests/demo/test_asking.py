"""How the demo asks, and what it makes of a state that went through other hands."""

import asyncio
from typing import Any

import pytest

from inspector.demo.asking import declares
from inspector.demo.call import INVALID_PARAMS, MISSING_CAPABILITY
from tests.demo.driving import Here, meta, opening, request, stateless
from tests.waiting import until

_CAN: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}


def _call(name: str, request_id: int = 1, **params: Any) -> dict[str, Any]:
    return stateless(request_id, "tools/call", name=name, **{"_meta": meta(clientCapabilities=_CAN), **params})


@pytest.mark.parametrize(
    ("declared", "needed", "enough"),
    [
        ({}, {}, True),
        ({}, {"roots": {}}, False),
        ({"roots": {"listChanged": True}}, {"roots": {}}, True),
        ({"roots": True}, {"roots": {}}, False),
        ({"elicitation": {}}, {"elicitation": {"form": {}}}, True),
        ({"elicitation": {}}, {"elicitation": {"url": {}}}, False),
        ({"elicitation": {"url": {}}}, {"elicitation": {"form": {}}}, False),
        ({"sampling": {}}, {"sampling": {"tools": {}}}, False),
        ({"sampling": {"tools": {}}}, {"sampling": {}}, True),
    ],
)
def test_a_client_can_be_asked_what_it_declared(declared: Any, needed: Any, enough: bool) -> None:
    assert declares(declared, needed) is enough


async def test_who_cannot_be_asked_is_told_so_in_the_way_of_the_era() -> None:
    refused = await Here().ask(stateless(1, "tools/call", name="ask_keeper"))
    assert refused["error"]["code"] == MISSING_CAPABILITY
    assert refused["error"]["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}
    here = Here()
    await here.send(opening())
    failed = (await here.ask(request(1, "tools/call", name="ask_keeper")))["result"]
    assert failed["isError"]
    assert "has not declared the capability elicitation.form" in failed["content"][0]["text"]


async def test_tools_that_ask_are_listed_for_those_who_can_be_asked_and_for_them_alone() -> None:
    asking = {"ask_keeper", "plan_supper", "ask_visit", "ask_sage", "ask_roots"}
    short = (await Here().ask(stateless(1, "tools/list")))["result"]
    long = (await Here().ask(stateless(1, "tools/list", _meta=meta(clientCapabilities=_CAN))))["result"]
    assert {tool["name"] for tool in long["tools"]} - {tool["name"] for tool in short["tools"]} == asking
    assert (short["cacheScope"], long["cacheScope"]) == ("public", "private")
    here = Here()
    await here.send(opening(roots={}))
    names = {tool["name"] for tool in (await here.ask(request(1, "tools/list")))["result"]["tools"]}
    assert names & asking == {"ask_roots"}


@pytest.mark.parametrize("state", ["", "e30=", "e30=.0000", 7, "x.ü"])
async def test_a_state_that_was_tampered_with_is_refused(state: object) -> None:
    answer = await Here().ask(_call("plan_supper", requestState=state))
    assert answer["error"]["code"] == INVALID_PARAMS


async def test_a_state_is_for_one_tool() -> None:
    here = Here()
    state = (await here.ask(_call("plan_supper")))["result"]["requestState"]
    assert (await here.ask(_call("plan_supper", requestState=state)))["result"]["resultType"] == "input_required"
    assert (await here.ask(_call("ask_keeper", requestState=state)))["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("responses", [[], "x", 1])
async def test_responses_that_are_no_object_are_refused(responses: object) -> None:
    answer = await Here().ask(_call("ask_roots", inputResponses=responses))
    assert answer["error"]["code"] == INVALID_PARAMS


async def test_a_response_that_is_no_object_is_an_error_of_the_tool() -> None:
    answer = await Here().ask(_call("ask_roots", inputResponses={"roots": [1]}))
    assert answer["result"]["isError"]


async def test_what_the_client_refuses_the_tool_tells() -> None:
    here = Here()
    await here.send(opening(roots={}))
    (asked,) = await here.converse(request(1, "tools/call", name="ask_roots"), {"error": {"code": -1, "message": "no"}})
    assert asked["method"] == "roots/list"
    assert here.sent[-1]["result"]["isError"]
    assert here.sent[-1]["result"]["content"][0]["text"] == "The client refused roots/list: no (-1)"


async def test_a_call_that_is_given_up_takes_its_question_back() -> None:
    here = Here()
    await here.send(opening(roots={}))

    async def give_up() -> None:
        await until(lambda: any(sent.get("method") == "roots/list" for sent in here.sent), "the server asked")
        await here.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(here.send(request(1, "tools/call", name="ask_roots")))
        tasks.create_task(give_up())
    ((method, params),) = here.notifications
    assert (method, params["requestId"]) == ("notifications/cancelled", here.sent[-2]["id"])
    assert not here.server.link.waiting


async def test_an_answer_that_nobody_waits_for_is_muttered_about(capsys: pytest.CaptureFixture[str]) -> None:
    here = Here()
    await here.send({"jsonrpc": "2.0", "id": "lamp-1", "result": {}})
    assert not here.sent
    assert "nobody asked for" in capsys.readouterr().err
