"""A payload as text, as a reader sees it."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.payload_lines import RawLines
from inspector.viewmodels.text import cell_width


def texts(payload: bytes, width: int) -> list[str]:
    lines = RawLines(payload)
    return ["".join(text for text, _ in lines.line(index, width)) for index in range(lines.count(width))]


def test_a_short_payload_is_one_line() -> None:
    assert texts(b'{"a":1}', 40) == ['  {"a":1}']


def test_a_long_line_goes_on_below_and_says_so() -> None:
    assert texts(b"abcdefghijklmnop", 12) == ["  abcdefghij", "↪ klmnop"]


def test_a_break_in_the_payload_ends_a_line() -> None:
    assert texts(b"one\ntwo\n", 40) == ["  one", "  two", "  "]


def test_nothing_is_no_line() -> None:
    assert texts(b"", 40) == []


def test_a_character_is_never_cut_in_two() -> None:
    assert "".join(line[2:] for line in texts("数据数据数据".encode(), 13)) == "数据数据数据"


def test_what_acts_on_a_terminal_is_shown_as_what_it_is() -> None:
    assert texts(b"\x1b[31m\xff", 40) == ["  ␛[31m‹xFF›"]


@given(st.binary(max_size=300), st.integers(10, 60))
def test_every_byte_of_any_payload_is_in_some_row_and_no_row_is_too_wide(payload: bytes, width: int) -> None:
    shown = texts(payload, width)
    assert all(cell_width(line) <= width for line in shown)
    if payload.isascii() and payload.decode().isprintable():
        assert "".join(line[2:] for line in shown) == payload.decode()
