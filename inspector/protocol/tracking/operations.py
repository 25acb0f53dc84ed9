"""Which exchanges serve one wish: the pages of a list, told by the cursor that links them, and a call and its retries.

The specification makes a retry an independent request with a new id, and `requestState` is optional (2026-07-28,
basic/patterns/mrtr). So the pair is told by the request itself: same method, same params but for what a retry adds,
and answers to exactly the keys that were asked. Where two earlier exchanges fit, none is linked: a wrong link moves
one operation's time into another, and nobody can see that it happened. Where no page gave a cursor, likewise.
"""

from array import array
from collections.abc import Iterator
from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, Operation
from inspector.protocol.things import KIND_OF_METHOD


class Asking(msgspec.Struct, frozen=True):
    """A request that was answered with questions, or one that brings their answers."""

    method: str
    essence: Any
    """Its params but for what a retry adds, as canonical JSON."""
    keys: frozenset[str]
    state: Any
    operation: int | None

    def fits(self, retry: "Asking") -> bool:
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
        self._asking: list[Asking] = []

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
        """A request was sent: it goes on with an operation, or begins one if nothing links it to an older."""
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
            self._asking.append(Asking(exchange.method, _essence(params), keys, state, exchange.operation))

    def _asked_before(self, method: str, params: Any) -> int | None:
        """The one operation that a retry goes on with; None if none fits, or several do."""
        keys = frozenset(peek.mapping(params, "inputResponses"))
        found = Asking(method, _essence(params), keys, peek.at(params, "requestState"), None)
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
