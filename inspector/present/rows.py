"""What a virtual list needs to know of its rows, and nothing more.

A source may have a million rows: it builds one only when asked, answers in microseconds and keeps no list of
them. The list caches what it got; `live` and `generation` are how a source tells it what to ask for again.
"""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from inspector.present.spans import Span


class RowView(msgspec.Struct, frozen=True):
    """One row, laid out."""

    spans: Sequence[Span]
    """From left to right, columns already padded; together at most as wide as was asked for."""
    live: bool = False
    """True while the row changes by itself (a timer, a progress bar): it is asked for again at each tick."""


class RowSource(Protocol):
    """Rows in the order in which they are shown. Subclass it to inherit the plain answers."""

    folds: bool = False
    """Whether anything can be folded away under a row."""

    @property
    def count(self) -> int:
        """How many rows there are now."""

    @property
    def generation(self) -> int:
        """A number that changes when rows that were there have changed, moved or gone. Appending does not count."""
        return 0

    @property
    def errors(self) -> int:
        """How many entries so far report a failure. Grows only."""
        return 0

    @property
    def waiting(self) -> tuple[int, int]:
        """How much has come that is not among the rows yet, and how many errors among it."""
        return 0, 0

    def row(self, index: int, width: int) -> RowView:
        """Return the row at `index`, for `width` cells."""

    def sees(self, rows: range, width: int) -> bool:
        """These rows are visible now; whether all must be laid out again because of that."""
        return False

    def toggle_fold(self, index: int) -> None:
        """Fold the rows below a row, or unfold them. No effect where nothing folds."""
        return

    def header(self, width: int) -> Sequence[Span]:
        """Return the titles of the columns, laid out as `row` does; empty for a list without titles."""
        return ()

    def key(self, index: int) -> int:
        """Return what identifies the row when rows move, for example a frame's number; ascending."""
        return index

    def identity(self, index: int) -> object:
        """What the row at `index` is known by when other rows come or go, where its key is only its place."""
        return self.key(index)

    def index_of(self, key: int) -> int:
        """Return where the row with `key` is now, or, if it is not shown, the last one before it; -1 if none."""
        return min(key, self.count - 1)


class SpanRows(RowSource):
    """Rows that are already there, for short lists. `replace` exchanges them all."""

    def __init__(self, rows: Sequence[Sequence[Span]] = (), titles: Sequence[Span] = ()) -> None:
        self._rows = rows
        self._titles = titles
        self._generation = 0

    def replace(self, rows: Sequence[Sequence[Span]]) -> None:
        """Show other rows."""
        self._rows = rows
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self._rows)

    @property
    def generation(self) -> int:
        return self._generation

    def row(self, index: int, width: int) -> RowView:
        return RowView(self._rows[index])

    def header(self, width: int) -> Sequence[Span]:
        return self._titles
