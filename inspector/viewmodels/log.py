"""The traffic list: rows of a journal, in a tree or in the order of the wire, all of them or those that match.

The tree (an exchange is a row, what it caused stands under it) explains; the wire order (each entry is a row)
proves. Which entries are rows is `log_index`, what a row looks like is `log_rows`. New entries come in by
`refresh` alone, so that a screen decides when.
"""

from array import array
from collections.abc import Callable, Sequence
from itertools import compress
from typing import TYPE_CHECKING

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.store import Store
from inspector.protocol.exchanges import Exchange
from inspector.viewmodels import words
from inspector.viewmodels.lanes import Window, around
from inspector.viewmodels.log_index import RowIndex
from inspector.viewmodels.log_jumps import LogJumps
from inspector.viewmodels.log_look import PLAIN, Look
from inspector.viewmodels.log_marks import LogMarks, shows_findings
from inspector.viewmodels.log_rows import Place, RowWriter, lane_end
from inspector.viewmodels.roles import Span
from inspector.viewmodels.rows import RowSource, RowView

if TYPE_CHECKING:
    from inspector.capture.filters.terms import Term
    from inspector.viewmodels.found import Found
    from inspector.viewmodels.log_find import LogFind

MOST_AT_ONCE = 20_000
"""Entries that one refresh takes in: some hundredths of a second."""


class _Filtering:
    """What a list does with a filter, and to find a text."""

    def __init__(self, journal: Journal, index: RowIndex, clock: Callable[[], int], *, threaded: bool) -> None:
        self._journal, self._index, self._clock, self._threaded = journal, index, clock, threaded
        self._find: LogFind | None = None
        self._shown: tuple[int, array[int]] = (-1, array("I"))
        """Exchanges that match, and the changes of the filter that they were looked up after."""

    def set_filter(self, term: "Term | None") -> None:
        """Show only what matches a filter; None shows all.

        What is there already is looked through by `filter_step`, newest first; what comes is tested as it comes.
        """
        self._index.set_filter(term)

    def filter_step(self) -> bool:
        """Take over some of what the filter has found; whether there is more to come. Nearly free if there is none."""
        more = self._index.filter_step()
        return self._index.lay() or more

    def lay(self) -> bool:
        """Lay some more of the rows after a change of view; whether there were any left."""
        return self._index.lay()

    def age(self) -> None:
        """Time has gone by: a filter may ask how long something has been waiting."""
        self._index.age()

    def cancel_filter(self) -> None:
        """Look through nothing more: nobody will look at this model again."""
        self._index.filter.cancel()
        if self._find is not None:
            self._find.cancel()

    @property
    def finder(self) -> "LogFind":
        """Finding a text among the rows; a filter is another thing."""
        if self._find is None:
            from inspector.viewmodels.log_find import LogFind

            self._find = LogFind(self._journal, self._index, self._clock, threaded=self._threaded)
        return self._find

    @property
    def exchanges_shown(self) -> "array[int] | None":
        """The numbers of the exchanges of which a message matches the filter, ascending; None without a filter."""
        found = self._index.filter
        if found.program is None:
            return None
        if self._shown[0] != found.changes:
            hits = found.hits
            numbers = set(compress(self._journal.store.columns(1, len(hits) - 1).exchanges, hits[1:]))
            self._shown = found.changes, array("I", sorted(numbers - {0}))
        return self._shown[1]

    @property
    def has_filter(self) -> bool:
        """Whether a filter holds."""
        return self._index.filter.program is not None

    @property
    def is_filtering(self) -> bool:
        """Whether there is still something to be looked through, or to be laid after a change of view."""
        return self._index.filter.is_filtering or self._index.is_laying

    @property
    def looked_through(self) -> float:
        """How much of it has been, from 0 to 1."""
        return min(self._index.filter.looked_through, self._index.laid)

    @property
    def filter_trouble(self) -> str:
        """What is wrong with the filter at work, one sentence; "" if nothing is."""
        program = self._index.filter.program
        return program.trouble if program is not None else ""

    @property
    def matching(self) -> list[int]:
        """The entries that match so far; none without a filter."""
        hits = self._index.filter.hits
        return list(compress(range(len(hits)), hits))

    @property
    def matches(self) -> int:
        """How many entries match so far; 0 without a filter."""
        return self._index.filter.matches


class _Counting(RowSource):
    """What a list tells of how much there is."""

    folds = True

    _journal: Journal
    _index: RowIndex

    @property
    def errors(self) -> int:
        return len(self._index.places.errors)

    @property
    def waiting(self) -> tuple[int, int]:
        count = self._journal.count - self._index.taken
        if count <= 0:
            return 0, 0
        return count, max(0, self._journal.conversation.exchanges.failures.count(1) - self._index.places.failed)

    @property
    def taken(self) -> int:
        """How many entries of the journal were taken in."""
        return self._index.taken


class LogModel(_Filtering, _Counting):
    """The traffic list of one journal.

    A row's key is its place in the order of the view; it is the same for as long as the view is, and `show` changes
    the view. To keep a choice across views keep its entry: `entry_of`, then `find`.
    """

    def __init__(
        self,
        journal: Journal,
        clock: Callable[[], int],
        *,
        tree: bool = True,
        facts: bool = True,
        threaded: bool = False,
        found: "Callable[[], Found | None] | None" = None,
    ) -> None:
        """`clock` gives the journal's own monotonic nanoseconds; it times what is pending.

        With `threaded`, a filter reads on a thread of its own; else `filter_step` does all of its work. `found` gives
        what checks have found so far.
        """
        index = RowIndex(journal, tree=tree, facts=facts, clock=clock, threaded=threaded)
        super().__init__(journal, index, clock, threaded=threaded)
        self._store = journal.store
        self._writer = RowWriter(journal)
        self.jumps = LogJumps(journal, index)
        self.marks = LogMarks(index, found or (lambda: None))
        """What checks have found; `refresh` does not look there."""
        self._is_marked = found is not None
        self._look = PLAIN
        self._looks = 0
        self._window: Window | None = None

    @property
    def count(self) -> int:
        return len(self._index.rows)

    @property
    def generation(self) -> int:
        return self._index.generation + self._looks + self.marks.generation

    @property
    def look(self) -> Look:
        """The columns, and the clock."""
        return self._look

    @look.setter
    def look(self, look: Look) -> None:
        self._look = look
        self._looks += 1

    def sees(self, rows: range, width: int) -> bool:
        """The small waterfall shows the time of the rows in sight."""
        if all(column.name != "lane" for column in self._look.columns(width)):
            return False
        entries = [self._index.rows[index] for index in rows if index < self.count]
        lasting = [_lasting(n, self._index.places.exchange(n), self._store, self._clock()) for n in entries]
        before, self._window = self._window, around(lasting)
        return self._window != before

    def row(self, index: int, width: int) -> RowView:
        places, rows = self._index.places, self._index.rows
        n = rows[index]
        run = self._index.run(n)
        place = Place(
            tree=self.tree,
            nested=self.tree and places.roots[n] != n,
            folded=self._index.folded.get(n, 0) if self.tree else 0,
            previous_ns=self._store.time_ns(rows[index - 1]) if index > 0 else None,
            run=run,
            grows=run is not None and places.runs.grows(n),
            window=self._window,
            grade=self.marks.grade(n, run),
            found=self.marks.of_row(n, run) if shows_findings(self._look.chosen) else (),
        )
        return self._writer.row(n, places.exchange(n), place, width, self._clock(), self._look_now)

    def header(self, width: int) -> Sequence[Span]:
        return self._look_now.titles(width)

    @property
    def _look_now(self) -> Look:
        """The small waterfall needs somebody who says what is in sight."""
        return msgspec.structs.replace(self._look, laneless=self._window is None, marked=self._is_marked)

    def key(self, index: int) -> int:
        return self._index.key(self._index.rows[index])

    def index_of(self, key: int) -> int:
        return self._index.position(key)

    @property
    def tree(self) -> bool:
        """Whether this is the tree, or else the order of the wire."""
        return self._index.tree

    @property
    def facts(self) -> bool:
        """Whether process and connection facts are rows, and in the order of the wire HTTP facts."""
        return self._index.facts

    def show(
        self, *, tree: bool | None = None, facts: bool | None = None, partners: bool | None = None, around: int = 0
    ) -> None:
        """Change the view; None leaves it. Of very many rows those around an entry are there at once, or the newest.

        The others come with `filter_step`.
        """
        self._index.show(
            tree=self.tree if tree is None else tree,
            facts=self.facts if facts is None else facts,
            partners=self.partners if partners is None else partners,
            around=around,
        )

    def toggle_fold(self, index: int) -> None:
        """Fold away what stands under the exchange that the row belongs to, or show it again; a run likewise.

        In the order of the wire: the notifications beside it that are like it.
        """
        if 0 <= index < self.count:
            self._index.toggle_fold(self._index.rows[index])

    def refresh(self, limit: int = MOST_AT_ONCE) -> bool:
        """Take in what the journal got since, at most `limit` entries; whether there was anything."""
        return self._index.take(limit)

    @property
    def partners(self) -> bool:
        """Whether a match brings its request and its answer along, in the order of the wire."""
        return self._index.partners

    @property
    def entries(self) -> "array[int]":
        """The entries that are rows, in their order. For reading."""
        return self._index.rows

    def entry_of(self, index: int) -> int:
        """The entry to show for a row: its own, or for a row of progress, or of a run, the newest word."""
        n = self._index.rows[index]
        run = self._index.run(n)
        if run is not None and not run.opened:
            return run.last
        if not self.tree or self._store.method(n) != "notifications/progress":
            return n
        exchange = self._index.places.exchange(n)
        newest = exchange.progress.frame if exchange is not None and exchange.progress is not None else n
        return newest if newest <= self._index.taken else n

    def find(self, n: int) -> int | None:
        """The row that shows entry n (in the tree an answer is shown by its request); None if none does."""
        return self._index.find(n)


def _lasting(n: int, exchange: Exchange | None, store: Store, now_ns: int) -> tuple[int, int]:
    """From when to when entry n has something to show; a moment for what is no request."""
    if exchange is None or exchange.request_frame != n:
        return store.time_ns(n), store.time_ns(n)
    if words.is_stream(exchange):  # its bar would press all others together
        return exchange.started_ns, exchange.started_ns
    return exchange.started_ns, lane_end(exchange, now_ns)
