"""Which exchanges serve one wish: the pages of a list belong together, told by the cursor that links them.

Linked is only what the frames prove. Where no earlier page gave the cursor, the request is a wish of its own.
"""

from typing import Any

from inspector.protocol import peek
from inspector.protocol.exchanges import Exchange, Operation
from inspector.protocol.things import KIND_OF_METHOD


class OperationTracker:
    """All operations; each exchange belongs to exactly one."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        """Operation number n stands at position n - 1."""
        self._by_cursor: dict[tuple[str, str], Operation] = {}

    def opened(self, exchange: Exchange, params: Any) -> Operation:
        """A request was sent: the operation it belongs to, a new one if nothing links it to an older."""
        cursor = peek.text(params, "cursor") if exchange.method in KIND_OF_METHOD else None
        operation = None if cursor is None else self._by_cursor.pop((exchange.method, cursor), None)
        if operation is None:
            operation = Operation(len(self.operations) + 1, exchange.method, exchange.target)
            self.operations.append(operation)
        operation.exchanges.append(exchange.number)
        exchange.operation = operation.number
        return operation

    def answered(self, exchange: Exchange, result: Any) -> None:
        """A page came: the cursor it gives links the next one to its operation."""
        cursor = peek.text(result, "nextCursor")
        if cursor is not None and exchange.operation is not None:
            self._by_cursor[exchange.method, cursor] = self.operations[exchange.operation - 1]
