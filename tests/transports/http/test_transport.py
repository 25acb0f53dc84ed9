"""One POST, one response: what a stateless exchange shows of what it is answered."""

import asyncio
from typing import TYPE_CHECKING, cast

import pytest
from msgspec.structs import replace

from inspector.errors import ConnectError, Disconnected, UsageError
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact, SseNote
from inspector.protocol.frames import Cause, Channel, Direction
from inspector.protocol.revisions._shape import Carriage
from inspector.transports.base import Delivery
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from inspector.transports.http.transport import HttpTransport, Stateless
from tests.servers.http_fixtures import (
    ANSWER,
    INITIALIZE,
    NOTIFICATION,
    REQUEST,
    STREAM,
    always,
    by_method,
    connected,
    echo,
    fact,
    json_answer,
    serving,
    steps,
    stream,
)
from tests.transports.recording import Recorder
from tests.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from inspector.transports.http.endpoint import Endpoint


async def test_a_json_answer_is_one_frame_between_the_facts_of_its_exchange() -> None:
    async with serving(always(json_answer())) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(replace(REQUEST, cause=Cause.PROBE))
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
    assert question.cause is Cause.PROBE
    assert answer.cause is Cause.PROBE
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
async def test_any_response_is_recorded_and_returned(status: int, content_type: str, body: bytes) -> None:
    headers = (("Content-Type", content_type),) if content_type else ()
    response = HttpResponse(status, (*headers, ("WWW-Authenticate", 'Bearer scope="x"')), body)
    async with serving(always(response)) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert (delivery.status, delivery.content_type, delivery.body) == (status, content_type, body)
    assert ("WWW-Authenticate", 'Bearer scope="x"') in delivery.headers
    assert seen.received() == [body]


@pytest.mark.parametrize("tail", [b"", b"data: {half"])
async def test_broken_stream_keeps_received_events(tail: bytes) -> None:
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
        await asyncio.wait_for(gone.wait(), PATIENCE_S)
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
        await asyncio.wait_for(gone.wait(), PATIENCE_S)
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


async def test_open_records_the_url_and_sends_nothing() -> None:
    async with serving(always(json_answer())) as site, connected(site.url) as (transport, seen):
        assert (transport.kind, transport.carriage) == ("http", Carriage.STATELESS)
        assert [(each.event, each.url) for each in seen.of(ConnectionFact)] == [(ConnectionEvent.OPEN, site.url)]
    assert site.requests == []


async def test_a_transport_is_opened_once() -> None:
    async with serving(by_method()) as site, connected(site.url) as (transport, seen):
        with pytest.raises(ConnectError):
            await transport.open(seen)
        await transport.close()
        with pytest.raises(ConnectError):
            await transport.open(seen)


async def test_falling_back_from_one_carriage_to_the_next_keeps_numbers_and_recorder() -> None:
    answers = by_method(
        POST=lambda request: HttpResponse(202) if request.target == "/m" else HttpResponse(405),
        GET=lambda _: stream(b"event: endpoint\ndata: /m\n\n", asyncio.Event().wait),
    )
    async with serving(answers) as site, connected(site.url) as (transport, seen):
        assert (await transport.send(REQUEST)).status == 405
        await transport.use(Carriage.SESSIONS)
        assert (await transport.send(INITIALIZE)).status == 405
        await transport.use(Carriage.LEGACY_SSE)
        assert (await transport.send(INITIALIZE)).status == 202
        assert (transport.kind, transport.mcp_session_id) == ("sse", None)
    requests = [each for each in seen.of(HttpFact) if each.event is HttpEvent.REQUEST]
    assert [(each.http, each.method) for each in requests] == [(1, "POST"), (2, "POST"), (3, "GET"), (4, "POST")]


async def test_leaving_a_carriage_ends_what_it_had_open() -> None:
    answers = by_method(
        POST=json_answer(headers=(("Mcp-Session-Id", "s"),)),
        GET=lambda _: stream(asyncio.Event().wait),
        DELETE=HttpResponse(200),
    )
    async with serving(answers) as site, connected(site.url, Carriage.SESSIONS) as (transport, _):
        await transport.send(INITIALIZE)
        await transport.open_stream()
        await transport.use(Carriage.STATELESS)
        assert transport._tasks._running == set()
        assert transport.mcp_session_id is None
        await until(lambda: len(site.listener._connections) <= 1, "the stream is closed")
    assert site.methods() == ["POST", "GET", "DELETE"]


async def test_only_a_carriage_with_sessions_has_a_standalone_stream() -> None:
    async with serving(by_method()) as site, connected(site.url) as (transport, _):
        assert not (await transport.open_stream()).answer_may_follow
        transport.forget_session()
    assert site.requests == []


async def test_closed_transport_refuses_everything() -> None:
    async with serving(by_method()) as site, connected(site.url) as (transport, _):
        await transport.close()
        for attempt in (transport.send(REQUEST), transport.open_stream(), transport.use(Carriage.SESSIONS)):
            with pytest.raises(Disconnected, match="it was closed"):
                await attempt


async def test_before_the_opening_nothing_can_be_sent() -> None:
    with pytest.raises(Disconnected, match="not open"):
        await HttpTransport("http://localhost/mcp").send(REQUEST)


async def test_close_during_a_request_informs_its_sender() -> None:
    answers = by_method(POST=lambda _: stream(b"data: {}\n\n", asyncio.Event().wait))
    async with serving(answers) as site, connected(site.url) as (transport, seen):
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(_outcome(transport))
            await seen.until(lambda _: seen.received(), "the stream has begun")
            await transport.close()
        assert isinstance(sending.result(), Disconnected)
    assert isinstance(seen.facts[-1], ConnectionFact), "the end of the connection comes after the end of its exchanges"


async def _outcome(transport: HttpTransport) -> object:
    try:
        return await transport.send(REQUEST)
    except Disconnected as error:
        return error


async def test_a_wrong_option_leaves_a_transport_that_closes() -> None:
    transport = HttpTransport("https://localhost/mcp", options=HttpOptions(cacert="/does/not/exist"))
    with pytest.raises(UsageError):
        await transport.open(Recorder())
    await transport.close()


async def test_common_headers_go_with_every_request_and_those_of_a_message_win() -> None:
    async with serving(by_method(POST=echo)) as site, connected(site.url, Carriage.SESSIONS) as (transport, _):
        transport.common_headers = {"X-One": "common", "X-Two": "common"}
        headers = {"x-one": "own"}
        await transport.send(type(REQUEST)(REQUEST.payload, REQUEST.expects, headers))
        await transport.open_stream()
    post, get = site.requests
    assert (post.header("x-one"), post.header("x-two")) == ("own", "common")
    assert get.header("x-one") == "common"
