"""Merging rows of several lists into one order of time. Numbers only; what a row looks like is no matter here.

Each list keeps its own order, whatever its clock did: among lists the moment decides. So a step costs what it takes
in, and nothing that stood there moves unless something older has come late.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

Times = Callable[[Sequence[int]], Sequence[int]]
"""When entries crossed the wire, in nanoseconds of a clock that all lists share."""
FOREVER = 2**63 - 1
_SHIFT = 32
_ENTRY = (1 << _SHIFT) - 1


def code_of(number: int, n: int) -> int:
    """What stands for entry n of the list of that number."""
    return number << _SHIFT | n


def number_of(code: int) -> int:
    """The list."""
    return code >> _SHIFT


def entry_of(code: int) -> int:
    """The entry."""
    return code & _ENTRY


class Feed:
    """One list on its way into the merged one."""

    def __init__(self, number: int, times: Times) -> None:
        self.number = number
        self.times = times
        self.taken = 0
        """How many of its rows are in the merged one."""
        self.latest = 0
        """The moment of the last of them."""


class Merge:
    """The rows of the feeds, merged so far."""

    def __init__(self, feeds: Sequence[Feed]) -> None:
        self.feeds = feeds
        self.codes = array("Q")
        """The rows; see `code_of`."""
        self.times = array("q")
        """Their moments, ascending. Where a clock went back, the moment before it did."""
        self.moved = 0
        """How often rows that stood there had to make room."""

    def step(self, rows: Sequence[Sequence[int]], reached: Sequence[int], limit: int) -> bool:
        """Take in at most `limit` further rows of each list; whether there were any.

        `rows`: the entries of each list, in its order, those included that were taken already. `reached`: up to which
        moment each list is known; nothing later than the earliest of these is taken from any.
        """
        horizon, parts = min(reached, default=FOREVER), []
        for feed, entries in zip(self.feeds, rows, strict=True):
            part = entries[feed.taken : feed.taken + limit]
            if not part:
                continue
            moments = [*accumulate(feed.times(part), max, initial=feed.latest)][1:]
            parts.append((feed, part, moments))
            if len(entries) > feed.taken + len(part):
                horizon = min(horizon, moments[-1])
        codes: list[int] = []
        times: list[int] = []
        for feed, part, moments in parts:
            count = bisect_right(moments, horizon)
            codes += [feed.number << _SHIFT | n for n in part[:count]]
            times += moments[:count]
            if count:
                feed.taken, feed.latest = feed.taken + count, moments[count - 1]
        self._add(codes, times)
        return bool(codes)

    def find(self, code: int, moment: int) -> int:
        """Where a row is; where it is none, the last one that is not later than `moment`; -1 for no such row."""
        at = bisect_right(self.times, moment) - 1
        same = at
        while same >= 0 and self.times[same] == moment:
            if self.codes[same] == code:
                return same
            same -= 1
        try:
            return self.codes.index(code)  # its clock went back
        except ValueError:
            return at

    def _add(self, codes: list[int], times: list[int]) -> None:
        if not codes:
            return
        earliest = min(times)
        if self.times and earliest < self.times[-1]:
            cut = bisect_right(self.times, earliest)
            codes, times = [*self.codes[cut:], *codes], [*self.times[cut:], *times]
            del self.codes[cut:], self.times[cut:]
            self.moved += 1
        order = sorted(range(len(times)), key=times.__getitem__)  # stable: what is equal stays in the order it came
        self.codes.extend(map(codes.__getitem__, order))
        self.times.extend(map(times.__getitem__, order))
