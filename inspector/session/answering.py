"""Responses to server requests (elicitation, sampling, roots, tasks, ping) and to input requests in results.

`ping` always gets its empty result, also before the conversation is open. A request whose capability was advertised
is passed to the inbox. Every other one immediately gets the error that the specification requires of a client without
that capability, because silence would block the server. A request that the server wants to be a task gets a handle,
and its result later.
"""

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from inspector.protocol import jsonrpc, peek
from inspector.protocol.capabilities import declared, offered_in, refusal_of
from inspector.protocol.flows.steps import RequestUserInput, StillWaiting, WaitForNews, Withdraw
from inspector.protocol.request_meta import ClientIdentity
from inspector.protocol.revisions._shape import Revision
from inspector.protocol.server_requests import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    ErrorReply,
    Reply,
    Result,
    ServerRequest,
)
from inspector.protocol.tracking.tasks import ENDED, RELATED_TASK, Task, TaskState, asks_for_task
from inspector.session.inbox import Inbox

METHODS = frozenset({"tasks/get", "tasks/result", "tasks/list", "tasks/cancel"})
KEPT, KEPT_MS = 1000, 3_600_000
"""Maximum number of tasks kept, and lifetime in ms if the server requests no usable one."""
POLL_MS = 1000
_NO_SUCH = "no task of this id is known (any more)"

_LULL_S = 0.05
"""Seconds to wait after news of a task: more may follow, and all of it should cost a single poll."""

AT_ONCE = 8
"""Maximum number of concurrent responses: over HTTP each needs a connection."""

WAITING = 1000
"""Maximum number of requests waiting for their responses to be sent, and of questions waiting for answers."""

_SLOW = frozenset({"tasks/result"})
"""Requests that do not involve the user, but whose responses may take as long."""


class OwnTask(msgspec.Struct, eq=False):
    """A server request that is answered as a task."""

    id: str
    server_request: ServerRequest
    created: datetime
    ttl_ms: int | None
    """Lifetime; None: as long as the conversation."""
    updated: datetime
    state: TaskState = TaskState.WORKING
    message: str = "waiting for an answer"
    reply: Reply | None = None
    over: asyncio.Event = msgspec.field(default_factory=asyncio.Event)


class OwnTasks:
    """The client's own tasks (2025-11-25): server requests answered as tasks, and polls of them."""

    def __init__(
        self,
        inbox: Inbox,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        ids: Callable[[], str] = lambda: os.urandom(16).hex(),
    ) -> None:
        self._inbox = inbox
        self._now = now
        self._ids = ids
        self._tasks: dict[str, OwnTask] = {}
        self._by_server_request: dict[int, OwnTask] = {}

    def begin(self, server_request: ServerRequest) -> Reply | None:
        """Create a task and return its handle; None if the server request asks for no task. `work` then answers it."""
        if not asks_for_task(server_request.params):
            return None
        self._forget_the_old()
        if len(self._tasks) >= KEPT:
            return ErrorReply(INVALID_PARAMS, f"{KEPT} tasks are stored on this client: fetch or cancel some")
        now = self._now()
        task = OwnTask(self._ids(), server_request, now, _ttl(peek.at(server_request.params, "task", "ttl")), now)
        self._tasks[task.id] = self._by_server_request[server_request.exchange] = task
        return Result({"task": _flat(task)})

    async def work(self, server_request: ServerRequest) -> None:
        """Get the answer for a server request whose handle was returned; do nothing for others."""
        task = self._by_server_request.pop(server_request.exchange, None)
        if task is None:
            return
        try:
            self._settle(task, await self._inbox.ask(server_request))
        finally:
            self._move(task, TaskState.CANCELLED, "the client is closing")

    async def serve(self, request: jsonrpc.Request) -> Reply:
        """Return the response to a request about tasks. The one to tasks/result waits for the end of the task."""
        self._forget_the_old()
        if request.method == "tasks/list":
            return Result({"tasks": [_flat(task) for task in self._tasks.values()]})
        task = self._tasks.get(peek.text(request.params, "taskId") or "")
        if task is None:
            return ErrorReply(INVALID_PARAMS, _NO_SUCH)
        if request.method == "tasks/result":
            await task.over.wait()
            return _brought(task)
        if request.method == "tasks/cancel":
            if task.state in ENDED:
                return ErrorReply(INVALID_PARAMS, f"the task has ended already: it is {task.state}")
            self._cancel(task, "the server cancelled its task")
        return Result(_flat(task))

    def _settle(self, task: OwnTask, reply: Reply | None) -> None:
        if isinstance(reply, Result):
            task.reply = reply
            self._move(task, TaskState.COMPLETED, "it was answered")
        elif isinstance(reply, ErrorReply):
            task.reply = reply
            self._move(task, TaskState.FAILED, reply.message)

    def _cancel(self, task: OwnTask, why: str) -> None:
        self._move(task, TaskState.CANCELLED, why)
        self._inbox.withdraw(why, exchange=task.server_request.exchange)

    def _move(self, task: OwnTask, state: TaskState, message: str) -> None:
        """Change the state. Terminal states are final."""
        if task.state not in ENDED:
            task.state, task.message, task.updated = state, message, self._now()
            task.over.set()

    def _forget_the_old(self) -> None:
        now = self._now()
        for task in list(self._tasks.values()):
            if task.ttl_ms is not None and now >= task.created + timedelta(milliseconds=task.ttl_ms):
                self._cancel(task, "the TTL of the task expired")
                del self._tasks[task.id]


_Key = tuple[tuple[int, str], ...]
Replies = tuple[Reply, ...] | None
Send = Callable[[jsonrpc.Request, ServerRequest | None], Awaitable[None]]


def _ttl(wanted: Any) -> int | None:
    """Return the lifetime in milliseconds. An invalid or too long one is replaced."""
    if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not 0 < wanted < KEPT_MS:
        return KEPT_MS
    return int(wanted) or 1


def _flat(task: OwnTask) -> dict[str, Any]:
    return {
        "taskId": task.id,
        "status": task.state,
        "statusMessage": task.message,
        "createdAt": _moment(task.created),
        "lastUpdatedAt": _moment(task.updated),
        "ttl": task.ttl_ms,
        "pollInterval": POLL_MS,
    }


def _moment(when: datetime) -> str:
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _brought(task: OwnTask) -> Reply:
    """Return the result with the id of its task: "tasks/result MUST include related-task in its _meta"."""
    if isinstance(task.reply, Result):
        return Result(with_relation(task.reply.value, task.id))
    return task.reply or ErrorReply(INVALID_PARAMS, f"the task has no result: it is {task.state}")


def with_relation(value: Any, id_: str) -> Any:
    """Return a result with the id of its task: "all requests, notifications, and responses related to a task".

    Without an id it is unchanged. So is anything but an object: a prepared response may be invalid on purpose.
    """
    if not id_ or not isinstance(value, dict):
        return value
    return {**value, "_meta": {**peek.mapping(value, "_meta"), RELATED_TASK: {"taskId": id_}}}


class RequestHandling:
    """Answers server requests, depending on the advertised capabilities."""

    def __init__(self, offers: frozenset[str], inbox: Inbox) -> None:
        self.offers = offers
        self.inbox = inbox
        self.own = OwnTasks(inbox)

    async def to_request(
        self, request: jsonrpc.Request, server_request: ServerRequest | None, revision: Revision | None
    ) -> bytes | None:
        """Return the response to a server request as bytes; None if the server has cancelled it.

        `server_request` is what the request asks of the user, None if nothing.
        """
        reply = await self._reply(request, server_request, revision)
        match reply:
            case None:
                return None
            case ErrorReply():
                return jsonrpc.write_error(request.id, reply.code, reply.message, reply.data)
            case Result():
                return jsonrpc.write_response(
                    request.id, with_relation(reply.value, server_request.task if server_request else "")
                )

    async def to_server_requests(
        self, asked: tuple[ServerRequest, ...], revision: Revision
    ) -> tuple[Reply, ...] | None:
        """Return a reply to each input request of a result, handled concurrently; None if one was withdrawn.

        They are answered together or not at all: after a rejection, which is sent alone, the rest is skipped.
        """
        offers = offered_in(revision, self.offers)
        for server_request in asked:
            if refusal := refusal_of(server_request, offers):
                self.inbox.refuse(server_request, refusal)
                return (refusal,)
        replies = await asyncio.gather(*map(self._together, asked))
        found = tuple(reply for reply in replies if reply is not None)
        refusals = tuple(reply for reply in found if isinstance(reply, ErrorReply))
        return refusals[:1] or (found if len(found) == len(asked) else None)

    async def _reply(
        self, request: jsonrpc.Request, server_request: ServerRequest | None, revision: Revision | None
    ) -> Reply | None:
        if request.method == "ping":
            return Result({})
        with_tasks = revision is not None and "tasks" in declared(self.offers, revision)
        if with_tasks and request.method in METHODS:
            return await self.own.serve(request)
        if server_request is None or revision is None or request.method not in revision.server_requests:
            return ErrorReply(METHOD_NOT_FOUND, f"{request.method}: {_why_not(request, revision)}")
        if refusal := refusal_of(server_request, offered_in(revision, self.offers)):
            self.inbox.refuse(server_request, refusal)
            return refusal
        handle = self.own.begin(server_request) if with_tasks else None
        return handle or await self.inbox.ask(server_request)

    async def _together(self, server_request: ServerRequest) -> Reply | None:
        reply = await self.inbox.ask(server_request)
        if isinstance(reply, ErrorReply):
            self.inbox.withdraw(
                "another server request of the same result was rejected", exchange=server_request.exchange
            )
        return reply


def _why_not(request: jsonrpc.Request, revision: Revision | None) -> str:
    if revision is None:
        return "the conversation is not open yet"
    known = request.method in revision.server_requests
    return "this client has not declared the capability for it" if known else "no such method in this revision"


class SideWaits:
    """What flows wait for besides responses: input requests that stay open between two polls, and news of tasks."""

    def __init__(
        self, answering: RequestHandling, tasks: asyncio.TaskGroup, find: Callable[[str], Task | None]
    ) -> None:
        """Create the waits. `find` returns the task of an id from the fold."""
        self._answering = answering
        self._tasks = tasks
        self._find = find
        self._asking: dict[_Key, asyncio.Task[Replies]] = {}
        self._watching: dict[str, set[asyncio.Event]] = {}

    async def ask(self, step: RequestUserInput, revision: Revision) -> Replies | StillWaiting:
        """Get answers to input requests, or continue to wait for them."""
        if step.patience_s is None:
            return await self._answering.to_server_requests(step.server_requests, revision)
        key = _key(step.server_requests)
        if key not in self._asking:
            self._asking[key] = self._tasks.create_task(
                self._answering.to_server_requests(step.server_requests, revision)
            )
        work = self._asking[key]
        await asyncio.wait({work}, timeout=step.patience_s)
        if not work.done():
            return StillWaiting()
        del self._asking[key]
        return None if work.cancelled() else work.result()

    def withdraw(self, step: Withdraw) -> None:
        """Withdraw input requests whose answers are no longer needed."""
        for exchange in {server_request.exchange for server_request in step.server_requests}:
            self._answering.inbox.withdraw(step.why, exchange=exchange)
        self._asking.pop(_key(step.server_requests), None)

    async def watch(self, step: WaitForNews) -> Task | None:
        """Wait for news of a task, for a limited time; return the task."""
        news = asyncio.Event()
        there = self._watching.setdefault(step.task, set())
        there.add(news)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(step.seconds):
                    await news.wait()
                    await asyncio.sleep(_LULL_S)
        finally:
            there.discard(news)
            if not there:
                self._watching.pop(step.task, None)
        return self._find(step.task)

    def on_task(self, task: Task) -> None:
        """Notify the flows that wait for this task."""
        for news in self._watching.get(task.id, ()) if task.by_server else ():
            news.set()

    def wake(self) -> None:
        """Wake all waiting flows after the connection is lost: their next poll will fail."""
        for there in self._watching.values():
            for news in there:
                news.set()


def _key(server_requests: tuple[ServerRequest, ...]) -> _Key:
    return tuple((server_request.exchange, server_request.key) for server_request in server_requests)


class AdvertisedCapabilities(msgspec.Struct, eq=False):
    """The client's advertised identity and capabilities, and the handling of requests based on them.

    Where each request declares them, they may change at any time.
    """

    client: ClientIdentity
    answering: RequestHandling


class RequestLimits:
    """Queue of server requests, with a bounded number of tasks no matter how many requests a server sends.

    `send` responds to one and never raises. `overrun` is called once.
    """

    def __init__(self, send: Send, tasks: asyncio.TaskGroup, overrun: Callable[[str], None]) -> None:
        self._send = send
        self._tasks = tasks
        self._overrun = overrun
        self._asked: deque[jsonrpc.Request] = deque()
        self._busy = 0
        self._server_requests = 0
        self._has_reported = False

    def take(self, request: jsonrpc.Request, server_request: ServerRequest | None = None) -> None:
        """Accept a server request. Returns at once."""
        if max(len(self._asked), self._server_requests) >= WAITING:
            self._leave_unanswered()
        elif server_request is not None or request.method in _SLOW:
            self._server_requests += 1
            self._tasks.create_task(self._put(request, server_request))
        else:
            self._asked.append(request)
            if self._busy < AT_ONCE:
                self._busy += 1
                self._tasks.create_task(self._work())

    async def _put(self, request: jsonrpc.Request, server_request: ServerRequest | None) -> None:
        try:
            await self._send(request, server_request)
        finally:
            self._server_requests -= 1

    async def _work(self) -> None:
        try:
            while self._asked:
                await self._send(self._asked.popleft(), None)
        finally:
            self._busy -= 1

    def _leave_unanswered(self) -> None:
        if not self._has_reported:
            self._has_reported = True
            self._overrun(f"More than {WAITING:,} server requests are pending: further ones get no response.")
