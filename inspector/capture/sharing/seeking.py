"""Finds which of many known values stand in bytes, at a cost that hardly grows with how many they are.

Bytes are looked at four at a time, at every fourth place. Of seven bytes in a row of a value four such pieces are
remembered, one for each way in which it may lie; so wherever it stands, one of them is met. What was met is then looked
for as it is. Values that are shorter than seven bytes are looked for one by one.
"""

import sys

_PIECE = 4
_WINDOW = 2 * _PIECE - 1
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz ")


class Seeker:
    """Values that are looked for together."""

    def __init__(self) -> None:
        self._short: list[bytes] = []
        self._by_piece: dict[int, list[bytes]] = {}
        self._pieces: set[int] = set()

    def add(self, value: bytes) -> None:
        """Look for this value, too. It is not empty, and was not added before."""
        if len(value) < _WINDOW:
            self._short.append(value)
            return
        start = _oddest(value)
        for at in range(start, start + _PIECE):
            piece = int.from_bytes(value[at : at + _PIECE], sys.byteorder)
            self._by_piece.setdefault(piece, []).append(value)
            self._pieces.add(piece)

    def found(self, data: bytes) -> set[bytes]:
        """All values that stand in bytes."""
        found = {value for value in self._short if value in data}
        whole = len(data) // _PIECE * _PIECE
        for piece in self._pieces.intersection(memoryview(data)[:whole].cast("I")):
            found.update(value for value in self._by_piece[piece] if value not in found and value in data)
        return found


def _oddest(value: bytes) -> int:
    """Where the seven bytes of a value begin that are the least likely to be met elsewhere."""
    odd = [byte not in _PLAIN for byte in value[:200]]
    places = range(min(len(value), 200) - _WINDOW + 1)
    return max(places, key=lambda place: sum(odd[place : place + _WINDOW]))
