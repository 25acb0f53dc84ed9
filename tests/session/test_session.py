"""A session from opening to its end, over a transport in memory."""

import asyncio
import json
import sys
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.capture.journal import Journal, start_capture
from inspector.errors import ConnectError, Disconnected, RemoteProtocolError, RequestTimeout
from inspector.protocol.flows.steps import Refused, Replied
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.revisions._shape import Carriage, Era
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.server_requests import Root
from inspector.session.inbox import Inbox
from inspector.session.options import SessionState, Timeouts
from inspector.session.session import Session, SessionOptions
from inspector.transports.base import Delivery, Outgoing
from inspector.transports.stdio import StdioTransport
from tests.entries import frames_to
from tests.session.talking import DISCOVERED, HELLO, LEGACY, WISH, answering, options, reply, session
from tests.transports.memory import MemoryTransport, Peer, served_by
from tests.waiting import PATIENCE_S, until


async def test_session_opens_with_client_and_server_names() -> None:
    async with session(answering({})) as live:
        assert live.state is SessionState.OPEN
        assert live.revision is not None
        assert live.revision.date == LEGACY
        assert live.opening is not None
        assert live.opening.server["name"] == "talking"
    assert (live.state, live.why) == (SessionState.CLOSED, "")


async def test_remember_option_gets_the_opening() -> None:
    told: list[Opening] = []
    async with session(answering({}), SessionOptions(WISH, Timeouts(20, 20), told.append)) as live:
        assert told == [live.opening]


async def test_nothing_of_it_is_left_when_it_is_over() -> None:
    before = asyncio.all_tasks()
    async with session(answering({"tools/list": {"tools": []}})) as live:
        await live.list_all("tools")
    assert asyncio.all_tasks() == before
    assert live.ended.is_set()
    assert live.journal._listeners._all == []


async def test_a_list_comes_with_all_its_pages() -> None:
    pages = iter([b'{"tools":[1],"nextCursor":"2"}', b'{"tools":[2]}'])
    async with session(answering({"tools/list": lambda: next(pages)})) as live:
        assert (await live.list_all("tools")).items == (1, 2)


async def test_a_server_that_leaves_is_a_state_with_a_reason() -> None:
    async with session(answering({"tools/list": "the end"})) as live:
        await live.list_all("tools")
        await live.ended.wait()
        assert (live.state, live.why) == (SessionState.CLOSED, "the server closed the connection")
        assert live.error is None


async def _leave(peer: Peer) -> None:
    await peer.receive()


async def _open_without_a_version(peer: Peer) -> None:
    id_ = json.loads(await peer.receive() or b"{}")["id"]
    peer.send(json.dumps({"jsonrpc": "2.0", "id": id_, "result": {}}).encode())
    await peer.receive()


async def _say_nothing(peer: Peer) -> None:
    while await peer.receive() is not None:
        pass


@pytest.mark.parametrize(
    ("server", "kind", "said"),
    [
        (_leave, Disconnected, "the server closed the connection"),
        (_open_without_a_version, RemoteProtocolError, "has no protocolVersion"),
        (_say_nothing, RequestTimeout, "timeout: no response to initialize within 0.05 s"),
    ],
)
async def test_opening_failure_is_raised_and_kept(server: Any, kind: type[Exception], said: str) -> None:
    journal = start_capture(None)
    async with served_by(server) as transport, Session(transport, journal, options(idle_s=0.05)) as live:
        with pytest.raises(kind, match=said):
            await live.connect()
        assert type(live.error) is kind
        assert live.state is SessionState.CLOSED
        assert said in live.why


async def test_a_session_that_is_not_open_yet_refuses_a_call() -> None:
    journal = start_capture(None)
    async with served_by(answering({})) as transport, Session(transport, journal, options()) as live:
        with pytest.raises(ConnectError, match="the connection is not open yet"):
            await live.call("completion/complete", {})


async def test_close_is_idempotent() -> None:
    async with session(answering({})) as live:
        await live.close()
        await live.close()
        assert (live.state, live.why) == (SessionState.CLOSED, "")


class _Sessions(MemoryTransport):
    """As if over HTTP: a session id that the server forgets, once or for good."""

    def __init__(self, lost: int) -> None:
        super().__init__(self._answers)
        self.common_headers: dict[str, str] = {}
        self.mcp_session_id: str | None = None
        self.sent: list[str] = []
        self.streams = 0
        self.carriage = Carriage.STATELESS
        self._lost = self._in_vain = lost
        """How many requests meet a 404, and how many of them are left."""

    @property
    def kind(self) -> str:
        return "http"

    async def send(self, outgoing: Outgoing) -> Delivery:
        method = json.loads(outgoing.payload)["method"]
        self.sent.append(method)
        if outgoing.opens_session:
            self.mcp_session_id = f"session {len(self.sent)}"
        if method == "tools/list" and self._in_vain:
            self._in_vain -= 1
            await super().send(outgoing)
            return Delivery(False, 404)
        return await super().send(outgoing)

    async def use(self, carriage: Carriage) -> None:
        self.carriage = carriage

    async def open_stream(self, headers: Mapping[str, str]) -> Delivery:
        self.streams += 1
        return Delivery(False, 405)

    logging_in = False

    def forget_session(self, status: int) -> None:
        self.mcp_session_id = None

    def _answers(self, payload: bytes) -> Iterable[bytes]:
        message = json.loads(payload)
        results: dict[str, Any] = {"initialize": HELLO}
        if self.sent.count("tools/list") > self._lost:
            results["tools/list"] = {"tools": [1]}
        if message["method"] in results:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}
            yield json.dumps(answer).encode()


async def test_expired_http_session_is_renewed_once_and_the_request_repeated() -> None:
    journal, transport = start_capture(None), _Sessions(lost=1)
    async with Session(transport, journal, options(replace(WISH, over_http=True))) as live:
        await live.connect()
        first = transport.mcp_session_id
        pages = await live.list_all("tools")
        assert pages.items == (1,)
        assert transport.mcp_session_id != first
        await until(lambda: transport.streams == 2, "both sessions had their stream")
    causes = _causes(journal)
    journal.close()
    opening = ["initialize", "notifications/initialized"]
    assert transport.sent == [*opening, "tools/list", *opening, "tools/list"]
    opened = [("initialize", "opening"), ("notifications/initialized", "opening")]
    assert causes == [*opened, ("tools/list", "user"), *opened, ("tools/list", "retry")]


def _causes(journal: Journal) -> list[tuple[str, str]]:
    """What the client sent, and why."""
    sent = frames_to(journal, Direction.TO_SERVER)
    return [(json.loads(each.payload).get("method", "response"), each.cause.value) for each in sent]


async def test_messages_of_a_session_have_their_cause() -> None:
    async def serve(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if message.get("method") == "initialize":
                reply(peer, message, HELLO)
            elif message.get("method") == "tools/list":
                peer.send(b'{"jsonrpc":"2.0","id":"mine","method":"ping"}')
            elif message.get("id") == "mine":
                break

    async with session(serve) as live:
        await live.list_all("tools", cause=Cause.CHECK)
        causes = _causes(live.journal)
    assert causes == [
        ("initialize", "opening"),
        ("notifications/initialized", "opening"),
        ("tools/list", "check"),
        ("response", "answer"),
    ]


async def test_cancellation_after_a_timeout_has_its_cause() -> None:
    async def serve(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if message.get("method") == "initialize":
                reply(peer, message, HELLO)

    async with session(serve, SessionOptions(WISH, Timeouts(0.1, 0.1))) as live:
        await live.call("tools/list")
        causes = _causes(live.journal)
    assert causes[2:] == [("tools/list", "user"), ("notifications/cancelled", "cancel")]


LISTENED_TO = f"""
import json, sys
ANSWERS = {{"server/discover": {DISCOVERED}}}
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] in ANSWERS:
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": ANSWERS[message["method"]]}}), flush=True)
"""


async def test_close_does_not_wait_for_an_exit_after_a_cancelled_subscription(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.session.driver._EXIT_GRACE_S", 3600.0)
    transport = StdioTransport([sys.executable, "-c", LISTENED_TO], env={})
    given = SessionOptions(replace(WISH, era=Era.MODERN), Timeouts(PATIENCE_S, PATIENCE_S))
    with closing(start_capture(None)) as journal:
        async with Session(transport, journal, given) as live:
            await live.connect()
            async with asyncio.TaskGroup() as tasks:
                listening = tasks.create_task(live.call("subscriptions/listen", {"notifications": {}}))
                await until(lambda: ("subscriptions/listen", "user") in _causes(journal), "it is sent")
                listening.cancel()
            async with asyncio.timeout(PATIENCE_S):
                await live.close()
        assert _causes(journal)[-1] == ("notifications/cancelled", "cancel")


async def test_one_that_is_forgotten_again_is_a_refusal() -> None:
    journal, transport = start_capture(None), _Sessions(lost=9)
    async with Session(transport, journal, options(replace(WISH, over_http=True))) as live:
        await live.connect()
        called = await live.call("tools/list")
        assert isinstance(called.reply, Refused)
        assert called.reply.status == 404
        assert called.rounds == 2
    journal.close()
    assert transport.sent.count("initialize") == 2


async def test_tool_error_and_protocol_error_are_returned() -> None:
    async with session(answering({"tools/call": {"isError": True, "content": []}})) as live:
        failed = await live.call("tools/call", {"name": "t"})
        unknown = await live.call("resources/read", {"uri": "a:b"})
    assert isinstance(failed.reply, Replied)
    assert isinstance(failed.reply.message, ResultResponse)
    assert isinstance(unknown.reply, Replied)
    assert not isinstance(unknown.reply.message, ResultResponse)


@pytest.mark.parametrize(("era", "told"), [(Era.LEGACY, 1), (Era.MODERN, 0)])
async def test_changed_roots_are_notified_where_declared(era: Era, told: int) -> None:
    notified: list[str] = []
    table = {"initialize": HELLO, "server/discover": DISCOVERED, "ping": {}}

    async def serve(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if "id" in message:
                reply(peer, message, table.get(message["method"], {"tools": []}))
            else:
                notified.append(message["method"])

    inbox = Inbox(roots=[Root("file:///a")])
    async with session(serve, options(replace(WISH, era=era), inbox=inbox)) as live:
        await live.set_roots([Root("file:///b")])
        await live.list_all("tools")
    assert inbox.roots == (Root("file:///b"),)
    assert notified.count("notifications/roots/list_changed") == told


async def test_a_notification_is_sent_and_nothing_is_waited_for() -> None:
    heard: list[Any] = []

    async def serve(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if message["method"] == "initialize":
                reply(peer, message, HELLO)
            else:
                heard.append(message)

    async with session(serve) as live:
        assert await live.notify("notifications/acme", {"a": 1}) == ""
        await until(lambda: len(heard) == 2, "the server heard of it")
    assert heard[1] == {"jsonrpc": "2.0", "method": "notifications/acme", "params": {"a": 1}}
