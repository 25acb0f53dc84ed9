"""The scanner against the parser of the standard library, and against what that refuses."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.json_scan import ScanError, scan

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=25,
)


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_it_keeps_every_value_as_the_standard_parser_reads_it(value: Any, indent: Any, ascii_only: bool) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode(errors="surrogatepass")
    text = scan(raw).text
    before, after = (json.loads(each.decode(errors="surrogatepass")) for each in (raw, text))
    assert repr(after) == repr(before)


@given(JSON.filter(lambda value: "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value)))
def test_it_indents_as_the_fast_one_does(value: Any) -> None:
    raw = json.dumps(value).encode()
    try:
        fast = msgspec.json.format(raw, indent=2)
    except msgspec.MsgspecError:  # halves of surrogate pairs
        return
    assert scan(raw).text == fast


@given(st.binary(max_size=40) | st.text(alphabet='{}[]",:01 truefalsn\\', max_size=40).map(str.encode))
def test_what_it_takes_without_a_note_is_json_and_the_other_way_round(raw: bytes) -> None:
    try:
        msgspec.json.format(raw)
        is_json = True
    except msgspec.MsgspecError:
        is_json = False
    try:
        found = scan(raw)
    except ScanError:
        assert not is_json
    else:
        assert is_json or found.notes


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        (b'{"a": NaN, "b": [Infinity, -Infinity]}', "NaN"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b'["\\ud800"]', "surrogate"),
        (b'["\\udc00x"]', "surrogate"),
        (b'["a\tb"]', "control characters"),
        (b'["\\q"]', "escape"),
    ],
)
def test_what_the_grammar_forbids_is_put_up_with_and_told(raw: bytes, note: str) -> None:
    assert any(note in told for told in scan(raw).notes)


def test_a_whole_surrogate_pair_is_nothing_to_tell_of() -> None:
    assert scan(b'["\\ud83d\\ude00"]').notes == ()


def test_keys_that_are_there_twice_stay_twice() -> None:
    assert scan(b'{"a":1,"a":2}').text == b'{\n  "a": 1,\n  "a": 2\n}'


def test_two_thousand_levels_are_walked_through() -> None:
    text = scan(b"[" * 2000 + b"]" * 2000).text
    assert text.count(b"\n") == 2 * 1999
    with pytest.raises(ScanError, match="deeper"):
        scan(b"[" * 3000 + b"]" * 3000)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"[1,", "ends at byte 3"),
        (b"[1,]", "a value is due at byte 3"),
        (b'{"a" 1}', "a colon is due at byte 5"),
        (b"{1:2}", "a key or } is due at byte 1"),
        (b"[1 2]", "a comma or the end of what is open is due at byte 3"),
        (b"[1]x", "follows its end, at byte 3"),
        (b'["abc', "string without an end begins at byte 1"),
        (b'["a\nb"]', "string without an end"),
        (b"hello", "a value is due at byte 0"),
        (b"", "ends at byte 0"),
    ],
)
def test_what_is_no_json_is_refused_with_the_place(raw: bytes, words: str) -> None:
    with pytest.raises(ScanError) as refused:
        scan(raw)
    assert words in str(refused.value)
