"""The lines that a benchmark prints, and measuring in turn with a floor or a peer."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from benchmarks import measure

ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    name: str
    figures: str
    limit: str = ""
    """In words; "" for a figure without one."""
    kept: bool = True

    def __str__(self) -> str:
        verdict = "" if not self.limit else "ok" if self.kept else "OVER"
        limit = f"limit {self.limit}" if self.limit else ""
        return f"{verdict:<5} {self.name:<50} {self.figures:<58} {limit}".rstrip()


def in_turn(*measures: Callable[[], float], rounds: int = ROUNDS) -> list[float]:
    """The median of each, after one round that does not count."""
    times: list[list[float]] = [[] for _ in measures]
    for turn in range(rounds + 1):
        for place, once in enumerate(measures):
            measure.await_quiet()
            seconds = once()
            if turn:
                times[place].append(seconds)
    return [median(each) for each in times]
