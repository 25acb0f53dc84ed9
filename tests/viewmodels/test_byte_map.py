"""Lines of indented JSON and the bytes they stand for."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels import byte_map
from inspector.viewmodels.byte_map import ByteMap
from inspector.viewmodels.json_lines import JsonLines
from tests.viewmodels.test_json_scan import JSON

SPACES = st.sampled_from([(", ", ": "), (",", ":"), (" ,\n", "\t:  ")])


@given(JSON, SPACES, st.sampled_from([None, 0, 3]), st.booleans())
def test_the_bytes_of_every_line_hold_the_value_that_the_line_shows(
    value: Any, separators: tuple[str, str], indent: int | None, marked: bool
) -> None:
    text = json.dumps(value, separators=separators, indent=indent)
    raw = b"\xef\xbb\xbf" * marked + b" " + text.encode() + b"\n"
    lines = JsonLines(raw)
    if lines.problem:
        return
    found = ByteMap(raw, lines)
    for line in range(lines.count):
        start, end = found.span(line)
        assert repr(json.loads(raw[start:end])) == repr(json.loads(lines.value(line)))
        assert raw[start:end].strip() == raw[start:end]


@given(JSON, SPACES)
def test_the_first_byte_of_a_value_leads_back_to_its_line(value: Any, separators: tuple[str, str]) -> None:
    raw = json.dumps(value, separators=separators).encode()
    lines = JsonLines(raw)
    found = ByteMap(raw, lines)
    for line in range(lines.count):
        first = lines.fold_partner(line) if lines.closes(line) else line
        start, end = found.span(line)
        assert found.line(start) == first
        if lines.fold_partner(line) is not None:
            last = max(line, lines.fold_partner(line) or 0)
            assert found.line(end - 1) == last


def test_it_looks_piece_by_piece_into_what_is_large() -> None:
    rows = [{"n": n, "text": 'with "quotes" and \\ and : in it'} for n in range(20_000)]
    raw = json.dumps({"rows": rows, "blob": "x" * 500_000, "end": 7}).encode()
    assert len(raw) > 8 * byte_map._PIECE
    lines = JsonLines(raw)
    found = ByteMap(raw, lines)
    line = lines.find('"end"')
    assert line is not None
    start, end = found.span(line)
    assert raw[start:end] == b"7"
    assert found.line(start) == line
    middle = lines.find("19999")
    assert middle is not None
    start, end = found.span(middle)
    assert raw[start:end] == b"19999"


def test_a_byte_of_white_space_leads_to_what_comes_after_it() -> None:
    raw = b'{  "a":   1 }'
    found = ByteMap(raw, JsonLines(raw))
    assert found.line(1) == 1
    assert found.line(8) == 1
    assert found.line(len(raw) + 5) == 2


def test_strings_longer_than_a_piece_are_passed_over_with_all_their_escapes() -> None:
    texts = ["x" * 300_000, 'say "so" \\' * 40_000, "\\" * 200_001]
    raw = json.dumps({"a": texts[0], "b": texts[1:], "end": [7]}).encode()
    lines = JsonLines(raw)
    found = ByteMap(raw, lines)
    for line in range(lines.count):
        start, end = found.span(line)
        assert json.loads(raw[start:end]) == json.loads(lines.value(line))
        assert found.line(start) in (line, lines.fold_partner(line))
