"""One POST, one response: what a stateless exchange shows of what it is answered."""

import asyncio
from typing import TYPE_CHECKING, cast

import pytest
from msgspec.structs import replace

from inspector.protocol.facts import HttpEvent, SseNote
from inspector.protocol.frames import Channel, Direction
from inspector.transports.base import Delivery
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from inspector.transports.http.stateless import Stateless
from tests.servers.http_fixtures import (
    ANSWER,
    NOTIFICATION,
    REQUEST,
    STREAM,
    always,
    by_method,
    connected,
    fact,
    json_answer,
    serving,
    steps,
    stream,
)
from tests.waiting import until

if TYPE_CHECKING:
    from inspector.transports.http.endpoint import Endpoint


async def test_a_json_answer_is_one_frame_between_the_facts_of_its_exchange() -> None:
    async with serving(always(json_answer())) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(replace(REQUEST, probe=True))
    assert (delivery.status, delivery.body, delivery.answer_may_follow) == (200, ANSWER, False)
    assert delivery.content_type == "application/json"
    question, answer = seen.frames
    assert (question.direction, question.channel, question.payload) == (
        Direction.TO_SERVER,
        Channel.POST,
        REQUEST.payload,
    )
    assert (answer.direction, answer.channel, answer.payload) == (Direction.FROM_SERVER, Channel.REPLY, ANSWER)
    assert question.http == answer.http == 1
    assert question.probe
    assert answer.probe
    assert steps(seen) == [HttpEvent.REQUEST, HttpEvent.RESPONSE, HttpEvent.END]
    assert fact(seen, HttpEvent.END).body_bytes == len(ANSWER)


async def test_a_stream_gives_its_notifications_before_its_answer_and_notes_what_is_neither() -> None:
    body = b": keep-alive\n\nevent: message\ndata: {}\n\ndata: [1]\n\n"
    answers = by_method(POST=lambda _: stream(body, b"data: " + ANSWER + b"\n\n"))
    async with serving(answers) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert seen.received() == [b"{}", b"[1]", ANSWER]
    assert {frame.channel for frame in seen.frames[1:]} == {Channel.SSE}
    assert seen.frames[1].sse is not None
    assert seen.frames[1].sse.event == "message"
    assert [note.raw for note in seen.of(SseNote)] == [b": keep-alive"]
    assert (delivery.body, delivery.why, delivery.answer_may_follow) == (b"", "", False)


async def test_an_accepted_notification_has_no_frame_in_return() -> None:
    async with serving(always(HttpResponse(202))) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(NOTIFICATION)
    assert (delivery.status, delivery.answer_may_follow) == (202, False)
    assert seen.received() == []


@pytest.mark.parametrize(
    ("status", "content_type", "body"),
    [
        (400, "application/json", b'{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no"}}'),
        (401, "application/json", b'{"error":"invalid_token"}'),
        (403, "text/plain", b"no"),
        (404, "text/html", b"<html>Not here</html>"),
        (200, "text/html; charset=utf-8", b"<html>Log in</html>"),
        (200, "text/plain", ANSWER),
        (500, "", b"\xff\xfe"),
    ],
)
async def test_whatever_is_answered_is_shown_and_left_to_the_session_to_judge(
    status: int, content_type: str, body: bytes
) -> None:
    headers = (("Content-Type", content_type),) if content_type else ()
    response = HttpResponse(status, (*headers, ("WWW-Authenticate", 'Bearer scope="x"')), body)
    async with serving(always(response)) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert (delivery.status, delivery.content_type, delivery.body) == (status, content_type, body)
    assert ("WWW-Authenticate", 'Bearer scope="x"') in delivery.headers
    assert seen.received() == [body]


@pytest.mark.parametrize("tail", [b"", b"data: {half"])
async def test_a_stream_that_breaks_says_so_and_keeps_what_came(tail: bytes) -> None:
    answers = by_method(POST=lambda _: stream(b"data: {}\n\n" + tail, HangUp()))
    async with serving(answers) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert seen.received() == [b"{}"]
    assert "the server broke the connection off" in delivery.why
    assert fact(seen, HttpEvent.END).why == delivery.why
    assert [note.raw for note in seen.of(SseNote)] == ([tail] if tail else [])


async def test_an_event_cut_by_the_end_of_a_stream_is_a_note_and_the_reason() -> None:
    answers = by_method(POST=lambda _: stream(b"data: {}"))
    async with serving(answers) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert seen.received() == []
    assert [note.raw for note in seen.of(SseNote)] == [b"data: {}"]
    assert "within an event" in delivery.why


async def test_a_body_that_breaks_is_shown_as_far_as_it_came() -> None:
    response = HttpResponse(200, (("Content-Type", "application/json"), ("Content-Length", "100")), b'{"half')
    async with serving(always(response)) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert seen.received() == [b'{"half']
    assert "the server broke the connection off" in delivery.why


async def test_cancelling_closes_the_stream_and_the_server_sees_it() -> None:
    gone = asyncio.Event()

    async def wait_for_the_end() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    async def answer(_: HttpRequest) -> HttpResponse:
        return stream(b"data: {}\n\n", wait_for_the_end)

    async with serving(answer) as site, connected(site.url) as (transport, seen):
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(transport.send(REQUEST))
            await seen.until(lambda _: seen.received(), "the stream has begun")
            sending.cancel()
        await asyncio.wait_for(gone.wait(), 10)
        await until(lambda: steps(seen)[-1] is HttpEvent.END, "the exchange has ended")
    assert fact(seen, HttpEvent.END).why == "closed by this side"


async def test_cancelling_before_any_response_is_an_error_of_the_exchange_and_is_seen_too() -> None:
    asked, gone = asyncio.Event(), asyncio.Event()

    async def never(_: HttpRequest) -> HttpResponse:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()
        raise AssertionError

    async with serving(never) as site, connected(site.url) as (transport, seen):
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(transport.send(REQUEST))
            await asked.wait()
            sending.cancel()
        await asyncio.wait_for(gone.wait(), 10)
        await until(lambda: HttpEvent.ERROR in steps(seen), "the exchange has ended")
    assert "given up by this side" in fact(seen, HttpEvent.ERROR).why


async def test_five_megabytes_pass_in_one_event_and_back() -> None:
    async def echo(request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, STREAM, b"data: " + request.body + b"\n\n")

    payload = b'"' + "é".encode() * 2_500_000 + b'"'
    async with serving(echo) as site, connected(site.url) as (transport, seen):
        await transport.send(replace(REQUEST, payload=payload))
    assert seen.received() == [payload]


async def test_giving_a_request_up_closes_its_stream_at_once() -> None:
    async with serving(always(json_answer())) as site, connected(site.url):
        gone = asyncio.get_running_loop().create_future()
        async with asyncio.TaskGroup() as tasks:
            sending = tasks.create_task(_for_ever(gone))
            await gone
            Stateless(cast("Endpoint", None)).abandon(sending)
        assert sending.cancelled()


async def _for_ever(begun: "asyncio.Future[None]") -> Delivery:
    begun.set_result(None)
    await asyncio.get_running_loop().create_future()
    raise AssertionError("it is never answered")
