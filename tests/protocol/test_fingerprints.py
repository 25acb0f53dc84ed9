"""The hash of a definition says whether it is the same, however it was written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.fingerprints import Remembered, canonical, content_hash, known_of, known_text

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1.0}, True),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": None}, {}, False),
        ("a text", "a text ", False),
        ({"a": "\ud800"}, {"a": "\ud800"}, True),
        ({"a": 10**400}, {"a": 10**400}, True),
    ],
)
def test_order_and_spelling_of_numbers_do_not_count_and_all_else_does(one: Any, other: Any, same: bool) -> None:
    assert (content_hash(one) == content_hash(other)) is same


@given(_JSON)
def test_the_canonical_form_has_one_canonical_form(value: Any) -> None:
    assert canonical(canonical(value)) == canonical(value)
    assert content_hash(canonical(value)) == content_hash(value)


def test_a_list_is_remembered_by_key() -> None:
    known = known_of("resources", [{"uri": "a:1", "name": "x"}, "no object"], 7)
    assert known == Remembered(
        7,
        {
            "a:1": (content_hash({"name": "x", "uri": "a:1"}), {"name": "x", "uri": "a:1"}),
            "": (content_hash("no object"), "no object"),
        },
    )
    assert known_text("Be kind.", 8).things[""][1] == "Be kind."
