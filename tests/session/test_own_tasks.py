"""Questions that a server wants answered as tasks."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inspector.protocol import questions
from inspector.protocol.jsonrpc import Part, Request
from inspector.protocol.questions import Kind, Question, Refusal, Reply, Result
from inspector.session.desk import Desk, TicketState
from inspector.session.own_tasks import KEPT, KEPT_MS, OwnTasks
from tests.waiting import until


class Clock:
    """A moment that is moved by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 8, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def asking(task: Any, exchange: int = 5) -> Question:
    return Question(Kind.ELICITATION, {"message": "Who?", "task": task}, exchange, 1, 0)


def own(desk: Desk, clock: Clock | None = None) -> OwnTasks:
    names = iter(f"own-{n}" for n in range(10_000))
    return OwnTasks(desk, clock or Clock(), lambda: next(names))


def value(reply: Reply | None) -> Any:
    assert isinstance(reply, Result)
    return reply.value


async def serve(tasks: OwnTasks, method: str, id_: str = "own-0") -> Reply:
    return await tasks.serve(Request(1, method, Part(None, {"taskId": id_})))


def test_a_question_without_a_task_gets_no_handle() -> None:
    assert own(Desk()).begin(asking(None)) is None
    assert own(Desk()).begin(asking(True)) is None


async def test_it_gets_a_handle_and_then_its_answer() -> None:
    desk = Desk(has_person=True)
    tasks = own(desk)
    question = asking({"ttl": 60000})
    handle = value(tasks.begin(question))["task"]
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
        group.create_task(tasks.work(question))
        brought = group.create_task(serve(tasks, "tasks/result"))
        await until(lambda: len(desk.waiting) == 1, "the question lies on the desk")
        assert value(await serve(tasks, "tasks/get"))["status"] == "working"
        assert not brought.done()
        desk.answer(desk.waiting[0], questions.accepted({"name": "Ann"}))
    assert value(brought.result()) == {
        "action": "accept",
        "content": {"name": "Ann"},
        "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "own-0"}},
    }
    assert value(await serve(tasks, "tasks/get"))["status"] == "completed"
    assert [each["taskId"] for each in value(await serve(tasks, "tasks/list"))["tasks"]] == ["own-0"]


async def refuses(question: Question) -> Reply | None:
    return Refusal(questions.REJECTED, "no")


async def test_a_refusal_is_a_task_that_failed_and_its_result_the_error() -> None:
    tasks = own(Desk([("script", refuses)]))
    question = asking({})
    tasks.begin(question)
    await tasks.work(question)
    assert value(await serve(tasks, "tasks/get"))["status"] == "failed"
    refusal = await serve(tasks, "tasks/result")
    assert isinstance(refusal, Refusal)
    assert refusal.code == questions.REJECTED


async def test_the_server_may_cancel_it_and_the_question_is_withdrawn() -> None:
    desk = Desk(has_person=True)
    tasks = own(desk)
    question = asking({})
    tasks.begin(question)
    async with asyncio.TaskGroup() as group:
        group.create_task(tasks.work(question))
        await until(lambda: len(desk.waiting) == 1, "the question lies on the desk")
        assert value(await serve(tasks, "tasks/cancel"))["status"] == "cancelled"
    (ticket,) = desk.tickets
    assert (ticket.state, ticket.why) == (TicketState.WITHDRAWN, "the server cancelled its task")
    again = await serve(tasks, "tasks/cancel")
    assert isinstance(again, Refusal)
    assert "has ended already: it is cancelled" in again.message
    brought = await serve(tasks, "tasks/result")
    assert isinstance(brought, Refusal)


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
async def test_an_unknown_id_is_an_error(method: str) -> None:
    refusal = await serve(own(Desk()), method, "nobody's")
    assert isinstance(refusal, Refusal)
    assert refusal.code == questions.INVALID_PARAMS


async def test_its_time_runs_out() -> None:
    clock = Clock()
    desk = Desk(has_person=True)
    tasks = own(desk, clock)
    question = asking({"ttl": 1000})
    tasks.begin(question)
    async with asyncio.TaskGroup() as group:
        group.create_task(tasks.work(question))
        await until(lambda: len(desk.waiting) == 1, "the question lies on the desk")
        clock.now += timedelta(seconds=2)
        assert isinstance(await serve(tasks, "tasks/get"), Refusal)
    assert desk.tickets[0].why == "its time was over"


@pytest.mark.parametrize("ttl", [None, 0, -1, "soon", True, 1e12])
def test_a_time_that_is_none_is_told_otherwise(ttl: Any) -> None:
    assert value(own(Desk()).begin(asking({"ttl": ttl})))["task"]["ttl"] == KEPT_MS


def test_more_than_are_kept_are_refused() -> None:
    tasks = own(Desk())
    for n in range(KEPT):
        assert isinstance(tasks.begin(asking({}, exchange=n)), Result)
    assert isinstance(tasks.begin(asking({}, exchange=KEPT)), Refusal)


async def test_a_prepared_answer_that_is_wrong_on_purpose_goes_out_as_it_is() -> None:
    async def wrong(question: Question) -> Reply | None:
        return Result("no object")

    tasks = own(Desk([("prepared", wrong)]))
    question = asking({})
    tasks.begin(question)
    await tasks.work(question)
    assert value(await serve(tasks, "tasks/result")) == "no object"
