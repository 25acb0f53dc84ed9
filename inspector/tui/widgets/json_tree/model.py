"""Rows of a JSON tree: values can be folded, long lines expanded, and matches highlighted.

Every change returns the new line of the cursor. Rows are positions on the screen, lines are positions in the
payload; both are numbered from 0.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Literal, TypeAlias

from inspector.present.json_text import OPEN_LIMIT, JsonLines
from inspector.present.spans import Span, clip, in_text, marked, spans_width, wrapped
from inspector.text import counted

BIG = 1_000
"""Minimum number of lines of a big value."""

_LONG = 5_000
"""Minimum number of lines of a payload whose big values are folded initially."""

_MANY = 2_000
"""Maximum number of members of a value that are searched for big ones."""

_ENDS = re.compile(rb"\n *+(?:([\]}])|[^\n]*+(?<=[\[{])(?=\n))")

_COUNTED = 20_000
"""Maximum number of lines of a folded value whose members are counted."""


Fold: TypeAlias = tuple[int, int]
"""The first and the last line of a value."""


Sign: TypeAlias = Literal["opened", "closed", ""]
"""Sign of a row: "opened" for an open value or an expanded line, "closed" if some content is hidden, "" otherwise."""
Many: TypeAlias = Literal["all", "level", "beside"]
"""What to fold at once: all values, those at the same depth as a line, those in the same object or array."""


def big_values(lines: JsonLines) -> list[Fold]:
    """Return the innermost big values of a long payload: with these folded, its structure fits on a few screens."""
    if lines.count < _LONG or lines.problem:
        return []
    folds: list[Fold] = []
    waiting = _whole(lines)
    while waiting:
        first, last = waiting.pop()
        inside = _big_members(lines, first, last)
        if inside:
            waiting += inside
        elif first:
            folds.append((first, last))
    return folds


def _big_members(lines: JsonLines, first: int, last: int) -> list[Fold]:
    """Return the big members of a value; none if it has too many members."""
    found: list[Fold] = []
    line = first + 1
    for _ in range(_MANY):
        if line >= last:
            return found
        partner = lines.fold_partner(line) if lines.opens(line) else None
        if partner is not None and partner - line > BIG:
            found.append((line, partner))
        line = (line if partner is None else partner) + 1
    return []


def values_below(lines: JsonLines, first: int, last: int) -> list[Fold]:
    """Return all values within the value in these lines, at any depth."""
    folds: list[Fold] = []
    opened: list[int] = []
    start, end = lines.start(first + 1) - 1, lines.start(last) - 1
    for found in _ENDS.finditer(lines.text, start, end):
        line = lines.line_at(found.start() + 1)
        if found.group(1) is None:
            opened.append(line)
        elif opened:
            folds.append((opened.pop(), line))
    return folds


def values_at(lines: JsonLines, depth: int, first: int, last: int) -> list[Fold]:
    """Return the values that begin at a depth, in a range of lines."""
    if depth == 0:
        return _whole(lines)
    margin = b"\n" + b"  " * depth
    first = max(first, 1)
    opening = re.compile(re.escape(margin) + rb"[^ \n][^\n]*+(?<=[\[{])(?=\n)")
    folds: list[Fold] = []
    for found in opening.finditer(lines.text, lines.start(first) - 1, lines.start(last + 1) - 1):
        closing = b"]" if lines.text[found.end() - 1 : found.end()] == b"[" else b"}"
        end = lines.text.find(margin + closing, found.end())
        folds.append((lines.line_at(found.start() + 1), lines.line_at(end + 1)))
    return folds


def values_beside(lines: JsonLines, line: int) -> list[Fold]:
    """Return the values in the same object or array as a line; at the top level, the outermost values."""
    parent = lines.parent(line)
    if parent is None:
        return _whole(lines)
    last = lines.fold_partner(parent)
    return values_at(lines, lines.depth(line), parent + 1, last - 1 if last is not None else parent)


def _whole(lines: JsonLines) -> list[Fold]:
    return [(0, lines.count - 1)] if lines.count and lines.opens(0) else []


# Folded and expanded lines, and so the mapping between lines and rows.


class Folds:
    """The rows of `count` lines, some of them folded or expanded. Lines and rows are numbered from 0."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._hidden: dict[int, int] = {}
        self._added: dict[int, int] = {}
        self._lines: list[int] = []
        """Lines after which the offset of rows to lines changes, ascending, without folds inside folds."""
        self._shifts: list[int] = []
        """The offset of rows to lines after each of these lines."""
        self._starts: list[int] = []
        """The first row of each of these lines."""
        self._shown_folds: dict[int, int] = {}

    @property
    def rows(self) -> int:
        return self._count + (self._shifts[-1] if self._shifts else 0)

    def folded(self, line: int) -> bool:
        """Whether the lines after this one are folded into it."""
        return line in self._hidden

    def opened(self, line: int) -> bool:
        """Whether this line takes more than one row."""
        return line in self._added

    def fold(self, line: int, last: int) -> None:
        """Fold the lines after `line`, up to `last`, into it."""
        if last > line:
            self._hidden[line] = last - line
            self._sum_up()

    def fold_many(self, spans: Iterable[tuple[int, int]]) -> None:
        """Fold many at once: for each span, the lines after its first up to its last."""
        self._hidden.update((line, last - line) for line, last in spans if last > line)
        self._sum_up()

    def unfold_many(self, lines: set[int]) -> None:
        """Unfold all of these lines."""
        self._hidden = {line: hidden for line, hidden in self._hidden.items() if line not in lines}
        self._sum_up()

    def hidden(self, line: int) -> int:
        """Return the number of lines that are folded into this one."""
        return self._hidden.get(line, 0)

    def unfold(self, line: int) -> None:
        self._hidden.pop(line, None)
        self._sum_up()

    def open(self, line: int, rows: int) -> None:
        """Expand a line to a number of rows."""
        if rows > 1:
            self._added[line] = rows - 1
            self._sum_up()

    def close(self, line: int | None = None) -> None:
        """Reduce a line, or every line (None), to one row again."""
        if line is None:
            self._added.clear()
        else:
            self._added.pop(line, None)
        self._sum_up()

    def locate(self, row: int) -> tuple[int, int]:
        """Return the line in a row, and the index of the row within that line."""
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
                at = bisect_right(lines, line + hidden, at)  # nested folds are hidden anyway
                self._shown_folds[line] = hidden
            self._lines.append(line)
            deltas.append(self._added.get(line, 0) - hidden)
        self._shifts = list(accumulate(deltas))
        self._starts = [
            line + shift - delta for line, shift, delta in zip(self._lines, self._shifts, deltas, strict=True)
        ]


class JsonRows:
    """One payload with its folds."""

    def __init__(self, lines: JsonLines) -> None:
        """Set up the rows; the big values of a long payload are folded."""
        self.lines = lines
        self.needle = ""
        """Text to highlight."""
        self._hit: tuple[int, int] | None = None
        """A line that is too long, and where in the text its hit begins that is shown; None for its first one."""
        self._folds = Folds(lines.count)
        self._opened: dict[int, list[list[Span]]] = {}
        self._items: dict[int, int | None] = {}
        """Cache: number of members of folded values, by their first line; None if they are not counted."""
        big = big_values(lines)
        self._items.update((first, lines.places.items(first, last)) for first, last in big)
        self._folds.fold_many(big)

    @property
    def count(self) -> int:
        return self._folds.rows

    def line_of(self, row: int) -> int:
        return self._folds.locate(row)[0]

    def row_of(self, line: int) -> int:
        """Return the row of a line, or of the fold that hides it."""
        return self._folds.row_of(line)

    def row(self, index: int, width: int) -> tuple[Sign, list[Span]]:
        """Return the content of a row of `width` cells, and its sign."""
        line, part = self._folds.locate(index)
        if line in self._opened:
            return "" if part else "opened", marked(self._opened[line][part], self.needle)
        spans = self.lines.line(line)
        folded = self._folds.folded(line)
        if folded:
            spans += self._folded_end(line)
        hides = folded or self.lines.long(line) or spans_width(spans) > width
        sign: Sign = "closed" if hides else "opened" if self.lines.opens(line) else ""
        shown = _cut(marked(spans, self.needle), width)
        hit = self._hit[1] if self._hit is not None and self._hit[0] == line else None
        if self.needle and hides and (hit is not None or not any(role == "match" for _, role in shown)):
            hit = self.lines.hit(line, self.needle) if hit is None else hit
            shown = _cut(marked(self.lines.around(line, hit), self.needle), width) or shown
        return sign, shown

    def enter(self, line: int, *, backwards: bool) -> None:
        """Show the first hit of the search in a line, or the last one."""
        last = self.lines.hit(line, self.needle, backwards=True) if backwards and self.needle else None
        self._hit = None if last is None else (line, last)

    def step(self, row: int, width: int, *, backwards: bool) -> int | None:
        """Show the next hit in the line of a row that is not visible as a whole.

        Return the row of the hit; None if the line has no further one.
        """
        line, part = self._folds.locate(row)
        if not self.needle:
            return None
        if (opened := self._opened.get(line)) is not None:
            parts = range(part - 1, -1, -1) if backwards else range(part + 1, len(opened))
            pattern = in_text(self.needle)
            at = next((each for each in parts if pattern.search("".join(text for text, _ in opened[each]))), None)
            return None if at is None else row + at - part
        if not self.lines.long(line) and spans_width(self.lines.line(line)) <= width:
            return None
        shown = self._hit[1] if self._hit is not None and self._hit[0] == line else None
        shown = self.lines.hit(line, self.needle) if shown is None else shown
        hit = None if shown is None else self.lines.hit(line, self.needle, shown, backwards=backwards)
        if hit is None:
            return None
        self._hit = line, hit
        return row

    def _folded_end(self, line: int) -> list[Span]:
        hidden = self._folds.hidden(line) - 1
        last = self.lines.line(line + hidden + 1)
        end = [(text, role) for text, role in last if text.strip()]
        return [(f" {self._amount(line, hidden, end)} ", "muted"), *end]

    def _amount(self, line: int, hidden: int, end: list[Span]) -> str:
        """Return the size of a fold: its members, and also its lines if their number differs."""
        if line not in self._items:
            self._items[line] = self.lines.places.items(line, line + hidden + 1) if hidden <= _COUNTED else None
        items = self._items[line]
        lines = counted(hidden, "line")
        if items is None:
            return lines
        word = "item" if end[0][0].strip().startswith("]") else "member"
        held = counted(items, word)
        return held if items == hidden else f"{held}, {lines}"

    def toggle(self, line: int, width: int) -> int:
        """Fold or unfold the value that a line begins or ends, or expand or collapse a long line."""
        partner = self.lines.fold_partner(line)
        first = partner if partner is not None and self.lines.closes(line) else line
        if self._folds.folded(first):
            return self.unfold(first, width)
        if self._folds.opened(first) or self.lines.opens(first):
            return self.fold(first)
        return self.unfold(line, width)

    def unfold(self, line: int, width: int) -> int:
        """Unfold a value or expand a long line; `width` is the width of a row."""
        if self._folds.folded(line):
            self._folds.unfold(line)
        elif not self._folds.opened(line) and not self.lines.opens(line):
            rows = wrapped(self.lines.line(line, OPEN_LIMIT), width, 2 * self.lines.depth(line) + 2)
            if len(rows) > 1:
                self._opened[line] = rows
                self._folds.open(line, len(rows))
        return line

    def fold(self, line: int) -> int:
        """Collapse a long line or fold a value; otherwise return the line that opens the enclosing value."""
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
        """Return the values to fold when many are folded at once from a line. In 10 MB: some tenths of a second."""
        if what == "beside":
            return values_beside(self.lines, line)
        if what == "level":
            return values_at(self.lines, self.lines.depth(line), 0, self.lines.count - 1)
        return values_below(self.lines, 0, self.lines.count - 1)

    def take(self, line: int, folds: list[Fold]) -> int:
        """Fold these values, or unfold them if one of them is folded."""
        if not folds:
            return line
        if any(self._folds.folded(first) for first, _ in folds):
            self._folds.unfold_many({first for first, _ in folds})
            return line
        self._folds.fold_many(folds)
        return self.line_of(self.row_of(line))

    def reveal(self, line: int) -> int:
        """Unfold everything that hides a line."""
        outer = self.lines.parent(line)
        while outer is not None:
            if self._folds.folded(outer):
                self._folds.unfold(outer)
            outer = self.lines.parent(outer)
        return line

    def close_all(self) -> None:
        """Collapse the expanded lines, because they were laid out for another width."""
        self._folds.close()
        self._opened.clear()


def _cut(spans: list[Span], width: int) -> list[Span]:
    """Cut a line to `width`; the size at the end of a long line stays visible."""
    if not spans or spans_width(spans) <= width or spans[-1][1] != "muted":
        return clip(spans, width)
    size: Span = (spans[-1][0].removeprefix("…"), "muted")
    return [*clip(spans[:-1], width - spans_width([size])), size]
