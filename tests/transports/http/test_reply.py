"""Bodies as frames and notes: compressed ones, bombs, limits, and headers as they came."""

import gzip
import zlib

import httpx
import pytest

from inspector.protocol.facts import HttpEvent
from inspector.protocol.frames import Direction
from inspector.transports.http import reply
from inspector.transports.http.endpoint import HttpOptions
from inspector.transports.http.listener import HttpRequest, HttpResponse
from inspector.transports.http.reply import in_text
from inspector.transports.limits import Limits
from tests.servers.http_fixtures import ANSWER, JSON, REQUEST, STREAM, always, connected, fact, serving

GZIP = (("Content-Encoding", "gzip"),)


async def test_a_body_that_came_compressed_though_nobody_asked_is_shown_unpacked_and_says_so() -> None:
    packed = gzip.compress(ANSWER)
    answer = HttpResponse(200, JSON + GZIP, packed)
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert seen.received() == [ANSWER]
    assert (delivery.body, delivery.why) == (ANSWER, "")
    assert "compressed (gzip)" in fact(seen, HttpEvent.END).why
    assert fact(seen, HttpEvent.END).body_bytes == len(packed)


async def test_a_compressed_stream_gives_each_event_when_it_is_flushed() -> None:
    packer = zlib.compressobj(wbits=31)
    events = [packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH) for data in (b"data: 1\n\n", b"data: 2\n\n")]
    answer = HttpResponse(200, STREAM + GZIP, b"".join(events) + packer.flush())
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    assert seen.received() == [b"1", b"2"]


async def test_a_body_that_only_claims_to_be_compressed_is_an_end_with_a_reason() -> None:
    answer = HttpResponse(200, JSON + GZIP, ANSWER)
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        delivery = await transport.send(REQUEST)
    assert "can't be decoded" in delivery.why
    assert fact(seen, HttpEvent.END).why == delivery.why


async def test_an_encoding_nobody_knows_is_shown_as_it_came_and_named() -> None:
    answer = HttpResponse(200, (*JSON, ("Content-Encoding", "odd")), ANSWER)
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    assert seen.received() == [ANSWER]
    assert "odd" in fact(seen, HttpEvent.END).why


async def test_a_body_that_unpacks_to_a_flood_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply, "_RATIO_FROM", 100_000)
    answer = HttpResponse(200, STREAM + GZIP, gzip.compress(b": \n" * 60_000))
    async with serving(always(answer)) as site, connected(site.url) as (transport, _):
        delivery = await transport.send(REQUEST)
    assert "unpacked from" in delivery.why


async def test_a_body_that_is_packed_twice_is_shown_as_it_came_and_never_unpacked() -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 4_000_000))
    answer = HttpResponse(200, (*JSON, ("Content-Encoding", "gzip, gzip")), bomb)
    async with serving(always(answer)) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    assert seen.received() == [bomb]
    assert "gzip, gzip" in fact(seen, HttpEvent.END).why


async def test_a_body_beyond_the_limit_is_cut_and_its_beginning_shown() -> None:
    async with serving(always(HttpResponse(200, JSON, b"x" * 2_000_000))) as site:
        async with connected(site.url, options=HttpOptions(limits=Limits(message=1000))) as (transport, seen):
            delivery = await transport.send(REQUEST)
            assert "more than 1000 bytes; --max message=SIZE allows more" in delivery.why
            (beginning,) = [frame for frame in seen.frames if frame.direction is Direction.FROM_SERVER]
            assert len(beginning.payload) == 1000
            assert 0 < beginning.cut < 2_000_000
            assert (await transport.send(REQUEST)).status == 200, "the connection of the cut body is not used again"


async def test_a_delivery_carries_only_the_beginning_of_a_long_body() -> None:
    async with serving(always(HttpResponse(200, JSON, b"x" * 100_000))) as site:
        async with connected(site.url) as (transport, seen):
            delivery = await transport.send(REQUEST)
    assert len(delivery.body) == 64 * 1024
    assert len(seen.received()[0]) == 100_000


@pytest.mark.parametrize("content_type", ["text/event-stream", "Text/Event-Stream; charset=utf-8"])
async def test_a_stream_is_told_by_its_media_type_whatever_the_case(content_type: str) -> None:
    async def answer(_: HttpRequest) -> HttpResponse:
        return HttpResponse(200, (("content-type", content_type),), b"data: {}\n\n")

    async with serving(answer) as site, connected(site.url) as (transport, seen):
        await transport.send(REQUEST)
    assert seen.received() == [b"{}"]


def test_headers_that_are_no_utf_8_are_read_as_latin_1() -> None:
    headers = httpx.Headers([(b"X-A", "é".encode()), (b"x-b", b"\xe9")])
    assert in_text(headers) == (("X-A", "é"), ("x-b", "é"))
