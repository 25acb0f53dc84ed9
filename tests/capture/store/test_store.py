"""The store of a journal: columns in memory, payloads on disk, and large messages read in part."""

import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from inspector.capture.format.file import LOST
from inspector.capture.format.records import Entry, record_of, to_line
from inspector.capture.journal import Journal, start_capture
from inspector.capture.store import store as beginnings
from inspector.capture.store.columns import NOTHING, EntryKind, Meaning, MessageKind
from inspector.capture.store.load import load
from inspector.capture.store.snapshot import columns_of
from inspector.capture.store.store import LARGE_BYTES, MAX_RECENT_BYTES, RecentEntries, Store, beginning, entries
from inspector.protocol.compact_arrays import ShortArray
from inspector.protocol.facts import Fact, HttpEvent, HttpFact, SseNote, Stderr
from inspector.protocol.frames import Cause, Channel, Direction, Frame
from tests.capture.recording import FACTS, HEAD, anonymous, life, over
from tests.capture.recording import entries as recording_entries
from tests.present.tape import Tape


def _kept(path: Path, *payloads: bytes) -> Journal:
    journal = start_capture(path)
    for payload in payloads:
        journal.frame(Direction.FROM_SERVER, Channel.STDOUT, payload)
    journal.close()
    return load(path)


@pytest.mark.parametrize("sign", ["x", '"', "\\", "é", "数", "😀", "\n", "\x1b"])
@pytest.mark.parametrize("before", range(4))
def test_any_sign_can_stand_where_it_is_cut(tmp_path: Path, sign: str, before: int) -> None:
    payload = b"a" * before + sign.encode() * (LARGE_BYTES // len(sign.encode()) + 1)
    journal = _kept(tmp_path / "c.mcpcap", payload)
    found = beginning(journal.store, 1)
    assert isinstance(found.what, Frame)
    assert 10_000 < len(found.what.payload) < 200_000
    assert payload.startswith(found.what.payload)
    assert (found.n, found.what.channel, found.missing) == (1, Channel.STDOUT, False)


def test_bytes_that_are_no_text_are_cut_likewise(tmp_path: Path) -> None:
    payload = bytes(range(256)) * (LARGE_BYTES // 256 + 1)
    journal = _kept(tmp_path / "c.mcpcap", payload)
    found = beginning(journal.store, 1)
    assert isinstance(found.what, Frame)
    assert payload.startswith(found.what.payload)
    assert len(found.what.payload) > 10_000


def test_beginning_of_a_small_payload_is_the_whole_entry(tmp_path: Path) -> None:
    journal = _kept(tmp_path / "c.mcpcap", b"x" * 1000)
    assert beginning(journal.store, 1) == journal.store.entry(1)


def test_a_file_that_was_changed_gives_what_the_store_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = _kept(tmp_path / "c.mcpcap", b"x" * LARGE_BYTES)
    monkeypatch.setattr(beginnings, "_BEGINNING_BYTES", 3)
    found = beginning(journal.store, 1)
    assert isinstance(found.what, Frame)
    assert len(found.what.payload) == LARGE_BYTES


def test_beginning_of_a_large_payload_is_cached_apart_from_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payload = b"x" * (LARGE_BYTES + 1)
    journal = _kept(tmp_path / "c.mcpcap", payload)
    first, reads = beginning(journal.store, 1), []
    monkeypatch.setattr(journal.store, "read", lambda *place: reads.append(place))
    assert beginning(journal.store, 1) is first
    assert reads == []
    whole = journal.store.entry(1).what
    assert isinstance(whole, Frame)
    assert whole.payload == payload
    assert beginning(journal.store, 1) is first


def test_entries_in_bulk_equal_single_entries(tape: Tape) -> None:
    tape.started().call(1, "a")
    tape.from_server(b"\xff no JSON")
    tape.stderr(b"\x1b[31mred")
    tape.flood(30)
    tape.fact(HttpFact(HttpEvent.REQUEST, 1, "POST", "https://x.test", headers=(("Authorization", "Bearer x"),)))
    store = tape.journal.store
    before = store.at_hand[0]
    found = list(entries(store, 1, store.count))
    assert store.at_hand[0] - before <= 3  # the facts alone
    assert found == [store.entry(n) for n in range(1, store.count + 1)]
    assert list(entries(store, 4, 4)) == [store.entry(4)]


def test_unreadable_entries_in_bulk_are_missing(tape: Tape) -> None:
    tape.call(1, "a")
    tape.journal.close()
    vars(tape.journal.store)["_recent"] = RecentEntries()
    assert [entry.missing for entry in entries(tape.journal.store, 1, 1)] == [True]


def test_entries_of_an_empty_journal_are_none(tape: Tape) -> None:
    assert list(entries(tape.journal.store, 1, tape.journal.count)) == []


def test_a_long_entry_at_hand_is_not_read_a_second_time(tape: Tape) -> None:
    """Read back, it would take three times its length: the line, its text, and its bytes."""
    n = tape.from_server(b'{"jsonrpc":"2.0","method":"x","params":"' + b"y" * (2 << 20) + b'"}')
    store = tape.journal.store
    (found,) = entries(store, n, n)
    assert found is store.entry(n)


def line(n: int, *, missing: bool = False) -> Entry:
    return Entry(n, n, n, Stderr(b"x"), missing=missing)


def test_the_newest_is_kept_whatever_its_size_and_the_oldest_goes() -> None:
    recent = RecentEntries()
    for n in (1, 2, 3):
        recent.put(line(n), MAX_RECENT_BYTES // 3)
    assert recent.get(1) is None
    assert recent.get(2) is not None, "asked for, so that it goes later than the third"
    recent.put(line(4), MAX_RECENT_BYTES // 3)
    assert [recent.get(n) is not None for n in (2, 3, 4)] == [True, False, True]
    recent.put(line(5), MAX_RECENT_BYTES * 2)
    assert (recent.size[0], recent.get(5)) == (1, line(5))


def test_missing_entry_is_not_cached() -> None:
    recent = RecentEntries()
    recent.put(line(1, missing=True), 1)
    assert recent.get(1) is None
    assert recent.size == (0, 0)


class Shelf:
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
    return Frame(n, n * 10, n * 100, direction, Channel.STDIN, payload, cause=Cause.PROBE if probe else Cause.UNKNOWN)


def test_the_columns_know_what_a_list_needs() -> None:
    store, _ = filled(frame(b"abc", probe=True), meaning=Meaning(MessageKind.REQUEST, "tools/list", 4))
    assert store.count == 1
    assert store.kind(1) is EntryKind.FRAME
    assert store.message_kind(1) is MessageKind.REQUEST
    assert (store.time_ns(1), store.wall_ns(1), store.size(1)) == (10, 100, 3)
    assert store.direction(1) is Direction.TO_SERVER
    assert (store.exchange(1), store.method(1), store.probe(1)) == (4, "tools/list", True)


def test_response_to_a_probe_is_stored_as_probe() -> None:
    store, _ = filled(frame(b"abc"), meaning=Meaning(MessageKind.RESPONSE, "", 4, probe=True))
    assert (store.message_kind(1), store.probe(1)) == (MessageKind.RESPONSE, True)


def test_store_distinguishes_kinds_of_facts() -> None:
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


def test_store_distinguishes_directions() -> None:
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


def test_recent_entries_stay_within_a_budget() -> None:
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


def test_entry_read_by_two_threads_is_cached_once() -> None:
    store, _ = filled(frame())
    entry = store.entry(1)
    store._recent.put(entry, 1)
    assert store._recent._bytes == 501


@pytest.mark.parametrize("what", [frame(), *FACTS], ids=repr)
def test_overwritten_entry_is_missing(what: Frame | Fact) -> None:
    store, shelf = filled(what)
    shelf.data = b"overwritten by somebody"
    entry = store.entry(1)
    assert entry.missing
    assert (entry.n, entry.time_ns, entry.wall_ns) == (1, 10, 100)
    assert type(entry.what) is type(what)


def test_another_record_in_its_place_is_not_the_entry() -> None:
    store, shelf = filled(frame())
    shelf.data = to_line(HEAD)
    store._lengths = ShortArray()
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


def test_entry_number_comes_from_its_place() -> None:
    store, shelf = filled(frame())
    shelf.data = shelf.data.replace(b'"n":1', b'"n":7')
    entry = store.entry(1)
    assert isinstance(entry.what, Frame)
    assert (entry.n, entry.what.n) == (1, 1)


def test_methods_beyond_the_table_are_read_from_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.capture.store.store._MAX_METHODS", 2)
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
    assert store.method_names == [""]


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
    assert len(recording_entries(journal)) == journal.count
