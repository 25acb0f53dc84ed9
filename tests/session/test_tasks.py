"""Tasks of a session: calls that become tasks, polling them, also in a new session and after a timeout."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from inspector.capture.journal import Journal, start_capture
from inspector.errors import UsageError
from inspector.protocol import server_requests
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Broken, Flow, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.flows.tasks import Followed, Support, TaskEnd
from inspector.protocol.frames import Cause, Channel, Direction
from inspector.protocol.jsonrpc import ErrorResponse, Part, ResultResponse
from inspector.protocol.tracking.tasks import Task
from inspector.session.inbox import Inbox
from inspector.session.options import Timeouts
from inspector.session.session import Session
from inspector.session.tasks import Followers, SessionTasks, handle_of, nobody
from tests.session.talking import HELLO, Server, options, reply, session
from tests.transports.memory import Peer
from tests.waiting import PATIENCE_S, until

DONE = Replied(ResultResponse(1, Part(b'{"content":[]}')), Exchange(1, Direction.TO_SERVER, 1, "tasks/get", "t1", 1, 0))
GONE = Refused(None, 404, "", b"")


class Driver:
    """Gives what a test says that came of following; without it, it never ends."""

    def __init__(self, *followed: Followed) -> None:
        self.followed = list(followed)

    async def drive(
        self, flow: Flow[Any], opened: Callable[[Exchange], None] = nobody, *, cause: Cause = Cause.USER
    ) -> Any:
        """Perform nothing."""
        flow.close()
        if not self.followed:
            await asyncio.Event().wait()
        return self.followed.pop(0)


def journal() -> Journal:
    """One that knows how its conversation was opened."""
    made = start_capture(None)
    hello = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x"}}'
    made.frame(Direction.TO_SERVER, Channel.MEMORY, hello)
    answer = b'{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"x","capabilities":{}}}'
    made.frame(Direction.FROM_SERVER, Channel.MEMORY, answer)
    return made


def ended(reply: Reply) -> Followed:
    return Followed(reply, 2, TaskEnd("t1", "completed"))


async def followed(driver: Driver, *, again: bool = False, total_s: float | None = None) -> tuple[Called, list[str]]:
    """What comes of following "t1", and whose end was asked for."""
    asked: list[str] = []

    async def end(id_: str) -> Called:
        asked.append(id_)
        return Called(DONE, 1)

    async def start_over(reply: Reply) -> bool:
        return again

    kept = journal()
    try:
        async with asyncio.TaskGroup() as group:
            followers = Followers(driver, kept, Timeouts(None, total_s), Inbox(), group, end, start_over)
            return await followers.follow("t1", nobody, Called(DONE, 1)), asked
    finally:
        kept.close()


async def test_a_task_outlives_a_session_that_the_server_has_forgotten() -> None:
    called, asked = await followed(Driver(ended(GONE), ended(DONE)), again=True)
    assert called.reply is DONE
    assert called.rounds == 5
    assert asked == []


async def test_a_refusal_that_nothing_mends_is_what_came_of_it() -> None:
    called, _ = await followed(Driver(ended(GONE)))
    assert called.reply is GONE


async def test_task_beyond_the_timeout_is_cancelled() -> None:
    called, asked = await followed(Driver(), total_s=0.01)
    assert isinstance(called.reply, Silent)
    assert called.task is not None
    assert called.task.why == "it was not completed within 0.01 s, and was cancelled"
    assert asked == ["t1"]


def test_only_a_call_is_answered_with_a_handle() -> None:
    flat = Part(b'{"resultType":"task","taskId":"t9","status":"working"}')
    call = Exchange(1, Direction.TO_SERVER, 1, "tools/call", "x", 1, 0)
    read = Exchange(1, Direction.TO_SERVER, 1, "resources/read", "x", 1, 0)
    handle = handle_of(Called(Replied(ResultResponse(1, flat), call), 1))
    assert handle is not None
    assert handle.word is not None
    assert handle.word.id == "t9"
    assert handle_of(Called(Replied(ResultResponse(1, flat), read), 1)) is None
    assert handle_of(Called(Replied(ErrorResponse(1, flat), call), 1)) is None
    assert handle_of(Called(GivenUp(None), 1)) is None


TIMES = {"createdAt": "2026-08-01T00:00:00Z", "lastUpdatedAt": "2026-08-01T00:00:00Z"}
ABLE = HELLO | {"capabilities": {"tools": {}, "tasks": {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}}}
TOOLS = [
    {"name": name, "inputSchema": {"type": "object"}, "execution": {"taskSupport": support}}
    for name, support in {"dig": "required", "rake": "optional", "sit": "forbidden"}.items()
]


def core(state: str = "working", id_: str = "t1", **more: Any) -> dict[str, Any]:
    return {"taskId": id_, "status": state, **TIMES, "ttl": None, "pollInterval": 1, **more}


class Yard:
    """A server of 2025-11-25 whose task is in whatever state the test gives it."""

    def __init__(self, state: str = "working") -> None:
        self.state = state
        self.seen: list[Any] = []
        self.notified: list[str] = []
        self.result: Any = {"content": [{"type": "text", "text": "dug"}]}
        self.may_cancel = True

    @property
    def methods(self) -> list[str]:
        return [message["method"] for message in self.seen]

    async def __call__(self, peer: Peer) -> None:
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if "id" not in message:
                self.notified.append(message["method"])
            elif "method" in message:
                self.seen.append(message)
                reply(peer, message, self.answer(message))

    def answer(self, message: Any) -> Any:
        match message["method"]:
            case "initialize":
                return ABLE
            case "tools/list":
                return {"tools": TOOLS}
            case "tools/call":
                return {"task": core()} if "task" in message["params"] else {"content": []}
            case "tasks/get":
                return core(self.state)
            case "tasks/cancel" if self.may_cancel:
                self.state = "cancelled"
                return core("cancelled")
            case "tasks/list":
                return {"tasks": [core(self.state)]}
            case "tasks/result":
                return self.result
        return None


async def opened(yard: Yard, live: Session) -> Session:
    await live.list_all("tools")
    return live


def result_of(called: Called) -> Any:
    assert isinstance(called.reply, Replied)
    assert isinstance(called.reply.message, ResultResponse)
    return called.reply.message.result


def text_of(called: Called) -> Any:
    return result_of(called)["content"][0]["text"]


async def test_a_tool_that_requires_a_task_gets_one_and_the_result_is_as_if_it_had_not() -> None:
    yard = Yard("completed")
    exchanges: list[Exchange] = []
    async with session(yard) as live:
        assert isinstance(live.tasks, SessionTasks)
        await opened(yard, live)
        called = await live.call("tools/call", {"name": "dig"}, opened=exchanges.append)
        assert text_of(called) == "dug"
        assert called.task is not None
        assert (called.task.id, called.task.state, called.task.why) == ("t1", "completed", "")
        assert called.rounds == 3
        assert [each.method for each in exchanges] == ["tools/call", "tasks/get", "tasks/result"]
        assert {each.operation for each in exchanges} == {exchanges[0].operation}
    assert yard.seen[2]["params"]["task"] == {}


async def test_other_tools_are_called_as_ever_and_a_task_is_a_wish() -> None:
    yard = Yard("completed")
    async with session(yard) as live:
        await opened(yard, live)
        assert (await live.call("tools/call", {"name": "rake"})).task is None
        given: list[Task] = []
        called = await live.tasks.call("rake", {"by": "hand"}, ttl_ms=5000, given=given.append)
        assert called.task is not None
        assert [task.id for task in given] == ["t1"]
    assert yard.seen[3]["params"] == {
        "name": "rake",
        "arguments": {"by": "hand"},
        "task": {"ttl": 5000},
        "_meta": {"progressToken": yard.seen[3]["id"]},
    }


async def test_a_tool_that_forbids_tasks_is_not_called_as_one_unless_it_is_sent_all_the_same() -> None:
    yard = Yard("completed")
    async with session(yard) as live:
        await opened(yard, live)
        assert live.tasks.support(None) is Support.FORBIDDEN
        with pytest.raises(UsageError, match="does not let sit"):
            await live.tasks.call("sit")
        assert yard.methods.count("tools/call") == 0
        called = await live.call("tools/call", {"name": "sit", "task": {}}, plain=True)
        assert called.task is None
        assert result_of(called)["task"]["taskId"] == "t1"
    assert "tasks/get" not in yard.methods


async def test_a_task_is_followed_once_however_many_wait_and_left_without_being_ended() -> None:
    yard = Yard()
    async with session(yard) as live:
        await opened(yard, live)
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(live.call("tools/call", {"name": "dig"}))
            await until(lambda: live.tasks.followed == {"t1"}, "the task is followed")
            joined = group.create_task(live.tasks.follow("t1"))
            await until(lambda: yard.methods.count("tasks/get") > 1, "it is polled")
            assert live.tasks.leave("t1")
        assert not live.tasks.leave("t1")
        for called in (calling.result(), joined.result()):
            assert isinstance(called.reply, GivenUp)
            assert called.task is not None
            assert called.task.why == "polling was stopped; the task may still be running"
    assert "tasks/cancel" not in yard.methods


async def test_task_is_followed_after_its_caller_left() -> None:
    yard = Yard()
    async with session(yard) as live:
        await opened(yard, live)
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(live.call("tools/call", {"name": "dig"}))
            await until(lambda: live.tasks.followed == {"t1"}, "the task is followed")
            calling.cancel()
        polls = yard.methods.count("tasks/get")
        await until(lambda: yard.methods.count("tasks/get") > polls + 1, "it is polled on")
        yard.state = "completed"
        assert text_of(await live.tasks.follow("t1")) == "dug"


async def _cancelled(yard: Yard, live: Session) -> Any:
    exchanges: list[Exchange] = []
    await opened(yard, live)
    async with asyncio.TaskGroup() as group:
        calling = group.create_task(live.call("tools/call", {"name": "dig"}, opened=exchanges.append))
        await until(lambda: live.tasks.followed == {"t1"}, "the task is followed")
        await live.cancel(exchanges[0])
    return calling.result().task


async def test_cancelling_the_call_ends_its_task_by_its_own_method() -> None:
    yard = Yard()
    async with session(yard) as live:
        task = await _cancelled(yard, live)
        assert task.state == "cancelled"
        assert live.tasks.all[0].cancel_asked is not None
    assert yard.notified == ["notifications/initialized"]


async def test_a_task_that_can_not_be_cancelled_is_left() -> None:
    yard = Yard()
    yard.may_cancel = False
    async with session(yard) as live:
        assert (await _cancelled(yard, live)).why == "polling was stopped; the task may still be running"


async def test_endless_task_is_cancelled_at_the_total_timeout() -> None:
    yard = Yard()
    async with session(yard, options(total_s=0.3)) as live:
        await opened(yard, live)
        called = await live.call("tools/call", {"name": "dig"})
        assert isinstance(called.reply, Silent)
        assert called.reply.clock == "total"
        assert called.task is not None
        assert "not completed within 0.3 s" in called.task.why
    assert yard.methods[-1] == "tasks/cancel"


async def test_a_connection_that_ends_ends_the_following() -> None:
    yard = Yard()

    def answer(message: Any, before: Callable[[Any], Any] = yard.answer) -> Any:
        return before(message) | ({"pollInterval": 60000} if message["method"] == "tasks/get" else {})

    yard.answer = answer  # type: ignore[method-assign]
    async with session(yard) as live:
        await opened(yard, live)
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(live.call("tools/call", {"name": "dig"}))
            await until(lambda: "tasks/get" in yard.methods, "it is polled")
            await live.transport.close()
        assert isinstance(calling.result().reply, Broken)


async def test_a_session_that_closes_waits_for_no_task() -> None:
    yard = Yard()
    async with asyncio.timeout(PATIENCE_S), session(yard) as live:
        await opened(yard, live)
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(live.call("tools/call", {"name": "dig"}))
            await until(lambda: live.tasks.followed == {"t1"}, "the task is followed")
            await live.close()
        assert isinstance(calling.result().reply, GivenUp)


async def test_task_is_listed_polled_and_its_result_fetched() -> None:
    yard = Yard("completed")
    async with session(yard) as live:
        await opened(yard, live)
        assert (await live.tasks.list()).ids == ("t1",)
        assert [(task.id, task.state, task.exchange) for task in live.tasks.all] == [("t1", "completed", None)]
        fetched = await live.tasks.fetch("t1")
        assert isinstance(fetched.reply, Replied)
        assert text_of(await live.tasks.result("t1")) == "dug"
    assert yard.methods[-3:] == ["tasks/list", "tasks/get", "tasks/result"]


async def test_task_without_id_is_not_followed() -> None:
    yard = Yard()

    def answer(message: Any, before: Callable[[Any], Any] = yard.answer) -> Any:
        return {"task": {"status": "working"}} if message["method"] == "tools/call" else before(message)

    yard.answer = answer  # type: ignore[method-assign]
    async with session(yard) as live:
        await opened(yard, live)
        called = await live.call("tools/call", {"name": "dig"})
        assert called.task is not None
        assert called.task.why == "the response is a task without an id"
    assert "tasks/get" not in yard.methods


async def test_a_question_inside_a_task_reaches_the_desk_while_the_task_is_polled() -> None:
    asked = {"jsonrpc": "2.0", "id": "q", "method": "elicitation/create"}
    related = {"io.modelcontextprotocol/related-task": {"taskId": "t1"}}
    asked |= {"params": {"message": "Where?", "requestedSchema": {}, "_meta": related}}  # type: ignore[dict-item]
    inbox = Inbox(has_person=True)
    seen: list[Any] = []

    async def serve(peer: Peer) -> None:
        yard, state, waiting = Yard(), "input_required", None
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            seen.append(message)
            if message.get("method") == "tasks/result":
                waiting = message
                peer.send(json.dumps(asked).encode())
            elif message.get("id") == "q" and "result" in message:
                assert waiting is not None
                reply(peer, waiting, {"content": [{"type": "text", "text": message["result"]["content"]["at"]}]})
            elif message.get("method") == "tasks/get":
                reply(peer, message, core(state))
            elif "method" in message and "id" in message:
                reply(peer, message, yard.answer(message))

    async with session(serve, options(inbox=inbox)) as live:
        await live.list_all("tools")
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(live.call("tools/call", {"name": "dig"}))
            await until(lambda: len(inbox.waiting) == 1, "the question lies on the desk")
            polls = sum(each.get("method") == "tasks/get" for each in seen)
            await until(
                lambda: sum(each.get("method") == "tasks/get" for each in seen) > polls, "it is polled meanwhile"
            )
            (ticket,) = inbox.waiting
            assert (ticket.server_request.task, ticket.server_request.message) == ("t1", "Where?")
            inbox.answer(ticket, server_requests.accepted({"at": "by the oak"}))
        assert text_of(calling.result()) == "by the oak"


def augmented(task: Any) -> Server:
    """A server that asks by a task, polls for it, and answers the call with what it heard."""

    async def serve(peer: Peer) -> None:
        heard: list[Any] = []
        call: Any = None

        def ask(id_: str, method: str, params: Any) -> None:
            peer.send(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}).encode())

        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if message.get("method") == "initialize":
                reply(peer, message, HELLO)
            elif message.get("method") == "tools/call":
                call = message
                ask("a", "elicitation/create", {"message": "Who?", "requestedSchema": {}, "task": task})
            elif message.get("id") in ("a", "b"):
                heard.append(message.get("result", message.get("error")))
                if message["id"] == "b":
                    reply(peer, call, {"content": [], "structuredContent": heard})
                else:
                    id_ = message["result"]["task"]["taskId"]
                    ask("b", "tasks/result", {"taskId": id_})

    return serve


async def test_a_server_may_have_its_question_answered_as_a_task_of_ours() -> None:
    inbox = Inbox(has_person=True)
    async with session(augmented({"ttl": 9000}), options(inbox=inbox)) as live:
        async with asyncio.TaskGroup() as group:
            calling = group.create_task(live.call("tools/call", {"name": "x"}))
            await until(lambda: len(inbox.waiting) == 1, "the question lies on the desk")
            inbox.answer(inbox.waiting[0], server_requests.accepted({"name": "Ann"}))
        handle, result = result_of(calling.result())["structuredContent"]
        assert (handle["task"]["status"], handle["task"]["ttl"]) == ("working", 9000)
        assert (result["action"], result["content"]) == ("accept", {"name": "Ann"})
        assert [(task.by_server, task.method) for task in live.tasks.all] == [(False, "elicitation/create")]


async def test_five_hundred_tasks_at_once_are_all_followed() -> None:
    async def serve(peer: Peer) -> None:
        number = 0
        while (payload := await peer.receive()) is not None:
            message = json.loads(payload)
            if "id" not in message:
                continue
            params = message.get("params", {})
            match message["method"]:
                case "initialize":
                    reply(peer, message, ABLE)
                case "tools/list":
                    reply(peer, message, {"tools": TOOLS})
                case "tools/call":
                    number += 1
                    reply(peer, message, {"task": core(id_=f"t{number}")})
                case "tasks/get":
                    reply(peer, message, core("completed", params["taskId"]))
                case "tasks/result":
                    reply(peer, message, {"content": []})

    async with session(serve) as live:
        await live.list_all("tools")
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(live.call("tools/call", {"name": "dig"})) for _ in range(500)]
        assert {end.state for call in calls if (end := call.result().task)} == {"completed"}
        assert len(live.tasks.all) == 500
        assert live.tasks.followed == frozenset()
