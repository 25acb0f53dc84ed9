"""Which exchanges serve one wish: the pages of a list, told by the cursor that links them, and a call and its retries.

The specification makes a retry an independent request with a new id, and `requestState` is optional (2026-07-28,
basic/patterns/mrtr). So the pair is told by the request itself: same method, same params but for what a retry adds,
and answers to exactly the keys that were asked. Where two earlier exchanges fit, none is linked: a wrong link moves
one operation's time into another, and nobody can see that it happened. Where no page gave a cursor, likewise.
"""

from typing import Any

import msgspec

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, Operation
from inspector.protocol.things import KIND_OF_METHOD


class _Asking(msgspec.Struct, frozen=True):
    """A request that was answered with questions, or one that brings their answers."""

    method: str
    essence: Any
    """Its params but for what a retry adds, as canonical JSON."""
    keys: frozenset[str]
    state: Any
    operation: Operation | None

    def fits(self, retry: "_Asking") -> bool:
        """Whether the retry answers this."""
        mine, its = (self.method, self.essence, self.keys, self.state), (retry.method, retry.essence, retry.keys)
        return mine == (*its, retry.state)


class OperationTracker:
    """All operations; each exchange belongs to exactly one."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        """Operation number n stands at position n - 1."""
        self._by_cursor: dict[tuple[str, str], Operation] = {}
        self._asking: list[_Asking] = []

    def opened(self, exchange: Exchange, params: Any) -> Operation:
        """A request was sent: the operation it belongs to, a new one if nothing links it to an older."""
        cursor = peek.text(params, "cursor") if exchange.method in KIND_OF_METHOD else None
        operation = None if cursor is None else self._by_cursor.pop((exchange.method, cursor), None)
        if peek.has(params, "inputResponses") or peek.has(params, "requestState"):
            operation = self._asked_before(exchange.method, params)
        if operation is None:
            operation = Operation(len(self.operations) + 1, exchange.method, exchange.target)
            self.operations.append(operation)
        operation.exchanges.append(exchange.number)
        exchange.operation = operation.number
        return operation

    def asked(self, exchange: Exchange, params: Any, result: Any) -> None:
        """A result asks for input: what a retry of its request must look like."""
        if exchange.operation is not None:
            keys = frozenset(peek.mapping(result, "inputRequests"))
            state = peek.at(result, "requestState")
            operation = self.operations[exchange.operation - 1]
            self._asking.append(_Asking(exchange.method, _essence(params), keys, state, operation))

    def _asked_before(self, method: str, params: Any) -> Operation | None:
        """The one operation that a retry goes on with; None if none fits, or several do."""
        keys = frozenset(peek.mapping(params, "inputResponses"))
        found = _Asking(method, _essence(params), keys, peek.at(params, "requestState"), None)
        fitting = [asking for asking in self._asking if asking.fits(found)]
        if len(fitting) != 1:
            return None
        self._asking.remove(fitting[0])
        return fitting[0].operation

    def answered(self, exchange: Exchange, result: Any) -> None:
        """A page came: the cursor it gives links the next one to its operation."""
        cursor = peek.text(result, "nextCursor")
        if cursor is not None and exchange.operation is not None:
            self._by_cursor[exchange.method, cursor] = self.operations[exchange.operation - 1]


def _essence(params: Any) -> bytes:
    added = ("inputResponses", "requestState", "_meta")
    return msgspec.json.encode({k: v for k, v in peek.mapping(params).items() if k not in added}, order="sorted")
