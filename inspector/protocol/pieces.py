"""Long JSON made objects in pieces, none of which takes long: between them other threads have their turn.

The same values come of it as at once. What is skipped in search of the pieces' ends costs a tenth of what reading does.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

PIECE = 128 * 1024
"""Bytes that are read at once: some milliseconds at most."""
_DEEPEST = 100
"""Levels that are taken apart; what is below is read at once."""
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])


def decode_in_pieces(raw: bytes | msgspec.Raw, level: int = 0) -> Any:
    """JSON to objects. Raises: what `msgspec.json.decode` raises."""
    first = bytes(memoryview(raw)[:64]).lstrip()[:1]
    if len(memoryview(raw)) <= PIECE or level >= _DEEPEST or first not in (b"{", b"["):
        return msgspec.json.decode(raw)
    if first == b"[":
        return _values(_ARRAY.decode(raw), level)
    members = _OBJECT.decode(raw)
    return dict(zip(members, _values(members.values(), level), strict=True))


def _values(raws: Iterable[msgspec.Raw], level: int) -> list[Any]:
    """Each read; many small ones together."""
    values: list[Any] = []
    some: list[msgspec.Raw] = []
    size = 0
    for raw in raws:
        length = len(memoryview(raw))
        if some and size + length > PIECE:
            values += msgspec.json.decode(b"[" + b",".join(some) + b"]")
            some, size = [], 0
        if length > PIECE:
            values.append(decode_in_pieces(raw, level + 1))
        else:
            some.append(raw)
            size += length
    if some:
        values += msgspec.json.decode(b"[" + b",".join(some) + b"]")
    return values
