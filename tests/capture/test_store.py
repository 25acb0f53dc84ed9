"""The store: columns that answer at once, payloads that come back from the file, and readers on other threads."""

import sys
import threading
from typing import Any

import pytest

from inspector.capture.entries import Entry, record_of
from inspector.capture.file import LOST
from inspector.capture.meaning import NOTHING, Meaning
from inspector.capture.records import to_line
from inspector.capture.store import EntryKind, MessageKind, Store
from inspector.protocol.facts import Fact, HttpEvent, HttpFact, SseNote, Stderr
from inspector.protocol.frames import Channel, Direction, Frame
from inspector.protocol.kept import columns_of
from inspector.protocol.narrow import Small
from tests.capture.recording import FACTS, HEAD, anonymous, entries, life, over


class Shelf:
    """A source in memory."""

    def __init__(self) -> None:
        self.data = b""
        self.reads = 0

    def read(self, place: int, length: int) -> bytes:
        self.reads += 1
        return self.data[place : place + length]

    def close(self) -> None:
        self.data = b""


def filled(*whats: Frame | Fact, meaning: Meaning = NOTHING) -> tuple[Store, Shelf]:
    """A store with these entries, and where their lines are."""
    shelf = Shelf()
    store = Store(shelf)
    for n, what in enumerate(whats, 1):
        entry = Entry(n, n * 10, n * 100, what)
        line = to_line(record_of(entry, c="c1", origin=""))
        store.add(entry, meaning, len(shelf.data), len(line))
        shelf.data += line
    return store, shelf


def frame(payload: bytes = b"x", n: int = 1, direction: Direction = Direction.TO_SERVER, probe: bool = False) -> Frame:
    return Frame(n, n * 10, n * 100, direction, Channel.STDIN, payload, probe=probe)


def test_the_columns_know_what_a_list_needs() -> None:
    store, _ = filled(frame(b"abc", probe=True), meaning=Meaning(MessageKind.REQUEST, "tools/list", 4))
    assert store.count == 1
    assert store.kind(1) is EntryKind.FRAME
    assert store.message_kind(1) is MessageKind.REQUEST
    assert (store.time_ns(1), store.wall_ns(1), store.size(1)) == (10, 100, 3)
    assert store.direction(1) is Direction.TO_SERVER
    assert (store.exchange(1), store.method(1), store.probe(1)) == (4, "tools/list", True)


def test_what_answers_a_probe_is_one_by_its_meaning() -> None:
    store, _ = filled(frame(b"abc"), meaning=Meaning(MessageKind.ANSWER, "", 4, probe=True))
    assert (store.message_kind(1), store.probe(1)) == (MessageKind.ANSWER, True)


def test_every_kind_of_fact_is_told_apart() -> None:
    store, _ = filled(*FACTS)
    assert [store.kind(n) for n in (1, 4, 7, 9, 15)] == [
        EntryKind.CONNECTION,
        EntryKind.PROCESS,
        EntryKind.STDERR,
        EntryKind.HTTP,
        EntryKind.SSE,
    ]
    assert [store.size(n) for n in (1, 7, 15)] == [0, 5, 6]
    assert store.direction(1) is None
    assert store.message_kind(1) is MessageKind.NONE
    assert (store.method(1), store.exchange(1), store.probe(1)) == ("", 0, False)


def test_both_directions_are_told_apart() -> None:
    store, _ = filled(frame(), frame(n=2, direction=Direction.FROM_SERVER))
    assert (store.direction(1), store.direction(2)) == (Direction.TO_SERVER, Direction.FROM_SERVER)


@pytest.mark.parametrize("n", [0, -1, 3])
def test_there_is_nothing_outside_one_to_count(n: int) -> None:
    store, _ = filled(frame(), frame(n=2))
    with pytest.raises(IndexError):
        store.entry(n)
    with pytest.raises(IndexError):
        store.kind(n)


def test_entries_come_back_and_the_last_ones_are_not_read_twice() -> None:
    store, shelf = filled(frame(), *FACTS)
    assert store.entry(1) == Entry(1, 10, 100, frame())
    assert [entry.what for entry in (store.entry(n) for n in range(2, store.count + 1))] == list(FACTS)
    reads = shelf.reads
    assert store.entry(1) is store.entry(1)
    assert shelf.reads == reads


def test_what_was_read_is_forgotten_past_a_budget_but_for_the_newest() -> None:
    big = b"x" * 5_000_000
    store, shelf = filled(frame(big), frame(big, n=2), frame(b"y" * 9_000_000, n=3))
    store.entry(1)
    store.entry(2)
    store.entry(1)
    assert shelf.reads == 3
    assert store.entry(3) is store.entry(3)
    assert shelf.reads == 4


def test_a_large_entry_that_has_just_come_is_not_read_back() -> None:
    store, shelf = filled(frame(b"x" * 1_100_000), frame(b"y" * 900_000, n=2))
    assert store.entry(1).what == frame(b"x" * 1_100_000)
    assert shelf.reads == 0
    assert store.entry(2).what == frame(b"y" * 900_000, n=2)
    assert shelf.reads == 1


def test_what_two_threads_read_at_once_is_kept_once() -> None:
    store, _ = filled(frame())
    entry = store.entry(1)
    store._recent.put(entry, 1)
    assert store._recent._bytes == 501


@pytest.mark.parametrize("what", [frame(), *FACTS], ids=repr)
def test_an_entry_that_can_not_be_read_back_says_so(what: Frame | Fact) -> None:
    store, shelf = filled(what)
    shelf.data = b"overwritten by somebody"
    entry = store.entry(1)
    assert entry.missing
    assert (entry.n, entry.time_ns, entry.wall_ns) == (1, 10, 100)
    assert type(entry.what) is type(what)


def test_another_record_in_its_place_is_not_the_entry() -> None:
    store, shelf = filled(frame())
    shelf.data = to_line(HEAD)
    store._lengths = Small()
    store._lengths.append(len(shelf.data))
    assert store.entry(1).missing


def test_a_missing_entry_is_looked_for_again() -> None:
    store, shelf = filled(Stderr(b"x"))
    data, shelf.data = shelf.data, b""
    assert store.entry(1).missing
    shelf.data = data
    assert not store.entry(1).missing


def test_a_lost_entry_keeps_its_columns() -> None:
    store = Store(Shelf())
    store.add(Entry(1, 2, 3, Stderr(b"four")), NOTHING, LOST, 50)
    assert store.entry(1) == Entry(1, 2, 3, Stderr(b""), missing=True)
    assert store.size(1) == 4


def test_the_number_of_an_entry_is_its_place_whatever_the_line_says() -> None:
    store, shelf = filled(frame())
    shelf.data = shelf.data.replace(b'"n":1', b'"n":7')
    entry = store.entry(1)
    assert isinstance(entry.what, Frame)
    assert (entry.n, entry.what.n) == (1, 1)


def test_methods_beyond_the_table_are_read_from_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.capture.store._METHODS", 2)
    shelf = Shelf()
    store = Store(shelf)
    for n, method in enumerate(("a", "b", "a", "c" * 300), 1):
        payload = b'{"jsonrpc":"2.0","method":"%b"}' % method.encode()
        entry = Entry(n, 0, 0, frame(payload, n))
        line = to_line(record_of(entry, c="c1", origin=""))
        store.add(entry, Meaning(MessageKind.NOTIFICATION, method), len(shelf.data), len(line))
        shelf.data += line
    assert [store.method(n) for n in range(1, 5)] == ["a", "b", "a", "c" * 300]
    shelf.data = b""
    store._recent.__init__()  # type: ignore[misc]
    assert store.method(2) == ""


def test_an_overlong_method_gets_no_number() -> None:
    payload = b'[7,{"jsonrpc":"2.0","method":"%b"}]' % (b"m" * 300)
    store, _ = filled(frame(payload), meaning=Meaning(MessageKind.BATCH, "m" * 300))
    assert store.method(1) == "m" * 300
    assert store._names == [""]


def test_a_method_is_not_looked_for_in_a_fact() -> None:
    store, _ = filled(SseNote(1, b""), HttpFact(HttpEvent.END, 1))
    assert store._read_method(1) == ""


def test_a_message_costs_at_most_thirty_bytes_of_memory() -> None:
    store = Store(Shelf())
    what = frame()
    for n in range(1, 20_001):
        store.add(Entry(n, n, n, what), Meaning(MessageKind.NOTIFICATION, "notifications/message"), n, 300)
    columns = columns_of(store)
    assert len({name.partition(".")[0] for name in columns}) == 9
    assert sum(map(sys.getsizeof, columns.values())) / store.count < 30


def test_readers_on_other_threads_see_whole_entries_while_one_adds() -> None:
    journal = over(anonymous())
    wrong: list[Any] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            n = journal.count
            for m in {min(1, n), n // 2, n} - {0}:
                entry = journal.store.entry(m)
                if entry.missing or entry.n != m or journal.store.time_ns(m) != entry.time_ns:
                    wrong.append(entry)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in range(100):
        life(journal)
    done.set()
    for reader in readers:
        reader.join(10)
    assert wrong == []
    assert len(entries(journal)) == journal.count
    journal.close()
