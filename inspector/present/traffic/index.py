"""The entries of a journal that are rows of the traffic list, and their order; see `RowList` and `RowIndex`.

Numbers only: payloads are read just for a filter. The cost of new entries depends on their number, not on the size
of the journal. Old entries are filtered in slices, newest first. An entry without its own row is represented by the
row that shows it, and in the tree a match includes the request it belongs to.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import compress

from inspector.capture.journal import Journal
from inspector.capture.store.columns import MessageKind
from inspector.filters.engine.nodes import both, ones, without
from inspector.filters.language.fields import Term
from inspector.present.traffic.filter import FilterUpdate, RowFilter
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
from inspector.protocol.exchanges import Exchange, ExchangeState

SHOWN, FOLDED_AWAY = 1, 2

_BLOCK = 256
"""Entries that are processed at once if they are alike."""

SELECT = {view: bytes(bool(flags & view) for flags in range(256)) for view in (1, 2, 4, 8)}
"""By view and flags of an entry: whether it is a row there."""

_FOLDING = {view: bytes(bool(flags & view and not flags & FOLDED) for flags in range(256)) for view in (1, 2)}

AT_ONCE = 50_000
"""Entries that are laid out at once: some hundredths of a second at most."""

_PIECE, _FILTERED_PIECE, _PIECE_WITH_PARTNERS = 100_000, 10_000, 4_000
"""Entries of a later portion: some milliseconds each."""


class RowList:
    """Rows in order: entry numbers that can be added, removed and folded without touching the rest.

    The rows below a request can be folded, and so can a long run of notifications. Each is found by its position
    alone, so folding costs what it hides, not what the journal holds. `rows` may be read at any time and is never
    partly updated.
    """

    def __init__(self, places: Tree, *, tree: bool) -> None:
        self.places = places
        self.rows = array("I")
        self.tree = tree
        self.generation = 0
        self.folded: dict[int, int] = {}
        """Number of rows hidden by each folded block, by the block's first entry."""
        self.wire_runs = WireRuns(places.store)
        self.is_chosen = False
        """Whether a filter selects the rows."""
        self.state = bytearray(1)
        """At n: whether entry n is a row now, or would be if its block was not folded."""

    def key(self, n: int) -> int:
        """Return the position of entry n in the order of the view: ascending, and never changing."""
        return (self.places.roots[n] << 32 | n) if self.tree else n

    def position(self, key: int) -> int:
        """Return the index of the row with this key, or of the last one before it; -1 if there is none."""
        return bisect_right(self.rows, key, key=self.key) - 1

    @property
    def folds_runs(self) -> bool:
        """Whether long runs are one row: in the tree, unless a filter selects the rows."""
        return self.tree and not self.is_chosen

    def stands_for(self, row: int, n: int) -> bool:
        """Whether a row is that of a run that entry n is folded into."""
        if not self.tree:
            wire_run = self.wire_runs.run(row)
            return wire_run is not None and self.state[n] == FOLDED_AWAY and n <= wire_run.last
        if not self.folds_runs or not self.places.flags[n] & FOLDED:
            return False
        run = self.places.runs.run(row)
        return run is not None and run.first <= n <= run.last

    def drop_late(self) -> None:
        """Remove rows that turned out to be part of a run."""
        late = self.places.runs.late()
        if late and self.folds_runs:
            for n in late:
                self._remove(n)
            self.generation += 1

    def _remove(self, n: int) -> None:
        """Remove entry n from the rows and from the folded rows."""
        before, self.state[n] = self.state[n], 0
        if before == FOLDED_AWAY:
            self.folded[self.places.roots[n]] -= 1
        elif before:
            del self.rows[bisect_left(self.rows, self.key(n), key=self.key)]

    def toggle_fold(self, n: int) -> None:
        """Fold or unfold the run or the block of entry n; in wire order, its equal neighbours."""
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
        """Return the run that the row of entry n begins in this view; None if it begins none."""
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
                self.state[each] = FOLDED_AWAY
            del self.rows[alike.start + 1 : alike.stop]
            self.wire_runs.add(RowRun(self.rows[alike.start], len(alike), hidden[-1]))
            self.generation += 1

    def _unfold_wire_run(self, run: RowRun) -> None:
        found, n = [], self.state.find(FOLDED_AWAY, run.first, run.last + 1)
        while n >= 0:
            self.state[n] = 0
            found.append(n)
            n = self.state.find(FOLDED_AWAY, n + 1, run.last + 1)
        self.merge(found)
        self.generation += 1

    def run_around(self, n: int) -> RowRun | None:
        """Return the run that entry n begins, or the unfolded run that contains it."""
        runs = self.places.runs
        return runs.run(n) or runs.opened_around(n)

    def _toggle_run(self, run: RowRun) -> None:
        runs = self.places.runs
        if run.opened:
            for n in runs.fold(run):
                self.state[n] = 0
            del self.rows[self.position(self.key(run.first)) + 1 : self.position(self.key(run.last)) + 1]
        else:
            self.merge(runs.open(run))

    def _fold_block(self, root: int) -> None:
        first, behind = self.position(self.key(root)) + 1, self.position((root + 1 << 32) - 1) + 1
        for n in self.rows[first:behind]:
            self.state[n] = FOLDED_AWAY
        del self.rows[first:behind]
        self.folded[root] = behind - first

    def _unfold_block(self, root: int) -> None:
        found: list[int] = []
        n = self.state.find(FOLDED_AWAY, root)
        while n >= 0:
            if self.places.roots[n] == root:
                self.state[n] = 0
                found.append(n)
            n = self.state.find(FOLDED_AWAY, n + 1)
        self.merge(found)

    def merge(self, entries: Iterable[int]) -> None:
        """Make entries rows, each at its position; those that are rows already do not change."""
        new: list[int] = []
        state = self.state
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
            self.put(new)

    def _is_folded_away(self, n: int) -> bool:
        root = self.places.roots[n]
        if root == n or root not in self.folded:
            return False
        self.folded[root] += 1
        self.generation += 1
        return True

    def put(self, new: list[int]) -> None:
        low, high = self.key(new[0]), self.key(new[-1])
        if not self.rows or low > self.key(self.rows[-1]):
            self.rows.extend(new)
            return
        self.generation += 1
        start, end = self.position(low) + 1, self.position(high) + 1
        merged = sorted([*self.rows[start:end], *new])
        if self.tree:
            merged.sort(key=self.places.roots.__getitem__)  # stable: equal ones keep their order
        self.rows[start:end] = array("I", merged)


class RowIndex:
    """The rows of a journal in one of four views."""

    def __init__(
        self,
        journal: Journal,
        *,
        tree: bool,
        facts: bool,
        clock: Callable[[], int] = lambda: 0,
        threaded: bool = False,
        stretch_bytes: int | None = None,
    ) -> None:
        """Start with no rows; `threaded`: a separate thread reads for a filter, `stretch_bytes` of the file at once."""
        self._journal = journal
        self._store = journal.store
        self.filter = RowFilter(journal, clock, threaded=threaded, stretch_bytes=stretch_bytes)
        self.places = Tree(journal)
        self.view = RowList(self.places, tree=tree)
        self.facts = facts
        self.partners = False
        """Whether, in wire order, a match includes the request and the response of its exchange."""
        self._left: list[tuple[int, int]] = []
        """Portions that are not laid out yet, as first and last entry. The next one is at the end."""

    def find(self, n: int) -> int | None:
        """Return the row that shows entry n; None if none does."""
        row = self._row_of(n) if 0 < n <= self.taken else None
        if row is None:
            return None
        index = self.view.position(self.view.key(row))
        if index < 0 or (self.view.rows[index] != row and not self.view.stands_for(self.view.rows[index], row)):
            return None
        return index

    def take(self, limit: int) -> bool:
        """Read at most `limit` new entries of the journal; return whether there were any."""
        first, end = self.taken + 1, min(self._journal.count, self.taken + limit)
        if end < first:
            return False
        for start in range(first, end + 1, _BLOCK):
            block = start, min(start + _BLOCK - 1, end)
            if self.filter.program is not None or not self._take_run(*block):
                self._take_each(*block)
        return True

    def _take_each(self, first: int, end: int) -> None:
        new, view, flags = range(first, end + 1), self._flag, self.places.flags
        self.places.take_many(first, end)
        self.view.state.extend(bytes(len(new)))
        changes = self.filter.take(first, end)
        if self.view.folds_runs:
            self.view.merge(n for n in new if flags[n] & view and not flags[n] & FOLDED)
            self.view.drop_late()
        elif self.filter.program is None:
            self.view.merge(n for n in new if flags[n] & view)
        self._apply(changes)
        self._notice_changes(first, end)

    def _take_run(self, first: int, end: int) -> bool:
        """Add a run of log messages or of stderr, which are rows anywhere; return False if it is not such a run."""
        cause = self.places.take_run(first, end)
        if cause < 0:
            return False
        self.filter.take(first, end)
        shown = self.places.flags[first : end + 1].translate(self._select)
        new = compress(range(first, end + 1), shown)
        if self.view.tree and cause:
            self.view.state.extend(bytes(len(shown)))
            self.view.merge(new)
        else:
            self.view.state.extend(shown)
            self.view.rows.extend(new)
        self.view.drop_late()
        return True

    def set_filter(self, term: "Term | None") -> None:
        """Show only entries that match; None shows all. Old entries wait for `filter_step`."""
        self.filter.set(term, self.taken)
        self.view.is_chosen = self.filter.program is not None
        self._rebuild()

    def filter_step(self) -> bool:
        """Apply some of the filter's new results, newest entries first; return whether there are more to come."""
        self._apply(self.filter.step())
        return self.filter.is_filtering

    def age(self) -> None:
        """Apply changes of a filter that tests elapsed time."""
        self._apply(self.filter.age())

    def judged(self, entries: Iterable[int]) -> None:
        """Filter these entries again, because their findings were added, muted or unmuted."""
        self._apply(self.filter.judged(entries))

    def _apply(self, changes: Iterable[FilterUpdate]) -> None:
        for change in changes:
            self.view.merge(self._rows_of(change.first, change.came))
            for n in change.gone:
                self._drop(n)

    def _chosen(self, first: int, last: int) -> Iterable[int]:
        return self._rows_of(first, bytes(self.filter.hits[first : last + 1]))

    def _rows_of(self, first: int, hits: bytes) -> Iterable[int]:
        """Return the rows for some hits; `hits` has a byte for each entry from `first` on."""
        if 1 not in hits:
            return ()
        part = slice(first, first + len(hits))
        own = both(hits, bytes(self.places.flags[part].translate(SELECT[self._flag])))
        rows = set(compress(range(first, first + len(hits)), own))
        if self.view.tree:
            rows.update(compress(self.places.roots[part], own))
        for at in ones(without(hits, own)):
            rows.update(self._rows_of_hit(first + at))
        if self.partners and not self.view.tree:
            rows.update(*(self._partners(first + at) for at in ones(hits)))
        return rows

    def _rows_of_hit(self, n: int) -> Iterator[int]:
        row = self._row_of(n)
        if row is not None:
            yield row
            if self.view.tree:
                yield self.places.roots[row]

    def _partners(self, n: int) -> Iterator[int]:
        exchanges, number = self._journal.conversation.exchanges, self._store.exchange(n)
        if not 0 < number <= len(exchanges):
            return
        answer = exchanges.answer_frames[number] or exchanges.at(number).answer_frame or 0
        for frame in (exchanges.request_frames[number], answer):
            if 0 < frame <= self.taken and self.places.flags[frame] & self._flag:
                yield frame

    def _notice_changes(self, first: int, last: int) -> None:
        """Update rows of completed requests, which a late response or late progress can still change."""
        if self.filter.program is None and not self._journal.live:
            self.view.generation += any(self._store.of_exchanges(first, last))
            return
        live, kinds = self._journal.live, self._store.message_kind
        changed = set(self.filter.ended())
        for n in self._store.of_exchanges(first, last):
            exchange = self.places.exchange(n)
            if exchange is None or (kind := kinds(n)) is MessageKind.REQUEST:
                continue
            changed.add(exchange.number)
            if not live or _is_late(n, kind, exchange):
                self.view.generation += 1
        self._apply(self.filter.again(changed))

    def _drop(self, n: int) -> None:
        """Remove the rows of entry n, which no longer matches."""
        self._drop_if_needless(n)
        if self.view.tree:
            self._drop_if_needless(self.places.roots[n])
        elif self.partners:
            for partner in self._partners(n):
                self._drop_if_needless(partner)

    def _drop_if_needless(self, n: int) -> None:
        index = self.find(n)
        if index is not None and self.view.rows[index] != n and not self.view.tree:
            self.view.toggle_fold(self.view.rows[index])  # without this entry, it would be folded into another run
            index = self.find(n)
        if index is None or self.view.rows[index] != n or self.filter.hits[n] or self._is_there_for_others(n, index):
            return
        self.view.state[n] = 0
        del self.view.rows[index]
        self.view.generation += 1

    def _is_there_for_others(self, n: int, index: int) -> bool:
        """Whether a row is needed for its response, for the rows below it, or as the counterpart of a match."""
        hits = self.filter.hits
        if not self.view.tree:
            if not self.partners or n not in set(self._partners(n)):
                return False
            number, request = self._store.exchange(n), next(self._partners(n))
            return any(hits[each] for each in self._store.of_exchange(number, request, self.taken))
        exchange = self.places.exchange(n)
        answer = (exchange.answer_frame or 0) if exchange is not None else 0
        if answer <= self.taken and hits[answer]:
            return True
        return index + 1 < len(self.view.rows) and self.places.roots[self.view.rows[index + 1]] == n

    # Laying out all rows again after a change of view, in portions: a million must not block the screen.

    @property
    def taken(self) -> int:
        """Number of entries that were read from the journal."""
        return len(self.view.state) - 1

    @property
    def is_laying(self) -> bool:
        """Whether some rows are not laid out yet."""
        return bool(self._left)

    @property
    def laid(self) -> float:
        """Fraction of the rows that are laid out, from 0 to 1."""
        return 1 - sum(last - first + 1 for first, last in self._left) / max(1, self.taken)

    def show(self, *, tree: bool, facts: bool, partners: bool = False, around: int = 0) -> None:
        """Change the view. `around`: the entry whose row is available at once; 0 for the newest."""
        self.view.tree, self.facts, self.partners = tree, facts, partners
        self._rebuild(around)

    def lay(self) -> bool:
        """Lay out the next portion; return whether there was one."""
        if not self._left:
            return False
        self._lay(*self._left.pop())
        self.view.generation += 1
        return True

    def _rebuild(self, around: int = 0) -> None:
        """Build all rows again: after a change of view, never because of new entries."""
        self.view.generation += 1
        self.view.rows = array("I")
        self.view.state = bytearray(self.taken + 1)
        self.view.folded = dict.fromkeys(self.view.folded, 0)
        self.view.wire_runs.clear()
        self._left = self._pieces(around) if not self.view.is_chosen or self.filter.matches > 0 else []
        self.lay()
        row = self._row_of(around) if 0 < around <= self.taken else None
        if row is not None and not self.view.is_chosen:  # its request may be in another portion
            self.view.merge(n for n in (self.places.roots[row], row) if self.places.flags[n] & self._flag)

    def _pieces(self, around: int) -> list[tuple[int, int]]:
        taken, size = self.taken, _PIECE
        if self.view.is_chosen:
            size = _PIECE_WITH_PARTNERS if self.partners and not self.view.tree else _FILTERED_PIECE
        if taken <= AT_ONCE or not (self.view.tree or self.view.is_chosen):
            size = max(1, taken)
        found = [(first, min(first + size - 1, taken)) for first in range(1, taken + 1, size)]
        if around:
            found.sort(key=lambda piece: piece[0] <= around <= piece[1])
        return found

    def _lay(self, first: int, last: int) -> None:
        if self.view.is_chosen:
            self.view.merge(self._chosen(first, last))
            return
        part = slice(first, last + 1)
        chosen = self.places.flags[part].translate(self._select)
        rows: Iterable[int] = compress(range(first, last + 1), chosen)
        if (self.view.tree and self.view.folded) or self.view.state.find(1, first, last + 1) >= 0:
            self.view.merge(rows)
            return
        self.view.state[part] = chosen
        new = list(rows)
        if self.view.tree:
            new.sort(key=self.places.roots.__getitem__)
        if new:
            self.view.put(new)

    def _row_of(self, n: int) -> int | None:
        row = self.places.row_of(n) if self.view.tree else n
        return row if self.places.flags[row] & self._flag else None

    @property
    def _select(self) -> bytes:
        return _FOLDING[self._flag] if self.view.folds_runs else SELECT[self._flag]

    @property
    def _flag(self) -> int:
        if self.view.tree:
            return IN_TREE if self.facts else IN_TREE_PLAIN
        return IN_WIRE if self.facts else IN_WIRE_PLAIN


def _is_late(n: int, kind: MessageKind, exchange: Exchange) -> bool:
    if kind is MessageKind.NOTIFICATION:
        return not exchange.is_open
    return exchange.answer_frame != n or exchange.state is ExchangeState.LATE
