"""Which entries of a journal are rows, and in which order. Numbers only: it reads payloads for a filter alone.

Taking in new entries costs what they are many, not what the journal holds. Old entries go through a filter in
slices, newest first. An entry that is no row of its own stands for the one that shows it, and in the tree a hit
brings the request it belongs to along.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

from inspector.capture.journal import Journal
from inspector.capture.store import MessageKind
from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.viewmodels.log_filter import Matcher
from inspector.viewmodels.log_tree import IN_TREE, IN_TREE_PLAIN, IN_WIRE, IN_WIRE_PLAIN, Tree

_COST_OF_ENTRY = 250
"""Bytes that an entry counts for beside its payload, in the work of a filter."""
_BLOCK = 256
"""Entries that are taken in at once where they are alike."""
_SHOWN, _FOLDED_AWAY = 1, 2
_SELECT = {view: bytes(bool(flags & view) for flags in range(256)) for view in (1, 2, 4, 8)}


class RowIndex:
    """The rows of one view. They are entry numbers; `rows` may be read at any time and is never replaced in part."""

    def __init__(self, journal: Journal, *, tree: bool, facts: bool) -> None:
        self._journal = journal
        self._store = journal.store
        self.places = Tree(journal)
        self.rows = array("I")
        self.tree = tree
        self.facts = facts
        self.generation = 0
        self.folded: dict[int, int] = {}
        """Blocks that are folded: the entry that begins it, and how many rows that hides."""
        self._state = bytearray(1)
        """At n: whether entry n is a row now, or would be if its block was not folded."""
        self._hits = bytearray(1)
        """At n: 1 if entry n itself matches the filter."""
        self._matcher: Matcher | None = None
        self._to_scan: Sequence[int] = ()
        self._scanned = 0

    @property
    def taken(self) -> int:
        """How many entries of the journal were taken in."""
        return len(self._state) - 1

    def key(self, n: int) -> int:
        """The place of entry n in the order of the view: ascending, and the same for ever."""
        return (self.places.roots[n] << 32 | n) if self.tree else n

    def position(self, key: int) -> int:
        """Where the row with this key is, or the last one before it; -1 if there is none."""
        return bisect_right(self.rows, key, key=self.key) - 1

    def find(self, n: int) -> int | None:
        """The row that shows entry n; None if none does."""
        row = self._row_of(n) if 0 < n <= self.taken else None
        if row is None:
            return None
        index = bisect_left(self.rows, self.key(row), key=self.key)
        return index if index < len(self.rows) and self.rows[index] == row else None

    def take(self, limit: int) -> bool:
        """Take in at most `limit` entries that the journal got since; whether there was any."""
        first, end = self.taken + 1, min(self._journal.count, self.taken + limit)
        if end < first:
            return False
        for start in range(first, end + 1, _BLOCK):
            block = start, min(start + _BLOCK - 1, end)
            if self._matcher is not None or not self._take_run(*block):
                self._take_each(*block)
        return True

    def _take_each(self, first: int, end: int) -> None:
        new, view, flags = range(first, end + 1), self._view, self.places.flags
        for n in new:
            self.places.take(n)
        self._state.extend(bytes(len(new)))
        self._hits.extend(bytes(len(new)))
        if self._matcher is None:
            self._merge(n for n in new if flags[n] & view)
        else:
            self._merge(self._test(new))
        self._notice_changes(self._store.of_exchanges(first, end))

    def _take_run(self, first: int, end: int) -> bool:
        """Take in a run of log messages, which are rows wherever they stand; False if it is none."""
        cause = self.places.take_run(first, end)
        if cause < 0:
            return False
        count = end - first + 1
        self._hits.extend(bytes(count))
        if self.tree and cause:
            self._state.extend(bytes(count))
            self._merge(range(first, end + 1))
        else:
            self._state.extend(bytes((_SHOWN,)) * count)
            self.rows.extend(range(first, end + 1))
        return True

    def show(self, *, tree: bool, facts: bool) -> None:
        """Change the view."""
        self.tree, self.facts = tree, facts
        self._rebuild()

    def toggle_fold(self, n: int) -> None:
        """Fold away what stands in the block of entry n, or show it again. Means nothing in wire order."""
        root = self.places.roots[n]
        if self.folded.pop(root, None) is None:
            self.folded[root] = 0
        self._rebuild()

    def set_filter(self, wanted: str) -> None:
        """Let only entries through that contain a text; "" lets all. Old ones wait for `filter_step`."""
        before, finished = self._matcher, not self.is_filtering
        self._matcher = Matcher(self._journal, wanted) if wanted else None
        if self._matcher is None:
            self._to_scan = ()
        elif before is not None and finished and before.needle.is_part_of(wanted):
            self._to_scan = array("I", compress(range(self.taken + 1), self._hits))
        else:
            self._to_scan = range(1, self.taken + 1)
        self._scanned = 0
        self._hits = bytearray(self.taken + 1)
        self._rebuild()

    def filter_step(self, most_bytes: int) -> bool:
        """Look through some more old entries, newest first; whether there are more."""
        start, spent = self._scanned, 0
        while self.is_filtering and spent < most_bytes:
            self._scanned += 1
            spent += self._store.size(self._to_scan[-self._scanned]) + _COST_OF_ENTRY
        self._merge(self._test(self._to_scan[-1 - k] for k in range(start, self._scanned)))
        return self.is_filtering

    @property
    def is_filtering(self) -> bool:
        """Whether old entries are still to be looked through."""
        return self._scanned < len(self._to_scan)

    @property
    def matches(self) -> int:
        """How many entries match so far."""
        return self._hits.count(1)

    @property
    def _view(self) -> int:
        if self.tree:
            return IN_TREE if self.facts else IN_TREE_PLAIN
        return IN_WIRE if self.facts else IN_WIRE_PLAIN

    def _row_of(self, n: int) -> int | None:
        """The entry whose row shows entry n in this view."""
        row = self.places.row_of(n) if self.tree else n
        return row if self.places.flags[row] & self._view else None

    def _rows_of_hit(self, n: int) -> Iterator[int]:
        row = self._row_of(n)
        if row is not None:
            yield row
            if self.tree:
                yield self.places.roots[row]

    def _test(self, entries: Iterable[int]) -> Iterator[int]:
        """The rows that hits among the entries bring with them."""
        matcher = self._matcher
        if matcher is None:
            return
        for n in entries:
            if matcher.matches(n, self.places.exchange(n)):
                self._hits[n] = 1
                yield from self._rows_of_hit(n)

    def _rebuild(self) -> None:
        """Make all rows anew: after a change of view, never because of new entries."""
        self.generation += 1
        everything = range(self.taken + 1)
        self.rows = array("I")
        self._state = bytearray(self.taken + 1)
        self.folded = dict.fromkeys(self.folded, 0)
        if self._matcher is not None:
            self._merge(row for n in compress(everything, self._hits) for row in self._rows_of_hit(n))
            return
        chosen = self.places.flags.translate(_SELECT[self._view])
        chosen[0] = 0
        rows: Iterable[int] = compress(everything, chosen)
        if self.tree:
            rows = sorted(rows, key=self.places.roots.__getitem__)
        if self.tree and self.folded:
            self._merge(rows)
        else:
            self.rows, self._state = array("I", rows), bytearray(chosen)

    def _merge(self, entries: Iterable[int]) -> None:
        """Make entries rows, each at its place; those that are rows already stay what they are."""
        new: list[int] = []
        state = self._state
        for n in entries:
            if state[n]:
                continue
            if self.tree and self.folded and self._is_folded_away(n):
                state[n] = _FOLDED_AWAY
                continue
            state[n] = _SHOWN
            new.append(n)
        if new:
            new.sort(key=self.key)
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
        self.rows[start:end] = array("I", sorted([*self.rows[start:end], *new], key=self.key))

    def _notice_changes(self, of_exchanges: Iterable[int]) -> None:
        """Rows that were finished can still change: by an answer that came late, by progress after the end."""
        live, kinds = self._journal.live, self._store.message_kind
        for n in of_exchanges:
            exchange = self.places.exchange(n)
            if exchange is None or (kind := kinds(n)) is MessageKind.REQUEST:
                continue
            if not live or _is_late(n, kind, exchange):
                self.generation += 1
            if self._matcher is not None and not exchange.is_open:
                self._test_again(exchange)

    def _test_again(self, exchange: Exchange) -> None:
        """What became of a request is part of what it is found by, and has changed."""
        n, matcher = exchange.request_frame, self._matcher
        if matcher is None or n > self.taken:
            return
        matches = matcher.matches(n, exchange)
        if matches == bool(self._hits[n]):
            return
        self._hits[n] = matches
        if matches:
            self._merge(self._rows_of_hit(n))
            return
        self._drop_if_needless(n)
        if self.tree:
            self._drop_if_needless(self.places.roots[n])

    def _drop_if_needless(self, n: int) -> None:
        index = self.find(n)
        if index is None or self._hits[n] or (self.tree and self._is_there_for_others(n, index)):
            return
        self._state[n] = 0
        del self.rows[index]
        self.generation += 1

    def _is_there_for_others(self, n: int, index: int) -> bool:
        """Whether a request is a row of the tree because of its answer, or because of what stands under it."""
        exchange = self.places.exchange(n)
        answer = (exchange.answer_frame or 0) if exchange is not None else 0
        if answer <= self.taken and self._hits[answer]:
            return True
        return index + 1 < len(self.rows) and self.places.roots[self.rows[index + 1]] == n


def _is_late(n: int, kind: MessageKind, exchange: Exchange) -> bool:
    if kind is MessageKind.NOTIFICATION:
        return not exchange.is_open
    return exchange.answer_frame != n or exchange.state is ExchangeState.LATE
