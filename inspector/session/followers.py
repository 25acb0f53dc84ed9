"""Who follows which task: at most one follower each, on the session's event loop, whoever waits for it.

Leaving a task ends the following and not the task. A task that outlasts the total clock is asked to end, as any
request is given up then. A session that an HTTP server has forgotten is begun anew, and the task followed on.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from inspector.capture.journal import Journal
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.follow import Followed, TaskEnd, follow
from inspector.protocol.flows.steps import Flow, GivenUp, Refused, Replied, Reply, Silent
from inspector.protocol.jsonrpc import Answer
from inspector.protocol.tracking.task_words import Handle, handle_in
from inspector.session.desk import Desk
from inspector.session.wishes import Clocks

T = TypeVar("T")
Opened = Callable[[Exchange], None]


def nobody(_: object) -> None:
    """Nobody wants to know."""


class Drives(Protocol):
    """What is needed of the session's driver."""

    async def drive(self, flow: Flow[T], opened: Opened = nobody) -> T:
        """Perform a flow."""


def handle_of(called: Called) -> Handle | None:
    """The handle that a call was answered with; None for any other answer."""
    reply = called.reply
    if not isinstance(reply, Replied) or not isinstance(reply.message, Answer):
        return None
    return handle_in(reply.message.result_part, asked=True) if reply.exchange.method == "tools/call" else None


class Followers:
    """Those of one session."""

    def __init__(
        self,
        driver: Drives,
        journal: Journal,
        clocks: Clocks,
        desk: Desk,
        group: asyncio.TaskGroup,
        end: Callable[[str], Awaitable[Called]],
        again: Callable[[Reply], Awaitable[bool]],
    ) -> None:
        """`end` asks for the end of a task.

        `again` starts the conversation over where a reply shows that it must be; whether it did comes of it.
        """
        self._driver = driver
        self._journal = journal
        self._clocks = clocks
        self._desk = desk
        self._group = group
        self._end = end
        self._again = again
        self._followers: dict[str, asyncio.Task[Called]] = {}

    @property
    def ids(self) -> frozenset[str]:
        """Of the tasks that are being followed now."""
        return frozenset(self._followers)

    async def follow(self, id_: str, opened: Opened, begun: Called | None) -> Called:
        """Follow a task to its end, or wait for who does already."""
        follower = self._followers.get(id_)
        if follower is None:
            follower = self._group.create_task(self._follow(id_, opened, begun))
            self._followers[id_] = follower
            follower.add_done_callback(lambda _: self._followers.pop(id_, None))
        try:
            return await asyncio.shield(follower)
        except asyncio.CancelledError:
            if not follower.cancelled():
                raise  # who waited was cancelled; the task is followed on
            end = TaskEnd(id_, self._state(id_), "it was left, and goes on")
            return Called(GivenUp(None, "the task was left, and goes on"), begun.rounds if begun else 0, task=end)

    def leave(self, id_: str) -> bool:
        """Follow a task no longer. False if nobody did."""
        follower = self._followers.pop(id_, None)
        if follower is not None:
            follower.cancel()
            self.withdraw(id_, "the task is no longer followed")
        return follower is not None

    def withdraw(self, id_: str, why: str) -> None:
        """Nobody wants the answers to the questions of a task."""
        for ticket in self._desk.waiting:
            if ticket.question.task == id_:
                self._desk.withdraw(why, exchange=ticket.question.exchange)

    async def _follow(self, id_: str, opened: Opened, begun: Called | None) -> Called:
        rounds = begun.rounds if begun else 0
        word = handle.word if begun is not None and (handle := handle_of(begun)) else None
        while True:
            task, opening = self._journal.conversation.tasks.find(id_), self._journal.conversation.opening
            assert opening is not None, "tasks come after the opening"
            flow = follow(id_, revision=opening.revision, word=word, cause=task.exchange if task else None)
            followed = await self._in_time(id_, flow, opened)
            rounds += followed.rounds
            if not (isinstance(followed.reply, Refused) and await self._again(followed.reply)):
                return Called(followed.reply, rounds, followed.unanswered, followed.end)
            word = None

    async def _in_time(self, id_: str, flow: Flow[Followed], opened: Opened) -> Followed:
        total = self._clocks.total_s
        try:
            async with asyncio.timeout(total):
                return await self._driver.drive(flow, opened)
        except TimeoutError:
            state = self._state(id_)
            await self._end(id_)
            end = TaskEnd(id_, state, f"it did not end within {total:g} s, and was asked to")
            return Followed(Silent(None, total or 0.0, "total"), 0, end)

    def _state(self, id_: str) -> str:
        task = self._journal.conversation.tasks.find(id_)
        return task.state if task else ""
