"""Raw bytes: what was sent, and the outcome."""

import asyncio
import json
from typing import Any

from inspector.protocol.frames import Frame
from inspector.session.raw import Ended, ids_of
from inspector.session.session import Session
from tests.session.talking import HELLO, answering, options, reply, session
from tests.transports.memory import Peer


def _payloads(live: Session, numbers: tuple[int, ...]) -> list[bytes]:
    frames = [live.journal.store.entry(number).what for number in numbers]
    return [frame.payload for frame in frames if isinstance(frame, Frame)]


async def _open(peer: Peer) -> None:
    """The handshake, up to and with the client's notification."""
    message = json.loads(await peer.receive() or b"")
    reply(peer, message, HELLO)
    await peer.receive()


async def test_the_bytes_cross_as_they_are_and_the_answer_ends_it() -> None:
    payload = b'{"id": 77,  "jsonrpc":"1.0","method":"tools/list"}'
    async with session(answering({"tools/list": {"tools": []}})) as live:
        sent = await live.raw.send(payload, headers={}, wait_s=20)
        assert sent.ended is Ended.ANSWERED
        assert _payloads(live, sent.frames) == [payload]
        assert _payloads(live, sent.received) == [b'{"jsonrpc":"2.0","id":77,"result":{"tools": []}}']


async def test_an_answer_that_belongs_to_nothing_is_the_answer_to_bytes_that_are_no_message() -> None:
    async def serve(peer: Peer) -> None:
        await _open(peer)
        assert await peer.receive() == b'{"method":'
        peer.send(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}')
        await peer.receive()

    async with session(serve) as live:
        sent = await live.raw.send(b'{"method":', headers={}, wait_s=20)
        assert (sent.ended, len(sent.received), sent.unanswered) == (Ended.ANSWERED, 1, 0)


async def test_unanswered_raw_message_is_silent_after_its_time() -> None:
    async with session(answering({})) as live:
        sent = await live.raw.send(b"{}", headers={}, wait_s=0.01)
        assert (sent.ended, sent.received, sent.seconds) == (Ended.SILENT, (), 0.01)


async def test_with_no_time_to_wait_it_is_only_sent() -> None:
    async with session(answering({})) as live:
        sent = await live.raw.send(b'{"jsonrpc":"2.0","method":"notifications/x"}', headers={}, wait_s=0)
        assert (sent.ended, len(sent.frames)) == (Ended.ACCEPTED, 1)


async def test_a_batch_is_over_when_each_of_its_requests_was_answered() -> None:
    async def serve(peer: Peer) -> None:
        await _open(peer)
        messages: list[Any] = json.loads(await peer.receive() or b"")
        for message in reversed(messages):
            reply(peer, message, {"of": message["id"]})
        await peer.receive()

    batch = b'[{"jsonrpc":"2.0","id":"a","method":"x"},{"jsonrpc":"2.0","id":"b","method":"x"}]'
    async with session(serve) as live:
        sent = await live.raw.send(batch, headers={}, wait_s=20)
        assert (sent.ended, len(sent.frames), len(sent.received)) == (Ended.ANSWERED, 1, 2)


async def test_two_requests_with_one_id_are_two_requests() -> None:
    async def serve(peer: Peer) -> None:
        await _open(peer)
        for _ in range(2):
            message = json.loads(await peer.receive() or b"")
            reply(peer, message, {})
        await peer.receive()

    line = b'{"jsonrpc":"2.0","id":5,"method":"x"}'
    async with session(serve) as live:
        sent = await live.raw.send(line + b"\n" + line + b"\n", headers={}, wait_s=20)
        assert _payloads(live, sent.frames) == [line, line]
        assert len(sent.received) == 2


async def test_answers_to_others_are_not_what_came_of_it() -> None:
    held = asyncio.Event()

    async def serve(peer: Peer) -> None:
        await _open(peer)
        slow = json.loads(await peer.receive() or b"")
        mine = json.loads(await peer.receive() or b"")
        reply(peer, slow, {"slow": True})
        reply(peer, mine, {"mine": True})
        await peer.receive()

    async with session(serve) as live, asyncio.TaskGroup() as tasks:
        tasks.create_task(live.call("slow", opened=lambda exchange: held.set()))
        await held.wait()
        sent = await live.raw.send(b'{"jsonrpc":"2.0","id":"m","method":"x"}', headers={}, wait_s=20)
        assert [b"mine" in payload for payload in _payloads(live, sent.received)] == [True]


async def test_raw_message_reports_the_end_of_the_connection() -> None:
    async with session(answering({"x": "the end"})) as live:
        sent = await live.raw.send(b'{"jsonrpc":"2.0","id":"m","method":"x"}', headers={}, wait_s=20)
        assert (sent.ended, sent.unanswered) == (Ended.LOST, 1)
        assert sent.why
        again = await live.raw.send(b"{}", headers={}, wait_s=20)
        assert (again.ended, again.frames) == (Ended.LOST, ())


async def test_an_id_that_was_written_by_hand_is_not_used_again() -> None:
    async with session(answering({"x": {}}), options()) as live:
        following = live.raw.next_id() + 1
        payload = f'{{"jsonrpc":"2.0","id":{following},"method":"x"}}'.encode()
        await live.raw.send(payload, headers={}, wait_s=20)
        assert live.raw.next_id() == following + 1


def test_ids_are_read_where_there_are_requests() -> None:
    assert ids_of(b'[{"id":1,"method":"a"},{"id":"1","method":"a"},{"method":"b"},{"id":2,"result":{}}]') == [1, "1"]
    assert ids_of(b"{") == []
