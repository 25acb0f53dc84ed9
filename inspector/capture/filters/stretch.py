"""A stretch of the journal: entries that follow one another, with their columns and, if asked for, their bytes.

Their lines stand side by side in the file, so one read serves thousands of them, and one search goes through all.
A filter is evaluated stretch by stretch, the newest first.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property

import msgspec

from inspector.capture.file import LOST
from inspector.capture.store import Columns, Store
from inspector.protocol.facts import SseNote, Stderr
from inspector.protocol.frames import Frame

BYTES = 512 * 1024
"""Of the file, at most, unless one line is longer. Of twice as many each costs half as much again: memory of that size
is asked of the system anew each time."""
ENTRIES = 8192
"""At most."""
_RAW = b',"raw":"'
_MORE = b'","'
_BACKSLASH = 0x5C


class Stretch:
    """The entries `first` to `last` of a store."""

    def __init__(self, store: Store, first: int, last: int, *, plain: bool = True) -> None:
        self.store = store
        self.plain = plain
        """Whether the lines are spelled as this program spells them, so that a search through them finds all."""
        self.first = first
        self.last = last
        self.columns: Columns = store.columns(first, last)

    def __len__(self) -> int:
        return self.last - self.first + 1

    @cached_property
    def window(self) -> bytes:
        """The lines of all entries; b"" for a line that can't be read."""
        return self._read[0]

    @cached_property
    def lowered(self) -> bytes:
        """The window in lower case, as far as that is ASCII."""
        return self.window.lower()

    @cached_property
    def starts(self) -> "array[int]":
        """Where in the window each line begins."""
        starts = self._read[1]
        return self.columns.offsets if starts is None else starts

    @cached_property
    def _read(self) -> tuple[bytes, "array[int] | None"]:
        """The window, and where the lines begin in it; None for that if they stand in it as in the file."""
        columns, (place, length) = self.columns, self.store.line(self.last)
        base = self.store.place(self.first)
        size = place + length - base
        if LOST not in (base, place) and 0 < size <= BYTES + length + columns.lengths[0]:
            window = self.store.read(base, size)
            if len(window) == size and columns.spread < size:  # a line that is nowhere stands far away
                return window, None
        # some of them are still on their way to the file, or nowhere
        lines = [self.store.read(place, length) for place, length in zip(columns.places, columns.lengths, strict=True)]
        starts, at = array("I"), 0
        for line in lines:
            starts.append(at)
            at += len(line)
        return b"".join(lines), starts

    def at(self, position: int) -> int:
        """Which line a position in the window is in, from 0."""
        return bisect_right(self.starts, position) - 1

    def end(self, index: int) -> int:
        """Where a line ends in the window."""
        return min(self.starts[index] + self.columns.lengths[index], len(self.window))

    def payload(self, index: int) -> bytes:
        """The bytes of a frame, a line of stderr, an SSE note; b"" of what has none, or can't be read."""
        start, end = self.starts[index], self.end(index)
        if end > start:
            try:
                return _payload_of(self.window[start:end])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass
        what = self.store.entry(self.first + index).what
        if isinstance(what, Frame | Stderr):
            return what.payload
        return what.raw if isinstance(what, SseNote) else b""


def text_in(window: bytes, start: int, end: int, upto: int) -> tuple[int, int]:
    """Where the payload's text of the line from `start` to `end` begins and ends; (-1, -1) if only reading it tells.

    `upto`: where the place ends that is asked about, for behind it other members of the line do no harm.
    """
    begin = window.find(_RAW, start, end)
    if begin < 0:
        return -1, -1
    begin += len(_RAW)
    close = window.rfind(b'"}', begin, end)
    if close < 0 or window[close - 1] == _BACKSLASH:
        return -1, -1
    if window.find(_MORE, begin, min(close, upto + len(_MORE) - 1)) >= 0:
        return -1, -1
    return begin, close


class _Payload(msgspec.Struct):
    raw: str | None = None
    b64: bytes | None = None


_decode = msgspec.json.Decoder(_Payload).decode


def _payload_of(line: bytes) -> bytes:
    found = _decode(line)
    if found.b64 is not None:
        return found.b64
    return b"" if found.raw is None else found.raw.encode("utf-8", "surrogatepass")


def backwards(store: Store, first: int, last: int, most_bytes: int = BYTES) -> Iterator[tuple[int, int]]:
    """Divide the entries `first` to `last` into stretches: their first and last, the newest stretch first."""
    while last >= first:
        low = max(first, last - ENTRIES + 1)
        limit = store.place(last) - most_bytes
        if limit > 0:
            low += bisect_left(_Places(store, low, last), limit)
        begin = min(low, last)
        yield begin, last
        last = begin - 1


class _Places:
    """Where the lines of some entries stand, for a search; an entry without a line counts as the nearest to it."""

    def __init__(self, store: Store, first: int, last: int) -> None:
        self._store, self._first, self._count = store, first, last - first

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> int:
        place = self._store.place(self._first + index)
        return 0 if place == LOST else place
