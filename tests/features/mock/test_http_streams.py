"""What a mock over HTTP records of itself."""

import pytest

from inspector.capture.journal import start_capture
from inspector.features.mock.streams import (
    HttpTape,
    MockStream,
    StreamItemKind,
    StreamOutbox,
    Streams,
    event,
    still_here,
)
from inspector.protocol.facts import ConnectionFact, HttpEvent, HttpFact
from inspector.protocol.frames import Channel, Frame
from inspector.transports.http.listener import HangUp, HttpRequest
from tests.entries import whats


def test_an_exchange_is_recorded_with_its_head_and_its_bodies() -> None:
    journal = start_capture(None, mode="mock")
    try:
        tape = HttpTape(journal)
        tape.open("http://127.0.0.1:1/mcp")
        number, entry = tape.came(HttpRequest("POST", "/mcp", (("A", "1"),), b"{}"))
        tape.answered(number, 200, ())
        tape.sent(number, b"[]", Channel.REPLY)
        tape.ended(number)
        tape.close()
        what = whats(journal)
    finally:
        journal.close()
    assert (number, entry) == (1, 3)
    assert [type(each) for each in what] == [ConnectionFact, HttpFact, Frame, HttpFact, Frame, HttpFact, ConnectionFact]
    asked = what[1]
    assert isinstance(asked, HttpFact)
    assert (asked.event, asked.target) == (HttpEvent.REQUEST, "http://127.0.0.1:1/mcp")


def test_without_a_journal_requests_are_numbered_and_nothing_is_kept() -> None:
    tape = HttpTape(None)
    tape.open("http://127.0.0.1:1/mcp")
    assert [tape.came(HttpRequest("POST", "/mcp", (), b"{}")) for _ in range(2)] == [(1, 0), (2, 0)]


async def test_outbox_keeps_the_order_until_the_end() -> None:
    junk: list[int] = []
    box = StreamOutbox(lambda: junk.append(1))
    await box.send(b"1")
    await box.write(b"banner")
    await box.cut(b"2")
    box.end()
    found = [item async for item in box.items()]
    assert [(item.kind, item.payload) for item in found if item] == [
        (StreamItemKind.MESSAGE, b"1"),
        (StreamItemKind.CUT, b"2"),
    ]
    assert junk == [1]


async def test_outbox_drops_the_oldest_over_its_limit() -> None:
    box = StreamOutbox(lambda: None)
    for n in range(1001):
        await box.send(b"%d" % n)
    first = await box.take(1)
    assert first is not None
    assert first.payload == b"1"


async def test_silence_is_over_in_time() -> None:
    with pytest.raises(TimeoutError):
        await StreamOutbox(lambda: None).take(0)


def test_a_message_is_an_event() -> None:
    assert event(b"{}") == b"event: message\ndata: {}\n\n"
    assert still_here().startswith(b":")


async def _flowed(stream: MockStream, after: int | None = None) -> list[bytes]:
    return [piece async for piece in stream.flow(HttpTape(None), 1, Channel.SSE, after)]


async def test_stream_resumes_behind_the_named_event() -> None:
    stream = MockStream(StreamOutbox(lambda: None), "7")
    for payload in (b"1", b"2"):
        await stream.outbox.send(payload)
    stream.outbox.end()
    first, second = await _flowed(stream)
    assert first == b"event: message\ndata: 1\nid: 7-1\n\n"
    assert await _flowed(stream, 1) == [second]
    assert await _flowed(stream, 0) == [first, second]
    assert await _flowed(stream, 2) == []


async def test_cut_event_is_whole_when_resumed() -> None:
    stream = MockStream(StreamOutbox(lambda: None), "7")
    await stream.outbox.cut(b"12345678")
    stream.outbox.end()
    flow = stream.flow(HttpTape(None), 1, Channel.SSE)
    assert b"id: " not in await anext(flow)
    with pytest.raises(HangUp):
        await anext(flow)
    assert await _flowed(stream, 0) == [b"event: message\ndata: 12345678\nid: 7-1\n\n"]


async def test_a_stateless_stream_has_no_ids() -> None:
    stream = MockStream(StreamOutbox(lambda: None))
    await stream.outbox.send(b"1")
    stream.outbox.end()
    assert await _flowed(stream) == [b"event: message\ndata: 1\n\n"]


@pytest.mark.parametrize("last", ["", "1", "7-", "7-x", "7-\u00b2", "9-1", "7-" + "9" * 5000])
def test_unknown_event_id_names_no_stream(last: str) -> None:
    streams = Streams()
    streams.add(MockStream(StreamOutbox(lambda: None), "7"))
    assert streams.find(last) is None


def test_old_streams_are_dropped_except_the_sessions_own() -> None:
    streams = Streams()
    for name in ("own", *map(str, range(100))):
        streams.add(MockStream(StreamOutbox(lambda: None), name))
    assert streams.find("0-1") is None
    assert [streams.find(f"{name}-1") is not None for name in ("own", "1", "99")] == [True] * 3
