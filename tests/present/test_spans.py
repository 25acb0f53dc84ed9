"""Lines, facts and sections: what is laid out, and that foreign text is safe in them."""

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.present import spans as signs
from inspector.present.json_text import JsonLines
from inspector.present.spans import (
    Fact,
    Role,
    Section,
    Span,
    clip,
    fact,
    fact_lines,
    in_json,
    in_text,
    lay,
    marked,
    paragraph,
    plain,
    section_lines,
    span,
    spans_width,
    text_of,
    words_wrapped,
    wrapped,
)
from inspector.text import cell_width, visible
from inspector.tui.theme import glyphs


def test_spans_are_cut_and_filled_to_exactly_the_width() -> None:
    assert plain(lay([("ab", "text"), ("cdef", "error")], 5)) == "abcd…"[:4] + "…"
    assert lay([("ab", "key")], 4) == [("ab", "key"), ("  ", "text")]
    assert plain(lay([("数据库", "text")], 5)) == "数据…"
    assert lay([("ab", "text")], 0) == []


def test_lay_drops_spans_behind_the_cut() -> None:
    assert plain(lay([("abcdef", "text"), ("gh", "text")], 4)) == "abc…"


def test_foreign_text_in_a_fact_cannot_act() -> None:
    made = fact("na\x1bme", "a\nb\x1b[2J")
    assert (made.key, made.value) == ("na␛me", "a␊b␛[2J")
    assert span("\x07") == ("␇", "text")
    assert span("x" * 5000)[0].endswith("…")


def test_a_paragraph_keeps_its_lines() -> None:
    assert [plain(line) for line in paragraph("one\n\ntwo\x1b\n\n")] == ["one", "", "two␛"]
    assert paragraph("") == ()


def test_values_stand_under_one_another() -> None:
    assert [plain(line) for line in fact_lines([Fact("a", "1"), Fact("bcd", "2")])] == ["a    1", "bcd  2"]
    assert fact_lines([]) == []


def test_a_section_is_a_title_and_what_is_indented_below_it() -> None:
    section = Section("Process", (Fact("pid", "7"),), ((("tail", "stderr"),),), note="a note")
    assert [plain(line) for line in section_lines(section)] == ["Process", "  a note", "  pid  7", "  tail"]


LETTERS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=6)
GAPS = st.text(st.sampled_from("_-./"), max_size=11)


@pytest.mark.parametrize(
    ("needle", "where"),
    [
        ("~usrid", ["userId", "user_record_id", "USRID"]),
        ("~gé", ["gué", "gé"]),
        ("~é2", ["éa2"]),
        ("~~usr", ["~usr"]),
        ("~", ["~"]),
        ("~ ", ["~ "]),
        ("usr", ["usr"]),
        ("~UI", ["UserId"]),
        ("~a.*", ["a.b*"]),
    ],
)
def test_letters_in_order_are_found_in_text_and_in_json(needle: str, where: list[str]) -> None:
    for text in where:
        assert in_text(needle).search(text), text
        assert JsonLines(f'{{"{text}": 1}}'.encode()).find(needle) == 1, text


@pytest.mark.parametrize(
    ("needle", "text"),
    [
        ("~usrid", "user id"),
        ("~usrid", "us" + "x" * 12 + "rid"),
        ("~ab", 'a"b'),
        ("usr", "user"),
        ("~ba", "ab"),
        ("~UI", "ui"),
    ],
)
def test_fuzzy_needle_requires_near_letters_in_order(needle: str, text: str) -> None:
    assert not in_text(needle).search(text)


@given(LETTERS, st.data())
def test_fuzzy_needle_allows_gaps(letters: str, data: st.DataObject) -> None:
    word = letters[0] + "".join(data.draw(GAPS) + letter for letter in letters[1:])
    assert in_text("~" + letters).search(word)
    assert in_json("~" + letters).search(word.encode())


@given(st.text(max_size=8))
def test_any_needle_is_a_pattern(needle: str) -> None:
    for pattern in (in_text(needle), in_json(needle)):
        assert isinstance(pattern, re.Pattern)
    text_of(needle)


def test_long_words_of_one_letter_cost_no_more_than_others() -> None:
    letters = b"a" * 200_000  # time that grows with the square would pass the limit of the run
    assert not in_json("~" + "a" * 20 + "b").search(letters)


def test_the_letters_are_marked_as_one_word() -> None:
    assert marked([('"userId"', "key")], "~usrid") == [('"', "key"), ("userId", "match"), ('"', "key")]


def test_each_meaning_is_named_once() -> None:
    names = get_args(Role)
    assert len(names) == len(set(names)) > 20


_SIGNS = {name: value for name, value in vars(signs).items() if name.isupper() and isinstance(value, str)}


def test_every_sign_takes_one_cell() -> None:
    assert _SIGNS
    assert {cell_width(sign) for sign in _SIGNS.values()} == {1}


def test_every_sign_has_its_twin_for_terminals_without_it() -> None:
    drawn = glyphs("utf-8")
    known = {getattr(drawn, name) for name in drawn.__struct_fields__}
    assert set(_SIGNS.values()) <= known


def test_spans_are_cut_where_the_room_ends() -> None:
    spans: list[Span] = [("tools/", "muted"), ("数据", "method"), ("x", "error")]
    assert spans_width(spans) == 11
    assert clip(spans, 11) == spans
    assert clip(spans, 9) == [("tools/", "muted"), ("数…", "method")]
    assert clip(spans, 6) == [("tools/", "muted")]
    assert clip(spans, 0) == [("", "muted")]


def test_marked_sets_matches_apart() -> None:
    spans: list[Span] = [('"Query"', "key"), (": ", "punctuation"), ('"query query"', "string")]
    assert marked(spans, "query") == [
        ('"', "key"),
        ("Query", "match"),
        ('"', "key"),
        (": ", "punctuation"),
        ('"', "string"),
        ("query", "match"),
        (" ", "string"),
        ("query", "match"),
        ('"', "string"),
    ]
    assert [text for text, role in marked(spans, "Query") if role == "match"] == ["Query"]
    assert marked(spans, "") == spans
    assert marked(spans, "(") == spans


def test_words_without_room_are_wrapped_all_the_same() -> None:
    assert words_wrapped((("a b", "text"),), -1) == words_wrapped((("a b", "text"),), 1)


def test_a_long_line_is_wrapped_under_its_beginning() -> None:
    assert wrapped([("ab", "key"), ("cdefgh", "string")], 4, 1) == [
        [("ab", "key"), ("cd", "string")],
        [(" ", "punctuation"), ("efg", "string")],
        [(" ", "punctuation"), ("h", "string")],
    ]


def test_a_wide_letter_is_not_cut_in_two() -> None:
    assert wrapped([("数据数", "string")], 3, 0) == [
        [("数", "string")],
        [("", "punctuation"), ("据", "string")],
        [("", "punctuation"), ("数", "string")],
    ]


@given(st.text(max_size=80), st.integers(2, 20), st.integers(0, 30))
def test_wrapping_loses_nothing_and_fits(text: str, width: int, indent: int) -> None:
    text = visible(text)
    rows = wrapped([(text, "string")], width, indent)
    assert "".join(part for row in rows for part, role in row if role == "string") == text
    assert all(spans_width(row) <= width for row in rows)
