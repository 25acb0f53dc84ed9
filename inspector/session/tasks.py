"""Tasks of a session: calls that become tasks, polling, listing and cancelling.

What is known of tasks is what their frames show: `journal.conversation.tasks`. This module has the actions. A task
continues in any case: leaving it ends the polling and not the task. Cancelling requests its end from the server, in
the way of the revision.
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
from inspector.protocol.frames import Cause
from inspector.protocol.jsonrpc import ResultResponse
from inspector.protocol.listed_items import Tool
from inspector.protocol.revisions._shape import Revision, TaskSupport
from inspector.protocol.revisions.openings import Opening
from inspector.protocol.tracking.tasks import Handle, Task, handle_in
from inspector.session.inbox import Inbox
from inspector.session.options import Timeouts

T = TypeVar("T")
Opened = Callable[[Exchange], None]

_FAREWELL_S = 0.5
"""Seconds to wait for a server that may have stopped reading."""


Given = Callable[[Task], None]


class Drives(Protocol):
    """What is needed of the session's driver."""

    async def drive(self, flow: Flow[T], opened: Opened = ..., *, cause: Cause = Cause.USER) -> T:
        """Perform a flow."""


def nobody(_: object) -> None:
    """Ignore the call."""


def handle_of(called: Called) -> Handle | None:
    """Return the task handle in the response to a call; None for any other response."""
    reply = called.reply
    if not isinstance(reply, Replied) or not isinstance(reply.message, ResultResponse):
        return None
    return handle_in(reply.message.result_part, asked=True) if reply.exchange.method == "tools/call" else None


class Followers:
    def __init__(
        self,
        driver: Drives,
        journal: Journal,
        clocks: Timeouts,
        inbox: Inbox,
        group: asyncio.TaskGroup,
        end: Callable[[str], Awaitable[Called]],
        again: Callable[[Reply], Awaitable[bool]],
    ) -> None:
        """Create the followers.

        `end` requests the end of a task. `again` reopens the conversation if a reply shows that this is necessary,
        and returns whether it did.
        """
        self._driver = driver
        self._journal = journal
        self._clocks = clocks
        self._inbox = inbox
        self._group = group
        self._end = end
        self._again = again
        self._followers: dict[str, asyncio.Task[Called]] = {}

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the tasks that are being followed now."""
        return frozenset(self._followers)

    async def follow(self, id_: str, opened: Opened, begun: Called | None) -> Called:
        """Follow a task to its end, or wait for the follower that already does."""
        follower = self._followers.get(id_)
        if follower is None:
            follower = self._group.create_task(self._follow(id_, opened, begun))
            self._followers[id_] = follower
            follower.add_done_callback(lambda _: self._followers.pop(id_, None))
        try:
            return await asyncio.shield(follower)
        except asyncio.CancelledError:
            if not follower.cancelled():
                raise  # the waiter was cancelled; the task is still followed
            why = "polling was stopped; the task may still be running"
            return Called(GivenUp(None, why), begun.rounds if begun else 0, task=TaskEnd(id_, self._state(id_), why))

    def leave(self, id_: str) -> bool:
        """Stop polling a task; return False if it was not polled."""
        follower = self._followers.pop(id_, None)
        if follower is not None:
            follower.cancel()
            self.withdraw(id_, "polling of the task was stopped")
        return follower is not None

    def withdraw(self, id_: str, why: str) -> None:
        """Withdraw the input requests of a task."""
        for ticket in self._inbox.waiting:
            if ticket.server_request.task == id_:
                self._inbox.withdraw(why, exchange=ticket.server_request.exchange)

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
                return await self._driver.drive(flow, opened, cause=Cause.POLL)
        except TimeoutError:
            state = self._state(id_)
            await self._end(id_)
            end = TaskEnd(id_, state, f"it was not completed within {total:g} s, and was cancelled")
            return Followed(Silent(None, total or 0.0, "total"), 0, end)

    def _state(self, id_: str) -> str:
        task = self._journal.conversation.tasks.find(id_)
        return task.state if task else ""


class SessionTasks:
    """The tasks of one session, on its event loop."""

    def __init__(
        self,
        driver: Drives,
        journal: Journal,
        clocks: Timeouts,
        inbox: Inbox,
        group: asyncio.TaskGroup,
        make: Callable[[str, Any, Opened], Awaitable[Called]],
        again: Callable[[Reply], Awaitable[bool]],
    ) -> None:
        """Create the tasks.

        `make` sends a request unchanged. `again` reopens the conversation if a reply shows that this is necessary,
        and returns whether it did.
        """
        self._driver = driver
        self._journal = journal
        self._make = make
        self._followers = Followers(driver, journal, clocks, inbox, group, self.cancel, again)

    @property
    def all(self) -> list[Task]:
        """All known tasks of both sides, oldest first; read only."""
        return self._journal.conversation.tasks.all

    @property
    def followed(self) -> frozenset[str]:
        """Ids of the server's tasks that are being followed now."""
        return self._followers.ids

    def support(self, tool: Tool | None) -> Support:
        """Return whether calls of a tool may become tasks; None for a tool that is not listed."""
        return support_of(tool, _opening(self._journal))

    def params_for(self, method: str, params: Any) -> Any:
        """Return the params of a call; a tool that requires a task gets a `task`.

        "If a tool requires task augmentation, clients MUST invoke it as a task" (2025-11-25). Params that already
        have a `task` are unchanged.
        """
        if method != "tools/call" or not isinstance(params, dict) or "task" in params:
            return params
        required = self.support(_tool(self._journal, str(params.get("name")))) is Support.REQUIRED
        return as_task(params) if required else params

    def check(self, name: str) -> None:
        """Check that a tool can be called as a task. Raises: UsageError."""
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

        If the server decides, no task is requested, and the call may get its result directly: `Called.task` is then
        None. Raises: UsageError if the tool can't be called as a task.
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
        """Like `call`, with all params of the call. Without `wait`, only the response with the handle is returned."""
        name = peek.text(params, "name") or ""
        self.check(name)
        if self.support(_tool(self._journal, name)) is not Support.SERVER_DECIDES:
            params = as_task(params, ttl_ms)
        called = await self._make("tools/call", params, opened)
        return await self.finish(called, opened, given) if wait else called

    async def finish(self, called: Called, opened: Opened = nobody, given: Given = nobody) -> Called:
        """Return the final outcome of a call: of its task, if the response was a task handle."""
        handle = handle_of(called)
        if handle is None or handle.word is None:
            return called if handle is None else _without_id(called)
        id_ = handle.word.id
        if (task := self._journal.conversation.tasks.find(id_)) is not None:
            given(task)
        return await self.follow(id_, opened=opened, begun=called)

    async def follow(self, id_: str, *, opened: Opened = nobody, begun: Called | None = None) -> Called:
        """Follow a task to its end, or wait for the follower that already does; return its outcome like that of a call.

        `begun` is the call with its handle; without it the task is polled at once. Nothing is raised; `leave` ends
        this with GivenUp.
        """
        return await self._followers.follow(id_, opened, begun)

    def leave(self, id_: str) -> bool:
        """Stop polling a task, which continues on the server; return False if it was not polled."""
        return self._followers.leave(id_)

    async def fetch(self, id_: str) -> Called:
        """Request the state of a task once."""
        return await self._ask("tasks/get", id_)

    async def result(self, id_: str) -> Called:
        """Request the result of a task (2025-11-25: the response waits for its end)."""
        extension = _opening(self._journal).revision.tasks is TaskSupport.EXTENSION
        return await self._ask("tasks/get" if extension else "tasks/result", id_)

    async def cancel(self, id_: str) -> Called:
        """Request the end of a task. Followers get its state by the next poll.

        "tasks/cancel", never "notifications/cancelled", in both eras.
        """
        called = await self._ask("tasks/cancel", id_)
        if _went_well(called):
            self._followers.withdraw(id_, "its task was cancelled")
        return called

    async def give_up(self, exchange: Exchange) -> bool:
        """End the task of an exchange; return False if there is none, or it has ended.

        If the server can't end it, only the polling stops.
        """
        task = self._journal.conversation.tasks.of_operation(exchange.operation)
        if task is None or task.ended or not task.by_server:
            return False
        if not _went_well(await self.cancel(task.id)):
            self.leave(task.id)
        return True

    async def end_all(self) -> None:
        """Request the end of all tasks of this session. Waits only briefly."""
        ids = [task.id for task in self.all if task.by_server and task.exchange is not None and not task.ended]
        self.stop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                await asyncio.gather(*map(self.cancel, ids))

    def stop(self) -> None:
        """Stop following all tasks."""
        for id_ in self.followed:
            self.leave(id_)

    async def list(self) -> TaskList:
        """Return all tasks that the server lists. Raises: UsageError if the revision or the server has no list."""
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
    return isinstance(called.reply, Replied) and isinstance(called.reply.message, ResultResponse)


def _single(method: str, id_: str, revision: Revision) -> Flow[Reply]:
    reply: Reply = yield Send(method, {"taskId": id_}, revision=revision)
    return reply


def _without_id(called: Called) -> Called:
    return Called(called.reply, called.rounds, task=TaskEnd("", "", "the response is a task without an id"))
