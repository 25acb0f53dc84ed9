"""Unpacking a body that came compressed though nobody asked for it: in pieces, never more than one at a time.

A few hundred bytes, compressed twice, unpack to gigabytes in one step of an ordinary decoder. So here each step is
bounded, and only one encoding is undone: a body in several, or in one that is not known, is shown as it came.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Any

PIECE = 1024 * 1024
"""Bytes of the largest piece."""

_GZIP, _ZLIB, _RAW = 31, zlib.MAX_WBITS, -zlib.MAX_WBITS
_BITS: dict[tuple[str, ...], int] = {("gzip",): _GZIP, ("x-gzip",): _GZIP, ("deflate",): _ZLIB}


class BadPacking(ValueError):
    """The body is not what its Content-Encoding says."""


def unpacker(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """What turns the next bytes of a body into pieces, for the value of its Content-Encoding header.

    The pieces are made as they are asked for; whoever has enough stops asking. They raise BadPacking.
    """
    bits = _BITS.get(_named(encoding))
    return (lambda data: iter((data,))) if bits is None else _Inflating(bits).pieces


def is_unpacked(encoding: str) -> bool:
    """Whether a body in this encoding is unpacked here, or shown as it came."""
    return _named(encoding) in _BITS


def _named(encoding: str) -> tuple[str, ...]:
    return tuple(word for each in encoding.split(",") if (word := each.strip().lower()) not in ("", "identity"))


class _Inflating:
    """gzip's or deflate's; of the latter also without its frame, as some servers send it."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._inflate: Any = None

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What the next bytes unpack to. Raises: BadPacking."""
        if not data:
            return
        if self._inflate is None:
            framed = self._bits != _ZLIB or data[0] & 0x0F == zlib.DEFLATED
            self._inflate = zlib.decompressobj(self._bits if framed else _RAW)
        while True:
            piece = self._step(data)
            if piece:
                yield piece
            data = self._inflate.unconsumed_tail
            if not data and len(piece) < PIECE:
                return

    def _step(self, data: bytes) -> bytes:
        try:
            return bytes(self._inflate.decompress(data, PIECE))
        except zlib.error as error:
            raise BadPacking(str(error)) from error
