"""Session id, GET stream, resumption and DELETE (2025-03-26 to 2025-11-25, basic/transports).

A stream that ends after it has sent an event id is not the end of its exchange: the server may have dropped the
connection on purpose (polling), and a GET with Last-Event-ID resumes it. This file parses no JSON, so it can't know
that a stream has delivered its response. The sender of the request can, and then cancels `send`. The stream is not
closed at once: "disconnection SHOULD NOT be interpreted as the client cancelling its request", and a stream that is
about to end gets the time to do so.
"""

import asyncio
import logging
import re
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from msgspec.structs import replace

from inspector.errors import ConnectError, InspectError
from inspector.protocol.facts import Headers
from inspector.protocol.frames import Channel
from inspector.transports.base import Delivery, Expects, Outgoing
from inspector.transports.http.endpoint import ACCEPT_ANSWER, ACCEPT_STREAM, JSON_CONTENT, Endpoint
from inspector.transports.http.reply import HttpReply, Trail, read_body, read_events

logger = logging.getLogger(__name__)

_T = TypeVar("_T")
_VISIBLE_ASCII = re.compile(r"[\x21-\x7E]+")
_GRACE = 0.2
"""Seconds in which an abandoned stream may end by itself."""
_RETRY = 1000
"""Milliseconds before a stream is resumed, if the server sends no value."""
_RETRY_FLOOR = 50
"""Minimum milliseconds, so that a server that sends 0 and closes does not cause a busy loop."""
_PAUSE_LIMIT = 30.0
"""Limit in seconds of the growing pause between failed attempts, unless the server requests a longer one."""
_TRIES = 5
"""Failed attempts in a row after which a stream is given up."""
_HEAD_WAIT = 3.0
"""Seconds that `open_stream` waits for the headers; some servers send none before the first event."""
_DELETE_WAIT = 2.0
_LATER = {408, 409, 425, 429}
"""Statuses for which a retry makes sense. 409: the server has not yet noticed that the old stream is closed."""
_NOT_RESUMED = "the stream ended early, and GET with Last-Event-ID, to resume it, was refused"


class TransportTasks:
    """Tasks of one HTTP transport, ended together.

    An `asyncio.TaskGroup` must be entered and left by the same task, but a transport is opened by one task and closed
    by another. So this gives the guarantees of a TaskGroup: no task is lost, no error is silent, and none outlives
    `close`.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, _T], name: str) -> asyncio.Task[_T]:
        """Start a task. Awaiting the task raises its error. An error other than InspectError is logged as well."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    async def settle(self, name: str) -> None:
        """Wait a moment for the tasks of this name to end by themselves."""
        if these := [each for each in self._running if each.get_name() == name]:
            await asyncio.wait(these, timeout=_GRACE)

    async def close(self) -> None:
        """Cancel all tasks and wait until the last has ended; the caller's own task is not cancelled."""
        while others := self._running - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.wait(others)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, InspectError):
            logger.error("the task %s failed", task.get_name(), exc_info=error)


class SessionTransport:
    """HTTP for the three revisions with sessions."""

    def __init__(self, endpoint: Endpoint, tasks: TransportTasks) -> None:
        self.mcp_session_id: str | None = None
        """Session id from the server; None before it is received, without one, and after `forget`."""
        self._endpoint = endpoint
        self._tasks = tasks
        self._abandoned: set[asyncio.Task[Delivery]] = set()
        self._standalone: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Do nothing: the session begins with the first response."""

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Post a message and read the response to its end; resume its stream if it breaks. Raises: ConnectError."""
        headers = (*self._post_headers(outgoing), *outgoing.headers.items())
        body, cause = outgoing.payload, outgoing.cause
        trail = Trail()
        async with await self._endpoint.request("POST", headers, body=body, cause=cause) as reply:
            why = self._keep_session_id(reply) if outgoing.opens_session else ""
            if not reply.is_stream:
                body = await read_body(reply)
                is_page = (
                    reply.media_type == "text/html" and body.lstrip()[:1] == b"<"
                )  # of something in front: nothing follows it
                return reply.delivery(answer_may_follow=reply.status == 202 and not is_page, body=body, why=why)
            await read_events(reply, Channel.SSE, trail)
        if not trail.last_id or outgoing.expects is Expects.NOTHING:
            return reply.delivery(why=why)
        return await self._resume(trail, reply)

    def abandon(self, sending: asyncio.Task[Delivery]) -> None:
        """Stop resuming the stream of a message, and close it after a short grace period."""
        self._abandoned.add(sending)
        sending.add_done_callback(self._abandoned.discard)
        asyncio.get_running_loop().call_later(_GRACE, sending.cancel)

    async def open_stream(self, headers: dict[str, str]) -> Delivery:
        """Open the standalone stream and keep it open in the background. An earlier one is closed first.

        Return once the server has responded, with whatever status (405: it offers none), or after a few seconds with
        status None; then the stream is awaited in the background. Raises: ConnectError.
        """
        await self._close_stream()
        opened: asyncio.Future[Delivery] = asyncio.get_running_loop().create_future()
        stream = self._standalone = self._tasks.spawn(self._listen(headers, opened), "standalone GET stream")
        either: set[asyncio.Future[Any]] = {opened, stream}
        await asyncio.wait(either, timeout=_HEAD_WAIT, return_when=asyncio.FIRST_COMPLETED)
        if opened.done():
            return opened.result()
        if stream.done() and not stream.cancelled():
            stream.result()
        return Delivery(answer_may_follow=True, why="no response to GET so far; it is awaited in the background")

    def forget(self) -> None:
        """Drop the session id and its stream, so that `initialize` can be sent again."""
        self.mcp_session_id = None
        if self._standalone is not None:
            self._standalone.cancel()

    async def stop(self) -> None:
        """Close the stream and delete the session at the server, which may ignore that."""
        await self._close_stream()
        if self.mcp_session_id is None:
            return
        with suppress(ConnectError, TimeoutError):
            async with asyncio.timeout(_DELETE_WAIT):
                async with await self._endpoint.request("DELETE", self._session_header()) as reply:
                    await read_body(reply)
        self.mcp_session_id = None

    def _post_headers(self, outgoing: Outgoing) -> Headers:
        # "start a new session by sending a new InitializeRequest without a session ID attached"
        session = () if outgoing.opens_session else self._session_header()
        return (ACCEPT_ANSWER, JSON_CONTENT, *session)

    def _session_header(self) -> Headers:
        return () if self.mcp_session_id is None else (("Mcp-Session-Id", self.mcp_session_id),)

    def _keep_session_id(self, reply: HttpReply) -> str:
        """Store the session id before the response is read, so that later requests carry it.

        Return "", or what is wrong with it.
        """
        given = reply.header("mcp-session-id")
        if not reply.is_success or given is None:
            return ""
        if not _VISIBLE_ASCII.fullmatch(given):
            self.mcp_session_id = None
            return "the session id has characters outside visible ASCII and is not sent back"
        self.mcp_session_id = given
        return ""

    async def _close_stream(self) -> None:
        stream, self._standalone = self._standalone, None
        if stream is not None:
            stream.cancel()
            await asyncio.wait({stream})

    async def _resume(self, trail: Trail, first: HttpReply) -> Delivery:
        """Resume the stream of a POST until it ends without an id, is rejected, abandoned, or has no more data."""
        task = asyncio.current_task()
        failures = 0
        while trail.last_id and failures < _TRIES:
            await asyncio.sleep(_pause(trail, failures))
            if task in self._abandoned:
                return first.delivery(answer_may_follow=True)
            before = trail.items
            refusal = await self._continue(trail, {})
            if refusal is not None and not _is_passing(refusal):
                return replace(refusal, begun=True, why=refusal.why or _NOT_RESUMED)
            failures = 0 if trail.items > before else failures + 1
        given_up = f"the stream ended early, and {_TRIES} attempts to resume it failed"
        return first.delivery(why=given_up if trail.last_id else "")

    async def _listen(self, headers: dict[str, str], opened: "asyncio.Future[Delivery]") -> None:
        """Read the standalone stream and reopen it, until the server rejects it or nothing more follows."""
        trail = Trail()
        clock = asyncio.get_running_loop().time
        failures, was_open = 0, False
        while failures < _TRIES:
            before, since = trail.items, clock()
            refusal = await self._continue(trail, headers, opened)
            was_open = was_open or refusal is None
            if refusal is not None and not (was_open and _is_passing(refusal)):
                return
            lived = trail.items > before or (refusal is None and clock() - since > _PAUSE_LIMIT)
            failures = 0 if lived else failures + 1
            await asyncio.sleep(_pause(trail, failures))

    async def _continue(
        self, trail: Trail, headers: dict[str, str], opened: "asyncio.Future[Delivery] | None" = None
    ) -> Delivery | None:
        """Open a stream by GET and read it to its end; return None then. Otherwise return the response."""
        resumed = (("Last-Event-ID", trail.last_id),) if trail.last_id else ()
        every = (ACCEPT_STREAM, *self._session_header(), *resumed, *headers.items())
        try:
            reply = await self._endpoint.request("GET", every)
        except ConnectError as error:
            if opened is not None and not opened.done():
                raise
            return Delivery(answer_may_follow=False, why=str(error))
        async with reply:
            if reply.is_success and reply.is_stream:
                _settle(opened, reply.delivery(answer_may_follow=True))
                await read_events(reply, Channel.GET, trail)
                return None
            refusal = reply.delivery(body=await read_body(reply))
            _settle(opened, refusal)
            return refusal


def _settle(opened: "asyncio.Future[Delivery] | None", delivery: Delivery) -> None:
    if opened is not None and not opened.done():
        opened.set_result(delivery)


def _pause(trail: Trail, failures: int) -> float:
    """Return the seconds to wait: what the server requested, "the client MUST respect" it; longer after failures."""
    asked = max(_RETRY if trail.retry is None else trail.retry, _RETRY_FLOOR) / 1000
    return max(asked, min(asked * float(2**failures), _PAUSE_LIMIT))


def _is_passing(refusal: Delivery) -> bool:
    """Return whether a retry may succeed: the server could not be reached, has an error, or says so."""
    return refusal.status is None or refusal.status >= 500 or refusal.status in _LATER
