"""Stretches: lines side by side, read at once, also while they are on their way to the file or nowhere."""

import pytest

from inspector.capture.entries import Entry
from inspector.capture.file import LOST
from inspector.capture.filters.stretch import Stretch, backwards, text_in
from inspector.capture.journal import Journal
from inspector.capture.meaning import NOTHING
from inspector.protocol.facts import ProcessEvent, ProcessFact, Stderr
from inspector.protocol.frames import Channel, Frame
from tests.capture.recording import CAME, SENT, recorded

_PAYLOADS = (b'{"a":"x\\ny"}', b"plain", b"\xff", b"", b'ends in "}', b"\\", "é\n".encode())


def filled() -> Journal:
    journal = recorded()
    for payload in _PAYLOADS:
        journal.frame(CAME, Channel.STDOUT, payload)
    journal.fact(Stderr(b"oh no"))
    journal.fact(ProcessFact(ProcessEvent.SPAWN, 1))
    return journal


def test_payloads_are_cut_out_of_the_window() -> None:
    journal = filled()
    stretch = Stretch(journal.store, 1, journal.count)
    assert [stretch.payload(index) for index in range(len(stretch))] == [*_PAYLOADS, b"oh no", b""]
    for index, payload in enumerate(_PAYLOADS):
        begin, end = text_in(stretch.window, stretch.starts[index], stretch.end(index), len(stretch.window))
        if begin >= 0:
            assert payload.decode("utf-8", "replace")[:1] in stretch.window[begin:end].decode()
    assert stretch.at(stretch.starts[3]) == 3
    journal.close()


def test_a_text_that_is_not_the_last_of_its_line_ends_where_nobody_knows() -> None:
    line = b'{"r":"frame","raw":"one two","note":"three"}'
    assert text_in(line, 0, len(line), line.find(b"three") + 5) == (-1, -1)
    assert text_in(line, 0, len(line), line.find(b"two") + 3)[0] == line.find(b"one")


def test_a_stretch_begins_anywhere() -> None:
    journal = filled()
    stretch = Stretch(journal.store, 3, 5)
    assert [stretch.payload(index) for index in range(3)] == list(_PAYLOADS[2:5])
    journal.close()


def test_entries_that_are_nowhere_are_empty() -> None:
    journal = recorded()
    journal.frame(SENT, Channel.STDIN, b"kept")
    journal.store.add(Entry(2, 0, 0, Frame(2, 0, 0, SENT, Channel.STDIN, b"more")), NOTHING, LOST, 50)
    stretch = Stretch(journal.store, 1, 2)
    assert [stretch.payload(0), stretch.payload(1)] == [b"kept", b""]
    assert list(backwards(journal.store, 1, 2)) == [(2, 2), (1, 1)]
    journal.close()


@pytest.mark.parametrize("size", [1, 200, 700, 10_000_000])
def test_stretches_cover_everything_once_the_newest_first(size: int) -> None:
    journal = filled()
    found = list(backwards(journal.store, 2, journal.count, size))
    assert [n for first, last in reversed(found) for n in range(first, last + 1)] == list(range(2, journal.count + 1))
    assert found == sorted(found, reverse=True)
    assert len(found) == {1: 8, 10_000_000: 1}.get(size, len(found))
    journal.close()
    assert list(backwards(journal.store, 1, 0)) == []
