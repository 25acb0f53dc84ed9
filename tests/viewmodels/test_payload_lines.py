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
