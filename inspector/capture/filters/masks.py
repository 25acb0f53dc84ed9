"""Masks: one byte for each entry of a stretch, 1 or 0. Put together as whole numbers, thousands at once."""

from collections.abc import Iterator
from typing import Literal

_ORDER: Literal["little"] = "little"


def both(one: bytes, other: bytes) -> bytes:
    """1 where both are."""
    return (int.from_bytes(one, _ORDER) & int.from_bytes(other, _ORDER)).to_bytes(len(one), _ORDER)


def either(one: bytes, other: bytes) -> bytes:
    """1 where at least one is."""
    return (int.from_bytes(one, _ORDER) | int.from_bytes(other, _ORDER)).to_bytes(len(one), _ORDER)


def without(one: bytes, other: bytes) -> bytes:
    """1 where the first is and the second is not."""
    first, second = int.from_bytes(one, _ORDER), int.from_bytes(other, _ORDER)
    return (first ^ (first & second)).to_bytes(len(one), _ORDER)


def ones(mask: bytes) -> Iterator[int]:
    """The positions where it is 1."""
    at = mask.find(1)
    while at >= 0:
        yield at
        at = mask.find(1, at + 1)
