"""Who follows which task, and what happens when the session is begun anew or the time is over."""

import asyncio
from collections.abc import Callable
from typing import Any

from inspector.capture.journal import Journal, start_capture
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.follow import Followed, TaskEnd
from inspector.protocol.flows.steps import Flow, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.frames import Channel, Direction
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Part
from inspector.session.desk import Desk
from inspector.session.followers import Followers, handle_of, nobody
from inspector.session.wishes import Clocks

DONE = Replied(Answer(1, Part(b'{"content":[]}')), Exchange(1, Direction.TO_SERVER, 1, "tasks/get", "t1", 1, 0))
GONE = Refused(None, 404, "", b"")


class Driver:
    """Gives what a test says that came of following; without it, it never ends."""

    def __init__(self, *followed: Followed) -> None:
        self.followed = list(followed)

    async def drive(self, flow: Flow[Any], opened: Callable[[Exchange], None] = nobody) -> Any:
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
            followers = Followers(driver, kept, Clocks(None, total_s), Desk(), group, end, start_over)
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


async def test_a_task_that_outlasts_the_clock_is_asked_to_end() -> None:
    called, asked = await followed(Driver(), total_s=0.01)
    assert isinstance(called.reply, Silent)
    assert called.task is not None
    assert called.task.why == "it did not end within 0.01 s, and was asked to"
    assert asked == ["t1"]


def test_only_a_call_is_answered_with_a_handle() -> None:
    flat = Part(b'{"resultType":"task","taskId":"t9","status":"working"}')
    call = Exchange(1, Direction.TO_SERVER, 1, "tools/call", "x", 1, 0)
    read = Exchange(1, Direction.TO_SERVER, 1, "resources/read", "x", 1, 0)
    handle = handle_of(Called(Replied(Answer(1, flat), call), 1))
    assert handle is not None
    assert handle.word is not None
    assert handle.word.id == "t9"
    assert handle_of(Called(Replied(Answer(1, flat), read), 1)) is None
    assert handle_of(Called(Replied(ErrorAnswer(1, flat), call), 1)) is None
    assert handle_of(Called(GivenUp(None), 1)) is None
