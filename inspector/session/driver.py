"""Driver: performs the steps of flows over a transport and matches responses with pending requests.

    flow ──Send──▶ driver ──Outgoing──▶ transport ──frame──▶ journal ──Event──▶ driver ──Reply──▶ flow

A request exists once its frame was observed; its response returns the same way, as an event of the fold. The
transport's `Delivery` only matters if there is no response: it then gives the reason.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar, assert_never, runtime_checkable

import msgspec
from msgspec.structs import replace

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.errors import AuthorizationNeeded, ConnectError, InspectError, NoResponse, RequestFailed
from inspector.protocol import events, jsonrpc
from inspector.protocol.events import Event
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.flows.steps import (
    Await,
    Broken,
    Drop,
    Flow,
    GivenUp,
    Notice,
    Notify,
    OpenStream,
    Pause,
    Refused,
    Replied,
    Reply,
    RequestUserInput,
    Restart,
    Send,
    SendBatch,
    Silent,
    Step,
    UseCarriage,
    WaitForNews,
    Withdraw,
    cancel,
)
from inspector.protocol.frames import Cause, Direction
from inspector.protocol.headers import headers_for, version_header
from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.request_meta import ClientIdentity, stamped
from inspector.protocol.revisions._shape import Carriage, Revision, SubscriptionMethod
from inspector.protocol.revisions.table import find
from inspector.protocol.server_requests import ServerRequest
from inspector.session.answering import AdvertisedCapabilities, RequestHandling, RequestLimits, SideWaits
from inspector.session.inbox import Inbox
from inspector.session.options import Timeouts
from inspector.session.waiting import Waiter, wait
from inspector.transports.base import Delivery, Expects, Outgoing, Transport

T = TypeVar("T")

_CANCEL_GRACE_S = 0.5
"""Seconds to wait until a cancellation is sent; a server may have stopped reading."""

_EXIT_GRACE_S = 0.5
"""Seconds to wait before the connection is closed after a cancellation, to see whether the server exits at it."""


class RequestIds(Iterator[int]):
    """Request ids of one session: integers from 1, never reused."""

    def __init__(self) -> None:
        self._last = 0
        self._spent: set[RequestId] = set()

    def __next__(self) -> int:
        self._last += 1
        while self._last in self._spent:
            self._last += 1
        return self._last

    def spend(self, ids: Iterable[RequestId]) -> None:
        """Reserve ids used in messages that the user wrote."""
        self._spent.update(ids)


class RequestedLogLevel(msgspec.Struct):
    level: str = ""
    """Level that every request declares, where requests declare it; "" for none."""


BeforeSend = Callable[[Outgoing], Awaitable[Outgoing | None]]
"""Returns the message to send in place of one, possibly after a long time; None to send nothing."""


class HttpControl(Protocol):
    """What a driver needs of an HTTP transport in addition to `Transport`."""

    common_headers: dict[str, str]
    """Headers of GET and DELETE besides the session id."""

    @property
    def carriage(self) -> Carriage:
        """Current HTTP variant."""

    async def use(self, carriage: Carriage) -> None:
        """Switch to another HTTP variant. Raises: ConnectError."""

    async def open_stream(self, headers: Mapping[str, str]) -> Delivery:
        """Open the standalone stream."""

    def forget_session(self, status: int) -> None:
        """Drop the session id: the server has responded with this status."""

    @property
    def logging_in(self) -> bool:
        """Whether a login is running."""

    @property
    def mcp_session_id(self) -> str | None:
        """Session id from the server; None if there is none."""


@runtime_checkable
class ProcessControl(Protocol):
    """What connecting needs of a transport that starts its server, in addition to `Transport`."""

    def hold(self, lost: Callable[[str], None]) -> None:
        """Call `lost` when the server exits, instead of ending the connection, until `restart` or `settle`."""

    async def restart(self, why: str) -> str:
        """Restart the server; return how it had exited, or "" if it was not restarted."""

    def settle(self) -> None:
        """Stop holding exits."""


@runtime_checkable
class StallRecorder(Protocol):
    """A transport that can see the server's process."""

    async def record_stall(self) -> None:
        """Record what the process does while a request has no response."""


def outgoing(
    step: Send,
    id_: RequestId,
    settled: Revision | None,
    client: ClientIdentity,
    logs: RequestedLogLevel,
    cause: Cause = Cause.USER,
) -> Outgoing:
    """Return a request with the stamps and headers of its revision. `settled` is the session's revision.

    `cause` is that of the flow, for a step that has none.
    """
    cause = step.cause or cause
    opens = step.method == "initialize"
    revision = None if opens else step.revision or settled
    token = id_ if step.progress or (client.sdk == "rust" and settled is not None) else None
    own = {} if step.params is None and client.has_params else step.params
    is_typescript, listens = client.sdk.startswith("typescript"), step.method == SubscriptionMethod.LISTEN
    if is_typescript and listens:
        own = {"_meta": {}, **own}
    params = stamped(revision, own, client, progress_token=token, log_level=logs.level)
    if is_typescript and not listens and cause is not Cause.PROBE:
        payload = jsonrpc.write_spread_request(id_, step.method, params, has_own_params=own is not None)
    else:
        payload = jsonrpc.write_request(id_, step.method, params)
    return Outgoing(
        payload,
        Expects.ANSWER,
        headers={} if revision is None else headers_for(revision, step.method, params, step.input_schema),
        opens_session=opens,
        cause=cause,
    )


def refused(exchange: Exchange | None, delivery: Delivery, why: str) -> Refused:
    """Return the outcome of a delivered request that gets no response."""
    return Refused(
        exchange,
        delivery.status,
        delivery.content_type,
        delivery.body,
        headers=delivery.headers,
        why=why,
        begun=delivery.begun,
    )


def is_unknown_session(status: int | None, message: str) -> bool:
    """Return whether this response means that the server does not know the session id (any more)."""
    return status == 404 or (status == 400 and "session" in message.lower())


async def _unchanged(message: Outgoing) -> Outgoing | None:
    return message


class Driver:
    """Sends requests, waits for responses, and answers server requests. One per session, on its event loop."""

    def __init__(
        self,
        transport: Transport,
        journal: Journal,
        client: ClientIdentity,
        clocks: Timeouts,
        tasks: asyncio.TaskGroup,
        inbox: Inbox,
    ) -> None:
        self._transport = transport
        self.before_send: BeforeSend = _unchanged
        self._answering = RequestHandling(client.offers, inbox)
        self.side_waits = SideWaits(self._answering, tasks, lambda id_: journal.conversation.tasks.find(id_))
        self._journal = journal
        self.offering = AdvertisedCapabilities(client, self._answering)
        self._clocks = clocks
        self._tasks = tasks
        self.ids = RequestIds()
        self.logs = RequestedLogLevel()
        self._waiters: dict[RequestId, Waiter] = {}
        self.waiters: Mapping[RequestId, Waiter] = self._waiters
        """Pending requests by id, readable from any thread."""
        self._pending_cancels: set[asyncio.Task[None]] = set()
        self._watched_until = 0.0
        """Time of the event loop until which an exit of the server may be due to the last cancellation."""
        self._bounds = RequestLimits(self._answer, tasks, journal.note)
        self.http: HttpControl | None = transport if transport.kind in ("http", "sse") else None  # type: ignore[assignment]
        self.process: ProcessControl | None = transport if isinstance(transport, ProcessControl) else None
        self._stalls = transport if isinstance(transport, StallRecorder) else None

    @property
    def revision(self) -> Revision | None:
        """Revision of requests sent now; None before the conversation is open."""
        opening = self._journal.conversation.opening
        return opening.revision if opening else None

    async def drive(
        self, flow: Flow[T], opened: Callable[[Exchange], None] = lambda exchange: None, *, cause: Cause = Cause.USER
    ) -> T:
        """Perform a flow's steps until it returns. Its exceptions are raised. `cause` is recorded with its messages."""
        came: Any = None
        try:
            while True:
                came = await self._perform(flow.send(came), opened, cause)
        except StopIteration as stop:
            result: T = stop.value
            return result

    async def cancel(self, exchange: Exchange, reason: str) -> None:
        """Cancel a request and wake its waiter. A late response is still shown."""
        self._answering.inbox.withdraw(f"the call it belongs to was cancelled: {reason}", exchange=exchange.number)
        waiter = self._waiters.get(exchange.id)
        if waiter is not None:
            waiter.settle(GivenUp(waiter.exchange, reason))
            await self._cancel_soon(waiter, reason)

    async def finish_cancels(self) -> None:
        """Wait briefly until recent cancellations are sent, because the connection is about to end."""
        if self._pending_cancels:
            await asyncio.wait(self._pending_cancels, timeout=_CANCEL_GRACE_S)
        if self._watched_until > asyncio.get_running_loop().time():
            with suppress(TimeoutError):  # the end of stdin would hide that the server exits at the cancellation
                async with asyncio.timeout_at(self._watched_until):
                    await self._transport.wait_closed()

    def fail_all(self, why: str, hint: str = "") -> None:
        """End all waits, because the connection is lost."""
        for waiter in list(self._waiters.values()):
            waiter.settle(Broken(waiter.exchange, why, hint))
            if waiter.delivery is not None:
                waiter.delivery.cancel()

    def on_entry(self, entry: Entry, found: Sequence[Event]) -> None:
        """Process the events of an entry: wake waiters, respond to server requests."""
        # The server requests of this entry by exchange, collected once: a batch may have thousands.
        asked: dict[int, ServerRequest] | None = None
        for event in found:
            match event:
                case events.RequestSent(exchange) if exchange.sender is Direction.TO_SERVER:
                    if waiter := self._waiters.get(exchange.id):
                        waiter.sent(exchange)
                case events.RequestSent(exchange, message) if exchange.sender is Direction.FROM_SERVER:
                    if asked is None:
                        given = (each.server_request for each in found if isinstance(each, events.ServerRequested))
                        asked = {each.exchange: each for each in given}
                    self._bounds.take(message, asked.get(exchange.number))
                case events.Cancelled(exchange) if exchange.sender is Direction.FROM_SERVER:
                    self._answering.inbox.withdraw("the server cancelled its request", exchange=exchange.number)
                case events.Cancelled(exchange) if exchange.state is ExchangeState.LOST:
                    if waiter := self._waiters.pop(exchange.id, None):
                        waiter.settle(Refused(exchange, None, "", b"", why=exchange.why))
                case events.Cut(exchange):
                    if waiter := self._waiters.pop(exchange.id, None):
                        waiter.settle(Refused(exchange, None, "", b"", why=exchange.why))
                case events.Closed(exchange, answer) | events.LateResponse(exchange, answer):
                    if exchange.sender is Direction.TO_SERVER and (waiter := self._waiters.get(exchange.id)):
                        if not _is_refusal(self._journal, exchange, answer, self.http):
                            status = _status(self._journal, exchange) if self.http else None
                            self._answered(waiter, Replied(answer, exchange, status=status))
                case events.TaskUpdated(task):
                    self.side_waits.on_task(task)
                case events.Progressed(exchange):
                    if waiter := self._waiters.get(exchange.id):
                        waiter.heard()

    def _answered(self, waiter: Waiter, reply: Replied) -> None:
        """Wake the waiter. In an HTTP session, stop resuming the stream of this request."""
        waiter.settle(reply)
        if self.http is None or self.http.carriage is not Carriage.SESSIONS or waiter.delivery is None:
            return
        together = [other for other in self._waiters.values() if other.delivery is waiter.delivery]
        if all(other.future.done() for other in together):
            waiter.delivery.cancel()

    async def _perform(self, step: Step, opened: Callable[[Exchange], None], cause: Cause) -> Any:
        match step:
            case Send():
                return await self._request(step, opened, cause)
            case SendBatch():
                return await self._batch(step, opened, cause)
            case RequestUserInput():
                assert self.revision is not None, "input requests are part of a result, after the opening"
                return await self.side_waits.ask(step, self.revision)
            case Withdraw():
                return self.side_waits.withdraw(step)
            case WaitForNews():
                return await self.side_waits.watch(step)
            case Pause():
                return await asyncio.sleep(step.seconds)
            case Notice():
                return self._journal.note(step.what)
            case Await():
                return await self._await(step)
            case Drop():
                return await self._drop(step)
            case Restart():
                return await self._restart(step)
            case Notify():
                return await self._notify(step, cause)
            case UseCarriage():
                return await _use(self.http, step.carriage)
            case OpenStream():
                return self._open_stream(step.revision)
            case _:
                assert_never(step)

    async def _request(self, step: Send, opened: Callable[[Exchange], None], cause: Cause) -> Reply:
        waiter = Waiter(
            next(self.ids), asyncio.get_running_loop().time, opened, paused=lambda: _is_logging_in(self.http)
        )
        self._waiters[waiter.id] = waiter
        waiter.delivery = self._tasks.create_task(
            self._deliver(outgoing(step, waiter.id, self.revision, self.offering.client, self.logs, cause), waiter)
        )
        late = None if step.or_late is None else self._waiters.get(step.or_late.id)
        reply = await self._wait(waiter, step.silence_s, late, endless=step.endless)
        if late is None or not late.future.done():
            return reply
        if waiter.future.done() or isinstance(reply, Silent):
            return reply  # the earlier request can still be awaited, and has its response then
        self._waiters.pop(late.id, None)
        if isinstance(came := late.future.result(), Replied):
            self._waiters[waiter.id] = waiter
            return replace(came, still_open=waiter.exchange)
        return await self._wait(waiter, step.silence_s, endless=step.endless)  # the earlier request failed

    async def _batch(self, step: SendBatch, opened: Callable[[Exchange], None], cause: Cause) -> tuple[Reply, ...]:
        now = asyncio.get_running_loop().time
        waiters = [Waiter(next(self.ids), now, opened, paused=lambda: _is_logging_in(self.http)) for _ in step.sends]
        self._waiters |= {waiter.id: waiter for waiter in waiters}
        parts = [
            outgoing(send, w.id, self.revision, self.offering.client, self.logs, cause)
            for send, w in zip(step.sends, waiters, strict=True)
        ]
        whole = Outgoing(
            jsonrpc.write_batch([part.payload for part in parts]), Expects.ANSWER, headers=parts[0].headers, cause=cause
        )
        delivery = self._tasks.create_task(self._deliver(whole, *waiters))
        for waiter in waiters:
            waiter.delivery = delivery
        return tuple([await self._wait(waiter, None) for waiter in waiters])

    async def _await(self, step: Await) -> Reply:
        waiter = self._waiters.get(step.exchange.id)
        if waiter is None:
            return GivenUp(step.exchange, "the request was cancelled")
        waiter.heard()  # the idle timeout measures this wait, not what the flow did before it
        return await self._wait(waiter, step.silence_s)

    async def _drop(self, step: Drop) -> None:
        waiter = self._waiters.get(step.exchange.id)
        if self.http is None or waiter is None:
            return
        waiter.settle(GivenUp(step.exchange, "the response is no longer needed"))
        await self._cancel_soon(waiter, "the response is no longer needed")

    async def _restart(self, step: Restart) -> str:
        return "" if self.process is None else await self.process.restart(step.why)

    async def _wait(
        self, waiter: Waiter, silence_s: float | None, late: Waiter | None = None, *, endless: bool = False
    ) -> Reply:
        """Return the outcome of a request. On a timeout it is cancelled, unless `silence_s` was given."""
        clocks = self._clocks if silence_s is None else Timeouts(silence_s, silence_s)
        if endless:
            clocks = Timeouts(None, None)
        try:
            reply = await wait(waiter, clocks, *([late] if late else []))
        except asyncio.CancelledError:
            if not waiter.future.done():  # otherwise the connection may have ended, too
                self._start_cancel(waiter, "the caller stopped waiting")
            raise
        if isinstance(reply, Silent) and silence_s is None:
            if self._stalls is not None and (self.revision or self.http):  # a child may still be starting
                await self._stalls.record_stall()
            await self._cancel_soon(waiter, f"no response within {reply.seconds:g} s")
        elif waiter.future.done():
            self._waiters.pop(waiter.id, None)
        return reply

    async def _deliver(self, message: Outgoing, *waiters: Waiter) -> None:
        """Send a request, or several; settle them if the transport reports that no response will follow."""
        try:
            delivery = await self._send(message)
        except NoResponse as error:
            for waiter in waiters:
                waiter.settle(replace(_broken(waiter.exchange, error), no_response=True))
            return
        except InspectError as error:
            for waiter in waiters:
                waiter.settle(_broken(waiter.exchange, error))
            return
        for waiter in waiters if not delivery.answer_may_follow else ():
            why = delivery.why or "the HTTP response ended without a JSON-RPC response"
            waiter.settle(refused(waiter.exchange, delivery, why))

    async def _notify(self, step: Notify, cause: Cause) -> str:
        headers = {} if self.revision is None else headers_for(self.revision, step.method, step.params)
        is_spread = self.offering.client.sdk == "typescript-1"
        payload = jsonrpc.write_notification(step.method, step.params, is_spread=is_spread)
        return await self._send_quietly(Outgoing(payload, Expects.NOTHING, headers=headers, cause=cause))

    async def _send_quietly(self, message: Outgoing) -> str:
        """Send a message without a response; return "" or why it could not be sent. The traffic shows the rest."""
        try:
            await self._send(message)
        except InspectError as error:
            return str(error)
        return ""

    async def _deliver_answer(self, answer: Outgoing) -> str:
        """Send an answer; return "", or why it could not be sent or the server did not take it."""
        try:
            status = (await self._send(answer)).status or 0
        except InspectError as error:
            return str(error)
        return f"the server responded with HTTP {status}" if status >= 400 else ""

    async def _send(self, message: Outgoing) -> Delivery:
        """Send a message as `before_send` leaves it. Raises: RequestFailed if that drops it, or what `send` raises."""
        passed = await self.before_send(message)
        if passed is None:
            raise RequestFailed("the user dropped the message")
        return await self._transport.send(passed)

    async def _answer(self, message: jsonrpc.Request, server_request: ServerRequest | None) -> None:
        waiting = (
            []
            if server_request is None
            else [each for each in self._waiters.values() if _may_have_caused(each, server_request)]
        )
        for waiter in waiting:
            waiter.hold()
        payload = await self._answering.to_request(message, server_request, self.revision)
        if payload is not None:
            headers = version_header(self.revision) if self.revision and self.http else {}
            answer = Outgoing(payload, Expects.NOTHING, headers=headers, cause=Cause.ANSWER)
            if (why := await self._deliver_answer(answer)) and server_request is not None:
                self._answering.inbox.note_undelivered(server_request, why)
                self._journal.note(f"The answer to {message.method} was not delivered: {why}")
        if server_request is not None:
            await self._answering.own.work(server_request)  # if the response was a task handle
        for waiter in waiting:
            waiter.release()

    def _open_stream(self, revision: Revision) -> None:
        if self.http is not None and self._transport.kind != "sse":
            self.http.common_headers = self.http.common_headers | version_header(revision)
            self._tasks.create_task(_stream(self.http))

    async def _cancel_soon(self, waiter: Waiter, reason: str) -> None:
        """Cancel a request, without waiting long for a server that may have stopped reading."""
        await asyncio.wait({self._start_cancel(waiter, reason)}, timeout=_CANCEL_GRACE_S)

    def _start_cancel(self, waiter: Waiter, reason: str) -> asyncio.Task[None]:
        task = self._tasks.create_task(self._give_up(waiter, reason))
        self._pending_cancels.add(task)
        task.add_done_callback(self._pending_cancels.discard)
        return task

    async def _give_up(self, waiter: Waiter, reason: str) -> None:
        """Cancel a request, in the way of its revision."""
        self._waiters.pop(waiter.id, None)
        exchange = waiter.exchange
        if exchange is None or not exchange.is_open:
            return
        revision = find(exchange.revision or "") or self.revision
        notice = cancel(exchange, revision, over_http=self.http is not None, reason=reason)
        if notice is not None:
            await self._notify(notice, Cause.CANCEL)
            if self.process is not None and exchange.method != "subscriptions/listen":  # that ends at each change
                self._watched_until = asyncio.get_running_loop().time() + _EXIT_GRACE_S
        if notice is None and self.http is not None and waiter.delivery is not None:
            waiter.delivery.cancel()


def _is_logging_in(http: HttpControl | None) -> bool:
    """Return whether timeouts are paused because the user logs in."""
    return http is not None and http.logging_in


def _may_have_caused(waiter: Waiter, server_request: ServerRequest) -> bool:
    number = waiter.exchange.number if waiter.exchange else None
    if server_request.task and waiter.exchange and waiter.exchange.method == "tasks/result":
        return waiter.exchange.target == server_request.task  # it was sent on the stream of this request
    return server_request.cause is None or server_request.cause == number


def _is_refusal(
    journal: Journal,
    exchange: Exchange,
    answer: jsonrpc.ResultResponse | jsonrpc.ErrorResponse,
    http: HttpControl | None,
) -> bool:
    """Return whether the HTTP status counts, not the JSON-RPC error in the body: no credentials, or unknown session.

    The delivery with the status follows once the body was read.
    """
    if http is None or exchange.http is None or isinstance(answer, jsonrpc.ResultResponse):
        return False
    status = _status(journal, exchange) or 0
    return status in (401, 403) or (http.mcp_session_id is not None and is_unknown_session(status, answer.message))


def _status(journal: Journal, exchange: Exchange) -> int | None:
    """Return the status of the HTTP response that carries the response; None if there is none yet."""
    carried = None if exchange.http is None else journal.http_exchanges.get(exchange.http)
    response = carried.response if carried else None
    return response.status if response else None


def _broken(exchange: Exchange | None, error: InspectError) -> Broken:
    unreached, no_entry = isinstance(error, ConnectError), isinstance(error, AuthorizationNeeded)
    return Broken(exchange, str(error), error.hint, unreached, no_entry=no_entry)


async def _use(http: HttpControl | None, carriage: Carriage) -> str:
    if http is None:
        return "this transport can't be switched"
    try:
        await http.use(carriage)
    except ConnectError as error:
        return str(error)
    return ""


async def _stream(http: HttpControl) -> None:
    with suppress(InspectError):  # rejected or cut: visible in the traffic, and the session continues without it
        await http.open_stream(dict(http.common_headers))
