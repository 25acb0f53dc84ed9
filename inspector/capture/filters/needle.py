r"""A text to look for, in any case and in every spelling: in names, in a payload's bytes, in the lines of a stretch.

In JSON the same text can stand in several spellings (`é` or `\u00e9`, `"` as `\"`); each of them is found. A line of
the file spells the payload once more, so one search through a stretch finds the payloads without reading any; where a
find could be part of an escape, the payload decides.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator

from inspector.capture.filters.masks import both, either, ones
from inspector.capture.filters.stretch import Stretch, text_in
from inspector.capture.store import BYTES_BIT, EntryKind

_BACKSLASH = 0x5C
_B64 = b',"b64":"'
_BYTES = bytes(bool(flags & BYTES_BIT) for flags in range(256))
_STDERR = bytes(kind == EntryKind.STDERR for kind in range(256))
"""No flag tells of those whether they are text."""


class Needle:
    """A text to look for."""

    def __init__(self, wanted: str) -> None:
        self.text = wanted.casefold()
        cases = {wanted, wanted.lower(), wanted.upper()}
        self._spellings = {spelling for case in cases for spelling in _spellings(case)}
        self._in_lines = tuple(sorted({line for spelling in self._spellings for line in _in_line(spelling)}))

    def is_part_of(self, wanted: str) -> bool:
        """Whether whatever contains `wanted` contains this too."""
        return self.text in wanted.casefold()

    def is_in_text(self, found: str) -> bool:
        """Whether a text of ours, or a name, contains it."""
        return self.text in found.casefold()

    def is_in_bytes(self, payload: bytes) -> bool:
        """Whether bytes contain it, in any spelling."""
        lowered = payload.lower()
        if any(spelling in lowered for spelling in self._spellings):
            return True
        if self.text.isascii() or payload.isascii():
            return False
        return self.text in payload.decode("utf-8", "replace").casefold()

    def mark(self, stretch: Stretch, need: bytes) -> bytes:
        """Which of the entries that are asked about hold it in their payload: 1 at their positions."""
        marks = bytearray(len(need))
        for index in self._found(stretch, need):
            marks[index] = 1
        return bytes(marks)

    def _found(self, stretch: Stretch, need: bytes) -> Iterator[int]:
        if not stretch.plain or (not self.text.isascii() and not stretch.window.isascii()):
            yield from (index for index in ones(need) if self.is_in_bytes(stretch.payload(index)))
            return
        for spelling in self._in_lines:
            yield from candidates(stretch, need, spelling, self.is_in_bytes)
        for index in odd_lines(stretch, need):
            if self.is_in_bytes(stretch.payload(index)):
                yield index


def candidates(
    stretch: Stretch, need: bytes, spelling: bytes, is_in_bytes: Callable[[bytes], bool], *, exact: bool = False
) -> Iterator[int]:
    """The entries asked about whose payload's text has a spelling in it. With `exact` the case of letters counts.

    Where it may be part of an escape, `is_in_bytes` is asked.
    """
    has_cases = not exact and spelling.upper() != spelling
    window = stretch.lowered if has_cases else stretch.window
    find, size = window.find, len(spelling)
    at, index = find(spelling), 0
    if at < 0:
        return
    starts, lengths = stretch.starts, stretch.columns.lengths
    while at >= 0:
        index = bisect_right(starts, at, index) - 1
        start = starts[index]
        end = start + lengths[index]
        if at >= end or not need[index]:  # behind a line's end stands what is no entry: a sum, a mark
            at = find(spelling, max(end, at + 1))
            continue
        begin, close = text_in(window, start, end, at + size)
        if begin > at:
            at = find(spelling, begin)
            continue
        if (at + size <= close and _stands_alone(window, at)) or is_in_bytes(stretch.payload(index)):
            yield index
        at = find(spelling, end)


def odd_lines(stretch: Stretch, need: bytes) -> Iterator[int]:
    """The entries asked about whose payload is no text, and so stands in the file in another form."""
    odd = both(need, stretch.columns.flags.translate(_BYTES))
    said = both(need, stretch.columns.kinds.translate(_STDERR))
    return ones(either(odd, _as_bytes(stretch, said)) if 1 in said else odd)


def _as_bytes(stretch: Stretch, need: bytes) -> bytes:
    """Of which entries the line holds a payload as bytes."""
    marks, window = bytearray(len(need)), stretch.window
    at = window.find(_B64)
    while at >= 0:
        index = stretch.at(at)
        end = stretch.end(index)
        marks[index] = need[index] if at < end else 0
        at = window.find(_B64, max(end, at + 1))
    return bytes(marks)


def _stands_alone(window: bytes, at: int) -> bool:
    """Whether what stands at a position does not begin within an escape: `n` of a line's end, `e9` of an accent."""
    return window[at - 1] != _BACKSLASH and window.find(b"\\u", at - 5, at) < 0


def _spellings(wanted: str) -> tuple[bytes, bytes, bytes]:
    quoted = json.dumps(wanted, ensure_ascii=False)[1:-1]
    return (
        wanted.encode("utf-8", "surrogatepass").lower(),
        quoted.encode("utf-8", "surrogatepass").lower(),
        json.dumps(wanted)[1:-1].encode().lower(),
    )


def _in_line(spelling: bytes) -> set[bytes]:
    """How a line of the file spells bytes of a payload."""
    try:
        text = spelling.decode()
    except UnicodeDecodeError:
        return set()  # a payload with such bytes is no text, and does not stand in its line as one
    return {json.dumps(text, ensure_ascii=False)[1:-1].encode().lower(), json.dumps(text)[1:-1].encode().lower()}
