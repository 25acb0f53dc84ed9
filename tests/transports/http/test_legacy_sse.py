"""The GET stream and the address to post to, of the first revision."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from inspector.errors import AuthorizationNeeded, ConnectError, Disconnected
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, SseNote
from inspector.protocol.frames import Channel
from inspector.protocol.revisions._shape import Carriage
from inspector.transports.http.endpoint import Endpoint, HttpOptions
from inspector.transports.http.listener import HangUp, HttpRequest, HttpResponse
from inspector.transports.http.resumption import TransportTasks
from inspector.transports.http.transport import HttpTransport, LegacySse
from tests.servers.http_fixtures import (
    REQUEST,
    Site,
    always,
    by_method,
    connected,
    echo_payload,
    fact,
    json_answer,
    legacy_server,
    pieces,
    serving,
    stream,
)
from tests.transports.recording import Recorder
from tests.waiting import until

LEGACY = Carriage.LEGACY_SSE


@pytest.mark.parametrize(
    ("endpoint", "target"),
    [
        (lambda _: "/messages?session=1", "/messages?session=1"),
        (lambda _: "messages#fragment", "/messages"),
        (lambda site: f"{site.listener.url}/absolute", "/absolute"),
        (lambda _: "?session=1", "/mcp?session=1"),
    ],
    ids=["absolute path", "relative path", "absolute URL", "query"],
)
async def test_messages_go_to_the_address_of_the_first_event_and_come_on_the_stream(
    endpoint: Callable[[Site], str], target: str
) -> None:
    async with legacy_server(endpoint) as site, connected(site.url, LEGACY) as (transport, seen):
        delivery = await transport.send(REQUEST)
        await seen.until(lambda _: len(seen.received()) == 2, "the answer has come")
        assert transport.kind == "sse"
    assert (delivery.status, delivery.body, delivery.answer_may_follow) == (202, b"Accepted", True)
    assert [(request.method, request.target) for request in site.requests] == [("GET", "/mcp"), ("POST", target)]
    frames = {frame.channel: frame for frame in seen.frames}
    assert frames[Channel.POST].payload == REQUEST.payload
    assert frames[Channel.REPLY].payload == b"Accepted"
    assert (frames[Channel.GET].payload, frames[Channel.GET].http) == (echo_payload(REQUEST.payload), 1)


async def test_the_address_is_a_note_and_no_frame() -> None:
    async with legacy_server(lambda _: "/messages") as site, connected(site.url, LEGACY) as (_, seen):
        assert [(note.event, note.raw) for note in seen.of(SseNote)] == [
            ("endpoint", b"event: endpoint\ndata: /messages")
        ]
        assert seen.frames == []


async def test_a_refused_post_has_no_answer_to_wait_for() -> None:
    refusing = json_answer(b"{}", status=400)
    async with legacy_server(lambda _: "/messages", refusing) as site, connected(site.url, LEGACY) as (transport, _):
        delivery = await transport.send(REQUEST)
    assert (delivery.status, delivery.answer_may_follow) == (400, False)


async def test_an_address_on_another_origin_is_refused_and_nothing_is_sent_there() -> None:
    options = HttpOptions(headers=(("Authorization", "Bearer secret"),))
    async with serving(always(json_answer())) as other, legacy_server(lambda _: other.url) as site:
        with pytest.raises(ConnectError, match="another origin"):
            async with connected(site.url, LEGACY, options):
                pytest.fail("it must not open")
    assert other.requests == []
    assert site.methods() == ["GET"]


@pytest.mark.parametrize("status", [401, 403])
async def test_a_server_that_wants_credentials_first_is_an_error_of_its_own_with_the_evidence(status: int) -> None:
    refusal = HttpResponse(status, (("WWW-Authenticate", "Bearer"), ("Content-Type", "text/plain")), b"who?")
    async with serving(always(refusal)) as site, connected(site.url) as (transport, _):
        with pytest.raises(AuthorizationNeeded, match=f"{status}, text/plain: who"):
            await transport.use(LEGACY)
        assert transport.refusal is not None
        assert ("WWW-Authenticate", "Bearer") in transport.refusal.headers


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (HttpResponse(405), "was 405, no content type"),
        (json_answer(b'{"a":1}', 404), r'was 404, application/json: \{"a":1\}'),
        (HttpResponse(200, (("Content-Type", "text/html"),), b"<html>"), "was 200, text/html: <html>"),
    ],
)
async def test_non_stream_is_an_error_with_evidence(answer: HttpResponse, sentence: str) -> None:
    async with serving(always(answer)) as site, connected(site.url) as (transport, _):
        with pytest.raises(ConnectError, match=sentence):
            await transport.use(LEGACY)


@pytest.mark.parametrize("body", [b"", b"data: {}\n\n", b"event: endpoint\ndata:\n\n"])
async def test_a_stream_that_ends_without_an_address_is_no_connection(body: bytes) -> None:
    async with serving(by_method(GET=lambda _: stream(body))) as site, connected(site.url) as (transport, _):
        with pytest.raises(ConnectError, match="ended its stream"):
            await transport.use(LEGACY)


async def test_a_stream_that_names_no_address_in_time_is_closed() -> None:
    answers = by_method(GET=lambda _: stream(b": hi\n\n", asyncio.Event().wait))
    options = HttpOptions(connect_timeout=0.5)
    async with serving(answers) as site, connected(site.url, options=options) as (transport, seen):
        with pytest.raises(ConnectError, match=r"none within 0\.5 s"):
            await transport.use(LEGACY)
        await until(lambda: not transport._tasks._running, "the stream is closed")
        assert fact(seen, HttpEvent.END).why == "closed by this side"


async def test_the_end_of_the_stream_is_the_end_of_the_connection() -> None:
    async with legacy_server(lambda _: "/messages") as site, connected(site.url, LEGACY) as (transport, seen):
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(transport.wait_closed())
            site.hang_up()
        assert waiting.result() == "the server ended the SSE stream"
        with pytest.raises(Disconnected, match="the server ended the SSE stream"):
            await transport.send(REQUEST)
    ends = [each.why for each in seen.of(ConnectionFact) if each.event is ConnectionEvent.CLOSE]
    assert ends == ["the server ended the SSE stream"]


async def test_broken_stream_names_the_server() -> None:
    async def answer(_: HttpRequest) -> HttpResponse:
        body = pieces([b"event: endpoint\ndata: /m\n\n", go_on.wait, HangUp()])
        return HttpResponse(200, (("Content-Type", "text/event-stream"),), body)

    go_on = asyncio.Event()
    async with serving(answer) as site, connected(site.url, LEGACY) as (transport, _):
        go_on.set()
        assert "the server broke the connection off" in await transport.wait_closed()


async def test_a_connection_that_can_not_be_opened_has_ended_with_the_reason() -> None:
    async with serving(always(HttpResponse(404))) as site:
        transport, recorder = HttpTransport(site.url, carriage=LEGACY), Recorder()
        with pytest.raises(ConnectError):
            await transport.open(recorder)
        assert "404" in await transport.wait_closed()
    assert [each.event for each in recorder.of(ConnectionFact)] == [ConnectionEvent.OPEN, ConnectionEvent.CLOSE]


async def test_body_of_the_post_is_recorded_too() -> None:
    answers = by_method(
        GET=lambda _: stream(b"event: endpoint\ndata: /m\n\n", asyncio.Event().wait),
        POST=lambda _: stream(b"data: {}\n\n"),
    )
    async with serving(answers) as site, connected(site.url, LEGACY) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert seen.received() == [b"{}"]
    assert delivery.answer_may_follow


async def test_post_before_the_endpoint_event_is_refused() -> None:
    async with serving(always(json_answer())) as site, connected(site.url) as (transport, _):
        carriage = LegacySse(cast("Endpoint", None), cast("TransportTasks", None), lambda why: None)
        with pytest.raises(Disconnected):
            await carriage.send(REQUEST)
        assert transport.carriage is Carriage.STATELESS
