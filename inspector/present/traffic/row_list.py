"""The rows of one view, in their order: entry numbers, put in, taken out and folded away without looking at the rest.

What stands under a request folds away, and so does a long run of notifications; each is found by its place alone,
so that folding costs what it hides, not what the journal holds.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import compress

from inspector.present.traffic.tree import (
    FOLDED,
    IN_TREE,
    IN_TREE_PLAIN,
    IN_WIRE,
    IN_WIRE_PLAIN,
    RowRun,
    Tree,
    WireRuns,
)

SHOWN, FOLDED_AWAY = 1, 2


class RowList:
    """Rows that come, go and fold. `rows` may be read at any time and is never replaced in part."""

    def __init__(self, places: Tree, *, tree: bool) -> None:
        self.places = places
        self.rows = array("I")
        self.tree = tree
        self.generation = 0
        self.folded: dict[int, int] = {}
        """Blocks that are folded: the entry that begins it, and how many rows that hides."""
        self.wire_runs = WireRuns(places.store)
        self._state = bytearray(1)
        """At n: whether entry n is a row now, or would be if its block was not folded."""

    def key(self, n: int) -> int:
        """The place of entry n in the order of the view: ascending, and the same for ever."""
        return (self.places.roots[n] << 32 | n) if self.tree else n

    def position(self, key: int) -> int:
        """Where the row with this key is, or the last one before it; -1 if there is none."""
        return bisect_right(self.rows, key, key=self.key) - 1

    @property
    def folds_runs(self) -> bool:
        """Whether long runs are one row: in the tree, and not where a filter chooses the rows."""
        return self.tree and not self.is_chosen

    @property
    def is_chosen(self) -> bool:
        """Whether a filter chooses the rows. To be said by whoever has one."""
        return False

    def _stands_for(self, row: int, n: int) -> bool:
        """Whether a row is that of a run that entry n is folded into."""
        if not self.tree:
            wire_run = self.wire_runs.run(row)
            return wire_run is not None and self._state[n] == FOLDED_AWAY and n <= wire_run.last
        if not self.folds_runs or not self.places.flags[n] & FOLDED:
            return False
        run = self.places.runs.run(row)
        return run is not None and run.first <= n <= run.last

    def drop_late(self) -> None:
        """Rows that turned out to be part of a run are none any more."""
        late = self.places.runs.late()
        if late and self.folds_runs:
            for n in late:
                self._remove(n)
            self.generation += 1

    def _remove(self, n: int) -> None:
        """Let entry n be no row, nor one that is folded away."""
        before, self._state[n] = self._state[n], 0
        if before == FOLDED_AWAY:
            self.folded[self.places.roots[n]] -= 1
        elif before:
            del self.rows[bisect_left(self.rows, self.key(n), key=self.key)]

    def toggle_fold(self, n: int) -> None:
        """Fold away what stands in the run or the block of entry n, or show it again; in wire order, what is alike."""
        if not self.tree:
            self._toggle_wire_run(n)
            return
        run = self.run_around(n) if self.folds_runs else None
        if run is not None:
            self._toggle_run(run)
        elif self.folded.pop(self.places.roots[n], None) is None:
            self._fold_block(self.places.roots[n])
        else:
            self._unfold_block(self.places.roots[n])
        self.generation += 1

    def run(self, n: int) -> RowRun | None:
        """The run that the row of entry n begins, in this view."""
        if not self.tree:
            return self.wire_runs.run(n)
        return self.places.runs.run(n) if self.folds_runs else None

    def _toggle_wire_run(self, n: int) -> None:
        if (run := self.wire_runs.pop(n)) is not None:
            self._unfold_wire_run(run)
            return
        alike = self.wire_runs.alike(self.rows, self.position(n))
        if len(alike) > 1:
            hidden = self.rows[alike.start + 1 : alike.stop]
            for each in hidden:
                self._state[each] = FOLDED_AWAY
            del self.rows[alike.start + 1 : alike.stop]
            self.wire_runs.add(RowRun(self.rows[alike.start], len(alike), hidden[-1]))
            self.generation += 1

    def _unfold_wire_run(self, run: RowRun) -> None:
        found, n = [], self._state.find(FOLDED_AWAY, run.first, run.last + 1)
        while n >= 0:
            self._state[n] = 0
            found.append(n)
            n = self._state.find(FOLDED_AWAY, n + 1, run.last + 1)
        self.merge(found)
        self.generation += 1

    def run_around(self, n: int) -> RowRun | None:
        """The run that entry n begins, or is part of and that is unfolded."""
        runs = self.places.runs
        return runs.run(n) or runs.opened_around(n)

    def _toggle_run(self, run: RowRun) -> None:
        runs = self.places.runs
        if run.opened:
            for n in runs.fold(run):
                self._state[n] = 0
            del self.rows[self.position(self.key(run.first)) + 1 : self.position(self.key(run.last)) + 1]
        else:
            self.merge(runs.open(run))

    def _fold_block(self, root: int) -> None:
        first, behind = self.position(self.key(root)) + 1, self.position((root + 1 << 32) - 1) + 1
        for n in self.rows[first:behind]:
            self._state[n] = FOLDED_AWAY
        del self.rows[first:behind]
        self.folded[root] = behind - first

    def _unfold_block(self, root: int) -> None:
        found: list[int] = []
        n = self._state.find(FOLDED_AWAY, root)
        while n >= 0:
            if self.places.roots[n] == root:
                self._state[n] = 0
                found.append(n)
            n = self._state.find(FOLDED_AWAY, n + 1)
        self.merge(found)

    def merge(self, entries: Iterable[int]) -> None:
        """Make entries rows, each at its place; those that are rows already stay what they are."""
        new: list[int] = []
        state = self._state
        for n in entries:
            if state[n]:
                continue
            if self.tree and self.folded and self._is_folded_away(n):
                state[n] = FOLDED_AWAY
                continue
            state[n] = SHOWN
            new.append(n)
        if new:
            new.sort()
            if self.tree:
                new.sort(key=self.places.roots.__getitem__)
            self._put(new)

    def _is_folded_away(self, n: int) -> bool:
        root = self.places.roots[n]
        if root == n or root not in self.folded:
            return False
        self.folded[root] += 1
        self.generation += 1
        return True

    def _put(self, new: list[int]) -> None:
        low, high = self.key(new[0]), self.key(new[-1])
        if not self.rows or low > self.key(self.rows[-1]):
            self.rows.extend(new)
            return
        self.generation += 1
        start, end = self.position(low) + 1, self.position(high) + 1
        merged = sorted([*self.rows[start:end], *new])
        if self.tree:
            merged.sort(key=self.places.roots.__getitem__)  # equal ones stay in their order
        self.rows[start:end] = array("I", merged)


# --- Laying all rows anew for another view, a piece at a time: a million of them must not hold up the screen.

SELECT = {view: bytes(bool(flags & view) for flags in range(256)) for view in (1, 2, 4, 8)}
"""By view: by the flags of an entry, whether it is a row there."""
_FOLDING = {view: bytes(bool(flags & view and not flags & FOLDED) for flags in range(256)) for view in (1, 2)}
AT_ONCE = 50_000
"""Entries that are laid at once: some hundredths of a second at the most."""
_PIECE, _FILTERED_PIECE, _PIECE_WITH_PARTNERS = 100_000, 10_000, 4_000
"""Entries in a piece: some milliseconds each."""


class Laying(RowList):
    """Rows of one of four views."""

    def __init__(self, places: Tree, *, tree: bool, facts: bool) -> None:
        super().__init__(places, tree=tree)
        self.facts = facts
        self.partners = False
        """Whether in the order of the wire a match brings the request and the answer of its exchange along."""
        self._left: list[tuple[int, int]] = []
        """Pieces that are still to be laid: the first entry and the last of each. The next one stands at the end."""

    @property
    def taken(self) -> int:
        """How many entries of the journal were taken in."""
        return len(self._state) - 1

    @property
    def is_laying(self) -> bool:
        """Whether there is more to be laid."""
        return bool(self._left)

    @property
    def laid(self) -> float:
        """How much of it is laid, from 0 to 1."""
        return 1 - sum(last - first + 1 for first, last in self._left) / max(1, self.taken)

    def show(self, *, tree: bool, facts: bool, partners: bool = False, around: int = 0) -> None:
        """Change the view. `around`: the entry whose row is there at once; 0 for the newest."""
        self.tree, self.facts, self.partners = tree, facts, partners
        self._rebuild(around)

    def lay(self) -> bool:
        """Lay the next piece; whether there was one."""
        if not self._left:
            return False
        self._lay(*self._left.pop())
        self.generation += 1
        return True

    def _rebuild(self, around: int = 0) -> None:
        """Make all rows anew: after a change of view, never because of new entries."""
        self.generation += 1
        self.rows = array("I")
        self._state = bytearray(self.taken + 1)
        self.folded = dict.fromkeys(self.folded, 0)
        self.wire_runs.clear()
        self._left = self._pieces(around) if not self.is_chosen or self._has_found() else []
        self.lay()
        row = self._row_of(around) if 0 < around <= self.taken else None
        if row is not None and not self.is_chosen:  # its request may be in another piece
            self.merge(n for n in (self.places.roots[row], row) if self.places.flags[n] & self._view)

    def _pieces(self, around: int) -> list[tuple[int, int]]:
        taken, size = self.taken, _PIECE
        if self.is_chosen:
            size = _PIECE_WITH_PARTNERS if self.partners and not self.tree else _FILTERED_PIECE
        if taken <= AT_ONCE or not (self.tree or self.is_chosen):
            size = max(1, taken)
        found = [(first, min(first + size - 1, taken)) for first in range(1, taken + 1, size)]
        if around:
            found.sort(key=lambda piece: piece[0] <= around <= piece[1])
        return found

    def _lay(self, first: int, last: int) -> None:
        if self.is_chosen:
            self.merge(self._chosen(first, last))
            return
        part = slice(first, last + 1)
        chosen = self.places.flags[part].translate(self._select)
        rows: Iterable[int] = compress(range(first, last + 1), chosen)
        if (self.tree and self.folded) or self._state.find(1, first, last + 1) >= 0:
            self.merge(rows)
            return
        self._state[part] = chosen
        new = list(rows)
        if self.tree:
            new.sort(key=self.places.roots.__getitem__)
        if new:
            self._put(new)

    def _has_found(self) -> bool:
        """Whether a filter has found anything so far. To be said by whoever has one."""
        raise NotImplementedError

    def _chosen(self, first: int, last: int) -> Iterable[int]:
        """The rows that matches among some entries bring with them. To be said by whoever has a filter."""
        raise NotImplementedError

    def _row_of(self, n: int) -> int | None:
        """The entry whose row shows entry n in this view."""
        row = self.places.row_of(n) if self.tree else n
        return row if self.places.flags[row] & self._view else None

    @property
    def _select(self) -> bytes:
        return _FOLDING[self._view] if self.folds_runs else SELECT[self._view]

    @property
    def _view(self) -> int:
        if self.tree:
            return IN_TREE if self.facts else IN_TREE_PLAIN
        return IN_WIRE if self.facts else IN_WIRE_PLAIN
