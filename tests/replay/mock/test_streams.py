"""Streams of a session, taken up where they broke."""

import pytest

from inspector.protocol.frames import Channel
from inspector.replay.mock.http_tape import HttpTape
from inspector.replay.mock.outbox import Outbox
from inspector.replay.mock.streams import Stream, Streams
from inspector.transports.http.listener import HangUp


async def _flowed(stream: Stream, after: int | None = None) -> list[bytes]:
    return [piece async for piece in stream.flow(HttpTape(None), 1, Channel.SSE, after)]


async def test_what_was_sent_goes_out_again_behind_the_event_that_is_named() -> None:
    stream = Stream(Outbox(lambda: None), "7")
    for payload in (b"1", b"2"):
        await stream.outbox.send(payload)
    stream.outbox.end()
    first, second = await _flowed(stream)
    assert first == b"event: message\ndata: 1\nid: 7-1\n\n"
    assert await _flowed(stream, 1) == [second]
    assert await _flowed(stream, 0) == [first, second]
    assert await _flowed(stream, 2) == []


async def test_what_was_cut_is_whole_the_second_time() -> None:
    stream = Stream(Outbox(lambda: None), "7")
    await stream.outbox.cut(b"12345678")
    stream.outbox.end()
    flow = stream.flow(HttpTape(None), 1, Channel.SSE)
    assert b"id: " not in await anext(flow)
    with pytest.raises(HangUp):
        await anext(flow)
    assert await _flowed(stream, 0) == [b"event: message\ndata: 12345678\nid: 7-1\n\n"]


async def test_a_stateless_stream_has_no_ids() -> None:
    stream = Stream(Outbox(lambda: None))
    await stream.outbox.send(b"1")
    stream.outbox.end()
    assert await _flowed(stream) == [b"event: message\ndata: 1\n\n"]


@pytest.mark.parametrize("last", ["", "1", "7-", "7-x", "7-\u00b2", "9-1", "7-" + "9" * 5000])
def test_an_event_that_nobody_sent_names_no_stream(last: str) -> None:
    streams = Streams()
    streams.add(Stream(Outbox(lambda: None), "7"))
    assert streams.find(last) is None


def test_of_many_streams_the_oldest_are_forgotten_but_not_the_session_s_own() -> None:
    streams = Streams()
    for name in ("own", *map(str, range(100))):
        streams.add(Stream(Outbox(lambda: None), name))
    assert streams.find("0-1") is None
    assert [streams.find(f"{name}-1") is not None for name in ("own", "1", "99")] == [True] * 3
