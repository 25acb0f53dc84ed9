"""From messages to the body of a response."""

import asyncio
from collections.abc import AsyncGenerator
from typing import cast

import pytest

from inspector.demo import streams
from inspector.demo.call import INVALID_REQUEST, Refusal
from inspector.demo.streams import Outbox, respond
from inspector.transports.http.listener import HttpResponse
from tests.waiting import until

ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {}}
NEWS = {"jsonrpc": "2.0", "method": "notifications/message"}


def body(response: HttpResponse) -> AsyncGenerator[bytes, None]:
    assert ("Content-Type", "text/event-stream") in response.headers
    return cast("AsyncGenerator[bytes, None]", response.body)


async def say(outbox: Outbox, *messages: object) -> None:
    for message in messages:
        await outbox.put(message)


async def test_an_answer_alone_is_json() -> None:
    outbox = Outbox()
    async with asyncio.TaskGroup() as tasks:
        response = await respond(tasks, say(outbox, ANSWER), outbox, ends_with_stream=True)
    assert response.headers == (("Content-Type", "application/json"),)
    assert response.body == b'{"jsonrpc":"2.0","id":1,"result":{}}'


async def test_news_before_the_answer_make_it_a_stream() -> None:
    outbox = Outbox()
    async with asyncio.TaskGroup() as tasks:
        response = await respond(tasks, say(outbox, NEWS, ANSWER), outbox, ends_with_stream=True)
        pieces = [piece async for piece in body(response)]
    assert pieces == [streams.event(NEWS), streams.event(ANSWER)]


async def test_no_answer_at_all_is_an_empty_stream() -> None:
    outbox = Outbox()
    async with asyncio.TaskGroup() as tasks:
        response = await respond(tasks, say(outbox), outbox, ends_with_stream=True)
    assert response.body == b""


@pytest.mark.parametrize("ends", [True, False])
async def test_work_ends_with_its_stream_only_where_it_should(ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PATIENCE", 0)
    outbox, hold, over = Outbox(), asyncio.Event(), list[str]()

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
        assert await anext(stream) == streams.STILL_HERE
        await stream.aclose()
        hold.set()
        await until(lambda: over, "the work is over")
    assert over == ["cancelled" if ends else "done"]


async def test_a_client_that_leaves_before_the_head_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PATIENCE", 60)
    outbox, started, over = Outbox(), asyncio.Event(), list[str]()

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


async def test_a_silent_stream_says_that_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "KEEP_ALIVE", 0)
    stream = cast("AsyncGenerator[bytes, None]", Outbox().events())
    assert await anext(stream) == streams.STILL_HERE
    await stream.aclose()


@pytest.mark.parametrize(("request_id", "marks"), [(1, b'"id":1'), ("a", b'"id":"a"'), (None, b""), (True, b"")])
def test_a_refusal_has_the_id_if_it_is_one(request_id: object, marks: bytes) -> None:
    response = streams.refused(400, Refusal(INVALID_REQUEST, "no"), request_id)
    assert isinstance(response.body, bytes)
    assert marks in response.body
    assert (b'"id"' in response.body) == bool(marks)


def test_notifications_are_never_the_last() -> None:
    assert not streams.is_last(NEWS)
    assert streams.is_last(ANSWER)
    assert streams.is_last([ANSWER])
