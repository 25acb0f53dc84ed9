"""Entries read back one after another, for whoever goes through a whole journal.

What is kept at hand for the screen is left alone: a million entries read here push none of it out.
"""

from collections.abc import Iterator

from inspector.capture.entries import Entry, entry_of
from inspector.capture.file import LOST
from inspector.capture.records import FrameRecord, StderrRecord, from_line
from inspector.capture.store import EntryKind, Store

_PLAIN = frozenset((EntryKind.FRAME, EntryKind.STDERR))
"""What stands in the file as it was. Of other facts the file may hold less than memory does."""
_LONG = 1 << 20
"""Bytes of a line from which on an entry at hand is not read back: that takes three times its length meanwhile."""


def entries(store: Store, first: int, last: int) -> Iterator[Entry]:
    """The entries `first` to `last` with their payloads, none if that is before; any thread.

    `missing` is set for what can't be read back.
    """
    if last < first:
        return
    columns = store.columns(first, last)
    rows = zip(columns.kinds, columns.places, columns.lengths, columns.walls, strict=True)
    for n, (kind, place, length, wall_ns) in enumerate(rows, first):
        found = None
        if length >= _LONG:
            found = store.kept(n)
        if found is None and kind in _PLAIN and place != LOST:
            found = _read(store.read(place, length), n, wall_ns)
        yield found if found is not None else store.entry(n)


def _read(line: bytes, n: int, wall_ns: int) -> Entry | None:
    try:
        record = from_line(line)
        return entry_of(record, n, wall_ns) if isinstance(record, FrameRecord | StderrRecord) else None
    except ValueError:
        return None
