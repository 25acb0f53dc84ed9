"""HttpTransport: one connection over HTTP, in the variant (`Carriage`) of its revision.

It owns what the variants share: the address with its client, the tasks, and the end of the connection. Every `send`
runs in a task of the transport, so that closing ends it for all waiters, and a revision can let an abandoned one
finish.
"""

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from typing import Protocol, assert_never

import httpx

from inspector.errors import AuthorizationNeeded, ConnectError, Disconnected
from inspector.protocol.facts import ConnectionEvent, ConnectionFact, ProcessEvent, ProcessFact
from inspector.protocol.frames import Channel
from inspector.protocol.given_values import flaws_of
from inspector.protocol.revisions._shape import Carriage
from inspector.protocol.url_hosts import is_loopback
from inspector.text import excerpt_of
from inspector.transports.base import Delivery, Expects, Observer, Outgoing
from inspector.transports.http.authorizing import Ask
from inspector.transports.http.endpoint import (
    ACCEPT_ANSWER,
    ACCEPT_STREAM,
    JSON_CONTENT,
    Endpoint,
    HttpOptions,
    address_text,
)
from inspector.transports.http.reply import HttpReply, Trail, read_body, read_events
from inspector.transports.http.resumption import SessionTransport, TransportTasks
from inspector.transports.http.sse import SseEvent, SseItem, SseParser

# HTTP+SSE (2024-11-05): a GET stream for messages, and POST to the address in its first event.


class LegacySse:
    """HTTP for the first revision."""

    def __init__(self, endpoint: Endpoint, tasks: TransportTasks, lost: Callable[[str], None]) -> None:
        """Create the variant. `lost` is called with the reason once the stream has ended by itself."""
        self._endpoint = endpoint
        self._tasks = tasks
        self._lost = lost
        self._address: httpx.URL | None = None
        self.refusal: Delivery | None = None
        """Response of the server if it was no stream."""

    async def start(self) -> None:
        """Open the stream and wait for the address. Raises: ConnectError, AuthorizationNeeded."""
        address = asyncio.get_running_loop().create_future()
        pump = self._tasks.spawn(self._pump(address), "legacy SSE stream")
        limit = self._endpoint.options.connect_timeout
        try:
            await asyncio.wait({pump, address}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            if pump.done():
                pump.result()
                raise self._no_endpoint("ended its stream")
            if address.done():
                self._address = self._endpoint.resolve(address.result())
            else:
                raise self._no_endpoint(f"has sent none within {limit:g} s")
        except BaseException:
            pump.cancel()
            raise

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Post a message to the address. The response to a request arrives on the stream.

        Raises: Disconnected without a stream; ConnectError.
        """
        if self._address is None:
            raise Disconnected("The SSE stream is not open.", hint="Connect again.")
        headers = (ACCEPT_ANSWER, JSON_CONTENT, *outgoing.headers.items())
        body, cause = outgoing.payload, outgoing.cause
        request = self._endpoint.request("POST", headers, body=body, url=self._address, cause=cause)
        async with await request as reply:
            if reply.is_stream:
                await read_events(reply, Channel.SSE, Trail())
                return reply.delivery(answer_may_follow=reply.is_success)
            return reply.delivery(answer_may_follow=reply.is_success, body=await read_body(reply))

    def abandon(self, sending: asyncio.Task[Delivery]) -> None:
        """Stop posting. If the message was posted already, the response may still arrive on the stream."""
        sending.cancel()

    async def stop(self) -> None:
        """Forget the address. The owner of the tasks ends the stream."""
        self._address = None

    async def _pump(self, address: "asyncio.Future[str]") -> None:
        async with await self._endpoint.request("GET", (ACCEPT_STREAM,)) as reply:
            if not (reply.is_success and reply.is_stream):
                self.refusal = reply.delivery(body=await read_body(reply))
                raise _refused(reply, self.refusal)
            await read_events(reply, Channel.GET, Trail(), _EndpointFirst(address))
        if self._address is not None:
            self._address = None
            self._lost(reply.cut or "the server ended the SSE stream")

    def _no_endpoint(self, what: str) -> ConnectError:
        address = address_text(self._endpoint.url)
        return ConnectError(
            f'{address} should be an event stream that begins with "endpoint", but the server {what}.',
            hint="Is this the address of the SSE stream? The log shows the response.",
        )


class _EndpointFirst(SseParser):
    """Takes the address from the first event, which is recorded as a note because it is not a message."""

    def __init__(self, address: "asyncio.Future[str]") -> None:
        super().__init__()
        self._address = address

    def feed(self, chunk: bytes) -> list[SseItem]:
        return [self._taken(item) for item in super().feed(chunk)]

    def _taken(self, item: SseItem) -> SseItem:
        if not isinstance(item, SseEvent) or item.event != "endpoint" or not item.data:
            return item
        if not self._address.done():
            self._address.set_result(item.data.decode(errors="replace").strip())
        return SseEvent(item.raw, None, item.event, item.id, item.retry)


class _Carrier(Protocol):
    """Common interface of the three HTTP variants."""

    async def start(self) -> None: ...

    async def send(self, outgoing: Outgoing) -> Delivery: ...

    def abandon(self, sending: asyncio.Task[Delivery]) -> None: ...

    async def stop(self) -> None: ...


def _refused(reply: HttpReply, delivery: Delivery) -> ConnectError:
    excerpt = excerpt_of(delivery.body)
    message = f": {excerpt}" if excerpt else ""
    kind = delivery.content_type or "no content type"
    sentence = f"the response to GET for an event stream was {reply.status}, {kind}{message}"
    if reply.status in (401, 403):
        return AuthorizationNeeded(sentence, hint="Log in, or pass a token with -H 'Authorization: Bearer …'.")
    return ConnectError(sentence, hint="Is this the address of an MCP server? The log shows each attempt.")


# One POST, one response or stream; closing it cancels (2026-07-28, basic/transports/streamable-http)


class Stateless:
    """HTTP for the stateless era."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def start(self) -> None:
        """Do nothing."""

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Post a message and read the response to its end. Nothing can follow after that. Raises: ConnectError."""
        headers = (ACCEPT_ANSWER, JSON_CONTENT, *outgoing.headers.items())
        body, cause = outgoing.payload, outgoing.cause
        async with await self._endpoint.request("POST", headers, body=body, cause=cause) as reply:
            if not reply.is_stream:
                return reply.delivery(body=await read_body(reply))
            await read_events(reply, Channel.SSE, Trail())
            return reply.delivery()

    def abandon(self, sending: asyncio.Task[Delivery]) -> None:
        """Close the stream at once: "the server MUST treat a disconnect as a cancel"."""
        sending.cancel()

    async def stop(self) -> None:
        """Do nothing."""


class HttpTransport:
    """A Transport over HTTP, on one event loop."""

    def __init__(
        self, url: str, *, options: HttpOptions | None = None, carriage: Carriage = Carriage.STATELESS
    ) -> None:
        """Create a transport. Raises: UsageError if the URL can't be that of a server."""
        self._endpoint = Endpoint(url, options or HttpOptions())
        self.probe = self._endpoint.probe
        """Makes one exchange to see the outcome. Requires an open connection."""
        self._carriage = carriage
        self._tasks = TransportTasks()
        self._carrier = self._make_carrier()
        self._observer: Observer | None = None
        self._why: str | None = None
        self._closing = False
        self._ended = asyncio.Event()
        self._closed = asyncio.Event()

    @property
    def kind(self) -> str:
        """Kind of connection: "sse" with LEGACY_SSE, otherwise "http"."""
        return "sse" if self._carriage is Carriage.LEGACY_SSE else "http"

    @property
    def url(self) -> str:
        """Address, without user name and password."""
        return str(self._endpoint.url)

    @property
    def carriage(self) -> Carriage:
        """Current HTTP variant."""
        return self._carriage

    @property
    def mcp_session_id(self) -> str | None:
        """Session id from the server; None if there is none, and with every carriage but SESSIONS."""
        return self._carrier.mcp_session_id if isinstance(self._carrier, SessionTransport) else None

    @property
    def logging_in(self) -> bool:
        """Whether a login is running; messages wait for it."""
        authorizer = self._endpoint.options.authorizer
        return authorizer is not None and authorizer.busy

    @property
    def ask_aside(self) -> Ask:
        """Function for exchanges that carry no messages. Requires an open connection."""
        return self._endpoint.ask_aside

    @property
    def common_headers(self) -> dict[str, str]:
        """Headers of every request, including GET and DELETE; those of a message override them. May be changed."""
        return self._endpoint.common_headers

    @common_headers.setter
    def common_headers(self, headers: Mapping[str, str]) -> None:
        self._endpoint.common_headers = dict(headers)

    @property
    def refusal(self) -> Delivery | None:
        """Response to the GET of LEGACY_SSE if it was no stream: additional evidence for the error of `use`."""
        return self._carrier.refusal if isinstance(self._carrier, LegacySse) else None

    async def open(self, observer: Observer) -> None:
        """Create the client; with LEGACY_SSE also open the stream and wait for the address to post to.

        Raises: ConnectError; UsageError for a certificate file or proxy that can't be used.
        """
        if self._observer is not None or self._closing:
            raise ConnectError("This connection was opened or closed before.", hint="Make a new one.")
        self._endpoint.open(observer)
        self._observer = observer
        options = self._endpoint.options
        flaws = flaws_of(options.headers, time.time())
        opened = ConnectionEvent.OPEN
        observer.fact(ConnectionFact(opened, self.kind, url=self.url, insecure=options.insecure, flaws=flaws))
        try:
            await self._carrier.start()
        except ConnectError as error:
            self._end(str(error))
            await self.close()
            raise

    async def use(self, carriage: Carriage) -> None:
        """Switch to another HTTP variant. Running exchanges of the old one end, and its session is deleted.

        From STATELESS to SESSIONS the old one stays open: a pending probe may still get a response. If LEGACY_SSE
        can't be started, the error is raised, `refusal` has the response, and another `use` may follow.

        Raises: ConnectError with status, content type and an excerpt; AuthorizationNeeded for 401 and 403.
        """
        self._check_open()
        if (self._carriage, carriage) != (Carriage.STATELESS, Carriage.SESSIONS):
            await self._carrier.stop()
            await self._tasks.close()
        self._carriage = carriage
        self._carrier = self._make_carrier()
        await self._carrier.start()

    async def open_stream(self, headers: Mapping[str, str] | None = None) -> Delivery:
        """With SESSIONS: open the standalone GET stream. Call this after `initialized` was accepted.

        Its frames arrive from then on, and it is resumed when it breaks. A rejection is not an error: the Delivery
        has the status, and 405 means that the server offers no such stream. With other carriages nothing is done.

        Raises: ConnectError; Disconnected.
        """
        self._check_open()
        if not isinstance(self._carrier, SessionTransport):
            return Delivery(answer_may_follow=False, why="this carriage has no standalone stream")
        return await self._carrier.open_stream(dict(headers or {}))

    def forget_session(self, status: int = 404) -> None:
        """Drop the session id without a DELETE, because the server has shown that it is unknown."""
        if not isinstance(self._carrier, SessionTransport):
            return
        if self._observer is not None:
            why = f"the server has answered {status}, starting a new session"
            self._observer.fact(ConnectionFact(ConnectionEvent.RENEW, self.kind, url=self.url, why=why))
        self._carrier.forget()

    async def send(self, outgoing: Outgoing) -> Delivery:
        """Send one message and wait for the end of its exchange.

        With SESSIONS, a stream may end and be resumed repeatedly without its response. Only the caller can see that
        the response has arrived, and should then cancel this call. That cancels nothing at the server, and the
        stream may still end by itself. With STATELESS, cancelling closes the stream at once, which cancels the
        request; so a caller that has its response lets the call finish.

        Any status is a Delivery, 401 and 403 too. Raises: Disconnected; ConnectError.
        """
        self._check_open()
        carrier = self._carrier
        sending = self._tasks.spawn(carrier.send(outgoing), "notify" if outgoing.expects is Expects.NOTHING else "send")
        try:
            await asyncio.wait({sending})
        except asyncio.CancelledError:
            carrier.abandon(sending)
            raise
        if sending.cancelled():
            raise Disconnected("The connection was closed before this exchange was over.", hint="Connect again.")
        return sending.result()

    async def record_stall(self) -> None:
        """Record what the server's process does, if it is one of this machine that the system lets us see."""
        from inspector.transports.process_state import observed  # only hangs need them
        from inspector.transports.sockets import listener_on

        url, observer = self._endpoint.url, self._observer
        if observer is None or not is_loopback(url.host):
            return
        pid = await asyncio.to_thread(listener_on, url.port or (443 if url.scheme == "https" else 80))
        if pid in (0, os.getpid()):
            return
        if (state := await observed(pid, serves_pipes=False)) is not None:
            observer.fact(ProcessFact(ProcessEvent.STALL, pid, state=state))

    async def close(self) -> None:
        """End the session if there is one (DELETE, at most two seconds), every stream and every connection."""
        if self._closing:
            await self._closed.wait()
            return
        self._closing = True
        if self._observer is not None:
            await self._tasks.settle("notify")  # how the server answers these may matter
            await self._carrier.stop()
            await self._tasks.close()
            await self._endpoint.close()
        self._end("")
        self._closed.set()

    async def wait_closed(self) -> str:
        """Wait for the end of the connection; return why, "" after `close`.

        HTTP without a stream ends only by `close`.
        """
        await self._ended.wait()
        return self._why or ""

    def _make_carrier(self) -> _Carrier:
        match self._carriage:
            case Carriage.STATELESS:
                return Stateless(self._endpoint)
            case Carriage.SESSIONS:
                return SessionTransport(self._endpoint, self._tasks)
            case Carriage.LEGACY_SSE:
                return LegacySse(self._endpoint, self._tasks, self._end)
            case _:
                assert_never(self._carriage)

    def _check_open(self) -> None:
        if self._observer is None or self._closing or self._why is not None:
            why = self._why or ("it was closed" if self._closing else "it is not open")
            raise Disconnected(f"Nothing can be sent over this connection: {why}.", hint="Connect again.")

    def _end(self, why: str) -> None:
        if self._why is not None:
            return
        self._why = why
        if self._observer is not None:
            self._observer.fact(ConnectionFact(ConnectionEvent.CLOSE, self.kind, url=self.url, why=why))
        self._ended.set()
