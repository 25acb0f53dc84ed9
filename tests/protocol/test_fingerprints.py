"""The hash of a definition says whether it is the same, however it was written."""

import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.fingerprints import Remembered, canonical, content_hash, known_of, known_text
from inspector.protocol.jsonrpc import encode

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


@given(_JSON)
def test_a_hash_is_that_of_the_canonical_form_as_it_goes_on_the_wire(value: Any) -> None:
    assert content_hash(value) == "sha256:" + hashlib.sha256(encode(canonical(value))).hexdigest()


def test_the_canonical_form_keeps_what_json_can_hardly_write() -> None:
    odd = {"b": [float("inf"), None, 1e16, 2.0, 10**30], "a": {"é\ud800": 1}}
    assert canonical(odd) == odd
    assert encode(canonical({"b": 1.0, "a": {"d": 2.5, "c": "1.0"}})) == b'{"a":{"c":"1.0","d":2.5},"b":1}'


def test_a_list_is_remembered_by_key() -> None:
    known = known_of("resources", [{"uri": "a:1", "name": "x"}, "no object"], 7)
    assert known == Remembered(
        7,
        {
            "a:1": (content_hash({"name": "x", "uri": "a:1"}), {"name": "x", "uri": "a:1"}),
            "": (content_hash("no object"), "no object"),
        },
    )
    assert known_text("Be kind.", 8).items[""][1] == "Be kind."
