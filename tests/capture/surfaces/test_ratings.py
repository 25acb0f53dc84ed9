"""Ratings have an order, and what has become of a place is told by its sides."""

import pytest

from inspector.capture.surfaces.ratings import Act, Rating, act_of
from inspector.protocol.differences import ABSENT


def test_breaking_is_the_worst() -> None:
    assert sorted(Rating, key=lambda each: each.rank) == [Rating.BREAKING, Rating.WARNING, Rating.INFO]


@pytest.mark.parametrize(
    ("before", "after", "act"),
    [(ABSENT, None, Act.ADDED), (None, ABSENT, Act.REMOVED), (1, 2, Act.CHANGED), (None, 1, Act.CHANGED)],
)
def test_null_is_something(before: object, after: object, act: Act) -> None:
    assert act_of(before, after) is act
