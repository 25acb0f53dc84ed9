"""A pattern that never ends finds nothing, is counted, and is given up: nothing hangs."""

import pytest

from inspector.errors import FilterError
from inspector.filters.language.patterns import PATIENCE, Pattern, check


def test_a_pattern_is_found_anywhere() -> None:
    pattern = Pattern("time(d )?out")
    assert [pattern.found_in(text) for text in ("a timeout", "timed out", "time")] == [True, True, False]


def test_one_that_explodes_is_given_up() -> None:
    pattern = Pattern("(a|a)*$")
    bad = "a" * 40 + "b"
    assert [pattern.found_in(bad) for _ in range(PATIENCE)] == [None] * PATIENCE
    assert pattern.given_up
    assert pattern.too_slow == PATIENCE
    assert pattern.found_in("a") is None


def test_invalid_pattern_is_refused_at_its_column() -> None:
    assert check("a+", 3) == "a+"
    with pytest.raises(FilterError, match="not a regular expression") as caught:
        check("(", 7)
    assert caught.value.column == 7
