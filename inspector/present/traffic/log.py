"""The traffic list: rows of a journal as a tree or in wire order, all of them or those that match a filter.

The tree explains: an exchange is a row, with what it caused below it. The wire order proves: each entry is a row.
`index` selects the entries, `rows` lays them out. Only `refresh` adds new entries, so that a screen controls when.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import compress
from typing import TYPE_CHECKING

import msgspec

from inspector.capture.journal import Journal
from inspector.capture.store.columns import MessageKind
from inspector.capture.store.store import Store
from inspector.errors import FilterError
from inspector.filters.language.fields import BY_NAME, Compare, Op, Ref, Term
from inspector.present import words
from inspector.present.rows import RowSource, RowView
from inspector.present.spans import Span
from inspector.present.traffic.columns import PLAIN, Appearance
from inspector.present.traffic.filter import FilterUpdate, RowFilter
from inspector.present.traffic.index import RowIndex
from inspector.present.traffic.marks import LogMarks, shows_findings
from inspector.present.traffic.rows import RowPlace, RowWriter
from inspector.present.traffic.time_axis import TimeWindow, around, lane_end
from inspector.protocol.exchanges import Exchange

if TYPE_CHECKING:
    from inspector.present.live_checks import JournalFindings

MOST_AT_ONCE = 20_000
"""Entries that one refresh reads: some hundredths of a second."""


# The entry for what the user types: a number, a time of day, or seconds since the start.


def parse_position(journal: Journal, wanted: str, count: int) -> int:
    """Return the entry, of the first `count`, for a number, a time of day, or seconds since the start (`+1.5`).

    The nearest existing entry is returned. Raises: FilterError if the text has another form, or if there are no
    entries.
    """
    store = journal.store
    offset = journal.started_wall_ns - journal.started_ns

    def first(wall_ns: int, since_start: bool) -> int:
        entries = range(1, count + 1)
        if since_start:
            return bisect_left(entries, wall_ns - offset, key=store.time_ns) + 1
        return bisect_left(entries, wall_ns, key=store.wall_ns) + 1

    return parse_position_by(wanted, count, journal.started_wall_ns, first, lambda: store.wall_ns(count))


def parse_position_by(
    wanted: str, count: int, start_ns: int, first: Callable[[int, bool], int], newest_ns: Callable[[], int]
) -> int:
    """Return the entry like `parse_position`, for any entries in order of time. All times are wall-clock nanoseconds.

    `first` returns the first entry at a time or later (its flag: whether the time was counted from the start).
    `newest_ns` returns the time of the newest entry: a time of day is one of its day. Raises: FilterError.
    """
    wanted = wanted.strip().removeprefix("#")
    if not count:
        raise FilterError("there is nothing to go to yet", 0)
    if wanted.isdecimal():
        return min(max(int(wanted[:12]), 1), count)
    if wanted.startswith("+"):
        return min(first(start_ns + _seconds(wanted[1:]), True), count)
    return min(first(_time_of_day(wanted, newest_ns()), False), count)


def _seconds(wanted: str) -> int:
    word = wanted if wanted[-1:].isalpha() else f"{wanted}s"
    return _value_of("dur", word, datetime.now().astimezone())


def _time_of_day(wanted: str, newest_ns: int) -> int:
    return _value_of("time", wanted, datetime.fromtimestamp(newest_ns / 1e9).astimezone())


def _value_of(field: str, word: str, today: datetime) -> int:
    from inspector.filters.language.parser import Token, TokenKind, read  # the first screen does not need it

    return int(str(read(Token(TokenKind.WORD, word, 0, len(word)), BY_NAME[field], today)))


class RowNavigation:
    """Navigation between the rows of one list."""

    def __init__(self, journal: Journal, index: RowIndex) -> None:
        self._journal, self._store, self._index = journal, journal.store, index

    def partner(self, index: int) -> int | None:
        """Return the entry of the row's response, or of the request that it responds to."""
        n = self.entry_at(index)
        exchange = self._index.places.exchange(n) if n else None
        if exchange is None:
            return None
        return exchange.answer_frame if exchange.request_frame == n else exchange.request_frame

    def origin(self, index: int) -> int | None:
        """Return the entry that caused the row's: its request, the call above it, or what it continues."""
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
        """Return the nearest row below (above with `back`) that is a request."""
        rows, step = self._index.view.rows, -1 if back else 1
        index += step
        while 0 <= index < len(rows):
            if self._store.message_kind(rows[index]) is MessageKind.REQUEST:
                return index
            index += step
        return None

    def within(self, index: int, *, back: bool = False) -> int | None:
        """Return the nearest row below (above with `back`) in the same exchange; in the tree, in the same block."""
        n = self.entry_at(index)
        if not n:
            return None
        if self._index.view.tree:
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
        """Return the nearest row below (above with `back`) with an error."""
        n, tree = self.entry_at(index), self._index.view.tree
        key = self._index.view.key(n) if n else -1
        errors = self._index.places.errors
        while (key := errors.after(key, tree=tree, back=back)) >= 0:
            found = self._index.find(key & 0xFFFF_FFFF)
            if found is not None and found != index:
                return found
        return None

    def entry(self, wanted: str) -> int:
        """Return the entry for what the user typed; see `parse_position`. Raises: FilterError if there is none."""
        return parse_position(self._journal, wanted, self._index.taken)

    def nearest(self, n: int) -> int:
        """Return the row that shows entry n, or the last one before it; 0 if there is none before it."""
        found = self._index.find(n)
        return (
            found
            if found is not None
            else max(0, self._index.view.position(self._index.view.key(min(n, self._index.taken))))
        )

    def entry_at(self, index: int) -> int:
        """Return the entry of a row, the first one of a run; 0 if the row does not exist."""
        return self._index.view.rows[index] if 0 <= index < len(self._index.view.rows) else 0


class LogModel(RowSource):
    """The traffic list of one journal.

    A row's key is its position in the order of the view. It stays the same until `show` changes the view. To keep
    the selection across views keep its entry: `entry_of`, then `find`.
    """

    folds = True

    def __init__(
        self,
        journal: Journal,
        clock: Callable[[], int],
        *,
        tree: bool = True,
        threaded: bool = False,
        found: "Callable[[], JournalFindings | None] | None" = None,
    ) -> None:
        """Start without rows; `refresh` adds them. `clock` is the journal's monotonic clock in nanoseconds.

        With `threaded`, a filter reads on a separate thread; otherwise `filter_step` does all of its work. `found`
        returns the findings so far.
        """
        self._journal, self._store, self._clock, self._threaded = journal, journal.store, clock, threaded
        index = self._index = RowIndex(journal, tree=tree, facts=True, clock=clock, threaded=threaded)
        self._find: LogFind | None = None
        self._shown: tuple[int, array[int]] = (-1, array("I"))
        """Exchanges that match, and the filter's `changes` when they were looked up."""
        self._writer = RowWriter(journal)
        self.jumps = RowNavigation(journal, index)
        self.marks = LogMarks(index, found or (lambda: None))
        """Marks of findings; `refresh` does not update them."""
        self._is_marked = found is not None
        self._look = PLAIN
        self._looks = 0
        self._window: TimeWindow | None = None

    @property
    def count(self) -> int:
        return len(self._index.view.rows)

    @property
    def generation(self) -> int:
        return self._index.view.generation + self._looks + self.marks.generation

    @property
    def look(self) -> Appearance:
        """Columns and time format."""
        return self._look

    @look.setter
    def look(self, look: Appearance) -> None:
        self._look = look
        self._looks += 1

    def sees(self, rows: range, width: int) -> bool:
        """Fit the waterfall to the time of the visible rows; return whether that changed it."""
        if all(column.name != "lane" for column in self._look.columns(width)):
            return False
        entries = [self._index.view.rows[index] for index in rows if index < self.count]
        lasting = [_lasting(n, self._index.places.exchange(n), self._store, self._clock()) for n in entries]
        before, self._window = self._window, around(lasting)
        return self._window != before

    def row(self, index: int, width: int) -> RowView:
        places, rows = self._index.places, self._index.view.rows
        n = rows[index]
        run = self._index.view.run(n)
        place = RowPlace(
            tree=self.tree,
            nested=self.tree and places.roots[n] != n,
            folded=self._index.view.folded.get(n, 0) if self.tree else 0,
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
    def _look_now(self) -> Appearance:
        return msgspec.structs.replace(self._look, laneless=self._window is None, marked=self._is_marked)

    def key(self, index: int) -> int:
        return self._index.view.key(self._index.view.rows[index])

    def index_of(self, key: int) -> int:
        return self._index.view.position(key)

    @property
    def tree(self) -> bool:
        """Whether this is the tree; otherwise the wire order."""
        return self._index.view.tree

    @property
    def facts(self) -> bool:
        """Whether process and connection facts are rows, and in wire order HTTP facts."""
        return self._index.facts

    def show(
        self, *, tree: bool | None = None, facts: bool | None = None, partners: bool | None = None, around: int = 0
    ) -> None:
        """Change the view; None keeps a setting. In a very long list only the rows near `around` are available at once.

        `around` is an entry, 0 for the newest. `filter_step` adds the other rows.
        """
        self._index.show(
            tree=self.tree if tree is None else tree,
            facts=self.facts if facts is None else facts,
            partners=self.partners if partners is None else partners,
            around=around,
        )

    def toggle_fold(self, index: int) -> None:
        """Fold or unfold the rows below the exchange that the row belongs to, or the run that it is part of.

        In wire order: the equal notifications next to it.
        """
        if 0 <= index < self.count:
            self._index.view.toggle_fold(self._index.view.rows[index])

    def refresh(self, limit: int = MOST_AT_ONCE) -> bool:
        """Read at most `limit` new entries of the journal; return whether there were any."""
        return self._index.take(limit)

    @property
    def partners(self) -> bool:
        """Whether, in wire order, a match includes its request and its response."""
        return self._index.partners

    @property
    def entries(self) -> "array[int]":
        """The entries that are rows, in order. Read-only."""
        return self._index.view.rows

    def entry_of(self, index: int) -> int:
        """Return the entry to show for a row: its own; for progress or a folded run, the latest."""
        n = self._index.view.rows[index]
        run = self._index.view.run(n)
        if run is not None and not run.opened:
            return run.last
        if not self.tree or self._store.method(n) != "notifications/progress":
            return n
        exchange = self._index.places.exchange(n)
        newest = exchange.progress.frame if exchange is not None and exchange.progress is not None else n
        return newest if newest <= self._index.taken else n

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
        """Number of entries that were read from the journal."""
        return self._index.taken

    def find(self, n: int) -> int | None:
        """Return the row that shows entry n (in the tree the request shows its response); None if none does."""
        return self._index.find(n)

    def set_filter(self, term: "Term | None") -> None:
        """Show only what matches a filter; None shows all.

        Existing entries are tested by `filter_step`, newest first; new entries as they are added.
        """
        self._index.set_filter(term)

    def filter_step(self) -> bool:
        """Apply some of the filter's new results; return whether there are more to come. Nearly free without any."""
        more = self._index.filter_step()
        return self._index.lay() or more

    def lay(self) -> bool:
        """Lay out some more rows after a change of view; return whether there were any left."""
        return self._index.lay()

    def age(self) -> None:
        """Filter again what depends on elapsed time."""
        self._index.age()

    def cancel_filter(self) -> None:
        """Stop filtering, because the model is not used any more."""
        self._index.filter.cancel()
        if self._find is not None:
            self._find.cancel()

    @property
    def finder(self) -> "LogFind":
        """Text search among the rows, independent of the filter."""
        if self._find is None:
            self._find = LogFind(self._journal, self._index, self._clock, threaded=self._threaded)
        return self._find

    @property
    def exchanges_shown(self) -> "array[int] | None":
        """Numbers of the exchanges with a message that matches the filter, ascending; None without a filter."""
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
        """Whether a filter is active."""
        return self._index.filter.program is not None

    @property
    def is_filtering(self) -> bool:
        """Whether entries are still being filtered, or laid out after a change of view."""
        return self._index.filter.is_filtering or self._index.is_laying

    @property
    def looked_through(self) -> float:
        """Fraction of that work that is done, from 0 to 1."""
        return min(self._index.filter.looked_through, self._index.laid)

    @property
    def filter_trouble(self) -> str:
        """Problem of the active filter, one sentence; "" if there is none."""
        program = self._index.filter.program
        return program.trouble if program is not None else ""

    @property
    def matching(self) -> list[int]:
        """Entries that match so far; empty without a filter."""
        hits = self._index.filter.hits
        return list(compress(range(len(hits)), hits))

    @property
    def matches(self) -> int:
        """Number of entries that match so far; 0 without a filter."""
        return self._index.filter.matches


def _lasting(n: int, exchange: Exchange | None, store: Store, now_ns: int) -> tuple[int, int]:
    """Return start and end of the bar of entry n; both are equal for anything but a request."""
    if exchange is None or exchange.request_frame != n:
        return store.time_ns(n), store.time_ns(n)
    if words.is_stream(exchange):  # its bar would compress all others
        return exchange.started_ns, exchange.started_ns
    return exchange.started_ns, lane_end(exchange, now_ns)


# Text search in the traffic: which rows contain a text, and the next one. It hides no rows.


class LogFind:
    """A text search in the rows of one index."""

    def __init__(self, journal: Journal, index: RowIndex, clock: Callable[[], int], *, threaded: bool = False) -> None:
        self._index = index
        self._found = RowFilter(journal, clock, threaded=threaded)
        self._in_tree = bytearray(1)
        """At n: 1 if entry n, or one that it represents in the tree, contains the text."""
        self.text = ""

    @property
    def matches(self) -> int:
        """Number of entries found so far."""
        return self._found.matches

    @property
    def is_searching(self) -> bool:
        """Whether existing entries are still being searched."""
        return self._found.is_filtering

    def set(self, text: str) -> None:
        """Search for another text; "" for none."""
        self.text = text
        taken = self._index.taken
        self._in_tree = bytearray(taken + 1)
        self._found.set(Compare(Ref("text"), Op.CONTAINS, (text,)) if text else None, taken)

    def cancel(self) -> None:
        """Stop searching."""
        self._found.cancel()

    def step(self) -> None:
        """Apply new results, and search new entries."""
        if not self.text:
            return
        known, taken = len(self._found.hits) - 1, self._index.taken
        if taken > known:
            self._in_tree.extend(bytes(taken - known))
            self._mark(self._found.take(known + 1, taken))
        self._mark(self._found.step())

    def holds(self, n: int) -> bool:
        """Whether entry n itself contains the text, as far as known."""
        return n < len(self._found.hits) and bool(self._found.hits[n])

    def next(self, cursor: int, *, back: bool = False) -> int | None:
        """Return the nearest row below (above with `back`) that contains the text, wrapping around; None if absent."""
        rows = self._index.view.rows
        if not self.matches or not rows:
            return None
        marks = self._in_tree if self._index.view.tree else self._found.hits
        size, count = len(marks), len(rows)
        order = range(cursor - 1, -1, -1) if back else range(cursor + 1, count)
        around = range(count - 1, cursor - 1, -1) if back else range(min(cursor + 1, count))
        for part in (order, around):
            for index in part:
                n = rows[index]
                if n < size and marks[n]:
                    return index
        return None

    def _mark(self, changes: Iterable[FilterUpdate]) -> None:
        row_of = self._index.places.row_of
        for change in changes:
            for n in compress(range(change.first, change.first + len(change.came)), change.came):
                self._in_tree[n] = self._in_tree[row_of(n)] = 1
