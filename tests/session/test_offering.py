"""What is offered changes from one request to the next where requests say it, and nowhere else."""

import json
from typing import Any

from msgspec.structs import replace

from inspector.protocol import offers
from inspector.protocol.questions import Kind, Question, Refusal
from inspector.protocol.revisions._shape import Era
from inspector.session.desk import Desk
from inspector.session.offering import offer
from inspector.transports.memory import Peer
from tests.session.talking import DISCOVERED, WISH, answering, options, reply, session

META = "io.modelcontextprotocol/clientCapabilities"


async def test_where_each_request_says_it_the_next_one_says_it_anew() -> None:
    heard: list[Any] = []

    async def serve(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            heard.append(message["params"]["_meta"].get(META))
            reply(peer, message, DISCOVERED if message["method"] == "server/discover" else {"tools": []})

    async with session(serve, options(replace(WISH, era=Era.MODERN), desk=Desk(has_person=True))) as live:
        await live.list_all("tools")
        assert await offer(live, frozenset({offers.FORM}))
        await live.list_all("tools")
        assert live.revision is not None
        asked = (Question(Kind.SAMPLING, {}, 1, 1, 0, key="a"),)
        refused = await live.offering.answering.to_questions(asked, live.revision)
    assert refused is not None
    assert isinstance(refused[0], Refusal)
    assert "sampling" in heard[-2]
    assert heard[-1] == {"elicitation": {"form": {}}}


async def test_after_a_handshake_nothing_can_be_declared_any_more() -> None:
    async with session(answering({}), options(desk=Desk(has_person=True))) as live:
        before = live.offering.client
        assert not await offer(live, frozenset())
        assert live.offering.client is before
