"""The mock over HTTP: sessions, streams, single requests, and what it refuses."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.features.mock import http
from inspector.features.mock.connection import MockConnection
from inspector.features.mock.http import PATH, SESSION, MockSite, serve
from inspector.features.mock.script import Script
from inspector.features.mock.shared import MockSettings, MockShared, Serves, read_fault
from inspector.features.mock.streams import HttpTape
from inspector.transports.http.listener import Listener
from tests.features.mock.making import (
    FORM,
    HANDSHAKE,
    INSTANT,
    LEGACY,
    MODERN,
    answer,
    call,
    meta,
    note,
    request,
    scripted,
    text,
)
from tests.waiting import PATIENCE_S, until

HELLO = request(0, "initialize", {"protocolVersion": LEGACY, "capabilities": {"elicitation": {}}, "clientInfo": {}})


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer is no stream however long a busy machine takes for it."""
    monkeypatch.setattr(http, "_PATIENCE_S", 60)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """A plain call, one that asks, and a list that changes behind it."""
    return scripted(
        tmp_path / "c.mcpcap",
        *(*HANDSHAKE, call(1, "echo"), "<", answer(1, text("hi")), ">", call(2, "moor"), "<"),
        *(request(7, "elicitation/create", FORM), ">", answer(7, {"action": "accept"}), "<", answer(2, text("yes"))),
        note("notifications/tools/list_changed"),
    )


@asynccontextmanager
async def _at(
    script: Script, settings: MockSettings = INSTANT, tape: Journal | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    shared = MockShared(script, settings, tell=lambda text: None, tape=tape)
    record = HttpTape(tape)
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        site = MockSite(shared, tasks, record)
        async with Listener(site.answer) as listener:
            record.open(listener.url + PATH)
            headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
            async with httpx.AsyncClient(base_url=listener.url, headers=headers, trust_env=False) as client:
                yield client
        site.close()


async def _hello(client: httpx.AsyncClient) -> dict[str, str]:
    came = await client.post(PATH, json=HELLO)
    assert came.json()["result"]["protocolVersion"] == LEGACY
    return {SESSION: came.headers[SESSION], "MCP-Protocol-Version": LEGACY}


def _events(body: str) -> list[Any]:
    return [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: ")]


async def test_a_session_lasts_from_initialize_to_delete(script: Script) -> None:
    async with _at(script) as client:
        session = await _hello(client)
        assert (await client.post(PATH, json=note("notifications/initialized"), headers=session)).status_code == 202
        plain = await client.post(PATH, json=call(1, "echo"), headers=session)
        assert plain.headers["content-type"] == "application/json"
        assert plain.json() == answer(1, text("hi"))
        assert (await client.delete(PATH, headers=session)).status_code == 204
        gone = await client.post(PATH, json=call(1, "echo"), headers=session)
        assert (gone.status_code, gone.json()["error"]["code"]) == (404, -32600)


async def test_an_answer_that_takes_longer_comes_on_a_stream(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    async with _at(script) as client:
        session = await _hello(client)
        monkeypatch.setattr(http, "_PATIENCE_S", 0)
        came = await client.post(PATH, json=call(1, "echo"), headers=session)
        assert came.headers["content-type"] == "text/event-stream"
        assert came.text.startswith(":"), "it says at once that it is there"
        assert _events(came.text) == [answer(1, text("hi"))]


async def test_a_question_comes_on_the_stream_of_its_call_and_changes_on_that_of_the_session(script: Script) -> None:
    async with _at(script) as client, asyncio.TaskGroup() as tasks:
        session = await _hello(client)
        heard: list[str] = []

        async def read(method: str, **options: Any) -> None:
            async with client.stream(method, PATH, headers=session, **options) as stream:
                async for line in stream.aiter_lines():
                    heard.append(f"{method} {line}")  # noqa: PERF401 - each is wanted at once

        listening = tasks.create_task(read("GET"))
        calling = tasks.create_task(read("POST", json=call(9, "moor")))
        await until(lambda: any("elicitation/create" in line for line in heard), "it asks")
        (asked,) = _events("\n".join(line[5:] for line in heard if "elicitation" in line))
        twice = await client.get(PATH, headers=session)
        assert twice.status_code == 409
        told = await client.post(PATH, json=answer(asked["id"], {"action": "accept"}), headers=session)
        assert told.status_code == 202
        await calling
        assert [line for line in heard if line.startswith("POST data") and '"id":9' in line]
        await until(lambda: any(line.startswith("GET data") for line in heard), "the list is told to have changed")
        listening.cancel()


async def test_a_request_that_is_given_up_ends_its_stream(tmp_path: Path) -> None:
    async with (
        _at(scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "wait"))) as client,
        asyncio.TaskGroup() as tasks,
    ):
        session = await _hello(client)
        waiting = tasks.create_task(client.post(PATH, json=call(5, "wait"), headers=session))
        for _ in range(100):
            await client.post(PATH, json=note("notifications/cancelled", {"requestId": 5}), headers=session)
            if waiting.done():
                break
        assert _events((await waiting).text) == []


def _alone(message: Any, **other: str) -> dict[str, Any]:
    """A request without a session, with the headers that say what its body says."""
    named = {"Mcp-Name": message["params"]["name"]} if "name" in message["params"] else {}
    headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"], **named}
    return {"json": message, "headers": headers | {name.replace("_", "-"): value for name, value in other.items()}}


async def test_a_stateless_client_needs_no_session(script: Script) -> None:
    async with _at(script) as client:
        found = await client.post(PATH, **_alone(request(1, "server/discover", meta())))
        assert found.json()["result"]["supportedVersions"] == [MODERN]
        asked = request(2, "tools/call", {"name": "echo", "arguments": {}} | meta())
        came = await client.post(PATH, **_alone(asked, Mcp_Name="=?base64?ZWNobw==?="))
        assert came.json()["result"] == text("hi") | {"resultType": "complete"}
        said = note("notifications/cancelled", {"requestId": 2})
        assert (await client.post(PATH, json=said, headers={"MCP-Protocol-Version": MODERN})).status_code == 202
        unknown = await client.post(PATH, **_alone(request(3, "prompts/list", meta())))
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(
    ("header", "value"), [("Mcp-Method", "tools/list"), ("MCP-Protocol-Version", LEGACY), ("Mcp-Name", "moor")]
)
async def test_headers_that_say_something_else_than_the_body_are_refused(
    script: Script, header: str, value: str
) -> None:
    async with _at(script) as client:
        asked = request(2, "tools/call", {"name": "echo", "arguments": {}} | meta())
        right = _alone(asked)["headers"]
        wrong = right | {header: value}
        missing = {name: each for name, each in right.items() if name != header}
        for headers, says in ((wrong, "is '"), (missing, "is missing")):
            came = await client.post(PATH, json=asked, headers=headers)
            assert (came.status_code, came.json()["error"]["code"]) == (400, -32020)
            assert f"{header} {says}" in came.json()["error"]["message"]


async def test_request_without_session_or_path_is_refused(script: Script) -> None:
    async with _at(script) as client:
        assert (await client.post(PATH, json=call(1, "echo"))).status_code == 400
        assert (await client.get(PATH, headers={SESSION: "none"})).status_code == 404
        assert (await client.get("/elsewhere")).status_code == 404
        for method in ("PUT", "HEAD", "OPTIONS"):
            unheard = await client.request(method, PATH)
            assert (unheard.status_code, unheard.headers["allow"]) == (405, "GET, POST, DELETE")
        page = await client.post(PATH, json=HELLO, headers={"Origin": "http://elsewhere.example"})
        assert page.status_code == 403, "a web page is nobody's client"
        session = await _hello(client)
        strange = await client.post(PATH, json=call(1, "echo"), headers=session | {"MCP-Protocol-Version": "1999"})
        assert strange.status_code == 400
        unserved = await client.post("/.well-known/oauth-protected-resource")
        assert unserved.status_code == 404


async def test_a_cut_breaks_the_connection_and_what_is_malformed_does_not(script: Script) -> None:
    faults = (read_fault("cut on tools/call 1 time"), read_fault("malformed on tools/call 1 time"))
    tape = start_capture(None, mode="mock")
    async with _at(script, MockSettings(speed=math.inf, faults=faults), tape) as client:
        session = await _hello(client)
        with pytest.raises(httpx.RemoteProtocolError):
            await client.post(PATH, json=call(1, "echo"), headers=session)
        half = await client.post(PATH, json=call(1, "echo"), headers=session)
        assert half.status_code == 200
        assert not half.text.endswith("}")
        assert (await client.post(PATH, json=call(1, "echo"), headers=session)).json() == answer(1, text("hi"))


async def test_a_mock_of_stateless_clients_opens_no_session(script: Script) -> None:
    async with _at(script, MockSettings(speed=math.inf, serves=Serves.MODERN)) as client:
        came = await client.post(PATH, json=HELLO)
        assert came.json()["error"]["code"] == -32022
        assert SESSION not in came.headers
        assert [(await client.get(path)).status_code for path in (PATH, "/sse")] == [405, 404]


async def test_a_stream_that_broke_is_taken_up_behind_its_last_event(tmp_path: Path) -> None:
    said = [note("notifications/progress", {"progressToken": 1, "progress": step}) for step in (1, 2)]
    script = scripted(tmp_path / "c.mcpcap", *HANDSHAKE, call(1, "moor"), "<", *said, answer(1, text("yes")))
    async with _at(script, MockSettings(speed=math.inf, faults=(read_fault("cut after 1 1 time"),))) as client:
        session = await _hello(client)
        broken: list[bytes] = []
        with pytest.raises(httpx.RemoteProtocolError):
            await _read_into(broken, client.stream("POST", PATH, json=call(5, "moor"), headers=session))
        ids = [line[4:] for line in b"".join(broken).decode().splitlines() if line.startswith("id: ")]
        assert len(ids) == 2, "the answer was cut, and its event has no id"
        for last, wanted in ((ids[1], [answer(5, text("yes"))]), (ids[0], [said[1], answer(5, text("yes"))])):
            again = await client.get(PATH, headers=session | {"Last-Event-ID": last})
            heard = [dict(each, params=each["params"] | {"progressToken": 1}) if "params" in each else each
                     for each in _events(again.text)]  # fmt: skip
            assert heard == wanted


async def _read_into(pieces: list[bytes], streaming: AbstractAsyncContextManager[httpx.Response]) -> None:
    """Read a response, of which what came before it broke is kept."""
    async with streaming as response:
        async for piece in response.aiter_bytes():
            pieces.append(piece)  # noqa: PERF401 - what came is wanted even if it breaks


async def test_a_client_of_the_first_carriage_hears_everything_on_its_one_stream(script: Script) -> None:
    async with _at(script) as client, asyncio.TaskGroup() as tasks:
        heard: list[str] = []

        async def listen() -> None:
            async with client.stream("GET", "/sse") as stream:
                async for line in stream.aiter_lines():
                    heard.append(line)  # noqa: PERF401 - each is wanted at once

        def said(what: str) -> list[str]:
            return [line for line in heard if what in line]

        listening = tasks.create_task(listen())
        await until(lambda: said("data: "), "it tells where to speak")
        assert heard[0] == "event: endpoint"
        where = heard[1].removeprefix("data: ")
        sent = await client.post(where, json=HELLO)
        assert (sent.status_code, sent.text) == (202, "Accepted")
        await until(lambda: said('"protocolVersion"'), "it is answered on the stream")
        await client.post(where, json=call(4, "moor"))
        await until(lambda: said("elicitation/create"), "it is asked")
        asked = json.loads(said("elicitation/create")[0].removeprefix("data: "))
        await client.post(where, json=answer(asked["id"], {"action": "accept"}))
        await until(lambda: said('"id":4'), "the call is answered")
        assert (await client.post("/sse", json=HELLO)).status_code == 405, "so that a client sees what carriage it is"
        listening.cancel()
        await asyncio.wait([listening])
        await _is_gone(client, where)


async def _is_gone(client: httpx.AsyncClient, where: str) -> None:
    """Wait until nobody is spoken to there any more."""
    async with asyncio.timeout(PATIENCE_S):
        while (await client.post(where, json=HELLO)).status_code != 404:
            pass


async def test_serving_names_its_url_and_ends_on_cancel(script: Script) -> None:
    said: list[str] = []
    shared = MockShared(script, INSTANT, tell=said.append)
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        serving = tasks.create_task(serve(shared, 0, said.append))
        await until(lambda: said, "it says where")
        serving.cancel()
    assert said[0].startswith("playing at http://127.0.0.1:")
    assert said[0].endswith(PATH)


@pytest.mark.parametrize("odd", ["\\ud800", "\\u0000", "\\udfff\\ud800"])
async def test_an_id_of_odd_characters_is_answered_and_harms_no_other_client(script: Script, odd: str) -> None:
    async with _at(script) as client:
        session = await _hello(client)
        body = json.dumps(call(1, "echo")).replace('"id": 1', f'"id": "{odd}"')
        came = await client.post(PATH, content=body, headers=session)
        assert came.json()["id"] == json.loads(f'"{odd}"')
        assert (await client.post(PATH, json=call(1, "echo"), headers=session)).status_code == 200


async def test_a_request_that_the_mock_fails_on_is_an_error_for_that_client_alone(
    script: Script, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    async with _at(script) as client:
        session = await _hello(client)
        with monkeypatch.context() as patch:
            patch.setattr(MockConnection, "take", fail)
            came = await client.post(PATH, json=call(1, "echo"), headers=session)
        assert came.json()["error"]["code"] == -32603
        assert (await client.post(PATH, json=call(1, "echo"), headers=session)).status_code == 200
    assert "ZeroDivisionError" in caplog.text
