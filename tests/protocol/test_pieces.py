"""Long JSON is the same read in pieces as read at once."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.protocol import pieces
from inspector.protocol.pieces import decode_in_pieces

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=5), inner, max_size=8),
    max_leaves=40,
)


@settings(max_examples=100, deadline=None)
@given(_JSON, st.sampled_from([1, 4, 16, 64]), st.booleans())
def test_the_same_values_come_of_it(value: Any, piece: int, spaced: bool) -> None:
    raw = msgspec.json.format(msgspec.json.encode(value), indent=2 if spaced else 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", piece)
        assert decode_in_pieces(raw) == msgspec.json.decode(raw)


@pytest.mark.parametrize("raw", [b"", b" ", b"[1,", b'{"a":1,}', b"[1] x", b'{"a":\xff"}', b'["\xff"]', b"[01]"])
def test_what_is_no_json_is_none_in_pieces_either(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 2)
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        decode_in_pieces(raw)


def test_of_a_name_that_comes_twice_the_last_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 2)
    assert decode_in_pieces(b'{"a":1,"b":2,"a":[3,4]}') == {"a": [3, 4], "b": 2}


def test_depth_has_an_end() -> None:
    raw = b"[" * 150 + b"0," * pieces.PIECE + b"0" + b"]" * 150
    value = decode_in_pieces(raw)
    for _ in range(150):
        value = value[0] if isinstance(value[0], list) else value
    assert len(value) == pieces.PIECE + 1
