"""Answers of a bounded size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.jsonrpc import encode
from inspector.serve.bounded import bounded, cut_text, fits

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=20), inner, max_size=8),
    max_leaves=60,
)


@given(_JSON, st.integers(20, 200))
def test_a_bounded_value_fits_or_is_unchanged(value: object, tokens: int) -> None:
    found, cut = bounded(value, tokens)
    assert len(encode(found)) <= tokens * 8
    assert cut is (found != value)


@pytest.mark.parametrize("value", ["x" * 100_000, [{"a": "b" * 50}] * 1000, {"a": {"b": list(range(5000))}}])
def test_cut_value_has_its_original_size(value: object) -> None:
    found, cut = bounded(value, 100)
    assert cut
    assert fits(found, 100)
    assert "+" in encode(found).decode()


def test_without_marks_lists_keep_the_type_of_their_items() -> None:
    found, cut = bounded({"rows": [{"n": n, "text": "x" * 100} for n in range(100)]}, 200, marked=False)
    assert cut
    assert all(isinstance(row, dict) and row.keys() == {"n", "text"} for row in found["rows"])


def test_a_cut_leaves_no_half_of_a_word() -> None:
    assert cut_text("the key is abcdefghijklmnop", 20) == "the key is … (+16 characters)"
