"""What a journal costs is told, and the index is small."""

from inspector.viewmodels.memory import memory_of, resident_bytes
from tests.viewmodels.tape import Tape


def test_the_index_of_many_entries_takes_few_bytes_for_each(tape: Tape) -> None:
    for id_ in range(2_000):
        tape.call(id_, "a")
        tape.notify("notifications/message", {"data": "x" * 100})
        tape.answer(id_, {})
    memory = memory_of(tape.journal)
    assert (memory.entries, memory.exchanges) == (6_000, 2_000)
    assert 40 <= memory.each <= 90, "a third of them are exchanges, which take more"
    assert "bytes an entry" in memory.sentence


def test_an_empty_journal_costs_nothing_for_each(tape: Tape) -> None:
    assert memory_of(tape.journal).each == 0


def test_the_process_takes_some_memory() -> None:
    assert resident_bytes() > 1_000_000


def test_what_is_kept_at_hand_has_a_bound(tape: Tape) -> None:
    for id_ in range(50):
        tape.answer(id_, {"text": "x" * 300_000})
    for n in range(1, 51):
        tape.journal.store.entry(n)
    memory = memory_of(tape.journal)
    assert 0 < memory.at_hand < 50
    assert memory.at_hand_bytes <= memory.at_hand_most
