"""Lines, facts and sections: what is laid out, and that foreign text is safe in them."""

from inspector.viewmodels.lines import Fact, Section, fact, fact_lines, lay, paragraph, plain, section_lines, span


def test_spans_are_cut_and_filled_to_exactly_the_width() -> None:
    assert plain(lay([("ab", "text"), ("cdef", "error")], 5)) == "abcd…"[:4] + "…"
    assert lay([("ab", "key")], 4) == [("ab", "key"), ("  ", "text")]
    assert plain(lay([("数据库", "text")], 5)) == "数据…"
    assert lay([("ab", "text")], 0) == []


def test_what_stands_behind_a_cut_is_left_out() -> None:
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
