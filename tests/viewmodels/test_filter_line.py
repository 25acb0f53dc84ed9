"""What stands in the filter line, and what is proposed for it."""

import pytest

from inspector.viewmodels.filter_line import colours, proposals, read_filter, seen
from tests.viewmodels.tape import Tape


def test_a_shorthand_is_shown_in_full_and_what_is_in_full_is_not_shown_again() -> None:
    assert read_filter("t:x", {}).full == 'tool contains "x"'
    assert read_filter('tool  contains "x"', {}).full == ""
    assert read_filter("", {}).term is None


def test_what_is_wrong_stands_at_its_column() -> None:
    read = read_filter("tool == a and tol == b", {})
    assert (read.error, read.column, read.term) == ("there is no field tol: did you mean tool?", 14, None)


def test_a_filter_gets_a_name_by_a_definition() -> None:
    read = read_filter("@slow = dur > 1s", {})
    assert (read.saves, read.body, read.error) == ("slow", "dur > 1s", "")
    assert read.term is not None
    assert (read_filter("@slow =", {}).saves, read_filter("@slow =", {}).body) == ("slow", "")
    assert read_filter("@slow = dur >", {}).column == 13
    assert read_filter("@slow", {"slow": "dur > 1s"}).full == "dur > 1s"
    assert read_filter("@slow == 3", {"slow": "dur > 1s"}).saves == ""
    assert "no filter named" in read_filter("@slow = @slow or x", {"slow": "x"}).error


def test_values_are_those_that_were_seen_the_newest_first(tape: Tape) -> None:
    for number, name in enumerate(("a", "b", "a"), 1):
        tape.call(number, name)
    tape.request(4, "prompts/get", {"name": "p"})
    tape.error(4, -32602, "no")
    assert seen(tape.journal, "tool") == ("a", "b")
    assert seen(tape.journal, "prompt") == ("p",)
    assert seen(tape.journal, "method") == ("prompts/get", "tools/call")
    assert seen(tape.journal, "error.code") == ("-32602",)
    assert seen(tape.journal, "size") == ()
    assert [item.text for item in proposals("tool == ", tape.journal, {}).items] == ["a", "b"]
    assert [item.text for item in proposals("@s", tape.journal, {"slow": "x", "m": "y"}).items] == ["@slow"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('tool == "x" and y', [(0, 4, "key"), (5, 7, "punctuation"), (8, 11, "string"), (12, 15, "literal")]),
        ("any.args.q", [(0, 10, "key")]),
        ("@slow", [(0, 5, "key")]),
        ('"open', []),
    ],
)
def test_words_are_coloured_by_what_they_are(text: str, found: list[tuple[int, int, str]]) -> None:
    assert colours(text) == found
