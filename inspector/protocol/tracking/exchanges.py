"""Which answer belongs to which request.

Two id spaces, one a direction, and ids of a type: 1 is not "1". An id may come again once it has been answered
(always in 2026-07-28, wrongly before), so the open requests are a table and all exchanges are a list.
An error without an id goes to the request whose HTTP exchange carried it, if exactly one is open there; so does one
with an id of the server's own making ("server-error"), if it is the response's whole body.
"""

from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.exchange_log import ExchangeLog
from inspector.protocol.exchanges import Exchange, ExchangeState, Operation
from inspector.protocol.facts import CLOSED_HERE, GIVEN_UP_HERE
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.jsonrpc import Answer, ErrorAnswer, Request, RequestId
from inspector.protocol.revisions._shape import Cancel, Era, Revision
from inspector.protocol.revisions.table import find, newest_of
from inspector.protocol.things import KIND_OF_METHOD

_REMEMBERED, _SLACK = 10_000, 1_000
"""At least so many ended requests are found by their id: a second response to an older one counts as unsolicited."""
_ID_TAKEN = "another request took its id before it was answered"
_OTHER = {Direction.TO_SERVER: Direction.FROM_SERVER, Direction.FROM_SERVER: Direction.TO_SERVER}


class Pairs:
    """All exchanges of a conversation."""

    def __init__(self) -> None:
        self.exchanges = ExchangeLog()
        """Exchange number n is at position n - 1."""
        self._open: dict[Direction, dict[RequestId, Exchange]] = {each: {} for each in Direction}
        self._ended: dict[tuple[Direction, RequestId], int] = {}
        """Their numbers, those that ended last at the end."""
        self._on: dict[tuple[int, Direction], dict[int, Exchange]] = {}
        """What is open, by its HTTP exchange and its sender, then by its own number.

        Thousands may be open, each with an end to come: nothing here goes through all of them for one message.
        """

    def open(self, frame: Frame, request: Request, *, target: str, revision: str | None) -> Exchange:
        """A request was sent. One with the id of an open request takes the place of that one in the table."""
        exchange = Exchange(
            number=len(self.exchanges) + 1,
            sender=frame.direction,
            id=request.id,
            method=request.method,
            target=target,
            request_frame=frame.n,
            started_ns=frame.time_ns,
            revision=revision,
            probe=frame.probe,
            http=frame.http,
        )
        self.begin(exchange)
        return exchange

    def begin(self, exchange: Exchange) -> None:
        """The next exchange, open."""
        self.exchanges.append(exchange)
        displaced = self.find_open(exchange.sender, exchange.id)
        if displaced is not None:
            self._end(displaced, exchange.started_ns, ExchangeState.LOST, _ID_TAKEN)
        self._open[exchange.sender][exchange.id] = exchange
        if exchange.http is not None:
            self._on.setdefault((exchange.http, exchange.sender), {})[exchange.number] = exchange

    def answered(self, exchange: Exchange, frame: int, time_ns: int) -> None:
        """What `close` does where a result belongs to an open request beyond doubt."""
        self._no_longer_open(exchange.sender, exchange.id)
        self._remember(exchange)
        exchange.answer_frame, exchange.ended_ns, exchange.why = frame, time_ns, ""
        exchange.state = ExchangeState.ANSWERED

    def close(self, frame: Frame, message: Answer | ErrorAnswer) -> tuple[Exchange | None, bool]:
        """An answer came: its exchange, and whether it came too late. (None, False) if it belongs to none.

        The caller that interprets the response then has `exchanges` keep it.
        """
        asker = _OTHER[frame.direction]
        ended = None if message.id is None else self._find_ended(asker, message.id)
        exchange = self._asked(frame, message, asker, ended)
        if exchange is not None:
            self._no_longer_open(asker, exchange.id)
            self._remember(exchange)
            self._settle(exchange, frame, message)
            return exchange, False
        if ended is not None:
            self._came_late(ended, frame, message)
        return ended, ended is not None

    def cancel(self, frame: Frame, id_: RequestId, why: str) -> Exchange | None:
        """The side that sent a request takes it back; None if no such request is open."""
        exchange = self.find_open(frame.direction, id_)
        if exchange is not None:
            self._end(exchange, frame.time_ns, ExchangeState.CANCELLED, why)
        return exchange

    def end_from_server(self, exchange: Exchange, time_ns: int, why: str) -> None:
        """The side that was asked says that no answer will come."""
        self._end(exchange, time_ns, ExchangeState.LOST, why)

    def lose(self, time_ns: int, why: str) -> list[Exchange]:
        """The connection ended: what is open stays unanswered."""
        lost = self.pending
        for exchange in lost:
            self._end(exchange, time_ns, ExchangeState.LOST, why)
        return lost

    def lose_on(
        self, http: int, time_ns: int, meant: Callable[[Exchange], tuple[ExchangeState, str] | None]
    ) -> list[Exchange]:
        """One HTTP exchange ended: what was open on it and ended as well, in the state and for the reason meant."""
        found = [(each, what) for each in self.open_on(http) if (what := meant(each))]
        for exchange, (state, why) in found:
            self._end(exchange, time_ns, state, why)
        return [exchange for exchange, _ in found]

    def find_open(self, sender: Direction, id_: RequestId) -> Exchange | None:
        """The open request of that id."""
        return self._open[sender].get(id_)

    def only_open(self, sender: Direction, http: int | None) -> Exchange | None:
        """The one request of a side that is open on an HTTP exchange, else anywhere; None if several are."""
        there = {} if http is None else self._on.get((http, sender), {})
        found = there or self._open[sender]
        return next(iter(found.values())) if len(found) == 1 else None

    @property
    def pending(self) -> list[Exchange]:
        """What is still awaited, oldest first."""
        return sorted((each for there in self._open.values() for each in there.values()), key=_number)

    def oldest_open(self, sender: Direction) -> list[Exchange]:
        """What one side has asked and still awaits, oldest first."""
        return sorted(self._open[sender].values(), key=_number)

    @property
    def count_open(self) -> int:
        """How many are still awaited."""
        return sum(map(len, self._open.values()))

    def open_on(self, http: int) -> list[Exchange]:
        """What is still awaited and was carried by this HTTP exchange, oldest first."""
        return sorted((each for side in Direction for each in self._on.get((http, side), {}).values()), key=_number)

    def _no_longer_open(self, sender: Direction, id_: RequestId) -> None:
        exchange = self._open[sender].pop(id_, None)
        if exchange is None or exchange.http is None:
            return
        place = exchange.http, sender
        there = self._on.get(place, {})
        there.pop(exchange.number, None)
        if not there:
            self._on.pop(place, None)

    def _end(self, exchange: Exchange, time_ns: int, state: ExchangeState, why: str) -> None:
        self._no_longer_open(exchange.sender, exchange.id)
        self._remember(exchange)
        exchange.state, exchange.ended_ns, exchange.why = state, time_ns, why
        self.exchanges.keep(exchange)

    def _find_ended(self, asker: Direction, id_: RequestId) -> Exchange | None:
        number = self._ended.get((asker, id_))
        return None if number is None else self.exchanges[number - 1]

    def _remember(self, exchange: Exchange) -> None:
        key, ended = (exchange.sender, exchange.id), self._ended
        if key in ended:
            del ended[key]
        ended[key] = exchange.number
        if len(ended) >= _REMEMBERED + _SLACK:
            for oldest in list(islice(ended, _SLACK)):
                del ended[oldest]

    def _asked(
        self, frame: Frame, message: Answer | ErrorAnswer, asker: Direction, ended: Exchange | None
    ) -> Exchange | None:
        """The request that it answers; None if none waits for it."""
        if message.id is None:
            return self._alone_on(frame.http, asker)
        waiting = self.find_open(asker, message.id)
        if waiting is None and ended is None and isinstance(message, ErrorAnswer) and frame.channel is Channel.REPLY:
            return self._alone_on(frame.http, asker)
        if ended is not None and ended.state is ExchangeState.LOST and ended.http is not None:
            return waiting or ended  # given up too soon: a stream was resumed, or the answer took another one
        return waiting

    def _alone_on(self, http: int | None, asker: Direction) -> Exchange | None:
        if http is None:
            return None
        there = self._on.get((http, asker), {})
        return next(iter(there.values())) if len(there) == 1 else None

    def _settle(self, exchange: Exchange, frame: Frame, message: Answer | ErrorAnswer) -> None:
        exchange.answer_frame, exchange.ended_ns, exchange.why = frame.n, frame.time_ns, ""
        if isinstance(message, ErrorAnswer):
            exchange.error_code = message.code
            exchange.state = ExchangeState.ERROR
        else:
            exchange.state = ExchangeState.ANSWERED

    def _came_late(self, exchange: Exchange, frame: Frame, message: Answer | ErrorAnswer) -> None:
        if exchange.answer_frame is None:
            exchange.answer_frame = frame.n
            if isinstance(message, ErrorAnswer):
                exchange.error_code = message.code
        if exchange.state in (ExchangeState.CANCELLED, ExchangeState.LOST):
            exchange.state = ExchangeState.LATE


def _number(exchange: Exchange) -> int:
    return exchange.number


# What the end of an HTTP exchange means for a request that is still open on it.

ACCEPTED = 202
NO_ANSWER = "the response ended without an answer"
"""Why a request is lost whose HTTP exchange succeeded, or was rejected with a status."""


class HttpEnd(msgspec.Struct, frozen=True):
    """How an HTTP exchange ended."""

    http: int
    why: str = ""
    """Why before its time; "" if the body was read to its end."""
    status: int = 0
    """0 if no response was seen."""
    is_stream: bool = False
    """Whether the response was a stream of events."""


def what_is_lost(exchange: Exchange, end: HttpEnd) -> tuple[ExchangeState, str] | None:
    """The state of an open request and why; None while its answer can still come."""
    row = _row(exchange)
    by_us = end.why in (CLOSED_HERE, GIVEN_UP_HERE) and exchange.sender is Direction.TO_SERVER
    if by_us and row.cancel is Cancel.CLOSE_STREAM:
        return ExchangeState.CANCELLED, end.why
    if end.why:
        return ExchangeState.LOST, end.why
    refused = end.status != 0 and not 200 <= end.status < 300
    if not refused and (end.status in (0, ACCEPTED) or (end.is_stream and row.resumable)):
        return None
    return ExchangeState.LOST, NO_ANSWER


def _row(exchange: Exchange) -> Revision:
    """By whose rules: its own, or where none is settled yet those that are slowest to give up."""
    return find(exchange.revision or "") or newest_of(Era.LEGACY)


# Which exchanges form one operation: the pages of a list, linked by their cursors, and a call and its
# retries.


class InputRound(msgspec.Struct, frozen=True):
    """A request that was answered with questions, or one that brings their answers."""

    method: str
    essence: Any
    """Its params but for what a retry adds, as canonical JSON."""
    keys: frozenset[str]
    state: Any
    operation: int | None

    def fits(self, retry: "InputRound") -> bool:
        """Whether the retry answers this."""
        mine, its = (self.method, self.essence, self.keys, self.state), (retry.method, retry.essence, retry.keys)
        return mine == (*its, retry.state)


class OperationTracker:
    """All operations; each exchange belongs to exactly one. Nearly all have one exchange, and take four bytes."""

    def __init__(self) -> None:
        self._first = array("I")
        """At n - 1: the first exchange of operation n."""
        self._further: dict[int, list[int]] = {}
        self._by_cursor: dict[tuple[str, str], int] = {}
        self._asking: list[InputRound] = []

    @property
    def operations(self) -> Iterator[Operation]:
        """All of them, in the order of their first exchanges."""
        return map(self.operation, range(1, len(self._first) + 1))

    def operation(self, number: int) -> Operation:
        """The operation of a number, as `Exchange.operation` gives it."""
        return Operation(number, (self._first[number - 1], *self._further.get(number, ())))

    def join(self, exchange: Exchange, number: int) -> None:
        """The exchange belongs to an operation that was begun before."""
        exchange.operation = number
        self._further.setdefault(number, []).append(exchange.number)

    def opened(self, exchange: Exchange, params: Any) -> None:
        """A request was sent: it continues an operation, or begins one if nothing links it to an earlier one."""
        cursor = peek.text(params, "cursor") if exchange.method in KIND_OF_METHOD else None
        operation = None if cursor is None else self._by_cursor.pop((exchange.method, cursor), None)
        if goes_on(params):
            operation = self._asked_before(exchange.method, params)
        if operation is not None:
            self.join(exchange, operation)
            return
        self.begin(exchange)

    def begin(self, exchange: Exchange) -> None:
        """A request was sent that nothing links to an older one."""
        self._first.append(exchange.number)
        exchange.operation = len(self._first)

    def asked(self, exchange: Exchange, params: Any, result: Any) -> None:
        """A result asks for input: what a retry of its request must look like."""
        if exchange.operation is not None:
            keys = frozenset(peek.mapping(result, "inputRequests"))
            state = peek.at(result, "requestState")
            self._asking.append(InputRound(exchange.method, _essence(params), keys, state, exchange.operation))

    def _asked_before(self, method: str, params: Any) -> int | None:
        """The one operation that a retry continues; None if none matches, or several do."""
        keys = frozenset(peek.mapping(params, "inputResponses"))
        found = InputRound(method, _essence(params), keys, peek.at(params, "requestState"), None)
        fitting = [asking for asking in self._asking if asking.fits(found)]
        if len(fitting) != 1:
            return None
        self._asking.remove(fitting[0])
        return fitting[0].operation

    def answered(self, exchange: Exchange, result: Any) -> None:
        """A page came: the cursor it gives links the next one to its operation."""
        cursor = peek.text(result, "nextCursor")
        if cursor is not None and exchange.operation is not None:
            self._by_cursor[exchange.method, cursor] = exchange.operation


def goes_on(params: Any) -> bool:
    """Whether a request brings what an earlier one was asked for (2026-07-28, basic/patterns/mrtr)."""
    return isinstance(params, dict) and ("inputResponses" in params or "requestState" in params)


def _essence(params: Any) -> bytes:
    added = ("inputResponses", "requestState", "_meta")
    return msgspec.json.encode({k: v for k, v in peek.mapping(params).items() if k not in added}, order="sorted")
