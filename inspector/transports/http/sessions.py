"""A session id, a GET stream, resumption and DELETE (2025-03-26 to 2025-11-25, basic/transports).

A stream that ends after it has named an event id is not the end of its exchange: the server may have dropped
the connection on purpose (polling), and a GET with Last-Event-ID resumes it. This file reads no JSON and
so can't know that a stream has delivered its response; the sender of the request can, and abandons `send` then.
That is quiet: "disconnection SHOULD NOT be interpreted as the client cancelling its request", and a stream
that is about to end gets the time to do so.
"""

import asyncio
import re
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from inspector.errors import ConnectError
from inspector.protocol.facts import Headers
from inspector.protocol.frames import Channel
from inspector.transports.base import Delivery, Expects, Outgoing
from inspector.transports.http.endpoint import ACCEPT_ANSWER, ACCEPT_STREAM, JSON_CONTENT, Endpoint
from inspector.transports.http.reply import HttpReply, Trail, read_body, read_events
from inspector.transports.http.tasks import TransportTasks

_VISIBLE_ASCII = re.compile(r"[\x21-\x7E]+")
_GRACE = 0.2
"""Seconds in which an abandoned stream may end by itself."""
_RETRY = 1000
"""Milliseconds before a stream is resumed if the server names none."""
_RETRY_FLOOR = 50
"""Milliseconds; with less, a server that says 0 and closes would make us spin."""
_PAUSE_LIMIT = 30.0
"""Seconds: what the pause grows to while nothing succeeds, unless the server itself asks for more."""
_TRIES = 5
"""Attempts in a row that bring nothing, before a stream is given up."""
_HEAD_WAIT = 3.0
"""Seconds that `open_stream` waits for the head; some servers send none before the first event."""
_DELETE_WAIT = 2.0
_LATER = {408, 409, 425, 429}
"""Refusals that a later attempt may not meet. 409: the server has not yet noticed that the old stream is gone."""


class SessionTransport:
    """The carriage of the three revisions with sessions."""

    def __init__(self, endpoint: Endpoint, tasks: TransportTasks) -> None:
        self.mcp_session_id: str | None = None
        """As the server gave it; None before that, without one, or after `forget`."""
        self._endpoint = endpoint
        self._tasks = tasks
        self._abandoned: set[asyncio.Task[Delivery]] = set()
        self._standalone: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Nothing to do: the session begins with the first response."""

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Post it and read the response to its end, resuming the stream if it breaks. Raises: ConnectError."""
        headers = (*self._post_headers(outgoing), *outgoing.headers.items())
        body, probe = outgoing.payload, outgoing.probe
        trail = Trail()
        async with await self._endpoint.request("POST", headers, body=body, probe=probe) as reply:
            why = self._keep_session_id(reply) if outgoing.opens_session else ""
            if not reply.is_stream:
                body = await read_body(reply)
                return reply.delivery(answer_may_follow=reply.status == 202, body=body, why=why)
            await read_events(reply, Channel.SSE, trail)
        if not trail.last_id or outgoing.expects is Expects.NOTHING:
            return reply.delivery(why=why)
        return await self._resume(trail, reply)

    def abandon(self, sending: asyncio.Task[Delivery]) -> None:
        """Stop caring: no resumption any more, and after a moment of grace no stream."""
        self._abandoned.add(sending)
        sending.add_done_callback(self._abandoned.discard)
        asyncio.get_running_loop().call_later(_GRACE, sending.cancel)

    async def open_stream(self, headers: dict[str, str]) -> Delivery:
        """Open the standalone stream and keep it open in the background; an earlier one is closed first.

        Returns once the server has answered, whatever it says (405: it offers none), or after a few seconds with
        status None if it has not: then the stream is awaited in the background. Raises: ConnectError.
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
        """Drop the session id and the stream that belongs to it, so that `initialize` can be sent again."""
        self.mcp_session_id = None
        if self._standalone is not None:
            self._standalone.cancel()

    async def stop(self) -> None:
        """Close the stream and tell the server that the session is over; it may not care, or not answer."""
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
        """Store it before the response is read, so that later requests carry it. "" or what is wrong."""
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
        """Go on with a POST's stream until it ends without an id, is refused, abandoned, or nothing more comes."""
        task = asyncio.current_task()
        failures = 0
        while trail.last_id and failures < _TRIES:
            await asyncio.sleep(_pause(trail, failures))
            if task in self._abandoned:
                return first.delivery(answer_may_follow=True)
            before = trail.items
            refusal = await self._continue(trail, {})
            if refusal is not None and not _is_passing(refusal):
                return replace(refusal, begun=True)
            failures = 0 if trail.items > before else failures + 1
        given_up = f"the stream ended early, and {_TRIES} attempts to resume it brought nothing"
        return first.delivery(why=given_up if trail.last_id else "")

    async def _listen(self, headers: dict[str, str], opened: "asyncio.Future[Delivery]") -> None:
        """Read the standalone stream, again and again, until the server refuses it or nothing more comes."""
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
        """GET a stream and read it to its end; None if there was one, else the response."""
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
                _tell(opened, reply.delivery(answer_may_follow=True))
                await read_events(reply, Channel.GET, trail)
                return None
            refusal = reply.delivery(body=await read_body(reply))
            _tell(opened, refusal)
            return refusal


def _tell(opened: "asyncio.Future[Delivery] | None", delivery: Delivery) -> None:
    if opened is not None and not opened.done():
        opened.set_result(delivery)


def _pause(trail: Trail, failures: int) -> float:
    """Seconds: what the server asked for, "the client MUST respect" it; longer if attempts keep failing."""
    asked = max(_RETRY if trail.retry is None else trail.retry, _RETRY_FLOOR) / 1000
    return max(asked, min(asked * float(2**failures), _PAUSE_LIMIT))


def _is_passing(refusal: Delivery) -> bool:
    """Whether a later attempt may fare better: the server could not be reached, is in trouble, or says so."""
    return refusal.status is None or refusal.status >= 500 or refusal.status in _LATER
