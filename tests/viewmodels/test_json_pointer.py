"""A pointer leads to the line of its value, or as near to it as the payload goes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.json_lines import JsonLines
from inspector.viewmodels.json_places import pointer
from inspector.viewmodels.json_pointer import line_of, tokens

_PAYLOAD = b'{"a":[1,{"b/c":{"~":[]}},[[],[3]]],"\\u0061b":{"x":1,"x]":"]"},"":0}'


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        ("", None),
        ("/a", None),
        ("/a/0", b"1"),
        ("/a/1/b~1c/~0", b"[]"),
        ("/a/2/1/0", b"3"),
        ("/ab/x]", b'"]"'),
        ("/", b"0"),
    ],
)
def test_a_pointer_leads_to_its_value(wanted: str, value: bytes | None) -> None:
    lines = JsonLines(_PAYLOAD)
    line = line_of(lines, wanted)
    assert pointer(lines.places.steps(line)) == wanted
    assert value is None or lines.value(line) == value


@pytest.mark.parametrize(
    ("wanted", "reached"), [("/a/9", "/a"), ("/a/x/y", "/a"), ("/nothing", ""), ("/a/0/b", "/a/0")]
)
def test_a_pointer_out_of_the_payload_leads_as_far_as_it_goes(wanted: str, reached: str) -> None:
    lines = JsonLines(_PAYLOAD)
    assert pointer(lines.places.steps(line_of(lines, wanted))) == reached


@pytest.mark.parametrize("payload", [b"", b"no JSON", b"7", b"[]"])
def test_where_there_is_nothing_to_point_at_it_is_the_first_line(payload: bytes) -> None:
    assert line_of(JsonLines(payload), "/a/0") == 0


_JSON = st.recursive(
    st.none() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab/~]}" ', max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(_JSON)
def test_every_line_s_pointer_leads_back_to_it(value: object) -> None:
    lines = JsonLines(json.dumps(value).encode())
    for line in range(lines.count):
        if not lines.closes(line):
            assert line_of(lines, pointer(lines.places.steps(line))) == line


def test_a_pointer_s_own_signs_are_read() -> None:
    assert tokens("/a~1b/~0/~01") == ["a/b", "~", "~1"]
    assert tokens("") == []
