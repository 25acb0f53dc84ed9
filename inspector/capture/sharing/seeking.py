"""Finds which of many known values stand in bytes, at a cost that hardly grows with how many they are.

Bytes are looked at four at a time, at every eighth place. Of eleven bytes in a row of a value eight such pieces are
remembered, one for each way in which it may lie; so wherever it stands, one of them is met. What was met is then looked
for as it is. For values of seven to ten bytes every fourth place is looked at, and shorter ones are looked for one by
one.
"""

import sys

_PIECE = 4
_LOOKED_AT = 200
"""Bytes of a value among which its pieces are chosen."""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz ")


class Seeker:
    """Values that are looked for together."""

    def __init__(self) -> None:
        self._tiny: list[bytes] = []
        self._steps = (_Step(2), _Step(1))

    def add(self, value: bytes) -> None:
        """Look for this value, too. It is not empty, and was not added before."""
        for step in self._steps:
            if len(value) >= step.window:
                step.add(value)
                return
        self._tiny.append(value)

    def may_find(self, data: bytes) -> bool:
        """Whether a value may stand in bytes: never false if one does. For many bytes it is much cheaper."""
        pieces = _pieces(data)
        return any(value in data for value in self._tiny) or any(step.may_meet(pieces) for step in self._steps)

    def found(self, data: bytes) -> set[bytes]:
        """All values that stand in bytes."""
        found = {value for value in self._tiny if value in data}
        pieces = _pieces(data)
        for step in self._steps:
            if step.pieces:
                step.seek(data, pieces, found)
        return found


def _pieces(data: bytes) -> memoryview:
    return memoryview(data)[: len(data) // _PIECE * _PIECE].cast("I")


class _Step:
    """Values that are met when every so many pieces one is looked at."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._ways = every * _PIECE
        self.window = self._ways + _PIECE - 1
        """Bytes of the shortest value."""
        self._by_piece: dict[int, list[bytes]] = {}
        self.pieces: set[int] = set()

    def add(self, value: bytes) -> None:
        pieces = [int.from_bytes(value[at : at + _PIECE], sys.byteorder) for at in range(len(value[:_LOOKED_AT]) - 3)]
        start = self._rarest(value, pieces)
        for piece in pieces[start : start + self._ways]:
            self._by_piece.setdefault(piece, []).append(value)
            self.pieces.add(piece)

    def _rarest(self, value: bytes, pieces: list[int]) -> int:
        """Where those pieces of a value begin that are the least likely to be met elsewhere, or in other values."""
        costs = [
            100 * len(self._by_piece.get(piece, ())) - (value[at] not in _PLAIN) for at, piece in enumerate(pieces)
        ]
        return min(range(len(pieces) - self._ways + 1), key=lambda start: sum(costs[start : start + self._ways]))

    def may_meet(self, pieces: memoryview) -> bool:
        return bool(self.pieces) and not self.pieces.isdisjoint(pieces[:: self._every])

    def seek(self, data: bytes, pieces: memoryview, found: set[bytes]) -> None:
        """Put what stands in the data to what was found."""
        for piece in self.pieces.intersection(pieces[:: self._every]):
            found.update(value for value in self._by_piece[piece] if value not in found and value in data)
