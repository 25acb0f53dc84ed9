"""Which values of a payload to fold, when many are folded at once: all, a level, those beside one, the big ones.

All of it is told from indentation. What passes over the whole text does so line by line of interest, so that another
thread gets its turn meanwhile.
"""

import re
from typing import TypeAlias

from inspector.viewmodels.json_lines import JsonLines

Fold: TypeAlias = tuple[int, int]
"""The line that opens a value, and the one that closes it."""
BIG = 1_000
"""Lines from which a value counts as big."""
_LONG = 5_000
"""Lines from which a payload is so long that its big values come folded."""
_MANY = 2_000
"""Members of a value that are looked at, when big ones are looked for."""
_ENDS = re.compile(rb"\n *+(?:([\]}])|[^\n]*+(?<=[\[{])(?=\n))")


def big_values(lines: JsonLines) -> list[Fold]:
    """The innermost big values of a long payload: with these folded, its structure is a few screens."""
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
    """The members of a value that are big; none if it has too many of any size."""
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
    """All values that stand inside of the one in these lines, however deep."""
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
    """The values that begin at a depth, from one line to another."""
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
    """The values that stand in the same object or array as a line does; at the outside, the outermost."""
    parent = lines.parent(line)
    if parent is None:
        return _whole(lines)
    last = lines.fold_partner(parent)
    return values_at(lines, lines.depth(line), parent + 1, last - 1 if last is not None else parent)


def _whole(lines: JsonLines) -> list[Fold]:
    return [(0, lines.count - 1)] if lines.count and lines.opens(0) else []
