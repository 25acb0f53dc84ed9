"""Checkpoints of a journal, from which earlier states are computed quickly."""

from collections.abc import Callable
from contextlib import suppress

import msgspec

from inspector.capture.store.snapshot import Checkpoint, SnapshotError
from inspector.protocol.facts import ConnectionFact

EVERY = 25_000
"""Entries between two checkpoints: folding them takes some tenths of a second."""


class Point(msgspec.Struct, frozen=True):
    """A checkpoint: what was known after the first `count` entries. Only valid together with its journal."""

    count: int
    conversation: Checkpoint
    connections: int
    connection: ConnectionFact | None
    ended: ConnectionFact | None
    unreachable: int
    """Entry number; 0 for none."""
    http: int
    """Number of HTTP exchanges begun so far."""
    touched: list[tuple[int, int, int, int, int]]
    """HTTP exchanges with new entries since the previous checkpoint.

    Each is its position, number, and entry numbers of request, response and end.
    """


class Points:
    """Checkpoints of a journal, oldest first. One thread adds; any may read."""

    def __init__(self) -> None:
        self.all: list[Point] = []
        self.every = EVERY
        self._next = EVERY

    def offer(self, count: int, make: Callable[[], Point]) -> None:
        """Make a checkpoint if it is due. Called when the journal has `count` entries, and all are folded."""
        if count < self._next:
            return
        self._next = count + self.every
        with suppress(SnapshotError):
            self.all.append(make())

    def restored(self, points: list[Point]) -> None:
        """Use the checkpoints from an earlier loading of the same capture."""
        self.all[:] = points

    def before(self, n: int) -> list[Point]:
        """Return the checkpoints at or before entry n."""
        return [point for point in self.all if point.count <= n]
