"""Asking for log messages from a level on."""

import json
from typing import Any

from msgspec.structs import replace

from inspector.capture.journal import start_capture
from inspector.protocol.flows.steps import Replied
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import ErrorAnswer
from inspector.protocol.log_levels import LOG_LEVEL
from inspector.protocol.revisions._shape import Era
from inspector.session.log_level import ask_for_level
from inspector.session.session import Session
from inspector.transports.memory import served_by
from tests.session.talking import DISCOVERED, WISH, answering, options, session


def requests_of(live: Session) -> list[Any]:
    """The requests that went over the wire."""
    frames = [live.journal.store.entry(n + 1).what for n in range(live.journal.count)]
    sent = [each.payload for each in frames if isinstance(each, Frame) and each.direction is Direction.TO_SERVER]
    return [message for message in map(json.loads, sent) if "id" in message]


async def test_in_the_handshake_era_a_request_sets_the_level_once() -> None:
    async with session(answering({"logging/setLevel": {}, "ping": {}})) as live:
        assert await ask_for_level(live, "warning") is not None
        await live.call("ping")
        sent = requests_of(live)
    assert [(each["method"], each.get("params")) for each in sent[1:]] == [
        ("logging/setLevel", {"level": "warning", "_meta": {"progressToken": sent[1]["id"]}}),
        ("ping", {"_meta": {"progressToken": sent[2]["id"]}}),
    ]


async def test_what_the_server_says_against_a_level_is_told() -> None:
    async with session(answering({})) as live:
        called = await ask_for_level(live, "loud")
    assert called is not None
    assert isinstance(called.reply, Replied)
    assert isinstance(called.reply.message, ErrorAnswer)


async def test_in_the_stateless_era_each_later_request_carries_the_level() -> None:
    server = answering({"server/discover": DISCOVERED, "tools/list": {"tools": [], "resultType": "complete"}})
    async with session(server, options(replace(WISH, era=Era.MODERN))) as live:
        assert await ask_for_level(live, "notice") is None
        await live.list_all("tools")
        assert await ask_for_level(live, "") is None
        await live.list_all("tools")
        levels = [each["params"]["_meta"].get(LOG_LEVEL) for each in requests_of(live)]
    assert levels == [None, "notice", None]


async def test_nothing_is_said_before_the_conversation_is_open() -> None:
    journal = start_capture(None)
    async with served_by(answering({})) as transport, Session(transport, journal, options()) as live:
        assert await ask_for_level(live, "info") is None
        assert requests_of(live) == []
    journal.close()
