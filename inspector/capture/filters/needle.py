r"""A text to look for, in any case and in every spelling: in names, in a payload's bytes, in the lines of a stretch.

In JSON the same text can stand in several spellings (`é` or `\u00e9`, `"` as `\"`); each of them is found. A line of
the file spells the payload once more, so one search through a stretch finds the payloads without reading any; where a
find could be part of an escape, the payload decides.
"""

import json
from collections.abc import Callable, Iterator

from inspector.capture.filters.masks import ones
from inspector.capture.filters.stretch import Stretch

_BACKSLASH = 0x5C
_B64 = b',"b64":"'


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
    window = stretch.window if exact else stretch.lowered
    at = window.find(spelling)
    while at >= 0:
        index = stretch.at(at)
        end = stretch.end(index)
        if at >= end or not need[index]:  # behind a line's end stands what is no entry: a sum, a mark
            at = window.find(spelling, max(end, at + 1))
            continue
        begin, close = stretch.raw(index)
        if begin >= 0 and at < begin:
            at = window.find(spelling, begin)
            continue
        stands = begin >= 0 and at + len(spelling) <= close and _stands_alone(window, at)
        if stands or is_in_bytes(stretch.payload(index)):
            yield index
        at = window.find(spelling, end)


def odd_lines(stretch: Stretch, need: bytes) -> Iterator[int]:
    """The entries asked about whose payload is no text, and so stands in the file in another form."""
    window = stretch.window
    at = window.find(_B64)
    while at >= 0:
        index = stretch.at(at)
        end = stretch.end(index)
        if at < end and need[index]:
            yield index
        at = window.find(_B64, max(end, at + 1))


def _stands_alone(window: bytes, at: int) -> bool:
    """Whether what stands at a position does not begin within an escape: `n` of a line's end, `e9` of an accent."""
    return window[at - 1] != _BACKSLASH and b"\\u" not in window[at - 5 : at]


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
