"""Masks are put together byte by byte."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.masks import both, either, ones, without

_PAIRS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=40)


@given(_PAIRS)
def test_masks_are_put_together_byte_by_byte(pairs: list[tuple[int, int]]) -> None:
    one, other = bytes(pair[0] for pair in pairs), bytes(pair[1] for pair in pairs)
    assert both(one, other) == bytes(a & b for a, b in pairs)
    assert either(one, other) == bytes(a | b for a, b in pairs)
    assert without(one, other) == bytes(a & ~b & 1 for a, b in pairs)
    assert list(ones(one)) == [at for at, byte in enumerate(one) if byte]
