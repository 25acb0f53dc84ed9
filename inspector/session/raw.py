"""Sends bytes unchanged, valid or not, and collects the output.

Nothing is added or repaired: the bytes are a frame like any other, and the fold interprets the output. Collecting
ends when every request in the bytes has a response, when the delivery has ended and nothing can follow, when a
response arrives that can't be assigned, or on a timeout. Nothing is cancelled then: a late response is still shown.
"""

import asyncio
from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from inspector.capture.format.records import Entry
from inspector.capture.journal import Journal
from inspector.errors import InspectError
from inspector.protocol import events, jsonrpc
from inspector.protocol.events import Event
from inspector.protocol.facts import ConnectionEvent, ConnectionFact
from inspector.protocol.frames import Cause, Direction, Frame
from inspector.protocol.jsonrpc import RequestId
from inspector.protocol.revisions._shape import Carriage
from inspector.session.driver import RequestIds
from inspector.transports.base import Delivery, Expects, Outgoing, Transport

_GRACE_S = 1.0
"""Seconds that a stream may take to end by itself after its response."""
_SHORT_GRACE_S = 0.2
"""The same, if closing the stream cancels nothing."""


class Ended(StrEnum):
    """Why collecting ended."""

    ANSWERED = "answered"
    """All requests have a response, or a response arrived that belongs to none."""
    ACCEPTED = "accepted"
    """The HTTP response means acceptance and nothing else can follow, or waiting was not requested."""
    REFUSED = "refused"
    """The HTTP exchange ended without a response to a request."""
    SILENT = "silent"
    """The timeout expired."""
    LOST = "lost"
    """The bytes could not be sent, or the connection was lost."""


class RawSent(msgspec.Struct, frozen=True):
    """Outcome of sending bytes unchanged."""

    ended: Ended
    frames: tuple[int, ...]
    """Entry numbers of the frames sent; empty if nothing was."""
    received: tuple[int, ...]
    """Entry numbers of what the server sent meanwhile, except responses to other requests."""
    unanswered: int = 0
    """Number of requests in the bytes without a response."""
    seconds: float = 0.0
    """Timeout for collecting."""
    why: str = ""
    """Report of the transport, one sentence; "" if there is none."""
    hint: str = ""
    status: int | None = None
    """Status of the HTTP response; None on stdio."""
    body: bytes = b""
    """Beginning of the body of an HTTP response without a frame."""


class _Gathering:
    """Collects the entries after sending."""

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._left = list(parts)
        """Parts that were not seen on the wire yet."""
        self.frames: list[int] = []
        self.received: list[int] = []
        self._opened: set[int] = set()
        """Numbers of the exchanges opened by the bytes."""
        self._answers = 0
        """Number of responses: two requests with the same id have the same exchange."""
        self.strays = 0
        """Number of responses that belong to no request."""
        self.lost = ""
        """Why the connection ended; "" while it is open."""
        self.changed = asyncio.Event()

    def hear(self, entry: Entry, found: Sequence[Event]) -> None:
        """Process an entry of the journal."""
        if isinstance(entry.what, ConnectionFact):
            if entry.what.event in (ConnectionEvent.CLOSE, ConnectionEvent.ABORT):
                self.lost = entry.what.why or "the connection was closed"
                self.changed.set()
            return
        if not isinstance(entry.what, Frame):
            return
        if entry.what.direction is Direction.TO_SERVER:
            self._sent(entry, found)
        elif not self._is_for_another(found):
            self._on_entry(entry, found)
        self.changed.set()

    def _sent(self, entry: Entry, found: Sequence[Event]) -> None:
        if isinstance(entry.what, Frame) and self._left and entry.what.payload == self._left[0]:
            self._left.pop(0)
            self.frames.append(entry.n)
            self._opened |= {event.exchange.number for event in found if isinstance(event, events.RequestSent)}

    def _on_entry(self, entry: Entry, found: Sequence[Event]) -> None:
        self.received.append(entry.n)
        for event in found:
            if isinstance(event, events.Closed | events.LateResponse):
                self._answers += event.exchange.number in self._opened
            elif isinstance(event, events.Orphaned):
                self.strays += 1

    def _is_for_another(self, found: Sequence[Event]) -> bool:
        """Return whether the frame only has responses to, or notifications about, other requests."""
        others = [
            event for event in found if isinstance(event, events.Closed | events.LateResponse | events.Progressed)
        ]
        whose = {event.exchange.number for event in others if event.exchange.request_frame not in self.frames}
        return bool(whose) and len(whose) == len(found)

    @property
    def awaited(self) -> int:
        """Number of requests without a response."""
        return max(0, len(self._opened) - self._answers)

    @property
    def is_answered(self) -> bool:
        """Whether there is nothing left to wait for."""
        return not self._left and (bool(self.strays) or (bool(self._opened) and not self.awaited))


class RawMessages:
    """Messages that the user writes: their ids, and sending them."""

    def __init__(self, transport: Transport, journal: Journal, ids: RequestIds) -> None:
        self._transport = transport
        self._journal = journal
        self._ids = ids

    def next_id(self) -> int:
        """Return an unused request id."""
        return next(self._ids)

    async def send(
        self, payload: bytes, *, headers: Mapping[str, str], wait_s: float, cause: Cause = Cause.USER
    ) -> RawSent:
        """Send bytes unchanged and collect the output for `wait_s` seconds; 0 only sends. Nothing is raised.

        `headers` are for HTTP only.
        """
        self._ids.spend(ids_of(payload))
        return await send_exactly(self._transport, self._journal, payload, headers=headers, wait_s=wait_s, cause=cause)


async def send_exactly(
    transport: Transport,
    journal: Journal,
    payload: bytes,
    *,
    headers: Mapping[str, str],
    wait_s: float,
    cause: Cause = Cause.USER,
) -> RawSent:
    """Send the bytes and collect the output for up to `wait_s` seconds; 0 waits only until they are sent.

    Over stdio each line is a frame of its own, and the last one needs no line end.
    """
    parts = [payload] if transport.kind in ("http", "sse") else payload.removesuffix(b"\n").split(b"\n")
    outgoing = [
        Outgoing(part, Expects.ANSWER if ids_of(part) else Expects.NOTHING, headers=headers, cause=cause)
        for part in parts
    ]
    gathering = _Gathering(parts)
    stop = journal.listen(gathering.hear)
    try:
        async with asyncio.TaskGroup() as tasks:
            delivery = tasks.create_task(_deliver(transport, outgoing))
            ended = await _wait(gathering, delivery, wait_s)
            await _part(transport, delivery, ended)
    finally:
        stop()
    done = delivery.result() if delivery.done() and not delivery.cancelled() else None
    return _sent(gathering, ended, done, wait_s)


def ids_of(payload: bytes) -> list[RequestId]:
    """Return the ids of the requests in the bytes, in order; empty if they can't be parsed."""
    return [message.id for message in jsonrpc.read(payload) if isinstance(message, jsonrpc.Request)]


async def _deliver(transport: Transport, outgoing: Sequence[Outgoing]) -> Delivery | InspectError:
    try:
        deliveries = [await transport.send(part) for part in outgoing]
    except InspectError as error:
        return error
    return deliveries[-1]


async def _wait(gathering: _Gathering, delivery: "asyncio.Task[Delivery | InspectError]", wait_s: float) -> Ended:
    clock = asyncio.get_running_loop().time
    until = clock() + wait_s if wait_s > 0 else None
    delivery.add_done_callback(lambda done: gathering.changed.set())
    while not gathering.is_answered:
        if gathering.lost:
            return Ended.LOST
        if delivery.done() and (ended := _ended(gathering, delivery.result(), patient=wait_s > 0)) is not None:
            return ended
        gathering.changed.clear()
        try:
            async with asyncio.timeout_at(until):
                await gathering.changed.wait()
        except TimeoutError:
            return Ended.SILENT
    return Ended.ANSWERED


def _ended(gathering: _Gathering, delivery: Delivery | InspectError, *, patient: bool) -> Ended | None:
    """Return what the delivery means; None if something can still follow."""
    if isinstance(delivery, InspectError):
        return Ended.LOST
    if delivery.status is None or (delivery.answer_may_follow and gathering.awaited):
        return None if patient else Ended.ACCEPTED
    return Ended.REFUSED if gathering.awaited or delivery.status >= 400 else Ended.ACCEPTED


async def _part(transport: Transport, delivery: "asyncio.Task[Delivery | InspectError]", ended: Ended) -> None:
    """Release the delivery: a stream that has delivered its response may end by itself, any other is closed."""
    carriage = getattr(transport, "carriage", None)
    if ended is Ended.ANSWERED:
        await asyncio.wait({delivery}, timeout=_SHORT_GRACE_S if carriage is Carriage.SESSIONS else _GRACE_S)
    delivery.cancel()


def _sent(gathering: _Gathering, ended: Ended, delivery: Delivery | InspectError | None, wait_s: float) -> RawSent:
    why, hint, status, body = gathering.lost, "", None, b""
    if isinstance(delivery, InspectError):
        why, hint = str(delivery), delivery.hint
    elif delivery is not None:
        why, status = why or delivery.why, delivery.status
        body = b"" if gathering.received else delivery.body
    return RawSent(
        ended, tuple(gathering.frames), tuple(gathering.received), gathering.awaited, wait_s, why, hint, status, body
    )
