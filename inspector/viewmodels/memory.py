"""What a journal costs in memory, and what is kept at hand for speed: all of it has a bound, or is a column.

The figures are of this process as it stands, whoever else uses it too.
"""

import os
import sys
import threading

import msgspec

from inspector.capture.journal import Journal
from inspector.protocol.kept import columns_of
from inspector.viewmodels.text import human_size


class Memory(msgspec.Struct, frozen=True):
    """What it costs."""

    resident_bytes: int
    """Of the whole process; 0 where that can't be told."""
    entries: int
    exchanges: int
    index_bytes: int
    """All columns: of the entries and of the exchanges. Payloads stay in the file."""
    at_hand: int
    """Entries that were read last and are kept whole."""
    at_hand_bytes: int
    at_hand_most: int
    """What those may take."""
    threads: int

    @property
    def each(self) -> float:
        """Bytes of the columns for each entry."""
        return self.index_bytes / self.entries if self.entries else 0.0

    @property
    def sentence(self) -> str:
        """All of it in short."""
        resident = human_size(self.resident_bytes) if self.resident_bytes else "not known"
        return f"{resident} in all, {self.each:.0f} bytes an entry in the index"


def memory_of(journal: Journal) -> Memory:
    """What a journal costs now."""
    exchanges = journal.conversation.exchanges
    owners = (journal.store, exchanges, journal.conversation.operations)
    columns = [column for owner in owners for column in columns_of(owner).values()]
    count, used, most = journal.store.at_hand
    return Memory(
        resident_bytes=resident_bytes(),
        entries=journal.count,
        exchanges=len(exchanges),
        index_bytes=sum(map(sys.getsizeof, columns)),
        at_hand=count,
        at_hand_bytes=used,
        at_hand_most=most,
        threads=threading.active_count(),
    )


def resident_bytes() -> int:
    """The memory of this process; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return _most_resident()


def _most_resident() -> int:
    """The most it ever was, which is all that some systems tell."""
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
