"""Where the time of an exchange goes, told by the trace of the connection below."""

import asyncio

from inspector.protocol.facts import HttpEvent, HttpTiming
from inspector.transports.http.timing import Stopwatch, running, time_lookups
from tests.servers.http_fixtures import REQUEST, always, connected, fact, json_answer, serving, stream

CONNECT, TLS = "connection.connect_tcp", "connection.start_tls"
HEADERS, BODY, HEAD = "http11.send_request_headers", "http11.send_request_body", "http11.receive_response_headers"


async def watched(*steps: tuple[str, int]) -> Stopwatch:
    """A stopwatch that was told of these steps at these moments."""
    moments = iter([moment for _, moment in steps])
    watch = Stopwatch(lambda: next(moments))
    for event, _ in steps:
        await watch.trace(event, {})
    return watch


def step(name: str, began: int, ended: int) -> tuple[tuple[str, int], tuple[str, int]]:
    return (f"{name}.started", began), (f"{name}.complete", ended)


async def test_each_step_has_its_own_time_and_the_look_up_is_no_part_of_the_connecting() -> None:
    watch = await watched(
        *step(CONNECT, 0, 100),
        *step(TLS, 110, 150),
        *step(HEADERS, 160, 170),
        *step(BODY, 171, 180),
        *step(HEAD, 181, 480),
    )
    watch.looked_up(60)
    assert watch.timing() == HttpTiming(lookup=60, connect=40, tls=40, send=20, wait=300)


async def test_a_kept_connection_needs_neither_look_up_nor_connecting() -> None:
    watch = await watched(*step(HEADERS, 0, 10), *step(HEAD, 11, 50))
    assert watch.timing() == HttpTiming(send=10, wait=40)


async def test_a_step_that_was_not_finished_has_no_time() -> None:
    watch = await watched((f"{CONNECT}.started", 0), (f"{CONNECT}.failed", 5))
    assert watch.timing() == HttpTiming()


async def test_the_loop_tells_of_look_ups_once_however_often_it_is_asked_to() -> None:
    time_lookups()
    time_lookups()
    watch = Stopwatch()
    running.set(watch)
    await asyncio.get_running_loop().getaddrinfo("localhost", 80)
    first = watch.timing().lookup
    assert first is not None
    await asyncio.get_running_loop().getaddrinfo("127.0.0.1", 80)
    assert (watch.timing().lookup or 0) > first


async def test_a_response_says_where_its_time_went_and_the_next_came_over_the_same_connection() -> None:
    async with serving(always(json_answer())) as site:
        async with connected(site.url.replace("127.0.0.1", "localhost")) as (transport, recorder):
            await transport.send(REQUEST)
            await transport.send(REQUEST)
    first, second = (fact(recorder, HttpEvent.RESPONSE, number).timing for number in (1, 2))
    assert first is not None
    assert None not in (first.lookup, first.connect, first.send, first.wait)
    assert first.tls is None
    assert second is not None
    assert (second.lookup, second.connect) == (None, None)
    assert second.wait is not None


async def test_a_stream_has_its_first_byte_when_its_head_is_there() -> None:
    async with serving(always(stream(b": hello\n\n"))) as site:
        async with connected(site.url) as (transport, recorder):
            await transport.send(REQUEST)
    timing = fact(recorder, HttpEvent.RESPONSE).timing
    assert timing is not None
    assert timing.wait is not None
