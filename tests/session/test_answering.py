"""Responses to server requests, and to input requests in results."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.protocol import capabilities, server_requests
from inspector.protocol.capabilities import ALL
from inspector.protocol.flows.steps import RequestUserInput, StillWaiting, WaitForNews, Withdraw
from inspector.protocol.jsonrpc import Part, Request
from inspector.protocol.revisions._shape import Era, Revision
from inspector.protocol.revisions.table import NEWEST, newest_of
from inspector.protocol.server_requests import REJECTED, ErrorReply, Reply, RequestKind, Result, ServerRequest, accepted
from inspector.protocol.tracking.tasks import Task
from inspector.session.answering import (
    AT_ONCE,
    KEPT,
    KEPT_MS,
    WAITING,
    OwnTasks,
    RequestHandling,
    RequestLimits,
    SideWaits,
)
from inspector.session.inbox import BY_OFFERS, MOST_REFUSED, Inbox, TicketState
from tests.session.talking import DISCOVERED, WISH, answering, options, reply, session
from tests.transports.memory import Peer
from tests.waiting import until

LEGACY, MODERN = newest_of(Era.LEGACY), newest_of(Era.MODERN)


def asks(kind: RequestKind = RequestKind.ELICITATION, params: Any = None, *, key: str = "") -> ServerRequest:
    return ServerRequest(kind, params, 1, 1, 0, key=key)


async def answer(
    request: Request,
    server_request: ServerRequest | None,
    revision: Revision | None,
    answering: RequestHandling | None = None,
) -> Any:
    payload = await (answering or RequestHandling(frozenset(), Inbox())).to_request(request, server_request, revision)
    return None if payload is None else json.loads(payload)


async def test_a_ping_gets_its_empty_result_even_before_the_conversation_is_open() -> None:
    assert await answer(Request("p", "ping"), None, None) == {"jsonrpc": "2.0", "id": "p", "result": {}}


async def test_unknown_or_early_server_request_is_refused_with_a_reason() -> None:
    unknown = await answer(Request(1, "coffee/brew"), None, LEGACY)
    early = await answer(Request(1, "roots/list"), asks(RequestKind.ROOTS), None)
    gone = await answer(Request(1, "roots/list"), asks(RequestKind.ROOTS), MODERN)
    assert [each["error"]["code"] for each in (unknown, early, gone)] == [-32601] * 3
    assert unknown["error"]["message"] == "coffee/brew: no such method in this revision"
    assert early["error"]["message"] == "roots/list: the conversation is not open yet"
    assert gone["error"]["message"] == "roots/list: no such method in this revision"


async def test_undeclared_server_request_is_refused_without_the_user() -> None:
    answering = RequestHandling(frozenset(), Inbox(has_person=True))
    found = await answer(Request(1, "roots/list"), asks(RequestKind.ROOTS), LEGACY, answering)
    assert found["error"]["code"] == -32601
    assert found["error"]["message"] == "roots/list: this client has not declared roots"
    (ticket,) = answering.inbox.tickets
    assert (ticket.state, ticket.by) == (TicketState.ANSWERED, BY_OFFERS)
    assert isinstance(ticket.reply, ErrorReply)


async def test_questions_that_were_never_offered_an_answer_are_kept_up_to_a_number() -> None:
    answering = RequestHandling(frozenset(), Inbox(has_person=True))
    for _ in range(MOST_REFUSED + 20):
        await answer(Request(1, "roots/list"), asks(RequestKind.ROOTS), LEGACY, answering)
    assert len(answering.inbox.tickets) <= MOST_REFUSED


async def test_response_has_the_id_of_the_server_request() -> None:
    answering = RequestHandling(frozenset(ALL), Inbox(has_person=True))
    request = Request(7, "elicitation/create")
    asking = asyncio.gather(answer(request, asks(), LEGACY, answering))
    await until(lambda: answering.inbox.waiting, "the question waits")
    answering.inbox.answer(answering.inbox.waiting[0], accepted({"city": "Oslo"}))
    (found,) = await asking
    assert (found["id"], found["result"]) == (7, {"action": "accept", "content": {"city": "Oslo"}})


async def test_a_withdrawn_question_gets_no_answer() -> None:
    answering = RequestHandling(frozenset(ALL), Inbox(has_person=True))
    asking = asyncio.gather(answer(Request(7, "elicitation/create"), asks(), LEGACY, answering))
    await until(lambda: answering.inbox.waiting, "the question waits")
    answering.inbox.withdraw("the server cancelled its request")
    assert [*await asking] == [None]


async def test_input_requests_of_one_result_wait_together() -> None:
    answering = RequestHandling(frozenset(ALL), Inbox(has_person=True))
    asking = asyncio.gather(answering.to_server_requests((asks(key="a"), asks(key="b")), MODERN))
    await until(lambda: len(answering.inbox.waiting) == 2, "both questions wait")
    second, first = reversed(answering.inbox.waiting)
    answering.inbox.answer(second, accepted({"n": 2}))
    answering.inbox.answer(first, accepted({"n": 1}))
    assert [*await asking] == [(accepted({"n": 1}), accepted({"n": 2}))]


async def test_one_refusal_is_enough_and_the_other_questions_are_withdrawn() -> None:
    answering = RequestHandling(frozenset(ALL), Inbox(has_person=True))
    asking = asyncio.gather(answering.to_server_requests((asks(key="a"), asks(key="b")), MODERN))
    await until(lambda: len(answering.inbox.waiting) == 2, "both questions wait")
    no = ErrorReply(REJECTED, "no")
    answering.inbox.answer(answering.inbox.waiting[1], no)
    assert [*await asking] == [(no,)]
    assert answering.inbox.tickets[0].state is TicketState.WITHDRAWN


async def test_undeclared_input_request_refuses_all_of_the_result() -> None:
    answering = RequestHandling(frozenset({"roots"}), Inbox(has_person=True))
    found = await answering.to_server_requests((asks(RequestKind.ROOTS, key="r"), asks(key="e")), MODERN)
    assert found is not None
    assert [type(reply) for reply in found] == [ErrorReply]
    assert [(ticket.server_request.key, ticket.by) for ticket in answering.inbox.tickets] == [("e", BY_OFFERS)]


async def test_a_withdrawn_question_leaves_its_result_unanswered() -> None:
    answering = RequestHandling(frozenset(ALL), Inbox(has_person=True))
    asking = asyncio.gather(answering.to_server_requests((asks(key="a"), asks(RequestKind.ROOTS, key="r")), MODERN))
    await until(lambda: answering.inbox.waiting, "the question waits")
    assert answering.inbox.tickets[1].reply == Result({"roots": []})
    answering.inbox.withdraw("gone")
    assert [*await asking] == [None]


async def test_response_inside_a_task_names_the_task() -> None:
    answering = RequestHandling(frozenset(ALL), Inbox())
    server_request = ServerRequest(RequestKind.ROOTS, None, 1, 1, 0, task="t1")
    found = await answer(Request(7, "roots/list"), server_request, LEGACY, answering)
    assert found["result"] == {"roots": [], "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t1"}}}


async def test_tasks_are_served_only_where_they_are_declared() -> None:
    request = Request(7, "tasks/list")
    assert (await answer(request, None, LEGACY, RequestHandling(frozenset(ALL), Inbox())))["result"] == {"tasks": []}
    without = frozenset(ALL) - {"tasks"}
    refused = await answer(request, None, LEGACY, RequestHandling(without, Inbox()))
    assert refused["error"]["code"] == -32601


ASKED = (ServerRequest(RequestKind.ELICITATION, {"message": "Who?"}, 3, 1, 0, key="who", task="t1"),)
TASK = Task(1, "t1", True, 0, 1)


def side_waits(inbox: Inbox, group: asyncio.TaskGroup) -> SideWaits:
    return SideWaits(RequestHandling(frozenset(ALL), inbox), group, lambda id_: TASK if id_ == "t1" else None)


async def test_asking_goes_on_between_two_looks() -> None:
    inbox = Inbox(has_person=True)
    async with asyncio.TaskGroup() as group:
        there = side_waits(inbox, group)
        for _ in range(2):
            assert isinstance(await there.ask(RequestUserInput(ASKED, patience_s=0), NEWEST), StillWaiting)
        await until(lambda: len(inbox.waiting) == 1, "the question lies on the desk, once")
        inbox.answer(inbox.waiting[0], server_requests.declined())
        assert await there.ask(RequestUserInput(ASKED, patience_s=20), NEWEST) == (server_requests.declined(),)
    assert len(inbox.tickets) == 1


async def test_without_patience_an_answer_is_waited_for() -> None:
    async with asyncio.TaskGroup() as group:
        found = await side_waits(Inbox(), group).ask(RequestUserInput(ASKED), NEWEST)
    assert found == (server_requests.unattended(),)


async def test_withdrawn_request_leaves_the_inbox() -> None:
    inbox = Inbox(has_person=True)
    async with asyncio.TaskGroup() as group:
        there = side_waits(inbox, group)
        await there.ask(RequestUserInput(ASKED, patience_s=0), NEWEST)
        await until(lambda: len(inbox.waiting) == 1, "the question lies on the desk")
        there.withdraw(Withdraw(ASKED, "no longer"))
    assert inbox.tickets[0].why == "no longer"


async def test_a_watch_ends_with_news_of_its_task_and_of_no_other() -> None:
    async with asyncio.TaskGroup() as group:
        there = side_waits(Inbox(), group)
        watching = group.create_task(there.watch(WaitForNews("t1", 20)))
        await asyncio.sleep(0)
        there.on_task(Task(2, "t2", True, 0, 1))
        there.on_task(Task(3, "t1", False, 0, 1))
        await asyncio.sleep(0)
        assert not watching.done()
        there.on_task(TASK)
        assert await watching is TASK


async def test_a_watch_ends_by_itself_and_when_the_connection_is_gone() -> None:
    async with asyncio.TaskGroup() as group:
        there = side_waits(Inbox(), group)
        assert await there.watch(WaitForNews("t9", 0)) is None
        watching = group.create_task(there.watch(WaitForNews("t1", 20)))
        await asyncio.sleep(0)
        there.wake()
        assert await watching is TASK


async def test_requests_are_answered_in_their_order() -> None:
    answered: list[object] = []

    async def send(request: Request, server_request: ServerRequest | None) -> None:
        await asyncio.sleep(0)
        answered.append(request.id)

    async with asyncio.TaskGroup() as tasks:
        bounds = RequestLimits(send, tasks, answered.append)
        for number in range(100):
            bounds.take(Request(number, "ping"))
    assert answered == list(range(100))


async def test_unread_responses_are_bounded_and_reported_once() -> None:
    taken = asyncio.Event()
    begun: list[object] = []
    told: list[str] = []

    async def send(request: Request, server_request: ServerRequest | None) -> None:
        begun.append(request.id)
        await taken.wait()

    async with asyncio.TaskGroup() as tasks:
        bounds = RequestLimits(send, tasks, told.append)
        for number in range(AT_ONCE):
            bounds.take(Request(number, "ping"))
        await asyncio.sleep(0)
        for number in range(AT_ONCE, 10 * WAITING):
            bounds.take(Request(number, "ping"))
        await asyncio.sleep(0)
        assert begun == list(range(AT_ONCE))
        taken.set()
    assert begun == list(range(AT_ONCE + WAITING))
    assert told == ["More than 1,000 server requests are pending: further ones get no response."]


async def test_questions_that_wait_for_a_person_keep_no_ping_waiting() -> None:
    answered: list[object] = []
    person = asyncio.Event()

    async def send(request: Request, server_request: ServerRequest | None) -> None:
        if server_request is not None:
            await person.wait()
        answered.append(request.id)

    async with asyncio.TaskGroup() as tasks:
        bounds = RequestLimits(send, tasks, answered.append)
        for number in range(2 * AT_ONCE):
            bounds.take(
                Request(number, "elicitation/create"), ServerRequest(RequestKind.ELICITATION, {}, number + 1, 1, 0)
            )
        bounds.take(Request("ping", "ping"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert answered == ["ping"]
        person.set()
    assert len(answered) == 2 * AT_ONCE + 1


async def test_results_of_tasks_that_are_waited_for_keep_no_ping_waiting() -> None:
    answered: list[object] = []
    ended = asyncio.Event()

    async def send(request: Request, server_request: ServerRequest | None) -> None:
        if request.method == "tasks/result":
            await ended.wait()
        answered.append(request.id)
        ended.set()

    async with asyncio.TaskGroup() as tasks:
        bounds = RequestLimits(send, tasks, answered.append)
        for number in range(2 * AT_ONCE):
            bounds.take(Request(number, "tasks/result"))
        bounds.take(Request("ping", "ping"))
    assert answered[0] == "ping"
    assert len(answered) == 2 * AT_ONCE + 1


META = "io.modelcontextprotocol/clientCapabilities"


async def test_each_stateless_request_declares_capabilities() -> None:
    heard: list[Any] = []

    async def serve(peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            heard.append(message["params"]["_meta"].get(META))
            reply(peer, message, DISCOVERED if message["method"] == "server/discover" else {"tools": []})

    async with session(serve, options(replace(WISH, era=Era.MODERN), inbox=Inbox(has_person=True))) as live:
        await live.list_all("tools")
        assert await live.advertise(frozenset({capabilities.FORM}))
        await live.list_all("tools")
        assert live.revision is not None
        asked = (ServerRequest(RequestKind.SAMPLING, {}, 1, 1, 0, key="a"),)
        refused = await live.offering.answering.to_server_requests(asked, live.revision)
    assert refused is not None
    assert isinstance(refused[0], ErrorReply)
    assert "sampling" in heard[-2]
    assert heard[-1] == {"elicitation": {"form": {}}}


async def test_after_a_handshake_nothing_can_be_declared_any_more() -> None:
    async with session(answering({}), options(inbox=Inbox(has_person=True))) as live:
        before = live.offering.client
        assert not await live.advertise(frozenset())
        assert live.offering.client is before


class Clock:
    """A moment that is moved by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 8, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def asking(task: Any, exchange: int = 5) -> ServerRequest:
    return ServerRequest(RequestKind.ELICITATION, {"message": "Who?", "task": task}, exchange, 1, 0)


def own(inbox: Inbox, clock: Clock | None = None) -> OwnTasks:
    names = iter(f"own-{n}" for n in range(10_000))
    return OwnTasks(inbox, clock or Clock(), lambda: next(names))


def value(reply: Reply | None) -> Any:
    assert isinstance(reply, Result)
    return reply.value


async def serve(tasks: OwnTasks, method: str, id_: str = "own-0") -> Reply:
    return await tasks.serve(Request(1, method, Part(None, {"taskId": id_})))


def test_a_question_without_a_task_gets_no_handle() -> None:
    assert own(Inbox()).begin(asking(None)) is None
    assert own(Inbox()).begin(asking(True)) is None


async def test_task_of_a_server_request_has_handle_and_result() -> None:
    inbox = Inbox(has_person=True)
    tasks = own(inbox)
    server_request = asking({"ttl": 60000})
    handle = value(tasks.begin(server_request))["task"]
    assert handle == {
        "taskId": "own-0",
        "status": "working",
        "statusMessage": "waiting for an answer",
        "createdAt": "2026-08-01T00:00:00.000Z",
        "lastUpdatedAt": "2026-08-01T00:00:00.000Z",
        "ttl": 60000,
        "pollInterval": 1000,
    }
    async with asyncio.TaskGroup() as group:
        group.create_task(tasks.work(server_request))
        brought = group.create_task(serve(tasks, "tasks/result"))
        await until(lambda: len(inbox.waiting) == 1, "the question lies on the desk")
        assert value(await serve(tasks, "tasks/get"))["status"] == "working"
        assert not brought.done()
        inbox.answer(inbox.waiting[0], server_requests.accepted({"name": "Ann"}))
    assert value(brought.result()) == {
        "action": "accept",
        "content": {"name": "Ann"},
        "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "own-0"}},
    }
    assert value(await serve(tasks, "tasks/get"))["status"] == "completed"
    assert [each["taskId"] for each in value(await serve(tasks, "tasks/list"))["tasks"]] == ["own-0"]


async def refuses(server_request: ServerRequest) -> Reply | None:
    return ErrorReply(server_requests.REJECTED, "no")


async def test_a_refusal_is_a_task_that_failed_and_its_result_the_error() -> None:
    tasks = own(Inbox([("script", refuses)]))
    server_request = asking({})
    tasks.begin(server_request)
    await tasks.work(server_request)
    assert value(await serve(tasks, "tasks/get"))["status"] == "failed"
    refusal = await serve(tasks, "tasks/result")
    assert isinstance(refusal, ErrorReply)
    assert refusal.code == server_requests.REJECTED


async def test_the_server_may_cancel_it_and_the_question_is_withdrawn() -> None:
    inbox = Inbox(has_person=True)
    tasks = own(inbox)
    server_request = asking({})
    tasks.begin(server_request)
    async with asyncio.TaskGroup() as group:
        group.create_task(tasks.work(server_request))
        await until(lambda: len(inbox.waiting) == 1, "the question lies on the desk")
        assert value(await serve(tasks, "tasks/cancel"))["status"] == "cancelled"
    (ticket,) = inbox.tickets
    assert (ticket.state, ticket.why) == (TicketState.WITHDRAWN, "the server cancelled its task")
    again = await serve(tasks, "tasks/cancel")
    assert isinstance(again, ErrorReply)
    assert "has ended already: it is cancelled" in again.message
    brought = await serve(tasks, "tasks/result")
    assert isinstance(brought, ErrorReply)


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
async def test_an_unknown_id_is_an_error(method: str) -> None:
    refusal = await serve(own(Inbox()), method, "nobody's")
    assert isinstance(refusal, ErrorReply)
    assert refusal.code == server_requests.INVALID_PARAMS


async def test_task_of_a_server_request_expires() -> None:
    clock = Clock()
    inbox = Inbox(has_person=True)
    tasks = own(inbox, clock)
    server_request = asking({"ttl": 1000})
    tasks.begin(server_request)
    async with asyncio.TaskGroup() as group:
        group.create_task(tasks.work(server_request))
        await until(lambda: len(inbox.waiting) == 1, "the question lies on the desk")
        clock.now += timedelta(seconds=2)
        assert isinstance(await serve(tasks, "tasks/get"), ErrorReply)
    assert inbox.tickets[0].why == "the TTL of the task expired"


@pytest.mark.parametrize("ttl", [None, 0, -1, "soon", True, 1e12])
def test_task_without_valid_ttl_gets_the_default(ttl: Any) -> None:
    assert value(own(Inbox()).begin(asking({"ttl": ttl})))["task"]["ttl"] == KEPT_MS


def test_more_than_are_kept_are_refused() -> None:
    tasks = own(Inbox())
    for n in range(KEPT):
        assert isinstance(tasks.begin(asking({}, exchange=n)), Result)
    assert isinstance(tasks.begin(asking({}, exchange=KEPT)), ErrorReply)


async def test_a_prepared_answer_that_is_wrong_on_purpose_goes_out_as_it_is() -> None:
    async def wrong(server_request: ServerRequest) -> Reply | None:
        return Result("no object")

    tasks = own(Inbox([("prepared", wrong)]))
    server_request = asking({})
    tasks.begin(server_request)
    await tasks.work(server_request)
    assert value(await serve(tasks, "tasks/result")) == "no object"
