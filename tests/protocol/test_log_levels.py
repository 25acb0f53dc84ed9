"""The levels of log messages."""

import pytest

from inspector.protocol.log_levels import LEVELS, rank


def test_a_graver_level_has_a_higher_rank() -> None:
    assert [rank(level) for level in LEVELS] == list(range(8))
    assert rank("debug") == 0
    assert rank("emergency") == 7


@pytest.mark.parametrize("level", ["trace", "WARNING", "", None, 3, True, [], {"level": "info"}])
def test_what_is_no_level_has_no_rank(level: object) -> None:
    assert rank(level) is None
