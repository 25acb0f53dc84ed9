"""Where to go from a row of the traffic list: its partner, its cause, the next error, an entry by number or by time.

Rows are places in the list, entries are numbers of the journal; None is said where there is nothing to go to.
"""

from inspector.capture.journal import Journal
from inspector.capture.store import MessageKind
from inspector.viewmodels.go_to import meant
from inspector.viewmodels.log_index import RowIndex


class LogJumps:
    """The ways from row to row of one list."""

    def __init__(self, journal: Journal, index: RowIndex) -> None:
        self._journal, self._store, self._index = journal, journal.store, index

    def partner(self, index: int) -> int | None:
        """The entry that answers the row's, or that it answers."""
        n = self.entry_at(index)
        exchange = self._index.places.exchange(n) if n else None
        if exchange is None:
            return None
        return exchange.answer_frame if exchange.request_frame == n else exchange.request_frame

    def origin(self, index: int) -> int | None:
        """The entry that caused the row's: its request, the call under which it stands, what it goes on with."""
        n = self.entry_at(index)
        if not n:
            return None
        places = self._index.places
        exchange = places.exchange(n)
        if exchange is not None and exchange.request_frame != n:
            return exchange.request_frame
        if places.roots[n] != n:
            return places.roots[n]
        if exchange is None or exchange.operation is None:
            return None
        earlier = self._journal.conversation.operations.operation(exchange.operation).exchanges[0]
        return None if earlier >= exchange.number else self._journal.conversation.exchanges[earlier - 1].request_frame

    def exchange(self, index: int, *, back: bool = False) -> int | None:
        """The nearest row below (above with `back`) that is a request."""
        rows, step = self._index.rows, -1 if back else 1
        index += step
        while 0 <= index < len(rows):
            if self._store.message_kind(rows[index]) is MessageKind.REQUEST:
                return index
            index += step
        return None

    def within(self, index: int, *, back: bool = False) -> int | None:
        """The nearest row below (above with `back`) that belongs to the same exchange; in the tree, to its block."""
        n = self.entry_at(index)
        if not n:
            return None
        if self._index.tree:
            beside = index + (-1 if back else 1)
            roots, other = self._index.places.roots, self.entry_at(beside)
            return beside if other and roots[other] == roots[n] else None
        number = self._store.exchange(n)
        exchange = self._index.places.exchange(n)
        if exchange is None:
            return None
        first, last = (exchange.request_frame, n - 1) if back else (n + 1, self._index.taken)
        found = self._store.of_exchange(number, first, last)
        shown = (self._index.find(each) for each in found)
        places = (each for each in shown if each is not None)
        return max(places, default=None) if back else next(places, None)

    def error(self, index: int, *, back: bool = False) -> int | None:
        """The nearest row below (above with `back`) that tells of an error."""
        n, tree = self.entry_at(index), self._index.tree
        key = self._index.key(n) if n else -1
        errors = self._index.places.errors
        while (key := errors.after(key, tree=tree, back=back)) >= 0:
            found = self._index.find(key & 0xFFFF_FFFF)
            if found is not None and found != index:
                return found
        return None

    def entry(self, wanted: str) -> int:
        """The entry that somebody asks for; see `meant`. Raises: FilterError if none is."""
        return meant(self._journal, wanted, self._index.taken)

    def nearest(self, n: int) -> int:
        """The row that shows entry n, or the last one before it; 0 if there is none before it."""
        found = self._index.find(n)
        return found if found is not None else max(0, self._index.position(self._index.key(min(n, self._index.taken))))

    def entry_at(self, index: int) -> int:
        """The entry of a row, of a run its first; 0 if there is no such row."""
        return self._index.rows[index] if 0 <= index < len(self._index.rows) else 0
