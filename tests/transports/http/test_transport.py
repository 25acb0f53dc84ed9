"""One connection, whichever way its messages travel; beside the contract of all transports in test_base."""

import asyncio

import pytest

from inspector.errors import ConnectError, Disconnected, UsageError
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, HttpEvent, HttpFact
from inspector.transports.base import Carriage
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.listener import HttpResponse
from inspector.transports.http.transport import HttpTransport
from tests.servers.http_fixtures import (
    INITIALIZE,
    REQUEST,
    always,
    by_method,
    connected,
    echo,
    json_answer,
    serving,
    stream,
)
from tests.transports.recording import Recorder
from tests.waiting import until


async def test_opening_sends_nothing_and_tells_the_address() -> None:
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


async def test_after_the_close_nothing_works_and_everything_says_so() -> None:
    async with serving(by_method()) as site, connected(site.url) as (transport, _):
        await transport.close()
        for attempt in (transport.send(REQUEST), transport.open_stream(), transport.use(Carriage.SESSIONS)):
            with pytest.raises(Disconnected, match="it was closed"):
                await attempt


async def test_before_the_opening_nothing_can_be_sent() -> None:
    with pytest.raises(Disconnected, match="not open"):
        await HttpTransport("http://localhost/mcp").send(REQUEST)


async def test_closing_while_a_request_is_unanswered_tells_its_sender() -> None:
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
