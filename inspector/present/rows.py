"""The interface between a virtual list and its rows, and nothing more.

A source may have a million rows: it builds a row only on request, returns in microseconds and keeps no list of them.
The list caches the rows; `live` and `generation` are how a source invalidates them.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from inspector.present.spans import Span


class RowView(msgspec.Struct, frozen=True):
    """One row, laid out."""

    spans: Sequence[Span]
    """From left to right, columns already padded; together at most as wide as requested."""
    live: bool = False
    """True while the row changes by itself (a timer, a progress bar): it is built again at each tick."""


class RowSource(Protocol):
    """Rows in display order. Subclass it to inherit the defaults."""

    folds: bool = False
    """Whether any row can be folded."""
    _generation: int = 0

    @property
    def count(self) -> int:
        """Number of rows."""

    @property
    def generation(self) -> int:
        """Number that changes when existing rows have changed, moved or disappeared. Appending does not count."""
        return self._generation

    @property
    def errors(self) -> int:
        """Number of entries so far that report a failure. Grows only."""
        return 0

    @property
    def waiting(self) -> tuple[int, int]:
        """Numbers of new entries that are not yet among the rows, and of errors among them."""
        return 0, 0

    def row(self, index: int, width: int) -> RowView:
        """Return the row at `index`, for `width` cells."""

    def sees(self, rows: range, width: int) -> bool:
        """Receive the visible rows; return whether all must be laid out again because of that."""
        return False

    def toggle_fold(self, index: int) -> None:
        """Fold or unfold the rows below a row. No effect if nothing folds."""
        return

    def header(self, width: int) -> Sequence[Span]:
        """Return the column titles, laid out as `row` does; empty for a list without titles."""
        return ()

    def key(self, index: int) -> int:
        """Return what identifies the row when rows move, for example a frame's number; ascending."""
        return index

    def identity(self, index: int) -> object:
        """Return what identifies the row when rows are added or removed, for lists whose key is only a position."""
        return self.key(index)

    def index_of(self, key: int) -> int:
        """Return the current index of the row with `key`, or of the last one before it; -1 if there is none."""
        return min(key, self.count - 1)


def title_at(header: Sequence[Span], x: int, titles: Iterable[str]) -> str:
    """Return which of some titles is at a cell of a header; "" if none is. Titles are as wide as they are long."""
    line = "".join(text for text, _ in header)
    places = ((title, line.find(title)) for title in titles if title)
    return next((title for title, at in places if at >= 0 and at <= x < at + len(title)), "")


class SpanRows(RowSource):
    """Prebuilt rows, for short lists. `replace` exchanges them all."""

    def __init__(self, rows: Sequence[Sequence[Span]] = (), titles: Sequence[Span] = ()) -> None:
        self._rows = rows
        self._titles = titles

    def replace(self, rows: Sequence[Sequence[Span]]) -> None:
        self._rows = rows
        self._generation += 1

    @property
    def count(self) -> int:
        return len(self._rows)

    def row(self, index: int, width: int) -> RowView:
        return RowView(self._rows[index])

    def header(self, width: int) -> Sequence[Span]:
        return self._titles
