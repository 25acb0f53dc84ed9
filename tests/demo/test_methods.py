"""What each method of the demo answers."""

import asyncio
from typing import Any

import pytest

from inspector.demo import methods
from inspector.demo.call import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    META,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    UNSUPPORTED_VERSION,
)
from inspector.demo.state import LOGBOOK
from tests.demo.driving import LEGACY, MODERN, Here, meta, opening, request, stateless
from tests.waiting import until

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


@pytest.mark.parametrize(("method", "key"), LISTS.items())
async def test_pages_put_together_are_the_list(method: str, key: str) -> None:
    whole = (await Here().ask(stateless(1, method)))["result"]
    assert "nextCursor" not in whole
    here, items, cursor, pages = Here(page_size=2), list[Any](), dict[str, str](), 0
    while pages == 0 or cursor:
        page = (await here.ask(stateless(1, method, **cursor)))["result"]
        assert len(page[key]) <= 2
        items += page[key]
        cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else {}
        pages += 1
    assert items == whole[key]
    assert pages == -(-len(items) // 2)


@pytest.mark.parametrize("cursor", ["", "nonsense", "ZnJvbSA5OTk=", "ZnJvbSAtMQ==", 7, {}, "ü"])
async def test_a_foreign_cursor_is_refused(cursor: object) -> None:
    answer = await Here(page_size=2).ask(stateless(1, "tools/list", cursor=cursor))
    assert answer["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("method", [*LISTS, "server/discover"])
async def test_cacheable_results_have_a_ttl(method: str) -> None:
    result = (await Here().ask(stateless(1, method)))["result"]
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] == "public"


async def test_a_call_is_not_for_keeping() -> None:
    result = await Here().call("echo", text="hi")
    assert "ttlMs" not in result
    assert result["resultType"] == "complete"


async def test_an_unknown_tool_and_odd_arguments_are_errors_of_the_protocol() -> None:
    here = Here()
    assert (await here.ask(stateless(1, "tools/call", name="kraken")))["error"]["code"] == INVALID_PARAMS
    odd = stateless(2, "tools/call", name="echo", arguments=[])
    assert (await here.ask(odd))["error"]["code"] == INVALID_PARAMS


async def test_arguments_against_the_schema_are_a_failure_of_the_tool() -> None:
    result = await Here().call("add", a=1, b=1001)
    assert result["isError"]
    assert "b: must be at most 1000" in result["content"][0]["text"]


async def test_structured_content_comes_as_text_as_well() -> None:
    result = await Here().call("add", a=1, b=2)
    assert result["structuredContent"] == {"sum": 3, "below_the_keel": True}
    assert result["content"][-1]["text"] == '{"sum": 3, "below_the_keel": true}'


async def test_a_resource_that_is_not_there_has_its_era_s_code() -> None:
    here = Here()
    await here.ask(opening())
    old = await here.ask(request(1, "resources/read", uri="lighthouse://x"))
    new = await here.ask(stateless(2, "resources/read", uri="lighthouse://x"))
    assert (old["error"]["code"], new["error"]["code"]) == (RESOURCE_NOT_FOUND, INVALID_PARAMS)
    assert new["error"]["data"] == {"uri": "lighthouse://x"}


async def test_a_level_once_set_holds_for_the_connection() -> None:
    here = Here()
    await here.ask(opening())
    await here.ask(request(1, "logging/setLevel", level="alert"))
    await here.ask(request(2, "tools/call", name="log_messages", arguments={"stderr_lines": 0}))
    assert [params["level"] for _, params in here.notifications] == ["alert", "emergency"]
    assert (await here.ask(request(3, "logging/setLevel", level="loud")))["error"]["code"] == INVALID_PARAMS


async def test_a_resource_is_watched_until_it_no_longer_is() -> None:
    here = Here()
    await here.ask(opening())
    await here.ask(request(1, "resources/subscribe", uri=LOGBOOK))
    await here.ask(request(2, "tools/call", name="update_resource", arguments={"entry": "x"}))
    await here.ask(request(3, "resources/unsubscribe", uri=LOGBOOK))
    await here.ask(request(4, "tools/call", name="update_resource", arguments={"entry": "y"}))
    assert here.notifications == [("notifications/resources/updated", {"uri": LOGBOOK})]


async def test_subscription_is_acknowledged_served_and_ended() -> None:
    here = Here()
    wish = {"toolsListChanged": True, "promptsListChanged": True, "resourceSubscriptions": [LOGBOOK]}
    async with asyncio.TaskGroup() as tasks:
        listening = tasks.create_task(here.send(stateless("L", "subscriptions/listen", notifications=wish)))
        await until(lambda: here.station.listeners, "somebody listens")
        await here.call("toggle_tool")
        await here.call("update_resource", entry="x")
        here.server.cancel("L")
        await until(listening.done, "nobody listens any more")
    mark = {META + "subscriptionId": "L"}
    honoured = {"toolsListChanged": True, "resourceSubscriptions": [LOGBOOK]}
    assert here.notifications == [
        ("notifications/subscriptions/acknowledged", {"notifications": honoured, "_meta": mark}),
        ("notifications/tools/list_changed", {"_meta": mark}),
        ("notifications/resources/updated", {"uri": LOGBOOK, "_meta": mark}),
    ]
    assert not here.station.listeners


async def test_a_listener_hears_nothing_that_it_did_not_ask_for() -> None:
    here = Here()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(here.send(stateless("L", "subscriptions/listen", notifications={})))
        await until(lambda: here.station.listeners, "somebody listens")
        await here.call("toggle_tool")
        await here.call("destructive_call")
        here.server.cancel("L")
    assert [method for method, _ in here.notifications] == ["notifications/subscriptions/acknowledged"]


def test_the_tables_share_what_both_eras_have() -> None:
    assert set(methods.LEGACY) & set(methods.MODERN) == {*LISTS, "tools/call", "resources/read", "prompts/get"} | {
        "completion/complete",
        "tasks/get",
        "tasks/cancel",
    }


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_initialize_is_answered_in_the_version_that_was_offered(version: str) -> None:
    result = (await Here().ask(opening(version)))["result"]
    assert result["protocolVersion"] == version
    assert ("completions" in result["capabilities"]) == (version != "2024-11-05")
    assert ("icons" in result["serverInfo"]) == (version == "2025-11-25")
    assert "resultType" not in result


async def test_an_unknown_version_gets_a_counter_offer() -> None:
    assert (await Here().ask(opening("2031-01-01")))["result"]["protocolVersion"] == LEGACY


async def test_a_second_initialize_is_refused() -> None:
    here = Here()
    await here.ask(opening())
    assert (await here.ask(opening()))["error"]["code"] == INVALID_REQUEST


async def test_discovery_names_the_stateless_versions_and_how_long_that_holds() -> None:
    result = (await Here().ask(stateless(1, "server/discover")))["result"]
    assert result["supportedVersions"] == [MODERN]
    assert result["resultType"] == "complete"
    assert result["ttlMs"] > 0
    assert result["cacheScope"] == "public"
    assert result["_meta"][META + "serverInfo"] == methods.IDENTITY


async def test_unknown_stateless_version_lists_supported_ones() -> None:
    answer = await Here().ask(request(1, "tools/list", _meta=meta(protocolVersion="2031-01-01")))
    assert answer["error"]["code"] == UNSUPPORTED_VERSION
    assert answer["error"]["data"] == {"supported": [MODERN], "requested": "2031-01-01"}


@pytest.mark.parametrize(
    "carried",
    [
        {},
        {META + "protocolVersion": 7, META + "clientCapabilities": {}},
        {META + "protocolVersion": MODERN},
        {META + "protocolVersion": MODERN, META + "clientCapabilities": []},
        meta(logLevel="loud"),
        meta(logLevel=["info"]),
    ],
)
async def test_a_stateless_request_without_what_it_must_carry_is_refused(carried: dict[str, Any]) -> None:
    answer = await Here().ask(request(1, "tools/list", _meta=carried))
    assert answer["error"]["code"] == INVALID_PARAMS


async def test_ping_is_answered_before_initialize() -> None:
    assert (await Here().ask(request(1, "ping")))["result"] == {}


async def test_a_legacy_server_knows_no_discovery_and_wants_to_be_initialized() -> None:
    here = Here(modern=False)
    assert (await here.ask(stateless(1, "server/discover")))["error"]["code"] == METHOD_NOT_FOUND
    assert (await here.ask(stateless(2, "tools/list")))["error"]["code"] == INVALID_REQUEST
    await here.ask(opening())
    assert "resultType" not in (await here.ask(stateless(3, "tools/list")))["result"]


async def test_a_modern_server_answers_initialize_with_the_versions_it_serves() -> None:
    answer = await Here(legacy=False).ask(opening())
    assert answer["error"]["code"] == UNSUPPORTED_VERSION
    assert answer["error"]["data"] == {"supported": [MODERN], "requested": LEGACY}


async def test_both_eras_are_spoken_on_one_connection() -> None:
    here = Here()
    await here.ask(opening("2025-03-26"))
    assert "resultType" in (await here.ask(stateless(1, "tools/list")))["result"]
    assert "resultType" not in (await here.ask(request(2, "tools/list")))["result"]
