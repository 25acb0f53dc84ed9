"""What a server's own requests are answered with."""

import asyncio
import json

from inspector.protocol.jsonrpc import Request
from inspector.protocol.revisions._shape import Era
from inspector.protocol.revisions.table import newest_of
from inspector.session.answering import AT_ONCE, WAITING, Answering, answer_to


def test_a_ping_gets_its_empty_result_even_before_the_conversation_is_open() -> None:
    assert json.loads(answer_to(Request("p", "ping"), None)) == {"jsonrpc": "2.0", "id": "p", "result": {}}


def test_everything_else_is_refused_at_once_with_the_reason() -> None:
    revision = newest_of(Era.LEGACY)
    known = json.loads(answer_to(Request(1, "roots/list"), revision))["error"]
    unknown = json.loads(answer_to(Request(1, "coffee/brew"), revision))["error"]
    assert (known["code"], unknown["code"]) == (-32601, -32601)
    assert known["message"] == "roots/list: this client has not declared the capability for it"
    assert unknown["message"] == "coffee/brew: no such method in this revision"


async def test_requests_are_answered_in_their_order() -> None:
    answered: list[object] = []

    async def send(request: Request) -> None:
        await asyncio.sleep(0)
        answered.append(request.id)

    async with asyncio.TaskGroup() as tasks:
        answering = Answering(send, tasks, answered.append)
        for number in range(100):
            answering.take(Request(number, "ping"))
    assert answered == list(range(100))


async def test_a_server_that_takes_no_answers_costs_a_bounded_number_of_them_and_is_told_of_once() -> None:
    taken = asyncio.Event()
    begun: list[object] = []
    told: list[str] = []

    async def send(request: Request) -> None:
        begun.append(request.id)
        await taken.wait()

    async with asyncio.TaskGroup() as tasks:
        answering = Answering(send, tasks, told.append)
        for number in range(AT_ONCE):
            answering.take(Request(number, "ping"))
        await asyncio.sleep(0)
        for number in range(AT_ONCE, 10 * WAITING):
            answering.take(Request(number, "ping"))
        await asyncio.sleep(0)
        assert begun == list(range(AT_ONCE))
        taken.set()
    assert begun == list(range(AT_ONCE + WAITING))
    assert told == ["The server takes no answers: beyond 1,000 that wait, its requests get none."]
