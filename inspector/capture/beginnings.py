"""The beginning of an entry that is too large to be read for one line of a list.

The line in the file is cut and closed, so that what comes is a frame like any other, with the first of its bytes. It is
kept at hand: a row is drawn again and again, and each read of a file lets all other threads run first.
"""

from inspector.capture.entries import Entry, entry_of
from inspector.capture.file import LOST
from inspector.capture.records import FrameRecord, from_line
from inspector.capture.store import Store

LARGE = 512 * 1024
"""Payload bytes from which only the beginning is read."""
_ENOUGH = 128 * 1024
_ENDS = 16
"""So many bytes are tried to be cut off: a sign or an escape that was cut through takes at most 12."""


def beginning(store: Store, n: int) -> Entry:
    """Entry n; of a large frame only its beginning. Any thread; nothing raises for 1 to `count`."""
    if store.size(n) < LARGE or store.place(n) == LOST:
        return store.entry(n)
    return store.beginnings.get(n) or _read(store, n)


def _read(store: Store, n: int) -> Entry:
    line = store.read(store.place(n), _ENOUGH)
    for cut in range(_ENDS):
        try:
            record = from_line(line[: len(line) - cut] + b'"}')
        except ValueError:
            continue
        if isinstance(record, FrameRecord):
            entry = entry_of(record, n, store.wall_ns(n))
            store.beginnings.put(entry, _ENOUGH)
            return entry
        break
    return store.entry(n)
