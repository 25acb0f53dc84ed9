"""The entries that were read last, whole, up to a number of payload bytes. Any thread may ask and put."""

import threading
from collections import OrderedDict

from inspector.capture.entries import Entry

MOST = 8 * 1024 * 1024
"""Payload bytes of the entries that are kept at hand."""


class Recent:
    """The newest always; of the others as many as fit into `MOST`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[int, tuple[Entry, int]] = OrderedDict()
        self._bytes = 0

    @property
    def size(self) -> tuple[int, int]:
        """How many there are, and their bytes."""
        return len(self._entries), self._bytes

    def get(self, n: int) -> Entry | None:
        """The entry of that number, if it is here."""
        with self._lock:
            found = self._entries.get(n)
            if found is None:
                return None
            self._entries.move_to_end(n)
            return found[0]

    def put(self, entry: Entry, size: int) -> None:
        """Keep an entry whose payload has so many bytes, at the cost of those that were asked for longest ago."""
        if entry.missing:
            return  # it may be there the next time
        cost = size + 500
        with self._lock:
            if entry.n in self._entries:
                return
            self._entries[entry.n] = (entry, cost)
            self._bytes += cost
            while self._bytes > MOST and len(self._entries) > 1:
                _, (_, freed) = self._entries.popitem(last=False)
                self._bytes -= freed
