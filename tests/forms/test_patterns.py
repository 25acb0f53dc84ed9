"""Patterns of a server's, tried in bounded time."""

import pytest

from inspector.forms.patterns import LONGEST_TEXT, PatternUnusable, example_of, matches, usable


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^a+$", "aaa", True),
        ("b", "abc", True),
        ("^a$", "a\n", False),
        ("[$]", "$", True),
        (r"\$", "$", True),
        (r"[^]", "\n", True),
        (r"^\p{L}+$", "é", True),
        (r"(?<year>\d{4})", "2031", True),
        (r"^\d$", "٣", False),
        (r"^(?=.*\d)(?!.*x).{3,}$", "ab1", True),
        ("", "", True),
        (r"^(?<year>\d{4})-\k<year>$", "2031-2031", True),
        (r"^(?<year>\d{4})-\k<year>$", "2031-2032", False),
        (r"^[\u{1F600}-\u{1F64F}]$", "\N{GRINNING FACE}", True),
        (r"^\u{1F600}$", "\N{GRINNING FACE}", True),
        (r"^\ud83d\ude00$", "\N{GRINNING FACE}", True),
        (r"^[\ud83d\ude00]$", "\N{GRINNING FACE}", True),
        (r"^\u00e9\x41$", "\N{LATIN SMALL LETTER E WITH ACUTE}A", True),
        (r"^\cJ$", "\n", True),
        (r"^a[]$", "a", False),
        (r"^\s$", "\N{NO-BREAK SPACE}", True),
        (r"^[\s,]$", "\N{NO-BREAK SPACE}", True),
        (r"^\\s$", "\\s", True),
        (
            r"^(?:\d{4}-\d{2}-\d{2}|\d{4}-\d{2}-\d{2}\.\.(?:\*|\d{4}-\d{2}-\d{2})|a{9}b{9}c{9})$",
            "2031-01-02..2031-01-03",
            True,
        ),
    ],
)
def test_a_pattern_is_read_as_ecmascript_and_found_anywhere(pattern: str, text: str, found: bool) -> None:
    assert matches(pattern, text) is found


def test_a_pattern_that_never_ends_is_stopped() -> None:
    with pytest.raises(PatternUnusable, match="takes too long"):
        matches("^(a|a)*$", "a" * 60 + "b")


@pytest.mark.parametrize("pattern", ["(", "[b-a]", "(" * 900, "a" * 3000, "(a{900}){900}", "((a{99}){99}){99}", "*"])
def test_a_pattern_that_is_none_or_too_big_is_refused(pattern: str) -> None:
    assert not usable(pattern)
    with pytest.raises(PatternUnusable):
        matches(pattern, "a")


def test_a_text_that_is_too_long_is_not_tried() -> None:
    with pytest.raises(PatternUnusable, match="too long"):
        matches("a", "b" * (LONGEST_TEXT + 1))


def test_a_long_pattern_is_quoted_in_part() -> None:
    with pytest.raises(PatternUnusable) as refused:
        matches("(" + "a" * 3000, "a")
    assert len(str(refused.value)) < 100


@pytest.mark.parametrize(
    "pattern",
    [
        "^[A-Za-z][A-Za-z0-9_-]{0,63}$",
        "^(red|green)$",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^https?://.+",
        r"^\w+\.\w+$",
        "^.+@.+$",
        "^#[0-9a-fA-F]{6}$",
        r"^\+?[1-9]\d{1,14}$",
        "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
        r"^(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?$",
        "^[^/]+/[^/]+$",
        r"^\p{Lu}\p{L}+$",
        "",
    ],
)
def test_example_of_a_pattern_matches_it(pattern: str) -> None:
    found = example_of(pattern)
    assert found is not None
    assert matches(pattern, found)


def test_example_of_a_pattern_has_the_wanted_length() -> None:
    assert len(example_of("^[a-z]+$", 5) or "") == 5


@pytest.mark.parametrize("pattern", ["(", "^a$b", "(?=b)a", f"^(a|b){{{500}}}$"])
def test_example_of_a_pattern_that_has_none_within_bounds_is_none(pattern: str) -> None:
    assert example_of(pattern) is None
