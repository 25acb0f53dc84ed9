"""Look-ups in unvalidated JSON."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol import peek

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@pytest.mark.parametrize("written", [b"{", b'"\xff"', "\ud800", b"[" * 100_000], ids=["cut", "bytes", "half", "deep"])
def test_text_that_is_not_json_is_none(written: bytes | str) -> None:
    assert (peek.decoded(written), peek.decoded(b'{"a": 1}')) == (None, {"a": 1})


def test_a_value_is_found_by_its_path() -> None:
    assert peek.at({"a": [{"b": 1}]}, "a", 0, "b") == 1
    assert peek.at({"a": [1, 2]}, "a", -1) == 2


@pytest.mark.parametrize("path", [("x",), ("a", "b"), ("a", 5), (0,), ("a", -3)])
def test_a_path_that_leads_nowhere_is_none(path: tuple[str | int, ...]) -> None:
    assert peek.at({"a": [1, 2]}, *path) is None


def test_an_explicit_null_is_there() -> None:
    assert peek.has({"a": None}, "a")
    assert not peek.has({"a": None}, "b")
    assert peek.has([None], 0)
    assert not peek.has(None, "a")


def test_true_is_no_number_and_a_whole_float_is_a_whole_number() -> None:
    assert peek.integer(True) is None
    assert peek.number(True) is None
    assert peek.integer(3.0) == 3
    assert peek.integer(3.5) is None
    assert peek.number(3.5) == 3.5


@pytest.mark.parametrize(
    ("value", "found"),
    [(1, 1), ("1", "1"), (1.0, 1), (True, None), (1.5, None), (1e300, None), (None, None), ([], None)],
)
def test_an_id_is_a_string_or_an_integer_in_any_spelling(value: object, found: object) -> None:
    assert peek.request_id({"a": value}, "a") == found
    assert type(peek.request_id({"a": value}, "a")) is type(found)


def test_a_wrong_type_reads_as_empty() -> None:
    assert peek.text({"a": 1}, "a") is None
    assert peek.flag({"a": 1}, "a") is None
    assert peek.mapping({"a": []}, "a") == {}
    assert peek.items({"a": {}}, "a") == []


VALUES: list[Any] = [{}, [], "", True, 1, 1.5, None]


def test_types_are_called_what_json_calls_them() -> None:
    names = [peek.type_name(value) for value in VALUES]
    assert names == ["object", "array", "string", "boolean", "number", "number", "null"]


@given(JSON, st.lists(st.text(max_size=3) | st.integers(-3, 3), min_size=1, max_size=4))
def test_no_look_up_ever_raises(value: Any, path: list[str | int]) -> None:
    for look in (
        peek.at,
        peek.has,
        peek.text,
        peek.integer,
        peek.number,
        peek.flag,
        peek.mapping,
        peek.items,
        peek.request_id,
    ):
        look(value, *path)
