"""Frames of a WebSocket, however they are cut; their limits; and a listener that switches to it."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.transports.http.listener import HttpRequest, HttpResponse, Listener
from inspector.transports.http.websocket import CLOSE, PING, TEXT, FrameReader, Received, acceptance, frame
from tests.transports.http.socket_client import masked, open_socket


@given(st.lists(st.binary(max_size=70_000) | st.sampled_from([b"", b"x" * 125, b"x" * 126])), st.integers(1, 5000))
def test_messages_are_the_same_however_their_bytes_are_cut(messages: list[bytes], size: int) -> None:
    sent = b"".join(map(masked, messages))
    reader = FrameReader(100_000)
    found = [each for at in range(0, len(sent), size) for each in reader.feed(sent[at : at + size])]
    assert found == [Received(TEXT, each) for each in messages]


def test_a_message_in_several_frames_may_have_control_frames_between_them() -> None:
    sent = masked(b"one ", is_last=False) + masked(b"?", PING) + masked(b"two", 0) + masked(b"\x03\xe8", CLOSE)
    assert FrameReader(100).feed(sent) == [
        Received(PING, b"?"),
        Received(TEXT, b"one two"),
        Received(CLOSE, b"\x03\xe8"),
    ]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_message_beyond_the_limit_is_cut_and_counted(size: int) -> None:
    sent = masked(b"a" * 6, is_last=False) + masked(b"b" * 300, 0) + masked(b"next")
    reader = FrameReader(10)
    found = [each for at in range(0, len(sent), size) for each in reader.feed(sent[at : at + size])]
    assert found == [Received(TEXT, b"aaaaaabbbb", 296), Received(TEXT, b"next")]


@pytest.mark.parametrize(
    "data",
    [
        frame(b"not masked"),
        masked(b"binary", 2),
        masked(b"continues nothing", 0),
        masked(b"x", is_last=False) + masked(b"another begins"),
        masked(b"x" * 126, PING),
        masked(b"x", PING, is_last=False),
        b"\xc1" + masked(b"compressed")[1:],
    ],
    ids=("unmasked", "binary", "continuation", "interleaved", "long ping", "divided ping", "compressed"),  # masks vary
)
def test_frames_that_a_client_may_not_send_are_rejected(data: bytes) -> None:
    with pytest.raises(ValueError, match="frame"):
        FrameReader(1000).feed(data)


def test_a_frame_of_the_server_has_the_shortest_length() -> None:
    assert frame(b"a") == b"\x81\x01a"
    assert frame(b"a" * 200)[:4] == b"\x81\x7e\x00\xc8"
    assert frame(b"a" * 70_000)[:10] == b"\x81\x7f" + (70_000).to_bytes(8)


async def test_a_listener_switches_to_both_ways_and_ends_with_the_stream() -> None:
    frames: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def stream() -> AsyncIterator[bytes]:
        while (piece := await frames.get()) is not None:
            yield frame(piece)

    async def answer(request: HttpRequest) -> HttpResponse:
        headers = acceptance(request)
        assert headers is not None
        reader = FrameReader(1000)

        def take(data: bytes) -> None:
            for each in reader.feed(data):
                frames.put_nowait(each.payload if each.payload != b"end" else None)

        return HttpResponse(101, headers, stream(), takes=take)

    async with Listener(answer) as site, open_socket(site.url, "/x?") as socket:
        await socket.send("one")
        await socket.send("two")
        assert [await socket.receive(), await socket.receive()] == ["one", "two"]
        await socket.send("end")
        with pytest.raises(asyncio.IncompleteReadError):
            await socket.receive()
