"""Laying all rows anew for another view, a piece at a time: a million of them must not hold up the screen.

The piece around what is looked at comes first, then the newest; what comes meanwhile takes its place among them.
"""

from array import array
from collections.abc import Iterable
from itertools import compress

from inspector.viewmodels.log_row_list import RowList
from inspector.viewmodels.log_runs import FOLDED
from inspector.viewmodels.log_tree import IN_TREE, IN_TREE_PLAIN, IN_WIRE, IN_WIRE_PLAIN, Tree

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
