"""The demo over HTTP: addresses, and the stateless shape."""

import asyncio
import sys
from typing import Any

import httpx
import pytest

from inspector.demo import http
from inspector.demo.call import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    META,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
)
from inspector.demo.station import LOGBOOK
from tests.demo.browsing import events, messages, mirrored, post, session, site
from tests.demo.driving import LEGACY, MODERN, meta, opening, request, stateless
from tests.waiting import until


async def test_a_stateless_call_is_one_post() -> None:
    async with site() as (there, client):
        found = await post(client, stateless(1, "server/discover"))
        called = await post(client, stateless("a", "tools/call", name="add", arguments={"a": 1, "b": 2}))
    assert found.json()["result"]["supportedVersions"] == [MODERN]
    assert called.headers["content-type"] == "application/json"
    assert called.json()["result"]["structuredContent"]["sum"] == 3
    assert "mcp-session-id" not in called.headers
    assert not there.sessions.open


async def test_progress_turns_the_answer_into_a_stream() -> None:
    message = stateless(1, "tools/call", name="sweep_horizon", arguments={"steps": 2, "seconds_per_step": 0})
    message["params"]["_meta"]["progressToken"] = 5
    async with site() as (_, client):
        response = await post(client, message)
        sent = await messages(response)
    assert response.headers["x-accel-buffering"] == "no"
    assert [part.get("method") for part in sent] == ["notifications/progress", "notifications/progress", None]
    assert sent[-1]["result"]["resultType"] == "complete"


async def test_a_listener_hears_until_it_closes_its_stream() -> None:
    wish = stateless("L", "subscriptions/listen", notifications={"resourceSubscriptions": [LOGBOOK]})
    async with site() as (there, client):
        async with client.stream("POST", "/mcp", json=wish, headers=mirrored(wish)) as stream:
            coming = events(stream)
            assert "acknowledged" in (await anext(coming))[1]
            await post(client, stateless(2, "tools/call", name="write_log", arguments={"entry": "x"}))
            assert "notifications/resources/updated" in (await anext(coming))[1]
            assert len(there.station.listeners) == 1
        await until(lambda: not there.station.listeners, "the demo has seen that the stream is closed")


@pytest.mark.parametrize(
    ("message", "change", "status", "code"),
    [
        (stateless(1, "tools/list"), {"Mcp-Method": "ping"}, 400, HEADER_MISMATCH),
        (stateless(1, "tools/list"), {"MCP-Protocol-Version": LEGACY}, 400, HEADER_MISMATCH),
        (stateless(1, "resources/read", uri=LOGBOOK), {"Mcp-Name": "x"}, 400, HEADER_MISMATCH),
        (stateless(1, "tools/call", name="tide_chart", arguments={"harbour": "Teal Bay"}), {}, 400, HEADER_MISMATCH),
        (request(1, "tools/list", _meta=meta(protocolVersion="2031-01-01")), {}, 400, UNSUPPORTED_VERSION),
        (request(1, "tools/list"), {}, 400, INVALID_PARAMS),
        (request(1, "tools/list", _meta={META + "protocolVersion": MODERN}), {}, 400, INVALID_PARAMS),
        (stateless(1, "ping"), {}, 404, METHOD_NOT_FOUND),
        (stateless(1, "initialize"), {}, 404, METHOD_NOT_FOUND),
        (stateless(1, "nonsense"), {}, 404, METHOD_NOT_FOUND),
        (stateless(1, "tools/call", name="kraken"), {}, 200, INVALID_PARAMS),
        (stateless(1, "resources/read", uri="x"), {}, 200, INVALID_PARAMS),
    ],
)
async def test_a_refusal_has_its_status_and_its_code(
    message: dict[str, Any], change: dict[str, str], status: int, code: int
) -> None:
    async with site() as (_, client):
        response = await post(client, message, **change)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)
    assert response.json()["id"] == 1


async def test_an_argument_that_a_header_repeats_is_taken_when_it_does() -> None:
    message = stateless(1, "tools/call", name="tide_chart", arguments={"harbour": "Teal Bay"})
    async with site() as (_, client):
        response = await post(client, message, **{"Mcp-Param-Harbour": "Teal Bay"})
    assert response.json()["result"]["structuredContent"]["harbour"] == "Teal Bay"


async def test_a_missing_capability_has_a_status_of_its_own() -> None:
    async with site(require_capability="elicitation") as (_, client):
        response = await post(client, stateless(1, "tools/call", name="echo", arguments={"text": "a"}))
    assert (response.status_code, response.json()["error"]["code"]) == (400, MISSING_CAPABILITY)


async def test_a_tool_that_cannot_ask_its_client_has_the_same_status() -> None:
    async with site() as (_, client):
        response = await post(client, stateless(1, "tools/call", name="ask_sage", arguments={"with_tools": True}))
    assert (response.status_code, response.json()["error"]["code"]) == (400, MISSING_CAPABILITY)
    assert response.json()["error"]["data"] == {"requiredCapabilities": {"sampling": {"tools": {}}}}


@pytest.mark.parametrize(("body", "code"), [(b"{", PARSE_ERROR), (b"[]", INVALID_REQUEST), (b"7", INVALID_REQUEST)])
async def test_a_body_that_is_no_request_is_refused(body: bytes, code: int) -> None:
    headers = {"MCP-Protocol-Version": MODERN, "Content-Type": "application/json"}
    async with site() as (_, client):
        response = await client.post("/mcp", content=body, headers=headers)
    assert (response.status_code, response.json()["error"]["code"]) == (400, code)


async def test_a_stateless_notification_is_taken_without_a_word() -> None:
    async with site() as (_, client):
        message = {"jsonrpc": "2.0", "method": "notifications/x", "params": {"_meta": meta()}}
        response = await client.post("/mcp", json=message, headers={"MCP-Protocol-Version": MODERN})
    assert (response.status_code, response.content) == (202, b"")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_the_stateless_shape_knows_nothing_but_post(method: str) -> None:
    async with site(legacy=False) as (_, client):
        response = await client.request(method, "/mcp", headers={"Accept": "text/event-stream"})
    assert response.status_code == 405


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/mcp/"), ("GET", "/mcp/x")])
async def test_elsewhere_is_nothing(method: str, path: str) -> None:
    async with site() as (_, client):
        assert (await client.request(method, path)).status_code == 404


async def test_a_modern_site_answers_initialize_with_what_it_serves() -> None:
    async with site(legacy=False) as (_, client):
        response = await client.post("/mcp", json=opening())
        old = await client.get("/sse")
    assert response.status_code == 400
    assert response.json()["error"]["data"]["supported"] == [MODERN]
    assert old.status_code == 405


async def test_a_legacy_site_takes_a_stateless_request_for_one_without_a_session() -> None:
    async with site(modern=False) as (_, client):
        assert (await post(client, stateless(1, "server/discover"))).status_code == 400
        assert await session(client, LEGACY)


async def test_both_shapes_are_served_side_by_side() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        old = await client.post("/mcp", headers=headers, json=request(1, "tools/list"))
        new = await post(client, stateless(1, "tools/list"))
    assert "resultType" not in old.json()["result"]
    assert new.json()["result"]["resultType"] == "complete"


async def test_the_process_prints_its_address_and_serves_there() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "inspector.demo", "--http", "0"), stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stderr
        line = (await asyncio.wait_for(process.stderr.readline(), 20)).decode()
        url = line.split()[-1]
        assert url.endswith("/mcp")
        message = stateless(1, "server/discover")
        async with httpx.AsyncClient() as client:
            headers = mirrored(message) | {"Accept": "application/json, text/event-stream"}
            assert (await client.post(url, json=message, headers=headers)).status_code == 200
    finally:
        process.terminate()
        await process.communicate()


def test_the_statuses_are_those_of_the_specification() -> None:
    assert (http.BAD_REQUEST, http.NOT_FOUND, http.NOT_ALLOWED) == (400, 404, 405)
