"""Finds which of many known values stand in bytes, at a cost that hardly grows with how many they are.

Bytes are looked at four at a time, at every eighth place. Of eleven bytes in a row of a value eight such pieces are
remembered, one for each way in which it may lie; so wherever it stands, one of them is met. What was met is then looked
for as it is. For values of seven to ten bytes every fourth place is looked at, and shorter ones are looked for one by
one.
"""

import sys

_PIECE = 4
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

    def found(self, data: bytes) -> set[bytes]:
        """All values that stand in bytes."""
        found = {value for value in self._tiny if value in data}
        pieces = memoryview(data)[: len(data) // _PIECE * _PIECE].cast("I")
        for step in self._steps:
            if step.pieces:
                step.seek(data, pieces, found)
        return found


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
        start = _oddest(value, self.window)
        for at in range(start, start + self._ways):
            piece = int.from_bytes(value[at : at + _PIECE], sys.byteorder)
            self._by_piece.setdefault(piece, []).append(value)
            self.pieces.add(piece)

    def seek(self, data: bytes, pieces: memoryview, found: set[bytes]) -> None:
        """Put what stands in the data to what was found."""
        for piece in self.pieces.intersection(pieces[:: self._every]):
            found.update(value for value in self._by_piece[piece] if value not in found and value in data)


def _oddest(value: bytes, window: int) -> int:
    """Where so many bytes of a value begin that are the least likely to be met elsewhere."""
    odd = [byte not in _PLAIN for byte in value[:200]]
    places = range(min(len(value), 200) - window + 1)
    return max(places, key=lambda place: sum(odd[place : place + window]))
