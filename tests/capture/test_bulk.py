"""Entries in bulk are the entries one by one, and push nothing out of what is at hand."""

from inspector.capture.bulk import entries
from inspector.capture.recent import Recent
from inspector.protocol.facts import HttpEvent, HttpFact
from tests.capture.filters.conftest import tape
from tests.viewmodels.tape import Tape

__all__ = ["tape"]


def test_what_comes_in_bulk_is_what_comes_one_by_one(tape: Tape) -> None:
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


def test_what_can_not_be_read_back_says_so(tape: Tape) -> None:
    tape.call(1, "a")
    tape.journal.close()
    vars(tape.journal.store)["_recent"] = Recent()
    assert [entry.missing for entry in entries(tape.journal.store, 1, 1)] == [True]


def test_of_a_journal_without_entries_there_are_none(tape: Tape) -> None:
    assert list(entries(tape.journal.store, 1, tape.journal.count)) == []


def test_a_long_entry_at_hand_is_not_read_a_second_time(tape: Tape) -> None:
    """Read back, it would take three times its length: the line, its text, and its bytes."""
    n = tape.from_server(b'{"jsonrpc":"2.0","method":"x","params":"' + b"y" * (2 << 20) + b'"}')
    store = tape.journal.store
    (found,) = entries(store, n, n)
    assert found is store.entry(n)
