"""Lines of indented JSON and the bytes they stand for."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.present.json_text import JsonLines
from inspector.present.spans import plain
from inspector.text import cell_width
from inspector.tui.widgets import payload_model
from inspector.tui.widgets.payload_model import ByteMap, HexLines, RawLines, bytes_per_line
from tests.present.test_json_text import JSON_SCAN_JSON

SPACES = st.sampled_from([(", ", ": "), (",", ":"), (" ,\n", "\t:  ")])


@given(JSON_SCAN_JSON, SPACES, st.sampled_from([None, 0, 3]), st.booleans())
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


@given(JSON_SCAN_JSON, SPACES)
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


def test_span_of_a_large_payload_is_found_piecewise() -> None:
    rows = [{"n": n, "text": 'with "quotes" and \\ and : in it'} for n in range(20_000)]
    raw = json.dumps({"rows": rows, "blob": "x" * 500_000, "end": 7}).encode()
    assert len(raw) > 8 * payload_model._PIECE_BYTES
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


def test_a_line_has_offset_bytes_and_characters() -> None:
    shown = HexLines(b'{"jsonrpc":"2.0","id\xff\n')
    assert shown.count == 2
    assert [plain(shown.line(index)) for index in range(2)] == [
        '00000000  7b 22 6a 73 6f 6e 72 70  63 22 3a 22 32 2e 30 22  {"jsonrpc":"2.0"',
        '00000010  2c 22 69 64 ff 0a                                 ,"id··',
    ]


def test_non_text_bytes_have_roles() -> None:
    roles = {part: role for part, role in HexLines(b"a\x1b\xff\n").line(0) if part.strip()}
    assert roles["1b "] == "warning"
    assert roles["ff "] == "number"


@pytest.mark.parametrize(("width", "count"), [(120, 16), (76, 16), (75, 8), (43, 8), (42, 4), (10, 4)])
def test_narrow_places_get_fewer_bytes_on_a_line(width: int, count: int) -> None:
    assert bytes_per_line(width) == count
    if width >= 30:
        assert len(plain(HexLines(bytes(16), count).line(0))) <= width


def test_an_empty_payload_has_no_lines() -> None:
    assert HexLines(b"").count == 0
    assert plain(HexLines(b"").header(20)).strip() == "offset    bytes"


@given(st.binary(min_size=1, max_size=70), st.sampled_from([4, 8, 16]), st.integers(10, 100))
def test_every_byte_is_there_and_none_acts(payload: bytes, per_line: int, width: int) -> None:
    shown = HexLines(payload, per_line)
    digits = "".join(plain(shown.line(index))[10 : 10 + per_line * 3 + (per_line > 8)] for index in range(shown.count))
    assert bytes.fromhex(digits.replace(" ", "")) == payload
    rows = [plain(shown.row(index, width).spans) for index in range(shown.count)]
    assert all(len(row) == width and row.isprintable() for row in rows)


def texts(payload: bytes, width: int) -> list[str]:
    lines = RawLines(payload)
    return ["".join(text for text, _ in lines.line(index, width)) for index in range(lines.count(width))]


def test_a_short_payload_is_one_line() -> None:
    assert texts(b'{"a":1}', 40) == ['  {"a":1}']


def test_long_text_line_is_continued() -> None:
    assert texts(b"abcdefghijklmnop", 12) == ["  abcdefghij", "↪ klmnop"]


def test_a_break_in_the_payload_ends_a_line() -> None:
    assert texts(b"one\ntwo\n", 40) == ["  one", "  two", "  "]


def test_nothing_is_no_line() -> None:
    assert texts(b"", 40) == []


def test_a_character_is_never_cut_in_two() -> None:
    assert "".join(line[2:] for line in texts("数据数据数据".encode(), 13)) == "数据数据数据"


def test_text_lines_show_control_characters() -> None:
    assert texts(b"\x1b[31m\xff", 40) == ["  ␛[31m‹xFF›"]


@given(st.binary(max_size=300), st.integers(10, 60))
def test_every_byte_of_any_payload_is_in_some_row_and_no_row_is_too_wide(payload: bytes, width: int) -> None:
    shown = texts(payload, width)
    assert all(cell_width(line) <= width for line in shown)
    if payload.isascii() and payload.decode().isprintable():
        assert "".join(line[2:] for line in shown) == payload.decode()


def unwrapped(payload: bytes, width: int) -> RawLines:
    lines = RawLines(payload)
    lines.wrap(wraps=False, offset=0, width=width)
    return lines


def row(lines: RawLines, index: int, width: int) -> str:
    return "".join(text for text, _ in lines.line(index, width))


def test_a_long_line_goes_on_to_the_right_where_it_is_not_to_go_on_below() -> None:
    lines = unwrapped(b"abcdefghijklmnopqrstuvwxyz\nshort", 13)
    assert (lines.count(13), row(lines, 0, 13), row(lines, 1, 13)) == (2, "  abcdefghij›", "  short")
    assert lines.move(1, 13)
    assert (row(lines, 0, 13), row(lines, 1, 13)) == ("‹ fghijklmno›", "‹ ")
    while lines.move(1, 13):
        pass
    assert row(lines, 0, 13) == "‹ tuvwxyz"
    assert not lines.move(1, 13)
    while lines.move(-1, 13):
        pass
    assert row(lines, 0, 13) == "  abcdefghij›"


def test_a_byte_stays_in_sight_when_lines_are_wrapped_or_not() -> None:
    payload = b"x" * 100 + b"here" + b"y" * 100
    lines = unwrapped(payload, 40)
    lines.wrap(wraps=False, offset=100, width=40)
    assert "here" in row(lines, lines.row_at(100, 40), 40)
    lines.wrap(wraps=True, offset=100, width=40)
    assert not lines.move(1, 40)
    assert "here" in row(lines, lines.row_at(100, 40), 40) + row(lines, lines.row_at(100, 40) + 1, 40)
    lines.wrap(wraps=False, offset=0, width=40)
    lines.select(100, 104)
    assert ("here", "match") in lines.line(0, 40)


@given(st.binary(max_size=300), st.integers(11, 60))
def test_every_byte_of_any_payload_comes_in_sight_on_the_way_to_the_right(payload: bytes, width: int) -> None:
    lines = unwrapped(payload, width)
    seen: set[int] = set()
    while True:
        for index in range(lines.count(width)):
            begin, end, _ = lines._part(index, width)
            seen.update(range(begin, end))
            assert cell_width(row(lines, index, width)) <= width
        if not lines.move(1, width):
            break
    assert seen >= {at for at, byte in enumerate(payload) if byte != 10}
