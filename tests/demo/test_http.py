"""The demo over HTTP: headers against bodies, sessions, streams and status codes."""

import asyncio
import base64
import json
import sys
from collections.abc import AsyncGenerator
from typing import Any, cast

import httpx
import pytest

from inspector.demo import http as headers
from inspector.demo.call import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    META,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    DemoError,
)
from inspector.demo.http import SESSION, DemoOutbox, respond
from inspector.demo.state import LOGBOOK
from inspector.transports.http.listener import HttpResponse
from tests.demo.browsing import events, messages, mirrored, post, session, site
from tests.demo.driving import LEGACY, MODERN, meta, opening, request, stateless
from tests.waiting import PATIENCE_S, until

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "deep": {"type": "object", "properties": {"level": {"type": "integer", "x-mcp-header": "Level"}}},
        "loud": {"type": "boolean", "x-mcp-header": "Loud"},
    },
}
PLAIN = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "t"}


def a_call(**arguments: Any) -> dict[str, Any]:
    return stateless(1, "tools/call", name="t", arguments=arguments)


def encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        ({}, {}),
        ({"region": None}, {}),
        ({"region": "eu"}, {"mcp-param-region": "eu"}),
        ({"region": "Sørine"}, {"mcp-param-region": encoded("Sørine")}),
        ({"region": ""}, {"mcp-param-region": ""}),
        ({"deep": {"level": -3}, "loud": True}, {"mcp-param-level": "-3", "mcp-param-loud": "true"}),
        ({}, {"mcp-param-other": "x"}),
    ],
)
def test_headers_that_repeat_the_body_pass(arguments: dict[str, Any], more: dict[str, str]) -> None:
    headers.check(a_call(**arguments), PLAIN | more, SCHEMA)


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        ({}, {"mcp-protocol-version": "2025-11-25"}),
        ({}, {"mcp-method": "tools/list"}),
        ({}, {"mcp-method": "TOOLS/CALL"}),
        ({}, {"mcp-name": "u"}),
        ({}, {"mcp-name": "=?base64?%?="}),
        ({}, {"mcp-param-region": "eu"}),
        ({"region": "eu"}, {}),
        ({"region": "eu"}, {"mcp-param-region": "us"}),
        ({"deep": {"level": 3}}, {"mcp-param-level": "4"}),
        ({"loud": True}, {"mcp-param-loud": "True"}),
    ],
)
def test_headers_that_say_something_else_are_refused(arguments: dict[str, Any], more: dict[str, str]) -> None:
    with pytest.raises(DemoError) as refused:
        headers.check(a_call(**arguments), PLAIN | more, SCHEMA)
    assert refused.value.code == HEADER_MISMATCH


@pytest.mark.parametrize("missing", list(PLAIN))
def test_a_header_that_is_not_there_is_refused(missing: str) -> None:
    rest = {name: value for name, value in PLAIN.items() if name != missing}
    with pytest.raises(DemoError, match="missing"):
        headers.check(a_call(), rest, SCHEMA)


def test_a_list_needs_no_name() -> None:
    headers.check(stateless(1, "tools/list"), {"mcp-protocol-version": MODERN, "mcp-method": "tools/list"})


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
    message = stateless(1, "tools/call", name="long_running", arguments={"steps": 2, "seconds_per_step": 0})
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
            await post(client, stateless(2, "tools/call", name="update_resource", arguments={"entry": "x"}))
            assert "notifications/resources/updated" in (await anext(coming))[1]
            assert len(there.station.listeners) == 1
        await until(lambda: not there.station.listeners, "the demo has seen that the stream is closed")


@pytest.mark.parametrize(
    ("message", "change", "status", "code"),
    [
        (stateless(1, "tools/list"), {"Mcp-Method": "ping"}, 400, HEADER_MISMATCH),
        (stateless(1, "tools/list"), {"MCP-Protocol-Version": LEGACY}, 400, HEADER_MISMATCH),
        (stateless(1, "resources/read", uri=LOGBOOK), {"Mcp-Name": "x"}, 400, HEADER_MISMATCH),
        (stateless(1, "tools/call", name="image_result", arguments={"harbour": "Teal Bay"}), {}, 400, HEADER_MISMATCH),
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
    message = stateless(1, "tools/call", name="image_result", arguments={"harbour": "Teal Bay"})
    async with site() as (_, client):
        response = await post(client, message, **{"Mcp-Param-Harbour": "Teal Bay"})
    assert response.json()["result"]["structuredContent"]["harbour"] == "Teal Bay"


async def test_a_tool_that_cannot_ask_its_client_has_the_same_status() -> None:
    async with site() as (_, client):
        response = await post(
            client, stateless(1, "tools/call", name="sampling_request", arguments={"with_tools": True})
        )
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
        line = (await asyncio.wait_for(process.stderr.readline(), PATIENCE_S)).decode()
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
    assert (headers.BAD_REQUEST, headers.NOT_FOUND, headers.NOT_ALLOWED) == (400, 404, 405)


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
FOREVER = {"name": "long_running", "arguments": {"steps": 1000, "seconds_per_step": 60}}


async def call(client: httpx.AsyncClient, headers: dict[str, str], name: str, **arguments: Any) -> httpx.Response:
    """Call a tool within a session."""
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": "t"}}
    return await client.post("/mcp", headers=headers, json=request(9, "tools/call", **params))


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25"])
async def test_a_session_from_its_opening_to_its_end(version: str) -> None:
    async with site() as (there, client):
        headers = await session(client, version)
        assert (await client.post("/mcp", headers=headers, json=INITIALIZED)).status_code == 202
        listed = await client.post("/mcp", headers=headers, json=request(1, "tools/list"))
        assert listed.headers["content-type"] == "application/json"
        assert listed.json()["result"]["tools"]
        assert (await client.delete("/mcp", headers=headers)).status_code == 204
        assert (await client.post("/mcp", headers=headers, json=request(2, "ping"))).status_code == 404
        assert not there.sessions.open


async def test_http_sessions_progress_turns_the_answer_into_a_stream() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        sent = await messages(await call(client, headers, "long_running", steps=2, seconds_per_step=0))
    assert [message.get("method") for message in sent] == ["notifications/progress", "notifications/progress", None]


async def test_news_come_on_the_stream_that_was_opened_for_them_and_there_is_one() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        only_events = headers | {"Accept": "text/event-stream"}
        async with client.stream("GET", "/mcp", headers=only_events) as stream:
            assert (await client.get("/mcp", headers=only_events)).status_code == 409
            await client.post("/mcp", headers=headers, json=request(1, "resources/subscribe", uri=LOGBOOK))
            await call(client, headers, "update_resource", entry="x")
            coming = events(stream)
            _, data = await anext(coming)
            assert json.loads(data)["method"] == "notifications/resources/updated"
            await client.delete("/mcp", headers=headers)
            assert [event async for event in coming] == []


async def test_a_call_is_cancelled_by_a_message_of_its_own() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        async with asyncio.TaskGroup() as tasks:
            slow = tasks.create_task(client.post("/mcp", headers=headers, json=request(5, "tools/call", **FOREVER)))
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
            while not slow.done():
                assert (await client.post("/mcp", headers=headers, json=cancel)).status_code == 202
        assert await messages(slow.result()) == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({SESSION: "nobody"}, 404),
        ({SESSION: ""}, 404),
        ({"MCP-Protocol-Version": "1999-01-01"}, 400),
        ({"Accept": "application/json"}, 406),
        ({"Content-Type": "text/plain"}, 415),
        ({"Origin": "https://lighthouse.invalid"}, 403),
    ],
)
async def test_a_wrong_header_is_refused(change: dict[str, str], status: int) -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        response = await client.post("/mcp", headers=headers | change, json=request(1, "ping"))
    assert response.status_code == status


async def test_without_a_session_there_is_only_initialize() -> None:
    async with site() as (there, client):
        assert (await client.post("/mcp", json=request(1, "tools/list"))).status_code == 400
        assert (await client.get("/mcp", headers={"Accept": "text/event-stream"})).status_code == 400
        assert (await client.delete("/mcp")).status_code == 400
        assert (await client.post("/mcp", json=request(0, "initialize"))).status_code == 400
        assert not there.sessions.open


async def test_a_get_wants_to_accept_events() -> None:
    async with site() as (_, client):
        headers = await session(client, LEGACY)
        assert (await client.get("/mcp", headers=headers | {"Accept": "application/json"})).status_code == 406


@pytest.mark.parametrize(("version", "status"), [("2025-03-26", 200), ("2025-06-18", 200)])
async def test_a_batch_is_answered_as_one_or_refused(version: str, status: int) -> None:
    async with site() as (_, client):
        headers = await session(client, version)
        batch = [request(1, "ping"), request(2, "tools/list"), INITIALIZED]
        response = await client.post("/mcp", headers=headers, json=batch)
        told = await client.post("/mcp", headers=headers, json=[INITIALIZED])
    assert response.status_code == status
    if version == "2025-03-26":
        assert sorted(answer["id"] for answer in response.json()) == [1, 2]
        assert told.status_code == 202
    else:
        assert "error" in response.json()
        assert told.status_code == 400


async def test_two_sessions_share_the_lighthouse_and_nothing_else() -> None:
    async with site() as (there, client):
        first, second = await session(client, LEGACY), await session(client, "2025-03-26")
        await call(client, first, "update_resource", entry="A whale.")
        read = await client.post("/mcp", headers=second, json=request(1, "resources/read", uri=LOGBOOK))
        assert "A whale." in read.json()["result"]["contents"][0]["text"]
        assert len(there.sessions.open) == 2


async def test_the_old_way_in_names_its_address_and_answers_on_the_stream() -> None:
    async with site() as (there, client):
        async with client.stream("GET", "/sse") as stream:
            coming = events(stream)
            kind, address = await anext(coming)
            assert kind == "endpoint"
            posted = await client.post(address, json=opening("2024-11-05"))
            assert (posted.status_code, posted.text) == (202, "Accepted")
            kind, data = await anext(coming)
            assert kind == "message"
            assert json.loads(data)["result"]["protocolVersion"] == "2024-11-05"
            assert (await client.post(address, content=b"{")).status_code == 400
            await client.post(address, json=request(1, "tools/call", **FOREVER))
        await until(lambda: not there.old_sessions.open_sessions, "the session has ended with its stream")
        assert not there.station.listeners
        assert (await client.post(address, json=request(2, "ping"))).status_code == 404


ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {}}
NEWS = {"jsonrpc": "2.0", "method": "notifications/message"}


def body(response: HttpResponse) -> AsyncGenerator[bytes, None]:
    assert ("Content-Type", "text/event-stream") in response.headers
    return cast("AsyncGenerator[bytes, None]", response.body)


async def say(outbox: DemoOutbox, *messages: object) -> None:
    for message in messages:
        await outbox.put(message)


async def test_an_answer_alone_is_json() -> None:
    outbox = DemoOutbox()
    async with asyncio.TaskGroup() as tasks:
        response = await respond(tasks, say(outbox, ANSWER), outbox, ends_with_stream=True)
    assert response.headers == (("Content-Type", "application/json"),)
    assert response.body == b'{"jsonrpc":"2.0","id":1,"result":{}}'


async def test_news_before_the_answer_make_it_a_stream() -> None:
    outbox = DemoOutbox()
    async with asyncio.TaskGroup() as tasks:
        response = await respond(tasks, say(outbox, NEWS, ANSWER), outbox, ends_with_stream=True)
        pieces = [piece async for piece in body(response)]
    assert pieces == [headers.event(NEWS), headers.event(ANSWER)]


async def test_no_answer_at_all_is_an_empty_stream() -> None:
    outbox = DemoOutbox()
    async with asyncio.TaskGroup() as tasks:
        response = await respond(tasks, say(outbox), outbox, ends_with_stream=True)
    assert response.body == b""


@pytest.mark.parametrize("ends", [True, False])
async def test_work_ends_with_its_stream_only_where_it_should(ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "PATIENCE", 0)
    outbox, hold, over = DemoOutbox(), asyncio.Event(), list[str]()

    async def work() -> None:
        try:
            await hold.wait()
            over.append("done")
        except asyncio.CancelledError:
            over.append("cancelled")
            raise

    async with asyncio.TaskGroup() as tasks:
        response = await respond(tasks, work(), outbox, ends_with_stream=ends)
        stream = body(response)
        assert await anext(stream) == headers.STILL_HERE
        await stream.aclose()
        hold.set()
        await until(lambda: over, "the work is over")
    assert over == ["cancelled" if ends else "done"]


async def test_a_client_that_leaves_before_the_head_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "PATIENCE", 60)
    outbox, started, over = DemoOutbox(), asyncio.Event(), list[str]()

    async def work() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        finally:
            over.append("over")

    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(respond(tasks, work(), outbox, ends_with_stream=True))
        await started.wait()
        asking.cancel()
        await until(lambda: over, "the work is over")


async def test_silent_stream_sends_keep_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "KEEP_ALIVE", 0)
    stream = cast("AsyncGenerator[bytes, None]", DemoOutbox().events())
    assert await anext(stream) == headers.STILL_HERE
    await stream.aclose()


@pytest.mark.parametrize(("request_id", "marks"), [(1, b'"id":1'), ("a", b'"id":"a"'), (None, b""), (True, b"")])
def test_a_refusal_has_the_id_if_it_is_one(request_id: object, marks: bytes) -> None:
    response = headers.refused(400, DemoError(INVALID_REQUEST, "no"), request_id)
    assert isinstance(response.body, bytes)
    assert marks in response.body
    assert (b'"id"' in response.body) == bool(marks)


def test_notifications_are_never_the_last() -> None:
    assert not headers.is_last(NEWS)
    assert headers.is_last(ANSWER)
    assert headers.is_last([ANSWER])
