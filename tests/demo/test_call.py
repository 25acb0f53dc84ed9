"""How the demo asks, and what it makes of a state that went through other hands."""

import asyncio
from typing import Any

import pytest

from inspector.demo import call
from inspector.demo.call import (
    INVALID_PARAMS,
    META,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    DemoConnection,
    DemoError,
    DemoOptions,
    DemoRequest,
    declares,
    dump,
    parse,
)
from inspector.demo.state import LOGBOOK, DemoState, StationChange
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
def test_declares_compares_capabilities(declared: Any, needed: Any, enough: bool) -> None:
    assert declares(declared, needed) is enough


async def test_undeclared_capability_is_refused_as_the_era_requires() -> None:
    refused = await Here().ask(stateless(1, "tools/call", name="elicit_form"))
    assert refused["error"]["code"] == MISSING_CAPABILITY
    assert refused["error"]["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}
    here = Here()
    await here.send(opening())
    failed = (await here.ask(request(1, "tools/call", name="elicit_form")))["result"]
    assert failed["isError"]
    assert "needs the client capability elicitation.form" in failed["content"][0]["text"]


async def test_requesting_tools_are_listed_for_capable_clients_only() -> None:
    asking = {"elicit_form", "elicit_steps", "elicit_url", "sampling_request", "roots_request"}
    short = (await Here().ask(stateless(1, "tools/list")))["result"]
    long = (await Here().ask(stateless(1, "tools/list", _meta=meta(clientCapabilities=_CAN))))["result"]
    assert {tool["name"] for tool in long["tools"]} - {tool["name"] for tool in short["tools"]} == asking
    assert (short["cacheScope"], long["cacheScope"]) == ("public", "private")
    here = Here()
    await here.send(opening(roots={}))
    names = {tool["name"] for tool in (await here.ask(request(1, "tools/list")))["result"]["tools"]}
    assert names & asking == {"roots_request"}


@pytest.mark.parametrize("state", ["", "e30=", "e30=.0000", 7, "x.ü"])
async def test_a_state_that_was_tampered_with_is_refused(state: object) -> None:
    answer = await Here().ask(_call("elicit_steps", requestState=state))
    assert answer["error"]["code"] == INVALID_PARAMS


async def test_a_state_is_for_one_tool() -> None:
    here = Here()
    state = (await here.ask(_call("elicit_steps")))["result"]["requestState"]
    assert (await here.ask(_call("elicit_steps", requestState=state)))["result"]["resultType"] == "input_required"
    assert (await here.ask(_call("elicit_form", requestState=state)))["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("responses", [[], "x", 1])
async def test_responses_that_are_no_object_are_refused(responses: object) -> None:
    answer = await Here().ask(_call("roots_request", inputResponses=responses))
    assert answer["error"]["code"] == INVALID_PARAMS


async def test_a_response_that_is_no_object_is_an_error_of_the_tool() -> None:
    answer = await Here().ask(_call("roots_request", inputResponses={"roots": [1]}))
    assert answer["result"]["isError"]


async def test_client_error_becomes_a_tool_error() -> None:
    here = Here()
    await here.send(opening(roots={}))
    (asked,) = await here.converse(
        request(1, "tools/call", name="roots_request"), {"error": {"code": -1, "message": "no"}}
    )
    assert asked["method"] == "roots/list"
    assert here.sent[-1]["result"]["isError"]
    assert here.sent[-1]["result"]["content"][0]["text"] == "The client rejected roots/list: no (-1)"


async def test_a_call_that_is_given_up_takes_its_question_back() -> None:
    here = Here()
    await here.send(opening(roots={}))

    async def give_up() -> None:
        await until(lambda: any(sent.get("method") == "roots/list" for sent in here.sent), "the server asked")
        await here.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(here.send(request(1, "tools/call", name="roots_request")))
        tasks.create_task(give_up())
    ((method, params),) = here.notifications
    assert (method, params["requestId"]) == ("notifications/cancelled", here.sent[-2]["id"])
    assert not here.server.link.waiting


async def test_unexpected_response_is_logged_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    here = Here()
    await here.send({"jsonrpc": "2.0", "id": "lamp-1", "result": {}})
    assert not here.sent
    assert "unknown request" in capsys.readouterr().err


def a_call(sent: list[Any], era: call.DemoEra, **meta: Any) -> DemoRequest:
    async def keep(message: Any) -> None:
        sent.append(message)

    return DemoRequest(1, "tools/call", {"_meta": meta}, era, DemoConnection(keep), keep, DemoState(), DemoOptions())


async def test_progress_is_sent_only_with_a_token() -> None:
    sent: list[Any] = []
    await a_call(sent, call.NEWEST_LEGACY).progress(1, 2, "half")
    assert not sent
    await a_call(sent, call.NEWEST_LEGACY, progressToken=7).progress(1, 2, "half")
    assert sent[0]["params"] == {"progressToken": 7, "progress": 1, "total": 2, "message": "half"}


async def test_progress_has_no_message_in_the_first_revision() -> None:
    sent: list[Any] = []
    await a_call(sent, call.LEGACY["2024-11-05"], progressToken="t").progress(1, message="half")
    assert sent[0]["params"] == {"progressToken": "t", "progress": 1}


async def test_a_stateless_request_sees_logs_only_if_it_asks() -> None:
    sent: list[Any] = []
    await a_call(sent, call.NEWEST_MODERN).log("emergency", "fire")
    assert not sent
    asking = a_call(sent, call.NEWEST_MODERN, **{META + "logLevel": "error"})
    await asking.log("warning", "smoke")
    await asking.log("error", "fire")
    assert [message["params"]["data"] for message in sent] == ["fire"]


async def test_a_connection_hears_of_lists_unasked_and_of_resources_it_watches() -> None:
    sent: list[Any] = []
    link = a_call(sent, call.NEWEST_LEGACY).link
    await link.hear(StationChange("resource", LOGBOOK))
    await link.hear(StationChange("tools"))
    link.watched.add(LOGBOOK)
    await link.hear(StationChange("resource", LOGBOOK))
    assert [message["method"] for message in sent] == [
        "notifications/tools/list_changed",
        "notifications/resources/updated",
    ]


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b"[" * 100_000, b"1" * 10_000])
def test_invalid_json_is_a_parse_error(data: bytes) -> None:
    with pytest.raises(DemoError) as refused:
        parse(data)
    assert refused.value.code == PARSE_ERROR


def test_a_message_is_one_line_even_with_half_a_character_in_it() -> None:
    assert dump({"a": "x\ny\ud800"}) == b'{"a":"x\\ny?"}'


TOOL = {"name": "t", "title": "T", "inputSchema": {}, "outputSchema": {}, "annotations": {}, "icons": []}


@pytest.mark.parametrize(
    ("version", "members"),
    [
        ("2024-11-05", {"name", "inputSchema"}),
        ("2025-03-26", {"name", "inputSchema", "annotations"}),
        ("2025-06-18", {"name", "inputSchema", "annotations", "title", "outputSchema"}),
        ("2025-11-25", {"name", "inputSchema", "annotations", "title", "outputSchema", "icons"}),
    ],
)
def test_a_tool_has_the_members_its_revision_knows(version: str, members: set[str]) -> None:
    assert set(call.trim("tool", TOOL, call.LEGACY[version])) == members


def test_the_stateless_revision_knows_all_of_them() -> None:
    assert call.trim("tool", TOOL, call.NEWEST_MODERN) == TOOL


@pytest.mark.parametrize("version", list(call.LEGACY))
def test_a_known_version_is_echoed(version: str) -> None:
    assert call.counter_offer(version).name == version


@pytest.mark.parametrize("wanted", ["2026-07-28", "1999-01-01", "", None, 7, ["2025-06-18"]])
def test_anything_else_is_countered_with_the_newest_that_has_a_handshake(wanted: object) -> None:
    assert call.counter_offer(wanted).name == "2025-11-25"


def test_a_block_of_an_unknown_type_becomes_a_line_of_text() -> None:
    sound = {"type": "audio", "data": "", "mimeType": "audio/wav"}
    assert call.fit_content(sound, call.LEGACY["2024-11-05"])["type"] == "text"
    assert call.fit_content(sound, call.LEGACY["2025-03-26"]) == sound


def test_structured_content_is_left_out_where_there_was_none() -> None:
    result = {"content": [], "structuredContent": {"a": 1}}
    assert call.fit_result(result, call.LEGACY["2025-03-26"]) == {"content": []}
    assert call.fit_result(result, call.LEGACY["2025-06-18"]) == result


def test_arguments_of_prompts_lose_their_titles_with_the_prompt() -> None:
    prompt = {"name": "p", "title": "P", "arguments": [{"name": "a", "title": "A"}]}
    assert call.fit_prompt(prompt, call.LEGACY["2025-03-26"]) == {"name": "p", "arguments": [{"name": "a"}]}
