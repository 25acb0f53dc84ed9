"""The driver: the steps of flows, and its responses to servers, over a transport in memory."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.capture.journal import start_capture
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.steps import Broken, GivenUp, Notify, Replied, Send, Silent, UseCarriage
from inspector.protocol.frames import Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, ResultResponse
from inspector.protocol.request_meta import LOG_LEVEL, ClientIdentity
from inspector.protocol.revisions._shape import Carriage, Era
from inspector.protocol.revisions.table import NEWEST, ROWS
from inspector.protocol.server_requests import accepted
from inspector.session.answering import RequestLimits
from inspector.session.driver import Driver, RequestedLogLevel, RequestIds, is_unknown_session, outgoing, refused
from inspector.session.inbox import Inbox, TicketState
from inspector.session.options import Timeouts
from inspector.session.session import Session
from inspector.transports.base import Delivery, Expects, Outgoing
from tests.captures.hurry import HurriedLoop, run_hurried
from tests.session.talking import DISCOVERED, HELLO, MODERN, WISH, answering, hear, options, reply, session
from tests.transports.memory import MemoryTransport, Peer, served_by
from tests.waiting import until


async def _never(outgoing: Outgoing) -> Delivery:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")


class _Silent:
    """A server that opens, then keeps silent; it notes what it hears until it is told to leave."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.peer: Peer | None = None

    async def __call__(self, peer: Peer) -> None:
        self.peer = peer
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            self.heard.append(message)
            if message.get("method") == "initialize":
                reply(peer, message, HELLO)

    def named(self, method: str) -> list[Any]:
        return [message for message in self.heard if message.get("method") == method]


async def test_call_returns_its_response_and_reports_the_exchange() -> None:
    told: list[Exchange] = []
    async with session(answering({"tools/call": {"content": []}})) as live:
        called = await live.call("tools/call", {"name": "t"}, opened=told.append)
    assert isinstance(called.reply, Replied)
    assert isinstance(called.reply.message, ResultResponse)
    assert called.reply.message.result == {"content": []}
    assert [exchange.method for exchange in told] == ["tools/call"]
    assert told[0].state is ExchangeState.ANSWERED


async def test_ids_are_never_used_twice_and_calls_ask_for_progress() -> None:
    server = _Silent()
    async with session(server, options(idle_s=0.05)) as live:
        await asyncio.gather(live.call("tools/call", {"name": "a"}), live.call("tools/call", {"name": "b"}))
    ids = [message["id"] for message in server.heard if "id" in message]
    assert len(set(ids)) == len(ids) == 3
    assert [call["params"]["_meta"]["progressToken"] for call in server.named("tools/call")] == ids[1:]


@pytest.mark.parametrize(("clocks", "clock"), [((0.05, 20.0), "idle"), ((20.0, 0.05), "total")])
async def test_timeout_cancels_the_request(clocks: tuple[float, float], clock: str) -> None:
    server = _Silent()
    async with session(server, options(idle_s=clocks[0], total_s=clocks[1])) as live:
        called = await live.call("tools/call", {"name": "t"})
        await until(lambda: server.named("notifications/cancelled"), "the server was told")
    assert isinstance(called.reply, Silent)
    assert (called.reply.seconds, called.reply.clock) == (0.05, clock)
    (cancelled,) = server.named("notifications/cancelled")
    assert cancelled["params"]["requestId"] == server.named("tools/call")[0]["id"]
    assert "0.05 s" in cancelled["params"]["reason"]


async def test_progress_is_heard_by_who_waits() -> None:
    server = _Silent()
    async with session(server) as live:
        call = asyncio.gather(live.call("tools/call", {"name": "t"}))
        await until(lambda: server.named("tools/call"), "the call came")
        (waiter,) = live._driver._waiters.values()
        before = waiter.heard_at
        token = server.named("tools/call")[0]["params"]["_meta"]["progressToken"]
        params = {"progressToken": token, "progress": 1}
        assert server.peer is not None
        server.peer.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).encode())
        await until(lambda: waiter.heard_at > before, "the clock was wound")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_cancelled_call_is_given_up_and_cancelled_at_the_server() -> None:
    server = _Silent()
    told: list[Exchange] = []
    async with session(server) as live:
        call = asyncio.gather(live.call("tools/call", {"name": "t"}, opened=told.append))
        await until(lambda: told, "the call was sent")
        await live.cancel(told[0], "enough")
        ((called),) = await call
        await until(lambda: server.named("notifications/cancelled"), "the server was told")
    assert called.reply == GivenUp(told[0], "enough")
    assert told[0].state is ExchangeState.CANCELLED


@pytest.mark.parametrize("has_failed", [False, True])
async def test_abandoned_call_is_cancelled_before_the_end_unless_it_has_failed(has_failed: bool) -> None:
    server = _Silent()
    told: list[Exchange] = []
    async with session(server) as live:
        call = asyncio.gather(live.call("tools/call", {"name": "t"}, opened=told.append))
        await until(lambda: told, "the call was sent")
        if has_failed:
            live._driver.fail_all("the connection was closed")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert bool(server.named("notifications/cancelled")) is not has_failed


async def test_late_response_marks_the_exchange_only() -> None:
    server = _Silent()
    told: list[Exchange] = []
    async with session(server, options(idle_s=0.05)) as live:
        await live.call("tools/call", {"name": "t"}, opened=told.append)
        assert server.peer is not None
        reply(server.peer, server.named("tools/call")[0], {"content": []})
        await until(lambda: told[0].state is ExchangeState.LATE, "the late answer was seen")


async def test_a_servers_ping_is_answered_and_its_unknown_request_refused() -> None:
    answers: list[Any] = []

    async def serve(peer: Peer) -> None:
        reply(peer, await hear(peer, "initialize"), HELLO)
        await hear(peer, "notifications/initialized")
        peer.send(b'{"jsonrpc":"2.0","id":"p","method":"ping"}')
        peer.send(b'{"jsonrpc":"2.0","id":1,"method":"roots/list"}')
        while (payload := await peer.receive()) is not None:
            answers.append(json.loads(payload))

    async with session(serve):
        await until(lambda: len(answers) == 2, "both were answered")
    assert {"jsonrpc": "2.0", "id": "p", "result": {}} in answers
    refused = next(answer for answer in answers if answer["id"] == 1)
    assert refused["error"]["code"] == -32601


async def test_a_ping_before_the_conversation_is_open_is_answered_too() -> None:
    async def serve(peer: Peer) -> None:
        asked = await hear(peer, "initialize")
        peer.send(b'{"jsonrpc":"2.0","id":"early","method":"ping"}')
        answer = json.loads(await peer.receive() or b"{}")
        assert (answer["id"], answer["result"]) == ("early", {})
        reply(peer, asked, HELLO)
        await hear(peer, "never")

    with pytest.raises(ExceptionGroup) as left:
        async with session(serve):
            pass
    assert left.group_contains(AssertionError, match="the client left without never")


async def test_a_lost_connection_wakes_everybody_who_waits() -> None:
    server = _Silent()
    async with session(server) as live:
        calls = asyncio.gather(live.call("tools/call", {"name": "a"}), live.list_all("tools"))
        await until(lambda: server.named("tools/list"), "both were sent")
        assert server.peer is not None
        server.peer.close("gone fishing")
        called, pages = await calls
    for came in (called.reply, pages.failed):
        assert isinstance(came, Broken)
        assert came.why == "gone fishing"


async def test_a_probe_that_is_answered_late_still_opens_the_conversation() -> None:
    async def serve(peer: Peer) -> None:
        probe = await hear(peer, "server/discover")
        await hear(peer, "initialize")
        reply(peer, probe, DISCOVERED)
        await peer.receive()

    connect_options = replace(WISH, era=None, silence_s=0.05)
    async with session(serve, options(connect_options)) as live:
        assert live.opening is not None
        assert live.opening.revision.date == MODERN


async def test_a_probe_that_is_answered_after_the_handshake_does_not_change_the_session() -> None:
    async def serve(peer: Peer) -> None:
        probe = await hear(peer, "server/discover")
        reply(peer, await hear(peer, "initialize"), HELLO)
        reply(peer, probe, DISCOVERED)
        asked = await hear(peer, "tools/list")
        assert "_meta" not in asked.get("params", {})
        reply(peer, asked, {"tools": []})
        await peer.receive()

    async with session(serve, options(replace(WISH, era=None, silence_s=0.05))) as live:
        assert live.opening is not None
        assert live.opening.era is Era.LEGACY
        assert (await live.list_all("tools")).failed is None


@pytest.mark.parametrize("first", ["late answer", "refusal"])
async def test_versions_that_a_refused_handshake_names_lead_to_one_of_them(first: str) -> None:
    async def serve(peer: Peer) -> None:
        probe = await hear(peer, "server/discover")
        handshake = await hear(peer, "initialize")
        if first == "late answer":  # one that proves no era
            peer.send(b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"starting"}}' % probe["id"])
        named = b'"data":{"supported":["2099-01-01","%b"],"requested":"x"}' % MODERN.encode()
        peer.send(b'{"jsonrpc":"2.0","id":%d,"error":{"code":-32022,"message":"no",%b}}' % (handshake["id"], named))
        reply(peer, await hear(peer, "server/discover"), DISCOVERED)
        await peer.receive()

    async with session(serve, options(replace(WISH, era=None, silence_s=0.05))) as live:
        assert live.revision is not None
        assert live.revision.date == MODERN


async def test_transport_without_carriages_refuses_the_step() -> None:
    journal = start_capture(None)
    async with asyncio.TaskGroup() as tasks:
        driver = Driver(MemoryTransport(), journal, WISH.client, Timeouts(), tasks, Inbox())

        def flow() -> Any:
            carriage = yield UseCarriage(Carriage.SESSIONS)
            notified = yield Notify("notifications/initialized")
            return carriage, notified

        carriage, notified = await driver.drive(flow())
    journal.close()
    assert carriage == "this transport can't be switched"
    assert "not open" in notified


async def test_a_flood_of_requests_from_a_server_that_takes_no_answers_makes_no_task_each() -> None:
    peers: list[Peer] = []
    mute = asyncio.Event()

    async def asking(peer: Peer) -> None:
        peers.append(peer)
        await mute.wait()

    journal = start_capture(None)
    async with served_by(asking) as transport:
        transport.send = _never  # type: ignore[method-assign]
        async with asyncio.TaskGroup() as tasks:
            driver = Driver(transport, journal, WISH.client, Timeouts(), tasks, Inbox())
            journal.listen(driver.on_entry)
            await transport.open(journal)
            await until(lambda: bool(peers), "the server is there")
            before = len(asyncio.all_tasks())
            for number in range(3000):
                peers[0].send(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % number)
            await until(lambda: journal.count >= 3000, "all have come")
            work = RequestLimits._work.__qualname__
            made = [task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__qualname__", "") == work]
            assert len(made) == len(asyncio.all_tasks()) - before > 0
            for task in made:
                task.cancel()
    journal.close()
    assert len(made) < 20
    assert any("server requests are pending" in notice for notice in journal.notices)


class _Walked(list[Any]):
    """It counts how often it is walked through."""

    walks = 0

    def __iter__(self) -> Any:
        self.walks += 1
        return super().__iter__()


async def test_a_batch_of_requests_is_walked_through_once_and_not_for_each_of_them() -> None:
    peers: list[Peer] = []
    mute = asyncio.Event()
    walked: list[_Walked] = []

    async def asking(peer: Peer) -> None:
        peers.append(peer)
        await mute.wait()

    journal = start_capture(None)
    async with served_by(asking) as transport, asyncio.TaskGroup() as tasks:
        driver = Driver(transport, journal, WISH.client, Timeouts(), tasks, Inbox())

        def listen(entry: Any, found: Any) -> None:
            walked.append(_Walked(found))
            driver.on_entry(entry, walked[-1])

        journal.listen(listen)
        await transport.open(journal)
        await until(lambda: bool(peers), "the server is there")
        batch = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(300)]
        peers[0].send(json.dumps(batch).encode())
        await until(lambda: any(len(each) >= 300 for each in walked), "the batch has come")
        mute.set()
    journal.close()
    assert max(each.walks for each in walked) <= 3


class _Asking(_Silent):
    """It answers a call with what it was told, and asks when it is told to."""

    def ask(self, id_: Any, method: str, params: Any = None) -> None:
        assert self.peer is not None
        self.peer.send(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params or {}}).encode())

    def answers(self) -> dict[Any, Any]:
        return {message["id"]: message for message in self.heard if "id" in message and "method" not in message}


def test_user_response_is_sent_and_pauses_the_idle_timeout() -> None:
    async def talk() -> None:
        server, inbox = _Asking(), Inbox(has_person=True)
        async with session(server, options(idle_s=1, inbox=inbox)) as live, asyncio.TaskGroup() as tasks:
            call = tasks.create_task(live.call("tools/call", {"name": "book"}))
            await until(lambda: server.named("tools/call"), "the call came")
            server.ask("q", "elicitation/create", {"message": "Who?"})
            await until(lambda: inbox.waiting, "the question waits")
            await until(lambda: inbox.waiting[0].server_request.cause is not None, "it is known in which call")
            await asyncio.wait([call], timeout=5)
            assert not call.done()
            inbox.answer(inbox.waiting[0], accepted({"name": "Ann"}))
            await until(lambda: "q" in server.answers(), "the answer came")
            assert isinstance((await call).reply, Silent)
        assert server.answers()["q"]["result"] == {"action": "accept", "content": {"name": "Ann"}}

    run_hurried(HurriedLoop(), talk())


@pytest.mark.parametrize("why", ["the user dropped the message", "the server responded with HTTP 404"])
async def test_answer_that_does_not_reach_the_server_is_marked_and_reported(why: str) -> None:
    server, inbox = _Asking(), Inbox(has_person=True)
    async with session(server, options(inbox=inbox)) as live:
        if "HTTP" in why:
            live._driver._transport.send = _answers_with(404)  # type: ignore[assignment]
        else:
            live._driver.before_send = _drops
        server.ask("q", "elicitation/create", {"message": "Who?"})
        await until(lambda: inbox.waiting, "the question waits")
        inbox.answer(inbox.waiting[0], accepted({"name": "Ann"}))
        await until(lambda: inbox.tickets[0].undelivered, "the failure is known")
        assert inbox.tickets[0].undelivered == why
        assert f"The answer to elicitation/create was not delivered: {why}" in live.journal.notices


async def _drops(message: Outgoing) -> None:
    del message


def _answers_with(status: int) -> Callable[[Outgoing], Awaitable[Delivery]]:
    async def send(message: Outgoing) -> Delivery:
        del message
        return Delivery(answer_may_follow=False, status=status)

    return send


async def test_a_question_that_the_server_cancels_is_withdrawn_and_gets_no_answer() -> None:
    server, inbox = _Asking(), Inbox(has_person=True)
    async with session(server, options(inbox=inbox)):
        server.ask("q", "elicitation/create")
        await until(lambda: inbox.waiting, "the question waits")
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "q"}}
        assert server.peer is not None
        server.peer.send(json.dumps(cancelled).encode())
        await until(lambda: not inbox.waiting, "it waits no more")
    assert (inbox.tickets[0].state, inbox.tickets[0].why) == (TicketState.WITHDRAWN, "the server cancelled its request")
    assert server.answers() == {}


async def test_the_end_of_the_connection_withdraws_what_waits() -> None:
    inbox = Inbox(has_person=True)
    server = _Asking()
    async with session(server, options(inbox=inbox)):
        server.ask("q", "sampling/createMessage")
        await until(lambda: inbox.waiting, "the question waits")
    assert [ticket.state for ticket in inbox.tickets] == [TicketState.WITHDRAWN]


async def test_two_questions_in_one_frame_are_two_questions() -> None:
    server, inbox = _Asking(), Inbox(has_person=True)
    async with session(server, options(inbox=inbox)):
        parts = [{"jsonrpc": "2.0", "id": n, "method": "elicitation/create", "params": {"message": n}} for n in "ab"]
        assert server.peer is not None
        server.peer.send(json.dumps(parts).encode())
        await until(lambda: len(inbox.waiting) == 2, "both wait")
        assert [ticket.server_request.message for ticket in inbox.waiting] == ["a", "b"]


async def test_a_call_given_up_while_its_result_s_questions_wait_comes_to_an_end() -> None:
    inbox = Inbox(has_person=True)
    asks = {"resultType": "input_required", "inputRequests": {"who": {"method": "elicitation/create"}}}
    told: list[Exchange] = []
    server = answering({"server/discover": DISCOVERED, "tools/call": asks})
    connect_options = replace(WISH, era=Era.MODERN)
    async with session(server, options(connect_options, inbox=inbox)) as live, asyncio.TaskGroup() as tasks:
        call = tasks.create_task(live.call("tools/call", {"name": "book"}, opened=told.append))
        await until(lambda: inbox.waiting, "the question waits")
        await live.cancel(told[0], "bored")
        called = await call
    assert (called.rounds, called.unanswered) == (1, "its questions were left unanswered")
    assert inbox.tickets[0].why == "the call it belongs to was cancelled: bored"


def test_ids_are_numbers_from_one() -> None:
    ids = RequestIds()
    assert [next(ids), next(ids)] == [1, 2]


def test_an_id_that_a_person_has_used_is_left_out() -> None:
    ids = RequestIds()
    ids.spend([2, 3, "4", 5])
    assert [next(ids), next(ids), next(ids)] == [1, 4, 6]


def requests_of(live: Session) -> list[Any]:
    """The requests that went over the wire."""
    frames = [live.journal.store.entry(n + 1).what for n in range(live.journal.count)]
    sent = [each.payload for each in frames if isinstance(each, Frame) and each.direction is Direction.TO_SERVER]
    return [message for message in map(json.loads, sent) if "id" in message]


async def test_log_level_is_set_once_in_the_handshake_era() -> None:
    async with session(answering({"logging/setLevel": {}, "ping": {}})) as live:
        assert await live.set_log_level("warning") is not None
        await live.call("ping")
        sent = requests_of(live)
    assert [(each["method"], each.get("params")) for each in sent[1:]] == [
        ("logging/setLevel", {"level": "warning", "_meta": {"progressToken": sent[1]["id"]}}),
        ("ping", {"_meta": {"progressToken": sent[2]["id"]}}),
    ]


async def test_refused_log_level_returns_the_error() -> None:
    async with session(answering({})) as live:
        called = await live.set_log_level("loud")
    assert called is not None
    assert isinstance(called.reply, Replied)
    assert isinstance(called.reply.message, ErrorResponse)


async def test_log_level_is_in_each_modern_request() -> None:
    server = answering({"server/discover": DISCOVERED, "tools/list": {"tools": [], "resultType": "complete"}})
    async with session(server, options(replace(WISH, era=Era.MODERN))) as live:
        assert await live.set_log_level("notice") is None
        await live.list_all("tools")
        assert await live.set_log_level("") is None
        await live.list_all("tools")
        levels = [each["params"]["_meta"].get(LOG_LEVEL) for each in requests_of(live)]
    assert levels == [None, "notice", None]


async def test_log_level_before_opening_sends_nothing() -> None:
    journal = start_capture(None)
    async with served_by(answering({})) as transport, Session(transport, journal, options()) as live:
        assert await live.set_log_level("info") is None
        assert requests_of(live) == []


@pytest.mark.parametrize(
    ("status", "said", "lost"),
    [
        (404, "", True),
        (404, "Session not found", True),
        (400, "Bad Request: No valid session ID provided", True),
        (400, "Bad Request: Unsupported protocol version", False),
        (500, "session store is down", False),
        (200, "session", False),
        (None, "session", False),
    ],
)
def test_a_404_does_and_a_400_that_speaks_of_the_session(status: int | None, said: str, lost: bool) -> None:
    assert is_unknown_session(status, said) is lost


ME = ClientIdentity({"name": "test", "version": "0"})


def test_a_request_is_stamped_by_its_own_revision_before_the_sessions() -> None:
    made = outgoing(Send("tools/call", {"name": "x"}, revision=NEWEST), 7, ROWS[0], ME, RequestedLogLevel())
    params = json.loads(made.payload)["params"]
    assert params["_meta"]["io.modelcontextprotocol/protocolVersion"] == NEWEST.date
    assert (made.headers["Mcp-Method"], made.headers["Mcp-Name"]) == ("tools/call", "x")
    assert made.expects is Expects.ANSWER


def test_the_handshake_itself_is_sent_bare_and_opens_the_session() -> None:
    made = outgoing(Send("initialize", {"capabilities": {}}), 0, NEWEST, ME, RequestedLogLevel())
    assert json.loads(made.payload)["params"] == {"capabilities": {}}
    assert (made.opens_session, dict(made.headers)) == (True, {})


def test_progress_token_is_the_request_id() -> None:
    made = outgoing(Send("tools/call", {}, progress=True), 7, ROWS[0], ME, RequestedLogLevel())
    assert json.loads(made.payload)["params"]["_meta"]["progressToken"] == 7


def test_refused_reply_has_delivery_facts() -> None:
    delivery = Delivery(False, 200, "text/event-stream", (("A", "b"),), b"body", begun=True)
    reply = refused(None, delivery, "it ended")
    assert (reply.status, reply.content_type, reply.headers, reply.body) == (
        200,
        "text/event-stream",
        (("A", "b"),),
        b"body",
    )
    assert (reply.why, reply.begun) == ("it ended", True)
