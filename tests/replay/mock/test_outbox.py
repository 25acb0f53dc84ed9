"""What waits to go out over HTTP."""

import pytest

from inspector.replay.mock.outbox import Kind, Outbox, event, still_here


async def test_what_is_sent_is_taken_in_its_order_until_the_end() -> None:
    junk: list[int] = []
    box = Outbox(lambda: junk.append(1))
    await box.send(b"1")
    await box.write(b"banner")
    await box.cut(b"2")
    box.end()
    found = [item async for item in box.items()]
    assert [(item.kind, item.payload) for item in found if item] == [(Kind.MESSAGE, b"1"), (Kind.CUT, b"2")]
    assert junk == [1]


async def test_nobody_listens_for_long_and_the_oldest_goes() -> None:
    box = Outbox(lambda: None)
    for n in range(1001):
        await box.send(b"%d" % n)
    first = await box.take(1)
    assert first is not None
    assert first.payload == b"1"


async def test_silence_is_over_in_time() -> None:
    with pytest.raises(TimeoutError):
        await Outbox(lambda: None).take(0)


def test_a_message_is_an_event() -> None:
    assert event(b"{}") == b"event: message\ndata: {}\n\n"
    assert still_here().startswith(b":")
