"""However much a server asks, answering costs a bounded number of tasks."""

import asyncio

from inspector.protocol.jsonrpc import Request
from inspector.protocol.questions import Kind, Question
from inspector.session.bounds import AT_ONCE, WAITING, Bounds


async def test_requests_are_answered_in_their_order() -> None:
    answered: list[object] = []

    async def send(request: Request, question: Question | None) -> None:
        await asyncio.sleep(0)
        answered.append(request.id)

    async with asyncio.TaskGroup() as tasks:
        bounds = Bounds(send, tasks, answered.append)
        for number in range(100):
            bounds.take(Request(number, "ping"))
    assert answered == list(range(100))


async def test_a_server_that_takes_no_answers_costs_a_bounded_number_of_them_and_is_told_of_once() -> None:
    taken = asyncio.Event()
    begun: list[object] = []
    told: list[str] = []

    async def send(request: Request, question: Question | None) -> None:
        begun.append(request.id)
        await taken.wait()

    async with asyncio.TaskGroup() as tasks:
        bounds = Bounds(send, tasks, told.append)
        for number in range(AT_ONCE):
            bounds.take(Request(number, "ping"))
        await asyncio.sleep(0)
        for number in range(AT_ONCE, 10 * WAITING):
            bounds.take(Request(number, "ping"))
        await asyncio.sleep(0)
        assert begun == list(range(AT_ONCE))
        taken.set()
    assert begun == list(range(AT_ONCE + WAITING))
    assert told == ["The server takes no answers: beyond 1,000 that wait, its requests get none."]


async def test_questions_that_wait_for_a_person_keep_no_ping_waiting() -> None:
    answered: list[object] = []
    person = asyncio.Event()

    async def send(request: Request, question: Question | None) -> None:
        if question is not None:
            await person.wait()
        answered.append(request.id)

    async with asyncio.TaskGroup() as tasks:
        bounds = Bounds(send, tasks, answered.append)
        for number in range(2 * AT_ONCE):
            bounds.take(Request(number, "elicitation/create"), Question(Kind.ELICITATION, {}, number + 1, 1, 0))
        bounds.take(Request("ping", "ping"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert answered == ["ping"]
        person.set()
    assert len(answered) == 2 * AT_ONCE + 1


async def test_results_of_tasks_that_are_waited_for_keep_no_ping_waiting() -> None:
    answered: list[object] = []
    ended = asyncio.Event()

    async def send(request: Request, question: Question | None) -> None:
        if request.method == "tasks/result":
            await ended.wait()
        answered.append(request.id)
        ended.set()

    async with asyncio.TaskGroup() as tasks:
        bounds = Bounds(send, tasks, answered.append)
        for number in range(2 * AT_ONCE):
            bounds.take(Request(number, "tasks/result"))
        bounds.take(Request("ping", "ping"))
    assert answered[0] == "ping"
    assert len(answered) == 2 * AT_ONCE + 1
