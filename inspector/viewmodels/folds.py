"""Which lines of a text are folded away or opened up, and so which line stands in which row.

A fold hides the lines behind its first; an opening adds rows to a line that is too long for one. Both are kept
by the line they begin at, so a fold inside a fold is still there when the outer one is opened again.
"""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate


class Folds:
    """The rows of `count` lines, some folded, some opened. Lines and rows are numbered from 0."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._hidden: dict[int, int] = {}
        self._added: dict[int, int] = {}
        self._lines: list[int] = []
        """Where the rows cease to run along with the lines, ascending, folds inside folds left out."""
        self._shifts: list[int] = []
        """By how many rows, all before included."""
        self._starts: list[int] = []
        """The rows at which these lines stand."""
        self._shown_folds: dict[int, int] = {}

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._count + (self._shifts[-1] if self._shifts else 0)

    def folded(self, line: int) -> bool:
        """Whether the lines behind this one are folded into it."""
        return line in self._hidden

    def opened(self, line: int) -> bool:
        """Whether this line takes more than one row."""
        return line in self._added

    def fold(self, line: int, last: int) -> None:
        """Fold the lines behind `line`, up to `last`, into it."""
        if last > line:
            self._hidden[line] = last - line
            self._sum_up()

    def fold_many(self, spans: Iterable[tuple[int, int]]) -> None:
        """Fold many at once: the lines behind each first line, up to its last."""
        self._hidden.update((line, last - line) for line, last in spans if last > line)
        self._sum_up()

    def unfold_many(self, lines: set[int]) -> None:
        """Show what is folded into any of these lines."""
        self._hidden = {line: hidden for line, hidden in self._hidden.items() if line not in lines}
        self._sum_up()

    def hidden(self, line: int) -> int:
        """How many lines are folded into this one."""
        return self._hidden.get(line, 0)

    def unfold(self, line: int) -> None:
        """Show what is folded into a line."""
        self._hidden.pop(line, None)
        self._sum_up()

    def open(self, line: int, rows: int) -> None:
        """Give a line that many rows."""
        if rows > 1:
            self._added[line] = rows - 1
            self._sum_up()

    def close(self, line: int | None = None) -> None:
        """Give a line one row again, or every line (None)."""
        if line is None:
            self._added.clear()
        else:
            self._added.pop(line, None)
        self._sum_up()

    def locate(self, row: int) -> tuple[int, int]:
        """Return the line in a row, and which of the line's rows it is, from 0."""
        at = bisect_right(self._starts, row) - 1
        if at < 0:
            return row, 0
        line = self._lines[at]
        behind = row - self._starts[at]
        added = self._added.get(line, 0)
        if behind <= added:
            return line, behind
        return row - self._shifts[at], 0

    def row_of(self, line: int) -> int:
        """Return the row of a line, or of the fold that hides it."""
        at = bisect_right(self._lines, line) - 1
        if at < 0:
            return line
        first = self._lines[at]
        if first == line:
            return self._starts[at]
        if line <= first + self._shown_folds.get(first, 0):
            return self._starts[at]
        return line + self._shifts[at]

    def _sum_up(self) -> None:
        deltas: list[int] = []
        self._lines, self._shown_folds = [], {}
        lines = sorted(self._hidden.keys() | self._added.keys())
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            hidden = self._hidden.get(line, 0)
            if hidden:
                at = bisect_right(lines, line + hidden, at)  # what is folded inside is out of sight anyway
                self._shown_folds[line] = hidden
            self._lines.append(line)
            deltas.append(self._added.get(line, 0) - hidden)
        self._shifts = list(accumulate(deltas))
        self._starts = [
            line + shift - delta for line, shift, delta in zip(self._lines, self._shifts, deltas, strict=True)
        ]
