"""Putting what a search finds in order, best first. A long list is searched no longer than somebody waits for it."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TypeVar

Row = TypeVar("Row")
BITE = 1000
"""Rows that are looked at before it is asked whether anybody still wants to know."""


def always() -> bool:
    """A search that nobody calls off."""
    return True


def best_first(
    rows: Sequence[Row], rank: Callable[[Row], int | None], goes_on: Callable[[], bool] = always
) -> list[Row]:
    """The rows that have a rank, the lowest first, else in their order; those found so far where it was called off."""
    ranked: list[tuple[int, Row]] = []
    for first in range(0, len(rows), BITE):
        if not goes_on():
            break
        ranked += [(place, row) for row in rows[first : first + BITE] if (place := rank(row)) is not None]
    return [row for _, row in sorted(ranked, key=itemgetter(0))]
