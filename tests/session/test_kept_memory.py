"""What a session keeps in memory of each call and of each answered request, apart from the capture's cache."""

import asyncio
import gc
import json
import tracemalloc
from collections.abc import Awaitable, Callable

import pytest

from inspector.capture.store.store import RecentEntries
from inspector.present.live_checks import LiveChecks
from inspector.protocol.server_requests import Result
from inspector.session.inbox import Inbox
from inspector.session.session import Session
from tests.session.talking import HELLO, options, session
from tests.transports.memory import Peer
from tests.waiting import until

_BEFORE, _COUNTED = 60, 150
_MOST_OF_A_CALL, _MOST_OF_AN_ANSWER = 1_400, 5_000
"""Bytes."""
_FORM = {
    "type": "object",
    "properties": {"count": {"type": "integer", "minimum": 0}, "why": {"type": "string", "description": "the reason"}},
    "required": ["count"],
}


async def _serve(peer: Peer) -> None:
    """Answer calls with some text; first ask for input if the tool is `asks`."""

    def put(**message: object) -> None:
        peer.send(json.dumps({"jsonrpc": "2.0", **message}).encode())

    calls: dict[str, object] = {}
    while (payload := await peer.receive()) is not None:
        message = json.loads(payload)
        if message.get("method") == "initialize":
            put(id=message["id"], result=HELLO)
        elif message.get("method") == "tools/call" and message["params"]["name"] == "asks":
            calls[key := f"question {message['id']}"] = message["id"]
            put(id=key, method="elicitation/create", params={"message": "How many?", "requestedSchema": _FORM})
        elif message.get("method") == "tools/call" or message.get("id") in calls:
            id_ = calls.pop(message["id"]) if "result" in message else message["id"]
            put(id=id_, result={"content": [{"type": "text", "text": "x" * 300}]})


async def _call(live: Session, n: int) -> None:
    await live.call("tools/call", {"name": "plain", "arguments": {"n": n, "text": "y" * 100}})


async def _answer(live: Session, n: int) -> None:
    inbox = live.options.inbox
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(live.call("tools/call", {"name": "asks", "arguments": {}}))
        await until(lambda: inbox.waiting, "the server asks")
        inbox.answer(inbox.waiting[0], Result({"action": "accept", "content": {"count": n, "why": "because"}}))


def _allocated(live: Session) -> int:
    live.journal.store._recent = RecentEntries()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.parametrize(("act", "most"), [(_call, _MOST_OF_A_CALL), (_answer, _MOST_OF_AN_ANSWER)])
async def test_a_session_keeps_little_memory_of_what_is_over(
    act: Callable[[Session, int], Awaitable[None]], most: int
) -> None:
    async with session(_serve, options(inbox=Inbox(has_person=True))) as live:
        checks = LiveChecks(live.journal)
        for n in range(_BEFORE):
            await act(live, n)
        checks.catch_up()
        tracemalloc.start()
        try:
            before = _allocated(live)
            for n in range(_COUNTED):
                await act(live, n)
            checks.catch_up()
            assert (_allocated(live) - before) / _COUNTED < most
        finally:
            tracemalloc.stop()
