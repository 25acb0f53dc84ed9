"""The demo's heart: a message in, messages out."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.demo.call import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, DemoConnection, DemoOptions
from inspector.demo.methods import DemoServer
from inspector.demo.state import LOGBOOK, DemoState
from tests.demo.driving import Here, opening, request, stateless
from tests.waiting import until

FOREVER = {"steps": 1000, "seconds_per_step": 60}


async def test_slow_tool_does_not_block_others() -> None:
    here = Here()
    async with asyncio.TaskGroup() as tasks:
        slow = tasks.create_task(here.send(stateless(1, "tools/call", name="long_running", arguments=FOREVER)))
        await asyncio.sleep(0)
        assert "result" in await here.ask(stateless(2, "tools/list"))
        slow.cancel()


async def test_a_cancelled_request_ends_and_is_not_answered() -> None:
    here = Here()
    async with asyncio.TaskGroup() as tasks:
        slow = tasks.create_task(here.send(stateless("a", "tools/call", name="long_running", arguments=FOREVER)))
        await asyncio.sleep(0)
        await here.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}})
        await until(slow.done, "the cancelled call is over")
    assert not slow.cancelled()
    assert here.sent == []
    assert "result" in await here.ask(stateless("a", "tools/list"))


async def test_cancellation_distinguishes_ids_by_type() -> None:
    here = Here()
    async with asyncio.TaskGroup() as tasks:
        slow = tasks.create_task(here.send(stateless(1, "tools/call", name="long_running", arguments=FOREVER)))
        await asyncio.sleep(0)
        here.server.cancel("1")
        here.server.cancel(None)
        assert "result" in await here.ask(stateless("1", "tools/list"))
        assert not slow.done()
        assert (await here.ask(stateless(1, "tools/list")))["error"]["code"] == INVALID_REQUEST
        here.server.cancel(1)


async def test_a_batch_is_answered_as_one_where_there_are_batches() -> None:
    here = Here()
    await here.ask(opening("2025-03-26"))
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await here.send([request(1, "ping"), told, request(2, "nonsense")])
    answers = {answer["id"]: answer for answer in here.sent[-1]}
    assert answers[1]["result"] == {}
    assert answers[2]["error"]["code"] == METHOD_NOT_FOUND
    before = len(here.sent)
    await here.send([told])
    assert len(here.sent) == before


@pytest.mark.parametrize(("version", "marks"), [("2024-11-05", {"id": None}), ("2025-11-25", {})])
async def test_a_batch_is_refused_elsewhere(version: str, marks: dict[str, Any]) -> None:
    here = Here()
    await here.ask(opening(version))
    await here.send([request(1, "ping")])
    error = here.sent[-1].pop("error")
    assert error["code"] == INVALID_REQUEST
    assert here.sent[-1] == {"jsonrpc": "2.0", **marks}


@pytest.mark.parametrize("removed", ["initialize", "ping", "logging/setLevel", "resources/subscribe"])
async def test_removed_method_is_not_found_in_the_modern_era(removed: str) -> None:
    assert (await Here().ask(stateless(1, removed)))["error"]["code"] == METHOD_NOT_FOUND


@pytest.mark.parametrize("later", ["server/discover", "subscriptions/listen"])
async def test_newer_method_is_not_found_after_a_handshake(later: str) -> None:
    here = Here()
    await here.ask(opening())
    assert (await here.ask(request(1, later)))["error"]["code"] == METHOD_NOT_FOUND


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (7, INVALID_REQUEST),
        ({}, INVALID_REQUEST),
        ({"id": None, "method": "ping"}, INVALID_REQUEST),
        ({"id": 1.5, "method": "ping"}, INVALID_REQUEST),
        ({"id": True, "method": "ping"}, INVALID_REQUEST),
        ({"id": 1, "method": 7}, INVALID_REQUEST),
        ({"id": 1, "method": "ping", "params": []}, INVALID_PARAMS),
    ],
)
async def test_invalid_message_is_refused_with_its_code(message: Any, code: int) -> None:
    here = Here()
    await here.send(message)
    assert here.sent[-1]["error"]["code"] == code


async def test_a_closed_connection_hears_no_more() -> None:
    here = Here()
    await here.ask(opening())
    await here.ask(request(1, "resources/subscribe", uri=LOGBOOK))
    await here.station.write("One.")
    assert here.sent[-1]["method"] == "notifications/resources/updated"
    before = len(here.sent)
    here.server.close()
    here.server.close()
    await here.station.write("Two.")
    assert len(here.sent) == before
    assert isinstance(here.server.link, DemoConnection)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
METHODS = ("tools/call", "resources/read", "prompts/get", "completion/complete", "logging/setLevel", "tools/list")
TOOLS = (
    "echo",
    "add",
    "complex_form",
    "image_result",
    "audio_result",
    "update_resource",
    "toggle_tool",
    "hostile_text",
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(TOOLS) | ANYTHING,
        "arguments": ANYTHING,
        "uri": ANYTHING,
        "ref": ANYTHING,
        "argument": ANYTHING,
        "cursor": ANYTHING,
        "level": ANYTHING,
        "_meta": ANYTHING,
    },
)


@given(st.lists(st.tuples(st.sampled_from(METHODS), PARAMS | ANYTHING), max_size=4))
def test_every_request_gets_one_response(requests: list[tuple[str, Any]]) -> None:
    async def drive() -> list[Any]:
        answers: list[Any] = []

        async def reply(message: Any) -> None:
            answers.extend([message] if "id" in message else [])

        server = DemoServer(DemoState(), DemoOptions(), reply)
        await server.handle(opening(), reply)
        for number, (method, params) in enumerate(requests, 1):
            await server.handle({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, reply)
        server.close()
        return answers

    answers = asyncio.run(drive())
    assert [answer["id"] for answer in answers] == list(range(len(requests) + 1))
