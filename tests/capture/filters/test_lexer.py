"""A filter's text in pieces, each with its column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.filters.lexer import LONGEST, Kind, tokens
from inspector.errors import FilterError


def pieces(text: str) -> list[str]:
    return [token.text for token in tokens(text)[:-1]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a==b", ["a", "==", "b"]),
        ("tools/call 2025-06-18 m:x", ["tools/call", "2025-06-18", "m:x"]),
        ("-kind:x -5 a-b", ["-", "kind:x", "-5", "a-b"]),
        ('a[0]["b c"]', ["a", "[", "0", "]", "[", "b c", "]"]),
        ("m ~ (a|b)) x", ["m", "~", "(a|b)", ")", "x"]),
        ('"\\d+ \\"q\\" \\u0041\\n"', ['\\d+ "q" A\n']),
        ("'it\"s'", ['it"s']),
        ("!a && b || c", ["!", "a", "&&", "b", "||", "c"]),
    ],
)
def test_text_falls_into_pieces(text: str, found: list[str]) -> None:
    assert pieces(text) == found


def test_every_piece_knows_where_it_stands() -> None:
    assert [(token.column, token.end) for token in tokens('ab  "c"')] == [(0, 2), (4, 7), (7, 7)]
    assert tokens("")[0].kind is Kind.END


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ('a == "b', 5, "no closing"),
        ("a\x00b", 1, "control character"),
        ("\x1b[31m", 0, "control character"),
        ("x" * (LONGEST + 1), LONGEST, "too long"),
    ],
)
def test_what_is_wrong_has_a_column(text: str, column: int, said: str) -> None:
    with pytest.raises(FilterError, match=said) as caught:
        tokens(text)
    assert caught.value.column == column


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        columns = [token.column for token in tokens(text)]
    except FilterError as error:
        columns = [error.column]
    assert columns == sorted(columns)
    assert all(0 <= column <= len(text) for column in columns)
