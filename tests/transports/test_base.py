"""The contract of a transport, run against every transport there is.

A new one adds a factory to RIGS: a context manager that gives an unopened transport to a server which answers
every request with its params, and a way for that server to end the connection. On leaving it must leave
nothing behind.
"""

import asyncio
import json
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from inspector.errors import Disconnected
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.flows.list_all import ITEM_LIMIT, PAGE_LIMIT
from inspector.protocol.frames import Direction
from inspector.protocol.revisions._shape import Carriage
from inspector.transports.base import LIMITS, Expects, Outgoing, Transport
from inspector.transports.http.listener import HttpResponse
from inspector.transports.http.transport import HttpTransport
from inspector.transports.stdio import StdioTransport
from tests.children import alive_since, pids
from tests.servers.http_fixtures import by_method, echo, legacy_server, serving
from tests.transports.memory import MemoryTransport
from tests.transports.recording import Recorder, child_env, server
from tests.waiting import until


@dataclass(frozen=True)
class Rig:
    """A transport to an echo server, and what the tests may do to that server."""

    transport: Transport
    end_from_the_server: Callable[[], None] | None
    """Makes the server go away; None for what is not among `WITH_A_CONNECTION`."""


def _echo(payload: bytes) -> list[bytes]:
    message = json.loads(payload)
    return [json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": message["params"]}).encode()]


@asynccontextmanager
async def _memory() -> AsyncIterator[Rig]:
    transport = MemoryTransport(_echo)
    yield Rig(transport, transport.peer.close)


@asynccontextmanager
async def _stdio() -> AsyncIterator[Rig]:
    transport = StdioTransport(server("echo"), env=child_env())

    def end() -> None:
        assert transport.pid is not None
        os.kill(transport.pid, signal.SIGKILL)

    yield Rig(transport, end)


@asynccontextmanager
async def _http(carriage: Carriage) -> AsyncIterator[Rig]:
    async with serving(by_method(POST=echo)) as site:
        yield Rig(HttpTransport(site.url, carriage=carriage), None)


@asynccontextmanager
async def _legacy_sse() -> AsyncIterator[Rig]:
    async with legacy_server(lambda _: "/messages", HttpResponse(202)) as site:
        yield Rig(HttpTransport(site.url, carriage=Carriage.LEGACY_SSE), site.hang_up)


RIGS: dict[str, Callable[[], AbstractAsyncContextManager[Rig]]] = {
    "memory": _memory,
    "stdio": _stdio,
    "http, stateless": partial(_http, Carriage.STATELESS),
    "http, sessions": partial(_http, Carriage.SESSIONS),
    "legacy sse": _legacy_sse,
}
WITH_A_CONNECTION = ("memory", "stdio", "legacy sse")
"""HTTP without streams has none that could end."""


@pytest.fixture(params=RIGS)
async def rig(request: pytest.FixtureRequest) -> AsyncIterator[Rig]:
    """One transport after the other; closed at the end if the test has not done it."""
    async with RIGS[request.param]() as made:
        yield made
        await made.transport.close()


def _request(number: int, **params: object) -> Outgoing:
    body = {"jsonrpc": "2.0", "id": number, "method": "echo", "params": params}
    return Outgoing(json.dumps(body).encode(), Expects.ANSWER)


async def test_a_sent_frame_is_observed_before_send_returns_and_before_its_answer(rig: Rig) -> None:
    recorder = Recorder()
    await rig.transport.open(recorder)
    for number in range(20):
        outgoing = _request(number)
        await rig.transport.send(outgoing)
        assert outgoing.payload in recorder.sent()
    await recorder.until(lambda seen: len(seen.received()) == 20, "all is answered")
    order = [(json.loads(frame.payload)["id"], frame.direction) for frame in recorder.frames]
    for number in range(20):
        question, answer = (order.index((number, way)) for way in (Direction.TO_SERVER, Direction.FROM_SERVER))
        assert question < answer


async def test_concurrent_sends_are_observed_in_the_order_of_the_calls_and_arrive_whole(rig: Rig) -> None:
    recorder = Recorder()
    await rig.transport.open(recorder)
    async with asyncio.TaskGroup() as group:
        for number in range(30):
            group.create_task(rig.transport.send(_request(number, text="x" * 100_000)))
    await recorder.until(lambda seen: len(seen.received()) == 30, "all is answered")
    assert [json.loads(payload)["id"] for payload in recorder.sent()] == list(range(30))
    assert sorted(json.loads(payload)["id"] for payload in recorder.received()) == list(range(30))


async def test_frames_of_five_megabytes_pass_both_ways(rig: Rig) -> None:
    recorder = Recorder()
    await rig.transport.open(recorder)
    text = "é" * 2_500_000
    await rig.transport.send(_request(1, text=text))
    await recorder.until(lambda seen: seen.received(), "the long answer is there")
    assert json.loads(recorder.received()[0])["result"] == {"text": text}


async def test_the_connection_opens_with_a_fact_and_ends_with_one(rig: Rig) -> None:
    recorder = Recorder()
    await rig.transport.open(recorder)
    await rig.transport.close()
    facts = recorder.of(ConnectionFact)
    assert [fact.event for fact in facts] == [ConnectionEvent.OPEN, ConnectionEvent.CLOSE]
    assert {fact.transport for fact in facts} == {rig.transport.kind}
    assert facts[-1].why == ""


@pytest.mark.parametrize("rig", WITH_A_CONNECTION, indirect=True)
async def test_server_end_informs_every_waiter(rig: Rig) -> None:
    assert rig.end_from_the_server is not None
    recorder = Recorder()
    await rig.transport.open(recorder)
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(rig.transport.wait_closed()) for _ in range(2)]
        rig.end_from_the_server()
    reasons = {task.result() for task in waiting}
    assert len(reasons) == 1
    assert "the server" in reasons.pop()
    with pytest.raises(Disconnected) as caught:
        await rig.transport.send(_request(1))
    assert caught.value.hint


async def test_closing_twice_and_at_once_is_closing(rig: Rig) -> None:
    recorder = Recorder()
    await rig.transport.open(recorder)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(rig.transport.wait_closed())
        group.create_task(rig.transport.close())
        group.create_task(rig.transport.close())
    await rig.transport.close()
    assert waiting.result() == ""
    assert [fact.event for fact in recorder.of(ConnectionFact)].count(ConnectionEvent.CLOSE) == 1


async def test_a_transport_that_was_never_opened_closes(rig: Rig) -> None:
    await rig.transport.close()
    assert await rig.transport.wait_closed() == ""


async def test_nothing_can_be_sent_after_the_close(rig: Rig) -> None:
    recorder = Recorder()
    await rig.transport.open(recorder)
    await rig.transport.close()
    with pytest.raises(Disconnected):
        await rig.transport.send(_request(1))
    assert recorder.sent() == []


async def test_a_cancelled_send_leaves_the_transport_usable_and_the_other_lines_whole(rig: Rig) -> None:
    recorder = Recorder()
    await rig.transport.open(recorder)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(rig.transport.send(_request(1, text="x" * 5_000_000)))
        await until(lambda: recorder.sent() or first.done(), "the first frame is on its way")
        first.cancel()
    await rig.transport.send(_request(2))

    def is_answered(seen: Recorder) -> bool:
        return any(json.loads(payload)["id"] == 2 for payload in seen.received())

    await recorder.until(is_answered, "the second request is answered")


async def test_after_the_close_no_task_thread_or_child_is_left(rig: Rig, home: Path) -> None:
    processes = pids()
    threads, tasks = set(threading.enumerate()), asyncio.all_tasks()
    recorder = Recorder()
    await rig.transport.open(recorder)
    await rig.transport.send(_request(1))
    await recorder.until(lambda seen: seen.received(), "the answer is there")
    await rig.transport.close()
    assert set(threading.enumerate()) <= threads
    left = asyncio.all_tasks() - tasks
    assert [task for task in left if not task.get_name().startswith("listener")] == [], "but the server's own"
    assert alive_since(processes, home) == []


def test_the_flows_know_the_same_limits() -> None:
    assert (LIMITS.pages, LIMITS.items) == (PAGE_LIMIT, ITEM_LIMIT)


def test_a_message_of_a_hundred_megabytes_is_within_them_and_one_of_a_gigabyte_is_not() -> None:
    assert 100_000_000 < LIMITS.message < 1_000_000_000
