"""The rows of a payload as its reader has arranged them: some values folded, some long lines opened, a search marked.

Every change answers with the line on which the cursor then belongs. Rows are what is on the screen, lines what is
in the payload; both are numbered from 0.
"""

from typing import Literal, TypeAlias

from inspector.viewmodels.folds import Folds
from inspector.viewmodels.json_folding import Fold, big_values, values_at, values_below, values_beside
from inspector.viewmodels.json_lines import OPEN_LIMIT, JsonLines
from inspector.viewmodels.roles import Span
from inspector.viewmodels.spans import clip, marked, spans_width, wrapped

Sign: TypeAlias = Literal["opened", "closed", ""]
"""Whether there is more to a row: all of it in sight, some of it hidden, nothing."""

Many: TypeAlias = Literal["all", "level", "beside"]
"""What is folded at once: every value, those as deep as a line, those in the same object or array."""
_COUNTED = 20_000
"""Lines of a value up to which its members are counted when it is folded."""


class JsonRows:
    """One payload, arranged."""

    def __init__(self, lines: JsonLines) -> None:
        """Prepare to show lines; of a long payload, the big values folded."""
        self.lines = lines
        self.needle = ""
        """What is marked."""
        self._folds = Folds(lines.count)
        self._opened: dict[int, list[list[Span]]] = {}
        self._items: dict[int, int | None] = {}
        """How much is in what has been folded, by its first line."""
        big = big_values(lines)
        self._items.update((first, lines.places.items(first, last)) for first, last in big)
        self._folds.fold_many(big)

    @property
    def count(self) -> int:
        """How many rows."""
        return self._folds.rows

    def line_of(self, row: int) -> int:
        """Return the line in a row."""
        return self._folds.locate(row)[0]

    def row_of(self, line: int) -> int:
        """Return the row of a line, or of the fold that hides it."""
        return self._folds.row_of(line)

    def row(self, index: int, width: int) -> tuple[Sign, list[Span]]:
        """Return what stands in a row of `width` cells, and whether there is more to it."""
        line, part = self._folds.locate(index)
        if line in self._opened:
            return "" if part else "opened", marked(self._opened[line][part], self.needle)
        spans = self.lines.line(line)
        folded = self._folds.folded(line)
        if folded:
            spans += self._folded_end(line)
        hides = folded or self.lines.long(line) or spans_width(spans) > width
        sign: Sign = "closed" if hides else "opened" if self.lines.opens(line) else ""
        return sign, _cut(marked(spans, self.needle), width)

    def _folded_end(self, line: int) -> list[Span]:
        hidden = self._folds.hidden(line) - 1
        last = self.lines.line(line + hidden + 1)
        end = [(text, role) for text, role in last if text.strip()]
        return [(f" {self._amount(line, hidden, end)} ", "muted"), *end]

    def _amount(self, line: int, hidden: int, end: list[Span]) -> str:
        """How much is folded away: what a value holds, and the lines if those are more."""
        if line not in self._items:
            self._items[line] = self.lines.places.items(line, line + hidden + 1) if hidden <= _COUNTED else None
        items = self._items[line]
        counted = f"{hidden:,} line{'s' * (hidden != 1)}"
        if items is None:
            return counted
        word = "item" if end[0][0].strip().startswith("]") else "member"
        held = f"{items:,} {word}{'s' * (items != 1)}"
        return held if items == hidden else f"{held}, {counted}"

    def toggle(self, line: int, width: int) -> int:
        """Fold or unfold the value that a line begins or ends, open or close a long line."""
        partner = self.lines.fold_partner(line)
        first = partner if partner is not None and self.lines.closes(line) else line
        if self._folds.folded(first):
            return self.unfold(first, width)
        if self._folds.opened(first) or self.lines.opens(first):
            return self.fold(first)
        return self.unfold(line, width)

    def unfold(self, line: int, width: int) -> int:
        """Unfold a value or open a long line; `width` is that of a row."""
        if self._folds.folded(line):
            self._folds.unfold(line)
        elif not self._folds.opened(line) and not self.lines.opens(line):
            rows = wrapped(self.lines.line(line, OPEN_LIMIT), width, 2 * self.lines.depth(line) + 2)
            if len(rows) > 1:
                self._opened[line] = rows
                self._folds.open(line, len(rows))
        return line

    def fold(self, line: int) -> int:
        """Close a long line or fold a value; else go out to the line that opens what this one stands in."""
        if self._folds.opened(line):
            self._folds.close(line)
            del self._opened[line]
            return line
        last = None if self._folds.folded(line) else self.lines.fold_partner(line)
        if last is not None and last > line:
            self._folds.fold(line, last)
            return line
        outer = self.lines.parent(line)
        return line if outer is None else outer

    def folds_of(self, line: int, what: Many) -> list[Fold]:
        """Return what is folded by folding many at once from a line. In 10 MB: some tenths of a second."""
        if what == "beside":
            return values_beside(self.lines, line)
        if what == "level":
            return values_at(self.lines, self.lines.depth(line), 0, self.lines.count - 1)
        return values_below(self.lines, 0, self.lines.count - 1)

    def take(self, line: int, folds: list[Fold]) -> int:
        """Fold these, or unfold them if one of them is folded."""
        if not folds:
            return line
        if any(self._folds.folded(first) for first, _ in folds):
            chosen = {first for first, _ in folds}
            self._folds.unfold_many(chosen)
            return line
        self._folds.fold_many(folds)
        return self.line_of(self.row_of(line))

    def reveal(self, line: int) -> int:
        """Unfold everything that a line is hidden in."""
        outer = self.lines.parent(line)
        while outer is not None:
            if self._folds.folded(outer):
                self._folds.unfold(outer)
            outer = self.lines.parent(outer)
        return line

    def close_all(self) -> None:
        """Close the opened lines, because they were laid out for another width."""
        self._folds.close()
        self._opened.clear()


def _cut(spans: list[Span], width: int) -> list[Span]:
    """Cut a line to `width`; the size at the end of a long one stays in sight."""
    if spans_width(spans) <= width or spans[-1][1] != "muted":
        return clip(spans, width)
    size: Span = (spans[-1][0].removeprefix("…"), "muted")
    return [*clip(spans[:-1], width - spans_width([size])), size]
