"""Rendering of hostile text."""

import re
import sys
import unicodedata
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector import text

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("foreign", "seen"),
    [
        ("plain, with [markup] and \\", "plain, with [markup] and \\"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;cm0gLXJm\x07", "␛]52;c;cm0gLXJm␇"),
        ("a\x9b2Jb", "a‹U+009B›2Jb"),
        ("a\x7fb\x00c", "a␡b␀c"),
        ("txt.\u202eexe", "txt.‹U+202E›exe"),
        ("a\u2066b\u2069\u200e\u200f\u061c", "a‹U+2066›b‹U+2069›‹U+200E›‹U+200F›‹U+061C›"),
        ("zero\u200bwidth\u2060\ufeff", "zero‹U+200B›width‹U+2060›‹U+FEFF›"),
        ("\U000e0041\U000e0042", "‹U+E0041›‹U+E0042›"),
        ("half \ud800", "half ‹U+D800›"),
        ("a\u2028b\u2029c\x85", "a‹U+2028›b‹U+2029›c‹U+0085›"),
        ("\ufff9x\ufffa", "‹U+FFF9›x‹U+FFFA›"),
        ("private \ue000", "private ‹U+E000›"),
        ("a\U000e0100b\ufe01", "a‹U+E0100›b‹U+FE01›"),
        ("hangul\u3164filler\u2800", "hangul‹U+3164›filler‹U+2800›"),
        ("☁\ufe0f", "☁"),
        ("☁\ufe0f\ufe0f", "☁‹U+FE0F›"),
        ("👨\u200d👩", "👨‹U+200D›👩"),
        ("数据 é ñ", "数据 é ñ"),
        ("un\u00a0deux\u3000trois", "un deux  trois"),
        ("line\r\nnext\tend", "line␍␊next␉end"),
    ],
)
def test_visible_shows_control_characters(foreign: str, seen: str) -> None:
    assert text.visible(foreign) == seen


def test_visible_keeps_newlines_on_request() -> None:
    assert text.visible("a\n\tb\x1b", newlines=True) == "a\n    b␛"


@given(ANY_TEXT, st.booleans())
def test_nothing_that_is_returned_can_act(foreign: str, newlines: bool) -> None:
    seen = text.visible(foreign, newlines=newlines)
    for char in seen.replace("\n", "") if newlines else seen:
        assert char.isprintable(), hex(ord(char))
        assert unicodedata.bidirectional(char) not in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    seen.encode()  # no lone surrogate is left


@given(ANY_TEXT)
def test_seen_twice_is_seen_once(foreign: str) -> None:
    once = text.visible(foreign)
    assert text.visible(once) == once


def test_a_heap_of_marks_is_counted_instead_of_drawn() -> None:
    assert text.visible("z" + "\u0301" * 50 + "!") == "z\u0301\u0301\u0301‹+47 marks›!"
    assert text.visible("e\u0301t\u0301e\u0301") == "e\u0301t\u0301e\u0301"


def test_a_mark_without_a_letter_is_given_one_and_spoils_no_frame() -> None:
    assert text.visible("\u0301x") == "◌\u0301x"
    assert text.visible("a\n\u0301", newlines=True) == "a\n◌\u0301"


def test_the_limit_cuts_before_the_work() -> None:
    assert text.visible("a\x1b" * 500_000, limit=4) == "a␛a␛…"
    assert text.visible("abcd", limit=4) == "abcd"


def test_a_text_of_every_character_is_not_kept_in_memory() -> None:
    text.visible("".join(map(chr, range(0x20, 0x11000))))
    assert len(text._REPLACEMENTS) <= 8192


def test_a_byte_that_is_no_utf8_shows_its_value() -> None:
    assert text.decode(b"ok \xff\xc3(") == "ok ‹xFF›‹xC3›("
    assert text.decode("数".encode()) == "数"


def test_quoted_text_shows_where_it_was_cut() -> None:
    assert [text.cut("lantern", most) for most in (7, 6)] == ["lantern", "lanter…"]


def test_number_is_followed_by_what_it_counts() -> None:
    assert [text.counted(number, "call") for number in (0, 1, 1043)] == ["0 calls", "1 call", "1,043 calls"]


def test_a_text_is_cut_by_the_cells_it_takes() -> None:
    assert text.fit("hello", 5) == "hello"
    assert text.fit("hello!", 5) == "hell…"
    assert text.fit("数据数据", 8) == "数据数据"
    assert text.fit("数据数据", 7) == "数据数…"
    assert text.fit("数据数据", 6) == "数据…"
    assert text.fit("ab", 1) == "…"
    assert text.fit("ab", 0) == ""
    assert text.fit("ae\u0301", 2) == "ae\u0301"


@given(ANY_TEXT, st.integers(0, 20), st.booleans())
def test_padded_text_takes_exactly_the_width(foreign: str, width: int, right: bool) -> None:
    assert text.cell_width(text.pad(text.visible(foreign), width, right=right)) == width


def test_padding_goes_before_numbers() -> None:
    assert text.pad("7", 3, right=True) == "  7"
    assert text.pad("数", 3) == "数 "


@pytest.mark.parametrize(
    "sample", ["héllo", "数据", "한국어", "👍 ok ☁ ✓", "ё ñ e\u0301", "→ ← │ ▌ ⋯ ‹U+202E›", "हिन्दी"]
)
def test_widths_agree_with_those_of_the_screen(sample: str) -> None:
    assert text.cell_width(sample) == cell_len(sample)


def test_one_line_shows_the_beginning_of_anything() -> None:
    assert text.one_line("a\nb" + "x" * 2_000_000, 6) == "a␊bxx…"


def test_clipboard_text_loses_control_characters_with_a_count() -> None:
    assert text.for_clipboard("ls\r\n\x1b[31m\trm\u202e 👨\u200d👩") == ("ls\n[31m\trm 👨\u200d👩", 3)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0"),
        (0.0625, "0.0625"),
        (12.345, "12.3"),
        (999.6, "1,000"),
        (14_512.7, "14,500"),
        (-1234.5, "-1,230"),
        (2.5e9, "2,500,000,000"),
        (1e300, "1e+300"),
        (float("inf"), "inf"),
    ],
)
def test_numbers_are_rounded_to_three_digits_without_an_exponent(number: float, shown: str) -> None:
    assert text.rounded(number) == shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9_100, "9.1 kB"), (12_345_678, "12 MB"), (999_999, "1.0 MB")],
)
def test_sizes_are_short(size: int, shown: str) -> None:
    assert text.human_size(size) == shown


@pytest.mark.parametrize(
    ("nanoseconds", "shown"),
    [
        (0, "0 µs"),
        (999_400, "999 µs"),
        (1_200_000, "1.2 ms"),
        (31_000_000, "31 ms"),
        (999_600_000, "1.00 s"),
        (1_240_000_000, "1.24 s"),
        (14_200_000_000, "14.2 s"),
        (125_000_000_000, "2m 05s"),
        (11_520_000_000_000, "3h 12m"),
    ],
)
def test_durations_are_short(nanoseconds: int, shown: str) -> None:
    assert text.human_duration(nanoseconds) == shown


def test_the_clock_shows_milliseconds() -> None:
    assert text.clock(1_700_000_000_718_999_999, UTC) == "22:13:20.718"
    assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3}", text.clock(0))


def test_a_moment_beyond_every_calendar_is_no_crash() -> None:
    assert text.clock(10**30, UTC) == "--:--:--.---"


def test_tokens_are_estimated_from_bytes() -> None:
    assert [text.estimate_tokens(size) for size in (0, 1, 4, 401)] == [0, 1, 1, 101]


def test_ordinary_characters_are_one_cell_wide() -> None:
    ordinary = [chr(code) for code in range(sys.maxunicode + 1) if text._ORDINARY.fullmatch(chr(code))]
    assert {"a", "é", "я", "…", "→", "✓", "│"} <= set(ordinary)
    assert {(text._char_width(char), cell_len(char)) for char in ordinary} == {(1, 1)}


@pytest.mark.parametrize("sample", ["abcdefgh", "abc→efgh", "…", "日本語のテキスト", "a\u0301bcdefgh"])
def test_a_text_is_cut_alike_however_it_is_measured(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    widths = range(-1, 12)
    at_once = [text.fit(sample, width) for width in widths]
    monkeypatch.setattr(text, "_ORDINARY", re.compile("(?!)"))
    assert [text.fit(sample, width) for width in widths] == at_once


def test_the_excerpt_of_a_page_is_its_text_on_one_line() -> None:
    page = (
        b"<!DOCTYPE html>\n<html><head><title>Error</title></head><body>\n<pre>Cannot POST /x</pre>\n</body></html>\n"
    )
    assert text.excerpt_of(page) == "Cannot POST /x"
    assert text.excerpt_of(b"  not\n found \xff") == "not found \ufffd"
    assert text.excerpt_of(b"") == ""
