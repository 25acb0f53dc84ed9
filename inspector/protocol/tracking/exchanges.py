"""Matching of responses to requests, and grouping of exchanges into operations.

Each direction has its own ids, and their types matter: 1 is not "1". An id may be reused after the response (allowed
in 2026-07-28, a violation before), so open requests are in a table and all exchanges in a list. A tap records the
messages of several clients, which use the same ids: a response belongs to the request in its own HTTP exchange, and
otherwise to the one of its session. An error without an
id belongs to the request whose HTTP exchange carried it, if exactly one is open there. So does an error with an id
that the server invented ("server-error"), if it is the whole body of the response. On stdio and on a stream of GET an
error without an id ends the wait for the only open request, unless the server may mean a notification.
"""

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchanges import Exchange, ExchangeState, Operation
from inspector.protocol.facts import BY_CLIENT
from inspector.protocol.frames import Cause, Channel, Direction, Frame
from inspector.protocol.jsonrpc import ErrorResponse, Request, RequestId, ResultResponse
from inspector.protocol.listed_items import KIND_OF_METHOD
from inspector.protocol.revisions._shape import Cancel, Era
from inspector.protocol.revisions.table import find, newest_of
from inspector.protocol.tracking.http_sessions import HttpSessions
from inspector.protocol.tracking.numbering import ServerNumbering
from inspector.text import cut

_REMEMBERED, _SLACK = 10_000, 1_000
"""Minimum number of ended requests that are found by id. A second response to an older one counts as unsolicited."""
_ID_TAKEN = "another request took its id before it was answered"
ACCEPTED = 202
_NO_ID = "the server sent an error without the id of the request, so other clients wait for their timeout"

_Key = RequestId | tuple[int, RequestId]
"""An id: of another session than the first with its number; of a request whose id another one took, with its HTTP
exchange as a negative number."""

NO_ANSWER = "the response ended without an answer"
"""Why a request is lost although its HTTP exchange succeeded, or was rejected with a status."""


class Pairs:
    """All exchanges of a conversation, and the open requests."""

    def __init__(self) -> None:
        self.exchanges = ExchangeLog()
        """Exchange number n is at position n - 1."""
        self.sessions = HttpSessions()
        self._open: dict[Direction, dict[_Key, Exchange]] = {each: {} for each in Direction}
        self._ended: dict[tuple[Direction, _Key], int] = {}
        """Numbers of ended exchanges by sender and id, in the order of their ends."""
        self._numbering = ServerNumbering()
        self._unheard = 0
        """Messages other than requests to the server since its last response: an error may be for one of them."""
        self._on: dict[tuple[int, Direction], dict[RequestId, Exchange]] = {}
        """Open exchanges by HTTP exchange and sender, then by id, until the HTTP exchange ends.

        Thousands may be open, so no operation here iterates over all of them for one message.
        """

    def open(self, frame: Frame, request: Request, *, target: str, revision: str | None) -> Exchange:
        """Process a request. It replaces an open one with its id in the table, unless HTTP tells them apart."""
        exchange = Exchange(
            number=len(self.exchanges) + 1,
            sender=frame.direction,
            id=request.id,
            method=request.method,
            target=target,
            request_frame=frame.n,
            started_ns=frame.time_ns,
            revision=revision,
            probe=frame.cause is Cause.PROBE,
            http=frame.http,
            session=self.sessions.of(frame.http),
        )
        self.begin(exchange)
        return exchange

    def begin(self, exchange: Exchange) -> None:
        """Append an open exchange."""
        self.exchanges.append(exchange)
        there, key = self._open[exchange.sender], _key(exchange.session, exchange.id)
        displaced = there.get(key)
        if displaced is not None and displaced.http != exchange.http and displaced in self._beside(displaced).values():
            there[-(displaced.http or 0), displaced.id] = displaced
        elif displaced is not None:
            self._end(displaced, exchange.started_ns, ExchangeState.LOST, _ID_TAKEN)
        there[key] = exchange
        if exchange.http is not None:
            self._on.setdefault((exchange.http, exchange.sender), {})[exchange.id] = exchange

    def answered(self, exchange: Exchange, frame: int, time_ns: int) -> None:
        """Do what `close` does, for a result that certainly belongs to this open request."""
        self._no_longer_open(exchange)
        self._remember(exchange)
        if exchange.sender is Direction.TO_SERVER:
            self._unheard = 0
            if not isinstance(exchange.id, str):
                self._numbering.returned()
        exchange.answer_frame, exchange.ended_ns, exchange.why = frame, time_ns, ""
        exchange.state = ExchangeState.ANSWERED

    def close(self, frame: Frame, message: ResultResponse | ErrorResponse) -> tuple[Exchange | None, bool]:
        """Process a response. Return its exchange and whether it was late; (None, False) if it matches none.

        The caller interprets the response, and then must call `exchanges.keep`.
        """
        asker = frame.direction.opposite
        id_ = self._requested_id(frame, message.id) if asker is Direction.TO_SERVER else message.id
        ended = None if id_ is None else self._find_ended(asker, id_, frame.http)
        exchange = self._request_of(frame, message, id_, ended)
        if exchange is not None:
            self._no_longer_open(exchange)
            self._remember(exchange)
            self._settle(exchange, frame, message)
            if asker is Direction.TO_SERVER:
                self._unheard = 0
            return exchange, False
        if ended is not None:
            self._record_late(ended, frame, message)
        return ended, ended is not None

    def cancel(self, frame: Frame, id_: RequestId, why: str) -> Exchange | None:
        """Process a cancellation by the requester. Return the request; None if no such request is open."""
        exchange = self.find_open(frame.direction, id_, frame.http)
        if exchange is not None:
            self._end(exchange, frame.time_ns, ExchangeState.CANCELLED, why)
        return exchange

    def give_up(self, frame: Frame, id_: RequestId, why: str) -> Exchange | None:
        """Process a cancellation of the other side's request, which gets no response then. Return the request.

        None if there is no such request, or if the sender has used the id itself.
        """
        asker = frame.direction.opposite
        exchange, own = self.find_open(asker, id_, frame.http), self._find_ended(frame.direction, id_, frame.http)
        if asker is not Direction.TO_SERVER or exchange is None or own is not None:
            return None
        self.end_from_server(exchange, frame.time_ns, f"the server cancelled it{f': {why}' if why else ''}")
        return exchange

    def note_other(self, direction: Direction) -> None:
        """Process a message other than a request."""
        self._unheard += direction is Direction.TO_SERVER

    def refuse(self, frame: Frame, message: ResultResponse | ErrorResponse) -> Exchange | None:
        """Process an error that matches no request. Return the one whose wait it ends; None if that is not certain."""
        is_elsewhere = frame.http is not None and frame.channel is not Channel.GET
        if is_elsewhere or not isinstance(message, ErrorResponse) or message.id is not None:
            return None
        exchange = self.only_open(Direction.TO_SERVER, frame.http)
        if frame.direction is not Direction.FROM_SERVER or exchange is None:
            return None
        if self._unheard:
            self._unheard -= 1
            return None
        self.end_from_server(exchange, frame.time_ns, f"{_NO_ID}: {cut(message.message, 200)}")
        return exchange

    def end_from_server(self, exchange: Exchange, time_ns: int, why: str) -> None:
        """Mark a request as lost because the receiver will not answer it."""
        self._end(exchange, time_ns, ExchangeState.LOST, why)

    def lose(self, time_ns: int, why: str) -> list[Exchange]:
        """Mark all open requests as lost because the connection ended, and return them."""
        lost = self.pending
        self._numbering.forget()
        for exchange in lost:
            self._end(exchange, time_ns, ExchangeState.LOST, why)
        return lost

    def lose_on(
        self, http: int, time_ns: int, meant: Callable[[Exchange], tuple[ExchangeState, str] | None]
    ) -> list[Exchange]:
        """Process the end of an HTTP exchange. Return the requests that ended with it.

        `meant` returns the state and the reason for a request; None if it stays open.
        """
        lost = []
        for exchange in self.open_on(http):
            there, key = self._open[exchange.sender], _key(exchange.session, exchange.id)
            what = meant(exchange) or (
                (ExchangeState.LOST, _ID_TAKEN) if there.get(key, exchange) is not exchange else None
            )
            self._no_longer_open(exchange)
            if what is None:
                there[key] = exchange  # its response may come elsewhere
            else:
                self._end(exchange, time_ns, *what)
                lost.append(exchange)
        return lost

    def find_open(self, sender: Direction, id_: RequestId, http: int | None = None) -> Exchange | None:
        """Return the open request with this id: on the HTTP exchange or, if none is there, of its session."""
        if http is None:
            return self._open[sender].get(id_)
        found = self._on.get((http, sender), {}).get(id_)
        return found or self._open[sender].get(_key(self.sessions.of(http), id_))

    def only_open(self, sender: Direction, http: int | None) -> Exchange | None:
        """Return a side's only open request on an HTTP exchange, or anywhere if none is on it.

        Returns None if there are several, or if it is of another session.
        """
        there = {} if http is None else self._on.get((http, sender), {})
        found = list(islice((there or self._open[sender]).values(), 2))
        return found[0] if len(found) == 1 and (there or found[0].session == self.sessions.of(http)) else None

    @property
    def pending(self) -> list[Exchange]:
        """Open exchanges, oldest first."""
        return sorted((each for there in self._open.values() for each in there.values()), key=_number)

    @property
    def waits_for_host(self) -> bool:
        """Whether a request of a View has no response yet."""
        return bool(self._open[Direction.FROM_VIEW])

    def oldest_open(self, sender: Direction) -> list[Exchange]:
        """Return the open requests of one side, oldest first."""
        return sorted(self._open[sender].values(), key=_number)

    @property
    def count_open(self) -> int:
        """Number of open exchanges."""
        return sum(map(len, self._open.values()))

    def open_on(self, http: int) -> list[Exchange]:
        """Return the open exchanges on this HTTP exchange, oldest first."""
        return sorted((each for side in Direction for each in self._on.get((http, side), {}).values()), key=_number)

    def _no_longer_open(self, exchange: Exchange) -> None:
        there, key = self._open[exchange.sender], _key(exchange.session, exchange.id)
        if there.get(key) is not exchange:
            key = -(exchange.http or 0), exchange.id
        there.pop(key, None)
        if exchange.http is None:
            return
        beside = self._beside(exchange)
        if beside.get(exchange.id) is exchange:
            del beside[exchange.id]
        if not beside:
            self._on.pop((exchange.http, exchange.sender), None)

    def _beside(self, exchange: Exchange) -> dict[RequestId, Exchange]:
        """Return the open exchanges on the same HTTP exchange."""
        return {} if exchange.http is None else self._on.get((exchange.http, exchange.sender), {})

    def _end(self, exchange: Exchange, time_ns: int, state: ExchangeState, why: str) -> None:
        self._no_longer_open(exchange)
        self._remember(exchange)
        exchange.state, exchange.ended_ns, exchange.why = state, time_ns, why
        self.exchanges.keep(exchange)

    def _find_ended(self, asker: Direction, id_: RequestId, http: int | None) -> Exchange | None:
        number = self._ended.get((asker, _key(self.sessions.of(http), id_)))
        return None if number is None else self.exchanges[number - 1]

    def _remember(self, exchange: Exchange) -> None:
        key, ended = (exchange.sender, _key(exchange.session, exchange.id)), self._ended
        if key in ended:
            del ended[key]
        ended[key] = exchange.number
        if len(ended) >= _REMEMBERED + _SLACK:
            for oldest in list(islice(ended, _SLACK)):
                del ended[oldest]

    def _requested_id(self, frame: Frame, id_: RequestId | None) -> RequestId | None:
        """Return the id of the client's request that a response with the id `id_` is for."""
        if id_ is None:
            return None
        side, session, http = Direction.TO_SERVER, self.sessions.of(frame.http), frame.http
        waiting = self._open[side]
        return self._numbering.request_id(
            id_,
            lambda: [each.id for each in islice(waiting.values(), 2)],
            lambda it: self.find_open(side, it, http) is not None or (side, _key(session, it)) in self._ended,
        )

    def _request_of(
        self, frame: Frame, message: ResultResponse | ErrorResponse, id_: RequestId | None, ended: Exchange | None
    ) -> Exchange | None:
        """Return the request that a message answers; None if no request waits for it."""
        asker = frame.direction.opposite
        if id_ is None:
            return self.alone_on(frame.http, asker)
        waiting = self.find_open(asker, id_, frame.http)
        if waiting is not None and ended is not None and waiting.http != ended.http == frame.http is not None:
            waiting = None  # another client of a stateless server took the id since
        if waiting is None and ended is None and isinstance(message, ErrorResponse) and frame.channel is Channel.REPLY:
            return self.alone_on(frame.http, asker)
        if ended is not None and ended.state is ExchangeState.LOST and ended.http is not None:
            return waiting or ended  # marked as lost too early: a stream was resumed, or the response used another one
        return waiting

    def alone_on(self, http: int | None, asker: Direction) -> Exchange | None:
        """Return a side's only open request on an HTTP exchange; None if there is none, or several."""
        if http is None:
            return None
        there = self._on.get((http, asker), {})
        return next(iter(there.values())) if len(there) == 1 else None

    def _settle(self, exchange: Exchange, frame: Frame, message: ResultResponse | ErrorResponse) -> None:
        exchange.answer_frame, exchange.ended_ns, exchange.why = frame.n, frame.time_ns, ""
        if isinstance(message, ErrorResponse):
            exchange.error_code = message.code
            exchange.state = ExchangeState.ERROR
        else:
            exchange.state = ExchangeState.ANSWERED

    def _record_late(self, exchange: Exchange, frame: Frame, message: ResultResponse | ErrorResponse) -> None:
        if exchange.answer_frame is None:
            exchange.answer_frame = frame.n
            if isinstance(message, ErrorResponse):
                exchange.error_code = message.code
        if exchange.state in (ExchangeState.CANCELLED, ExchangeState.LOST):
            exchange.state = ExchangeState.LATE


class HttpEnd(msgspec.Struct, frozen=True):
    """How an HTTP exchange ended."""

    http: int
    why: str = ""
    """Why it ended early; "" if the body was complete."""
    status: int = 0
    """Status code; 0 without a response."""
    is_stream: bool = False
    """Whether the response was an event stream."""


def _key(session: int, id_: RequestId) -> _Key:
    return (session, id_) if session else id_


def _number(exchange: Exchange) -> int:
    return exchange.number


# What the end of an HTTP exchange means for a request that is still open on it.


def what_is_lost(exchange: Exchange, end: HttpEnd) -> tuple[ExchangeState, str] | None:
    """Return the final state of an open request and the reason; None while a response is still possible."""
    row = find(exchange.revision or "") or newest_of(Era.LEGACY)  # if none is settled, the rules that wait longest
    by_us = end.why in BY_CLIENT and exchange.sender is Direction.TO_SERVER
    if by_us and row.cancel is Cancel.CLOSE_STREAM:
        return ExchangeState.CANCELLED, end.why
    if end.why:
        return ExchangeState.LOST, end.why
    refused = end.status != 0 and not 200 <= end.status < 300
    if not refused and (end.status in (0, ACCEPTED) or (end.is_stream and row.resumable)):
        return None
    return ExchangeState.LOST, NO_ANSWER


# Operations: the pages of a list, linked by their cursors, and a call with its retries.


class InputRound(msgspec.Struct, frozen=True):
    """A request whose result requests input, or a retry with the responses."""

    method: str
    essence: Any
    """The params as canonical JSON, without what a retry adds."""
    keys: frozenset[str]
    state: Any
    operation: int | None

    def fits(self, retry: "InputRound") -> bool:
        """Return whether the retry answers this request for input."""
        mine, its = (self.method, self.essence, self.keys, self.state), (retry.method, retry.essence, retry.keys)
        return mine == (*its, retry.state)


class OperationTracker:
    """All operations. Each exchange belongs to exactly one; an operation of one exchange takes four bytes."""

    def __init__(self) -> None:
        self._first = array("I")
        """At n - 1: the first exchange of operation n."""
        self._further: dict[int, list[int]] = {}
        self._by_cursor: dict[tuple[int, str, str], int] = {}
        self._asking: list[InputRound] = []

    @property
    def operations(self) -> Iterator[Operation]:
        """All operations, in the order of their first exchanges."""
        return map(self.operation, range(1, len(self._first) + 1))

    def operation(self, number: int) -> Operation:
        """Return the operation with this number (`Exchange.operation`)."""
        return Operation(number, (self._first[number - 1], *self._further.get(number, ())))

    def join(self, exchange: Exchange, number: int) -> None:
        """Add an exchange to an existing operation."""
        exchange.operation = number
        self._further.setdefault(number, []).append(exchange.number)

    def opened(self, exchange: Exchange, params: Any) -> None:
        """Process a request: it continues the operation of an earlier exchange that it is linked to, or begins one."""
        cursor = peek.text(params, "cursor") if exchange.method in KIND_OF_METHOD else None
        operation = None if cursor is None else self._by_cursor.pop((exchange.session, exchange.method, cursor), None)
        if goes_on(params):
            operation = self._asked_before(exchange.method, params)
        if operation is not None:
            self.join(exchange, operation)
            return
        self.begin(exchange)

    def begin(self, exchange: Exchange) -> None:
        self._first.append(exchange.number)
        exchange.operation = len(self._first)

    def asked(self, exchange: Exchange, params: Any, result: Any) -> None:
        """Process a result that requests input: a matching retry will continue the operation."""
        if exchange.operation is not None:
            keys = frozenset(peek.mapping(result, "inputRequests"))
            state = peek.at(result, "requestState")
            self._asking.append(InputRound(exchange.method, _essence(params), keys, state, exchange.operation))

    def _asked_before(self, method: str, params: Any) -> int | None:
        """Return the only operation that a retry may continue; None if none or several match."""
        keys = frozenset(peek.mapping(params, "inputResponses"))
        found = InputRound(method, _essence(params), keys, peek.at(params, "requestState"), None)
        fitting = [asking for asking in self._asking if asking.fits(found)]
        if len(fitting) != 1:
            return None
        self._asking.remove(fitting[0])
        return fitting[0].operation

    def answered(self, exchange: Exchange, result: Any) -> None:
        """Process a page: its cursor links the next page to the operation."""
        cursor = peek.text(result, "nextCursor")
        if cursor is not None and exchange.operation is not None:
            self._by_cursor[exchange.session, exchange.method, cursor] = exchange.operation


def goes_on(params: Any) -> bool:
    """Return whether a request carries responses to an earlier request for input (2026-07-28, basic/patterns/mrtr)."""
    return isinstance(params, dict) and ("inputResponses" in params or "requestState" in params)


def is_same_request(one: Any, other: Any) -> bool:
    """Return whether two params differ only in what a client adds (`_meta`, responses to requests for input)."""
    return _essence(one) == _essence(other)


def _essence(params: Any) -> bytes:
    added = ("inputResponses", "requestState", "_meta")
    return msgspec.json.encode({k: v for k, v in peek.mapping(params).items() if k not in added}, order="sorted")
