"""Finding a text in the traffic: which rows hold it, and which is next. Nothing is hidden by it.

Looked for is the text of payloads and of stderr, by the same means as a filter, on a thread of its own. A row of the
tree stands for the messages that have no row there, so it is found by their text too.
"""

from collections.abc import Callable, Iterable
from itertools import compress

from inspector.capture.journal import Journal
from inspector.viewmodels.log_filter import Change, RowFilter
from inspector.viewmodels.log_index import RowIndex


class LogFind:
    """What is looked for in the rows of one index."""

    def __init__(self, journal: Journal, index: RowIndex, clock: Callable[[], int], *, threaded: bool = False) -> None:
        self._index = index
        self._found = RowFilter(journal, clock, threaded=threaded)
        self._in_tree = bytearray(1)
        """At n: 1 if entry n, or one that it stands for in the tree, holds the text."""
        self.text = ""

    @property
    def matches(self) -> int:
        """How many entries hold the text, as far as was looked."""
        return self._found.matches

    def set(self, text: str) -> None:
        """Look for another text; "" for none."""
        from inspector.capture.filters.terms import Compare, Op, Ref

        self.text = text
        taken = self._index.taken
        self._in_tree = bytearray(taken + 1)
        self._found.set(Compare(Ref("text"), Op.CONTAINS, (text,)) if text else None, taken)

    def cancel(self) -> None:
        """Look no further."""
        self._found.cancel()

    def step(self) -> None:
        """Take over what was found since, and look through what has come."""
        if not self.text:
            return
        known, taken = len(self._found.hits) - 1, self._index.taken
        if taken > known:
            self._in_tree.extend(bytes(taken - known))
            self._mark(self._found.take(known + 1, taken))
        self._mark(self._found.step())

    def holds(self, n: int) -> bool:
        """Whether entry n itself holds the text, as far as was looked."""
        return n < len(self._found.hits) and bool(self._found.hits[n])

    def next(self, cursor: int, *, back: bool = False) -> int | None:
        """The nearest row below (above with `back`) that holds the text, around the end if need be; None: no row."""
        rows = self._index.rows
        if not self.matches or not rows:
            return None
        marks = self._in_tree if self._index.tree else self._found.hits
        size, count = len(marks), len(rows)
        order = range(cursor - 1, -1, -1) if back else range(cursor + 1, count)
        around = range(count - 1, cursor - 1, -1) if back else range(min(cursor + 1, count))
        for part in (order, around):
            for index in part:
                n = rows[index]
                if n < size and marks[n]:
                    return index
        return None

    def _mark(self, changes: Iterable[Change]) -> None:
        row_of = self._index.places.row_of
        for change in changes:
            for n in compress(range(change.first, change.first + len(change.came)), change.came):
                self._in_tree[n] = self._in_tree[row_of(n)] = 1
