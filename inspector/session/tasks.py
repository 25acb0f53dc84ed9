"""Tasks of a session: calls that become tasks, polling, listing and cancelling.

What is known of tasks is what their frames say: `journal.conversation.tasks`. Here is what can be done about them. A
task continues in any case: leaving it ends the polling and not the task; cancelling asks the server to end it,
in the way of the revision.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from inspector.capture.journal import Journal
from inspector.errors import UsageError
from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange
from inspector.protocol.flows.call import Called
from inspector.protocol.flows.steps import Flow, GivenUp, Refused, Replied, Reply, Send, Silent
from inspector.protocol.flows.tasks import (
    Followed,
    Support,
    TaskEnd,
    TaskList,
    as_task,
    follow,
    list_tasks,
    support_of,
    why_no_task,
)
from inspector.protocol.jsonrpc import Answer
from inspector.protocol.revisions._shape import Revision, TaskSupport
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.things import Tool
from inspector.protocol.tracking.tasks import Handle, Task, handle_in
from inspector.session.desk import Desk
from inspector.session.options import Timeouts

# Followers: at most one for each task

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
        clocks: Timeouts,
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
        """Stop polling a task. False if it was not polled."""
        follower = self._followers.pop(id_, None)
        if follower is not None:
            follower.cancel()
            self.withdraw(id_, "polling of the task was stopped")
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
            end = TaskEnd(id_, state, f"it was not completed within {total:g} s, and was cancelled")
            return Followed(Silent(None, total or 0.0, "total"), 0, end)

    def _state(self, id_: str) -> str:
        task = self._journal.conversation.tasks.find(id_)
        return task.state if task else ""


Given = Callable[[Task], None]
_FAREWELL_S = 0.5
"""How long a server that may take in nothing any more is waited for."""


class SessionTasks:
    """The tasks of one session, on its event loop."""

    def __init__(
        self,
        driver: Drives,
        journal: Journal,
        clocks: Timeouts,
        desk: Desk,
        group: asyncio.TaskGroup,
        make: Callable[[str, Any, Opened], Awaitable[Called]],
        again: Callable[[Reply], Awaitable[bool]],
    ) -> None:
        """`make` makes a request as it is.

        `again` starts the conversation over where a reply shows that it must be; whether it did comes of it.
        """
        self._driver = driver
        self._journal = journal
        self._make = make
        self._followers = Followers(driver, journal, clocks, desk, group, self.cancel, again)

    @property
    def all(self) -> list[Task]:
        """All tasks that are known, of both sides, in the order in which they became known; read only."""
        return self._journal.conversation.tasks.all

    @property
    def followed(self) -> frozenset[str]:
        """The ids of the server's tasks that are being followed now."""
        return self._followers.ids

    def support(self, tool: Tool | None) -> Support:
        """Whether calls of a tool may become tasks; None for one that is not listed."""
        return support_of(tool, _opening(self._journal))

    def params_for(self, method: str, params: Any) -> Any:
        """The params of a call as its tool must be called: one that requires a task gets it.

        "If a tool requires task augmentation, clients MUST invoke it as a task" (2025-11-25). Params with a `task` of
        their own are left alone.
        """
        if method != "tools/call" or not isinstance(params, dict) or "task" in params:
            return params
        required = self.support(_tool(self._journal, str(params.get("name")))) is Support.REQUIRED
        return as_task(params) if required else params

    def check(self, name: str) -> None:
        """Raises: UsageError where a tool can't be called as a task."""
        if why := why_no_task(self.support(_tool(self._journal, name)), name, _opening(self._journal)):
            raise UsageError(f"not called: {why}", hint="Call it without a task, or send the raw request.")

    async def call(
        self,
        name: str,
        arguments: Any = None,
        *,
        ttl_ms: float | None = None,
        opened: Opened = nobody,
        given: Given = nobody,
    ) -> Called:
        """Call a tool as a task and follow it; `given` is called with the task once its handle was received.

        Where the server decides, nothing is asked for, and the call may be answered at once: then `Called.task` is
        None. Raises: UsageError where the tool can't be called so.
        """
        params = {"name": name, "arguments": {} if arguments is None else arguments}
        return await self.run(params, ttl_ms=ttl_ms, opened=opened, given=given)

    async def run(
        self,
        params: Any,
        *,
        ttl_ms: float | None = None,
        opened: Opened = nobody,
        given: Given = nobody,
        wait: bool = True,
    ) -> Called:
        """The same with all of a call's params; without `wait` the answer with the handle is all that comes."""
        name = peek.text(params, "name") or ""
        self.check(name)
        if self.support(_tool(self._journal, name)) is not Support.SERVER_DECIDES:
            params = as_task(params, ttl_ms)
        called = await self._make("tools/call", params, opened)
        return await self.finish(called, opened, given) if wait else called

    async def finish(self, called: Called, opened: Opened = nobody, given: Given = nobody) -> Called:
        """What a call comes to: itself, or, where it was answered with a task, what that comes to in the end."""
        handle = handle_of(called)
        if handle is None or handle.word is None:
            return called if handle is None else _without_id(called)
        id_ = handle.word.id
        if (task := self._journal.conversation.tasks.find(id_)) is not None:
            given(task)
        return await self.follow(id_, opened=opened, begun=called)

    async def follow(self, id_: str, *, opened: Opened = nobody, begun: Called | None = None) -> Called:
        """Follow a task to its end, or wait for who does already; what it came to, as if the call had been answered.

        `begun` is the call with its handle; without it the task is polled at once. Nothing that comes is raised; to
        `leave` the task ends this with GivenUp.
        """
        return await self._followers.follow(id_, opened, begun)

    def leave(self, id_: str) -> bool:
        """Stop polling a task; it continues on the server. False if it was not polled."""
        return self._followers.leave(id_)

    async def fetch(self, id_: str) -> Called:
        """Request the state of a task once."""
        return await self._ask("tasks/get", id_)

    async def result(self, id_: str) -> Called:
        """Ask for what a task came to (2025-11-25: the answer comes when it has ended)."""
        extension = _opening(self._journal).revision.tasks is TaskSupport.EXTENSION
        return await self._ask("tasks/get" if extension else "tasks/result", id_)

    async def cancel(self, id_: str) -> Called:
        """Request that a task ends. Followers get its state by the next poll.

        "tasks/cancel", never "notifications/cancelled": both eras say so.
        """
        called = await self._ask("tasks/cancel", id_)
        if _went_well(called):
            self._followers.withdraw(id_, "its task was cancelled")
        return called

    async def give_up(self, exchange: Exchange) -> bool:
        """End the task that an exchange belongs to; False if there is none, or it has ended. One that can't is left."""
        task = self._journal.conversation.tasks.of_operation(exchange.operation)
        if task is None or task.ended or not task.by_server:
            return False
        if not _went_well(await self.cancel(task.id)):
            self.leave(task.id)
        return True

    async def end_all(self) -> None:
        """Request the end of all tasks of this session. Takes no longer than a moment."""
        ids = [task.id for task in self.all if task.by_server and task.exchange is not None and not task.ended]
        self.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                await asyncio.gather(*map(self.cancel, ids))

    def stop(self) -> None:
        """The session ends: follow nothing any more."""
        for id_ in self.followed:
            self.leave(id_)

    async def list(self) -> TaskList:
        """All tasks that the server lists. Raises: UsageError where the revision or the server has no list."""
        return await self._driver.drive(list_tasks(_opening(self._journal)))

    async def _ask(self, method: str, id_: str) -> Called:
        return Called(await self._driver.drive(_single(method, id_, _opening(self._journal).revision)), 1)


def _opening(journal: Journal) -> Opening:
    opening = journal.conversation.opening
    assert opening is not None, "tasks come after the opening"
    return opening


def _tool(journal: Journal, name: str) -> Tool | None:
    return next((tool for tool in journal.conversation.catalogue.tools if tool.name == name), None)


def _went_well(called: Called) -> bool:
    return isinstance(called.reply, Replied) and isinstance(called.reply.message, Answer)


def _single(method: str, id_: str, revision: Revision) -> Flow[Reply]:
    reply: Reply = yield Send(method, {"taskId": id_}, revision=revision)
    return reply


def _without_id(called: Called) -> Called:
    return Called(called.reply, called.rounds, task=TaskEnd("", "", "the response is a task without an id"))
