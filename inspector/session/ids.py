"""The ids of the requests of one session: whole numbers from 1, never one that was used before.

"The request ID MUST NOT have been previously used by the requestor within the same session" (basic, handshake
revisions). A person who sends a message with an id of his own uses that number up as well.
"""

from collections.abc import Iterable, Iterator

from inspector.protocol.jsonrpc import RequestId


class Ids(Iterator[int]):
    """The next free number, again and again."""

    def __init__(self) -> None:
        self._last = 0
        self._spent: set[RequestId] = set()

    def __next__(self) -> int:
        """A number that was not used yet."""
        self._last += 1
        while self._last in self._spent:
            self._last += 1
        return self._last

    def spend(self, ids: Iterable[RequestId]) -> None:
        """These were used by somebody else."""
        self._spent.update(ids)
