"""Streams of changes that are cut, ended or refused."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.protocol.exchanges import ExchangeState
from inspector.protocol.flows.steps import Replied
from inspector.protocol.flows.watch import StreamEnd
from inspector.protocol.revisions._shape import Era
from inspector.protocol.tracking.subscriptions import StreamFilter, SubscriptionState
from inspector.session.session import Session
from inspector.session.subscriptions import ReconnectTiming
from tests.captures.hurry import HurriedLoop, run_hurried
from tests.session.talking import DISCOVERED, WISH, answering, options, reply, session
from tests.transports.memory import Peer
from tests.waiting import until

ID = "io.modelcontextprotocol/subscriptionId"
LISTS = {"tools": {"listChanged": True}, "prompts": {}, "resources": {"listChanged": True, "subscribe": True}}
QUICK = ReconnectTiming(acknowledgement_s=5, pauses_s=(0.0, 0.0), lived_s=1000)


class Sea:
    """A server of the stateless era; what it grants, and what it heard, in order."""

    def __init__(self, *grants: Any) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.open: list[Any] = []
        self.peer: Peer | None = None
        self._grants = list(grants)

    async def __call__(self, peer: Peer) -> None:
        self.peer = peer
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            self.heard.append((message["method"], message.get("id") or message["params"].get("requestId")))
            match message["method"]:
                case "server/discover":
                    reply(peer, message, DISCOVERED | {"capabilities": LISTS, "resultType": "complete"})
                case "subscriptions/listen":
                    self._listen(peer, message)
                case "notifications/cancelled" if message["params"]["requestId"] in self.open:
                    self.open.remove(message["params"]["requestId"])
                case _:
                    reply(peer, message, None)

    def _listen(self, peer: Peer, message: Any) -> None:
        grant = self._grants.pop(0) if self._grants else "all"
        if grant == "refuse":
            refusal = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": "full"}}
            peer.send(json.dumps(refusal).encode())
            return
        self.open.append(message["id"])
        if grant != "silence":
            granted = message["params"]["notifications"] if grant == "all" else grant
            self.tell("subscriptions/acknowledged", message["id"], notifications=granted)

    def tell(self, what: str, stream: Any, **params: Any) -> None:
        assert self.peer is not None
        params["_meta"] = {ID: stream}
        self.peer.send(json.dumps({"jsonrpc": "2.0", "method": f"notifications/{what}", "params": params}).encode())

    def cut(self, stream: Any) -> None:
        assert self.peer is not None
        self.open.remove(stream)
        params = {"requestId": stream, "reason": "squall"}
        self.peer.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).encode())

    def end(self, stream: Any) -> None:
        assert self.peer is not None
        self.open.remove(stream)
        reply(self.peer, {"id": stream}, {"resultType": "complete", "_meta": {ID: stream}})


@asynccontextmanager
async def at(sea: Sea, patience: ReconnectTiming = QUICK, **clocks: Any) -> AsyncIterator[Session]:
    async with session(sea, options(replace(WISH, era=Era.MODERN), **clocks)) as live:
        live.watching.patience = patience
        yield live


async def test_resources_are_subscribed_singly_in_the_handshake_era() -> None:
    server = answering({"resources/subscribe": {}, "resources/unsubscribe": {}})
    async with session(server) as live:
        came = await live.watching.watch("a:b", "c:d")
        assert came.granted == StreamFilter(uris=("a:b", "c:d"))
        assert list(live.watching.wanted.uris) == ["a:b", "c:d"]
        assert live.watching.subscriptions.standing("a:b") is SubscriptionState.WATCHED
        assert (await live.watching.unwatch("a:b")).refused == ""
        assert list(live.watching.wanted.uris) == ["c:d"]
        assert live.watching.subscriptions.standing("a:b") is SubscriptionState.ONCE
        assert not live.watching.by_stream
    sent: list[tuple[str, str]] = [(each.method, each.target) for each in live.journal.conversation.exchanges]
    assert sent[1:] == [
        ("resources/subscribe", "a:b"),
        ("resources/subscribe", "c:d"),
        ("resources/unsubscribe", "a:b"),
    ]


async def test_refused_subscription_has_the_servers_words() -> None:
    async with session(answering({})) as live:
        came = await live.watching.watch("a:b")
        assert came.refused == "the server answered with error -32601: no such method"
        assert came.not_granted == StreamFilter(uris=("a:b",))
        assert live.watching.wanted.uris == ()


async def test_after_a_new_handshake_it_subscribes_again() -> None:
    async with session(answering({"resources/subscribe": {}})) as live:
        await live.watching.watch("a:b")
        await live.watching.renew()
        assert [each.method for each in live.journal.conversation.exchanges[1:]] == ["resources/subscribe"] * 2
        assert live.watching.notices == ["Subscribed again in the new session: 1 of 1"]


async def test_subscriptions_share_one_stream_in_the_stateless_era() -> None:
    sea = Sea()
    async with at(sea) as live:
        live.watching.follow_lists()
        await until(lambda: live.watching.stream, "there is a stream")
        assert live.watching.stream is not None
        assert live.watching.stream.granted == StreamFilter(tools=True, resources=True)
        first = live.watching.stream
        came = await live.watching.watch("a:b")
        assert came.granted == StreamFilter(uris=("a:b",))
        assert live.watching.stream.granted == StreamFilter(tools=True, resources=True, uris=("a:b",))
        assert first.exchange.state is ExchangeState.CANCELLED
        assert first.exchange.why == "another subscription takes its place"
    methods = [method for method, _ in sea.heard]
    assert methods[1:] == [
        "subscriptions/listen",
        "subscriptions/listen",
        "notifications/cancelled",
        "notifications/cancelled",
    ], "the new one is asked for before the old one is given up, and the last is given up at the end"
    assert sea.open == []


async def test_wishes_that_come_together_are_all_kept() -> None:
    async with at(Sea()) as live:
        live.watching.follow_lists()
        async with asyncio.TaskGroup() as tasks:
            for uri in ("a:b", "c:d"):
                tasks.create_task(live.watching.watch(uri))
        every = StreamFilter(tools=True, resources=True, uris=("a:b", "c:d"))
        await until(lambda: live.watching.wanted == every, "all of it is watched")


async def test_ungranted_subscription_is_reported() -> None:
    async with at(Sea({"toolsListChanged": True, "resourceSubscriptions": ["a:b"]})) as live:
        came = await live.watching.listen(StreamFilter(tools=True, prompts=True, uris=("a:b", "c:d")))
        assert came.granted == StreamFilter(tools=True, uris=("a:b",))
        assert came.not_granted == StreamFilter(prompts=True, uris=("c:d",))
        again = await live.watching.watch("c:d")
        assert (again.granted, again.not_granted) == (StreamFilter(), StreamFilter(uris=("c:d",)))


async def test_a_refused_stream_leaves_the_one_before_as_it_is() -> None:
    sea = Sea("all", "refuse")
    async with at(sea) as live:
        await live.watching.watch("a:b")
        came = await live.watching.watch("c:d")
        assert came.refused == "the server answered with error -32603: full"
        assert (came.granted, came.not_granted) == (StreamFilter(), StreamFilter())
        assert live.watching.stream is not None
        assert live.watching.stream.granted == live.watching.wanted == StreamFilter(uris=("a:b",))


async def test_the_last_thing_unwatched_ends_the_stream() -> None:
    sea = Sea()
    async with at(sea) as live:
        await live.watching.watch("a:b")
        await live.watching.unwatch("a:b")
        assert live.watching.stream is None
        await until(lambda: not sea.open, "the server knows")
        assert live.watching.subscriptions.standing("a:b") is SubscriptionState.ONCE


async def test_a_server_that_acknowledges_nothing_is_not_waited_for_for_ever() -> None:
    async with at(Sea("silence"), ReconnectTiming(acknowledgement_s=0.0)) as live:
        came = await live.watching.watch("a:b")
        assert not came.acknowledged
        assert came.refused == ""
        assert live.watching.subscriptions.standing("a:b") is SubscriptionState.ASKED


async def test_watched_resource_is_not_subscribed_again() -> None:
    sea = Sea()
    async with at(sea) as live:
        await live.watching.watch("a:b")
        assert (await live.watching.watch("a:b")).granted == StreamFilter(uris=("a:b",))
        assert [method for method, _ in sea.heard].count("subscriptions/listen") == 1


async def test_lists_are_followed_if_declared_only() -> None:
    async with session(answering({})) as live:
        live.watching.follow_lists()
        assert not live.watching.offered()
        assert not live.watching.offers_resources
    assert [each.method for each in live.journal.conversation.exchanges] == ["initialize"]


async def test_refused_list_subscription_is_reported() -> None:
    async with at(Sea("refuse")) as live:
        live.watching.follow_lists()
        await until(lambda: live.watching.notices, "something is said")
        assert live.watching.notices == ["list changes are not reported: the server answered with error -32603: full"]


async def test_list_subscription_without_acknowledgement_is_reported() -> None:
    async with at(Sea("silence"), ReconnectTiming(acknowledgement_s=0.0)) as live:
        live.watching.follow_lists()
        await until(lambda: live.watching.notices, "the user is notified")
        silent = "the server has not acknowledged subscriptions/listen in 0 s"
        assert live.watching.notices == [f"list changes are not reported: {silent}"]
        assert live.watching.offers_resources


async def test_nothing_hangs_when_the_connection_dies_under_a_stream() -> None:
    sea = Sea()
    async with at(sea) as live:
        await live.watching.watch("a:b")
        assert sea.peer is not None
        sea.peer.close("the harbour burns")
        await live.ended.wait()
        await until(lambda: live.watching.is_over, "the stream is known to be over")
        assert live.watching.stream is None
        assert live.watching.notices == []


def test_no_clock_ends_a_stream() -> None:
    async def talk() -> None:
        async with at(Sea(), idle_s=1, total_s=1) as live:
            await live.watching.watch("a:b")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(live.ended.wait(), 60)
            assert live.watching.stream is not None
            assert isinstance((await live.call("ping")).reply, Replied)

    run_hurried(HurriedLoop(), talk())


async def test_watched_resources_are_subscribed_again_after_reconnect() -> None:
    async with session(answering({"resources/subscribe": {}})) as live:
        await live.watching.again(("a:b", "c:d"))
        assert live.watching.wanted.uris == ("a:b", "c:d")
        assert live.watching.notices == ["Subscribed again: 2 of 2"]


async def test_refused_subscription_after_reconnect_is_reported() -> None:
    async with session(answering({})) as live:
        await live.watching.again(("a:b",))
        (said,) = live.watching.notices
        assert said.startswith("Subscribed again: 0 of 1: the server answered with error -32601")


async def test_cut_subscription_stream_is_reopened_and_reported() -> None:
    sea, missed = Sea(), list[bool]()
    async with at(sea) as live:
        live.watching.missed = lambda: missed.append(True)
        await live.watching.watch("a:b")
        first = live.watching.stream
        sea.cut(sea.open[0])
        await until(lambda: missed, "it is there again")
        assert live.watching.stream is not first
        assert live.watching.stream is not None
        assert live.watching.stream.granted is not None
        assert live.watching.notices == [
            "the subscription stream broke: the server ended it: squall; reconnecting in 0 s",
            "the subscription stream is open again; changes in between are unknown",
        ]


async def test_subscription_attempts_are_limited() -> None:
    sea = Sea("all", "silence", "silence")
    async with at(sea) as live:
        await live.watching.watch("a:b")
        for attempt in (1, 2, 3):
            await until(lambda: sea.open, f"attempt {attempt} is open")
            sea.cut(sea.open[0])
        await until(lambda: live.watching.is_over, "it is over")
        assert live.watching.notices[-1].endswith("squall; 2 attempts to reconnect failed")
        assert [method for method, _ in sea.heard].count("subscriptions/listen") == 3


async def test_a_stream_that_lived_long_has_all_its_attempts_again() -> None:
    sea = Sea()
    async with at(sea, ReconnectTiming(pauses_s=(0.0,), lived_s=0.0)) as live:
        await live.watching.watch("a:b")
        for attempt in (1, 2, 3):
            await until(lambda: sea.open, f"attempt {attempt} is open")
            sea.cut(sea.open[0])
        await until(lambda: sea.open, "it is open once more")
        assert not live.watching.is_over


async def test_a_stream_that_the_server_ends_on_purpose_is_left_ended() -> None:
    sea = Sea()
    async with at(sea) as live:
        await live.watching.watch("a:b")
        sea.end(sea.open[0])
        await until(lambda: live.watching.is_over, "it is over")
        assert live.watching.notices == ["change notifications stopped: the server ended it"]
        assert (await live.watching.watch("a:b")).refused == "", "it can be asked for anew"


async def test_one_that_was_given_up_while_it_waits_to_ask_again_stays_so() -> None:
    sea = Sea()
    async with at(sea, ReconnectTiming(pauses_s=(1000.0,))) as live:
        await live.watching.watch("a:b")
        sea.cut(sea.open[0])
        await until(lambda: live.watching.notices, "the cut is said")
    assert live.journal.conversation.exchanges[-1].state is ExchangeState.LOST
    assert [method for method, _ in sea.heard].count("subscriptions/listen") == 1


async def test_subscription_stream_has_its_end() -> None:
    sea = Sea()
    async with at(sea) as live:
        await live.watching.watch("a:b")
        current = live.watching._current
        assert current is not None
        await live.watching.unwatch("a:b")
        await until(lambda: current.over, "it is over")
        assert current.over == (StreamEnd.BY_US, "nothing is watched any more")
