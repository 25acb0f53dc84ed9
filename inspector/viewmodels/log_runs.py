"""Runs of the tree: notifications of one method, or lines of stderr, that follow one another with no row between them.

A long run is one row, that of its first, and says how many there are. Told once for each entry, in order, from
columns alone; a run costs the same however long it is. The rows of a filter are never folded: they were asked for.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from itertools import compress

import msgspec

from inspector.capture.store import Store
from inspector.protocol.frames import Direction

IN_RUN = 16
"""Set in the flags of an entry: it may be part of a run."""
FOLDED = 32
"""Set in the flags of an entry: the first of its run stands for it."""
SHORTEST = 10
"""So many make a row of their own; fewer are read faster than unfolded."""
_MOST_GROWING = 1000
"""Blocks whose last row is remembered; in the oldest of more, a run begins anew."""
_MAY = bytes(bool(flags & IN_RUN) for flags in range(256))
_WITH = bytes(flags | FOLDED for flags in range(256))


class Run(msgspec.Struct, frozen=True):
    """Rows that are alike."""

    first: int
    count: int
    last: int
    opened: bool = False
    """Whether each of them is a row all the same."""


class _Growing(msgspec.Struct):
    """The run that the last row of a block belongs to."""

    like: tuple[str, Direction | None]
    """Its method, and who sent it; for stderr ("", None)."""
    first: int
    count: int = 1
    early: list[int] = []
    """Those behind the first, for as long as they are no run yet."""


class Runs:
    """The runs of one tree. `flags` and `roots` are the tree's own and hold each entry before it is told of here."""

    def __init__(self, store: Store, flags: bytearray, roots: "array[int]") -> None:
        self._store, self._flags, self._roots = store, flags, roots
        self._firsts, self._counts, self._lasts = array("I"), array("I"), array("I")
        self._growing: dict[int, _Growing] = {}
        """By block; 0 for the rows that begin blocks."""
        self._opened: set[int] = set()
        self._late: list[int] = []

    def take(self, n: int) -> None:
        """A notification or a line of stderr has come that may be part of a run."""
        self.take_many(n, n)

    def take_many(self, first: int, last: int) -> None:
        """Such that are alike have come, one behind the other in one block, or each in its own."""
        level = self._level(first)
        like = self._store.method(first), self._store.direction(first)
        growing = self._growing.get(level)
        if growing is None or growing.like != like:
            growing = self._begin(level, like, first)
            first += 1
        if first <= last:
            self._extend(growing, first, last)

    def interrupt(self, n: int) -> None:
        """Another row has come in the block of entry n."""
        self._growing.pop(self._level(n), None)

    @property
    def growing(self) -> bool:
        """Whether there is anything to interrupt."""
        return bool(self._growing)

    def close(self, root: int) -> None:
        """The block that begins with `root` has ended."""
        self._growing.pop(root, None)

    def late(self) -> list[int]:
        """Entries that were rows at first, and turned out to be part of a run since this was asked last."""
        found, self._late = self._late, []
        return found

    def run(self, first: int) -> Run | None:
        """The run that begins with an entry; None if it begins none."""
        at = self._at(first)
        if at is None:
            return None
        return Run(first, self._counts[at], self._lasts[at], first in self._opened)

    def opened_around(self, n: int) -> Run | None:
        """The opened run that entry n is part of."""
        for first in self._opened:
            run = self.run(first)
            if run is not None and first <= n <= run.last and (n == first or self._is_like(n, first)):
                return run
        return None

    def grows(self, first: int) -> bool:
        """Whether more of it may come."""
        return any(growing.first == first for growing in self._growing.values())

    def open(self, run: Run) -> list[int]:
        """Let each of a run be a row; those that were none."""
        self._opened.add(run.first)
        return self._mark(run, folded=False)

    def fold(self, run: Run) -> list[int]:
        """Let the first of a run stand for all; those that are no rows any more."""
        self._opened.discard(run.first)
        return self._mark(run, folded=True)

    def _mark(self, run: Run, *, folded: bool) -> list[int]:
        found = list(self._behind(run))
        for n in found:
            self._flags[n] = self._flags[n] | FOLDED if folded else self._flags[n] & ~FOLDED
        return found

    def _behind(self, run: Run) -> Iterator[int]:
        between = range(run.first + 1, run.last + 1)
        may = compress(between, self._flags[between.start : between.stop].translate(_MAY))
        return (n for n in may if self._is_like(n, run.first))

    def _is_like(self, n: int, first: int) -> bool:
        """Whether two entries of which runs are made stand in one block, or both in blocks of their own."""
        return bool(self._flags[n] & IN_RUN) and self._level(n) == self._level(first)

    def _begin(self, level: int, like: tuple[str, Direction | None], first: int) -> _Growing:
        while len(self._growing) >= _MOST_GROWING:
            del self._growing[next(iter(self._growing))]
        growing = self._growing[level] = _Growing(like, first)
        return growing

    def _extend(self, growing: _Growing, first: int, last: int) -> None:
        new = range(first, last + 1)
        before, growing.count = growing.count, growing.count + len(new)
        if growing.count < SHORTEST:
            growing.early += new
            return
        if before < SHORTEST:
            self._fold_early(growing, last)
        else:
            at = self._at(growing.first)
            assert at is not None
            self._counts[at], self._lasts[at] = growing.count, last
        if growing.first not in self._opened:
            part = slice(first, last + 1)
            self._flags[part] = self._flags[part].translate(_WITH)

    def _fold_early(self, growing: _Growing, last: int) -> None:
        at = bisect_left(self._firsts, growing.first)
        self._firsts.insert(at, growing.first)
        self._counts.insert(at, growing.count)
        self._lasts.insert(at, last)
        self._late += growing.early
        for n in growing.early:
            self._flags[n] |= FOLDED
        growing.early = []

    def _at(self, first: int) -> int | None:
        at = bisect_left(self._firsts, first)
        return at if at < len(self._firsts) and self._firsts[at] == first else None

    def _level(self, n: int) -> int:
        root = self._roots[n]
        return 0 if root == n else root
