"""Which operation of one capture is which of the other: by what was asked, never by position or time.

Equal requests are paired first, in their order; then those that are left and are about the same thing. What has no
partner keeps its place among the others. It takes time in proportion to what there is.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")
Pair = tuple[int | None, int | None]
"""Positions in the first and the second sequence; None on the side where there is nothing."""


def align(first: Sequence[T], second: Sequence[T], *keys: Callable[[T], Hashable]) -> list[Pair]:
    """Pair the items of two sequences by the strictest key that holds; all of them, in the order of `first`."""
    partner_of: dict[int, int] = {}
    left_first, left_second = [*range(len(first))], [*range(len(second))]
    for key in keys:
        waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        for at in left_second:
            waiting[key(second[at])].append(at)
        for at in left_first:
            if candidates := waiting.get(key(first[at])):
                partner_of[at] = candidates.popleft()
        taken = set(partner_of.values())
        left_first = [at for at in left_first if at not in partner_of]
        left_second = [at for at in left_second if at not in taken]
    return _in_place(len(first), partner_of, left_second)


def _in_place(count: int, partner_of: dict[int, int], alone: Sequence[int]) -> list[Pair]:
    """All pairs in the order of the first sequence; what is alone in the second stands behind its own neighbour."""
    in_first = {there: here for here, there in partner_of.items()}
    behind: defaultdict[int, list[int]] = defaultdict(list)
    neighbour, lonely = -1, set(alone)
    for there in range(len(in_first) + len(lonely)):
        if there in lonely:
            behind[neighbour].append(there)
        else:
            neighbour = in_first[there]
    found: list[Pair] = []
    waiting = behind[-1]
    for here in range(count):
        if here in partner_of:  # what is gone stands before what is new in its place
            found += [(None, there) for there in waiting]
            waiting = behind[here]
        found.append((here, partner_of.get(here)))
    return found + [(None, there) for there in waiting]
