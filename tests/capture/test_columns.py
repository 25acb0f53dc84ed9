"""The columns of several entries, as copies, say what the store says of each."""

from inspector.capture.columns import EntryKind
from inspector.capture.entries import Entry
from inspector.capture.file import LOST
from inspector.capture.meaning import NOTHING
from inspector.capture.store import Store
from inspector.protocol.facts import Stderr
from tests.capture.recording import life, recorded


def test_a_part_of_the_columns_is_what_the_entries_are() -> None:
    journal = recorded()
    life(journal)
    store, last = journal.store, journal.count - 1
    columns, numbers = store.columns(2, last), range(2, last + 1)
    assert [EntryKind(kind or 1) for kind in columns.kinds] == [store.kind(n) for n in numbers]
    assert list(columns.times) == [store.time_ns(n) for n in numbers]
    assert list(columns.walls) == [store.wall_ns(n) for n in numbers]
    assert list(columns.sizes) == [store.size(n) for n in numbers]
    assert list(columns.exchanges) == [store.exchange(n) for n in numbers]
    assert list(zip(columns.places, columns.lengths, strict=True)) == [store.line(n) for n in numbers]
    assert list(columns.offsets) == [store.place(n) - store.place(2) for n in numbers]
    journal.close()


def test_an_entry_whose_line_is_nowhere_says_so_among_others() -> None:
    class Nothing:
        def read(self, place: int, length: int) -> bytes:
            return b""

        def close(self) -> None:
            pass

    store = Store(Nothing())
    for n, place in enumerate((5, LOST, 90), 1):
        store.add(Entry(n, n, n, Stderr(b"x")), NOTHING, place, 10)
    assert list(store.columns(1, 3).places) == [5, LOST, 90]
    assert [store.place(n) for n in (1, 2, 3)] == [5, LOST, 90]
