"""Raising a limit on the command line."""

import pytest

from inspector.cli.limits import read
from inspector.errors import UsageError
from inspector.forms.bounds import Bounds, bounds, move
from inspector.transports.limits import LIMITS, Limits


def test_a_limit_is_raised_by_its_name_and_the_last_word_holds() -> None:
    found = read({"limits": ("message=1GiB", "ratio = 1000", "pages=2k", "message=16M")})
    assert found == Limits(message=16_000_000, ratio=1000, pages=2000)
    assert read({}) == LIMITS


def test_what_schemas_may_cost_is_raised_for_the_whole_process() -> None:
    before = bounds()
    try:
        found = read({"limits": ("schema=1M", "pattern=2k")})
        assert (found.schema, found.pattern) == (1_000_000, 2000)
        assert bounds() == Bounds(1_000_000, 2000)
        assert bounds().seconds == pytest.approx(2.5)
    finally:
        move(before)
    assert bounds() == before == Bounds(LIMITS.schema, LIMITS.pattern)


@pytest.mark.parametrize(
    "text", ["message", "message=", "depth=5", "=5", "items=-1", "ratio=0", "message=1x", "items=" + "9" * 99]
)
def test_what_names_no_limit_is_refused_with_the_names_there_are(text: str) -> None:
    with pytest.raises(UsageError, match="--max") as refused:
        read({"limits": (text,)})
    assert refused.value.hint
