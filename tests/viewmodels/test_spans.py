"""Lines cut, marked and wrapped without losing what their parts mean."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import clip, marked, spans_width, wrapped
from inspector.viewmodels.text import visible


def test_spans_are_cut_where_the_room_ends() -> None:
    spans: list[Span] = [("tools/", "muted"), ("数据", "method"), ("x", "error")]
    assert spans_width(spans) == 11
    assert clip(spans, 11) == spans
    assert clip(spans, 9) == [("tools/", "muted"), ("数…", "method")]
    assert clip(spans, 6) == [("tools/", "muted")]
    assert clip(spans, 0) == [("", "muted")]


def test_what_was_found_is_set_apart() -> None:
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
