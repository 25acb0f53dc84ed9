"""Spans cut, marked and wrapped: text and its meaning stay together whatever is done to a line."""

from collections.abc import Sequence

from inspector.viewmodels.needles import in_text
from inspector.viewmodels.roles import Span
from inspector.viewmodels.text import cell_width, fit


def clip(spans: Sequence[Span], width: int) -> list[Span]:
    """Return spans cut to `width` cells; the one that is cut ends in "…"."""
    clipped: list[Span] = []
    for text, role in spans:
        clipped.append((fit(text, width), role))
        width -= cell_width(text)
        if width <= 0:
            break
    return clipped


def spans_width(spans: Sequence[Span]) -> int:
    """Return the cells that spans take."""
    return sum(cell_width(text) for text, _ in spans)


def marked(spans: Sequence[Span], needle: str) -> list[Span]:
    """Return spans with what a search for `needle` has found in them set apart as `match`."""
    if not needle:
        return list(spans)
    pattern = in_text(needle)
    result: list[Span] = []
    for text, role in spans:
        at = 0
        for found in pattern.finditer(text):
            result += [(text[at : found.start()], role), (found.group(), "match")]
            at = found.end()
        result.append((text[at:], role))
    return [span for span in result if span[0]]


def wrapped(spans: Sequence[Span], width: int, indent: int) -> list[list[Span]]:
    """Return one long line as rows of at most `width` cells (2 or more); those after the first are indented."""
    indent = min(indent, width - 2)
    rows: list[list[Span]] = [[]]
    room = width
    for text, role in spans:
        while text:
            cut = _cells(text, room)
            if not cut:
                rows.append([(" " * indent, "punctuation")])
                room = width - indent
                continue
            rows[-1].append((text[:cut], role))
            room -= cell_width(text[:cut])
            text = text[cut:]
    return rows


def _cells(text: str, room: int) -> int:
    """Return how many characters of `text` fit into `room` cells; marks stay with their letter."""
    if text[: room + 1].isascii():
        return min(room, len(text))
    used = end = 0
    for char in text:
        used += cell_width(char)
        if used > room:
            break
        end += 1
    return end
