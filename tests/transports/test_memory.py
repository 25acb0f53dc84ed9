"""Two ends in one process. What every transport does is in test_base.py."""

import asyncio

import pytest

from inspector.errors import ConnectError, Disconnected
from inspector.protocol.frames import Cause, Channel
from inspector.transports.base import Expects, Outgoing
from tests.transports.memory import MemoryTransport, Peer, served_by
from tests.transports.recording import Recorder


def _message(text: bytes, *, probe: bool = False) -> Outgoing:
    return Outgoing(text, Expects.NOTHING, cause=Cause.PROBE if probe else Cause.UNKNOWN)


async def test_the_peer_gets_what_was_sent_and_its_frames_come_back() -> None:
    recorder, transport = Recorder(), MemoryTransport()
    await transport.open(recorder)
    await transport.send(_message(b"ping", probe=True))
    assert await transport.peer.receive() == b"ping"
    transport.peer.send(b"not json \xff")
    assert recorder.received() == []
    await recorder.until(lambda seen: seen.received() == [b"not json \xff"], "it arrives")
    assert {frame.channel for frame in recorder.frames} == {Channel.MEMORY}
    assert [frame.cause for frame in recorder.frames] == [Cause.PROBE, Cause.UNKNOWN]
    await transport.close()


async def test_waiting_memory_server_sees_the_end() -> None:
    transport = MemoryTransport()
    await transport.open(Recorder())
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(transport.peer.receive())
        await asyncio.sleep(0)
        await transport.close()
    assert waiting.result() is None
    transport.peer.send(b"into the void")
    await asyncio.sleep(0)


async def test_last_message_before_leaving_is_delivered() -> None:
    recorder, transport = Recorder(), MemoryTransport()
    await transport.open(recorder)
    transport.peer.send(b"bye")
    transport.peer.close("it has said all")
    assert await transport.wait_closed() == "it has said all"
    assert recorder.received() == [b"bye"]
    with pytest.raises(Disconnected, match="it has said all"):
        await transport.send(_message(b"{}"))


async def test_a_connection_opens_once_and_not_after_its_close() -> None:
    transport = MemoryTransport()
    with pytest.raises(Disconnected, match="not open"):
        await transport.send(_message(b"{}"))
    await transport.open(Recorder())
    with pytest.raises(ConnectError):
        await transport.open(Recorder())
    await transport.close()
    with pytest.raises(ConnectError):
        await transport.open(Recorder())


async def test_a_coroutine_may_be_the_server() -> None:
    async def shout(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            peer.send(payload.upper())
            if payload == b"bye":
                return

    recorder = Recorder()
    async with served_by(shout) as transport:
        await transport.open(recorder)
        await transport.send(_message(b"hello"))
        await transport.send(_message(b"bye"))
        assert await transport.wait_closed() == "the server closed the connection"
    assert recorder.received() == [b"HELLO", b"BYE"]


async def test_a_server_that_still_waits_is_cancelled_at_the_end_of_the_block() -> None:
    done: list[str] = []

    async def deaf(_peer: Peer) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            done.append("cancelled")

    async with served_by(deaf) as transport:
        await transport.open(Recorder())
        await transport.send(_message(b"hello"))
    assert done == ["cancelled"]


async def test_exception_of_a_memory_server_propagates() -> None:
    async def broken(_peer: Peer) -> None:
        raise ValueError("the server is broken")

    async def converse() -> None:
        async with served_by(broken) as transport:
            await transport.open(Recorder())
            await transport.wait_closed()

    with pytest.raises(ExceptionGroup) as caught:
        await converse()
    assert caught.group_contains(ValueError, match="the server is broken")
