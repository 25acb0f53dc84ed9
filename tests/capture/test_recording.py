"""The shared parts do what the other tests rely on."""

from tests.capture.recording import anonymous, entries, http_life, life, over, recorded, ticking


def test_ticking_clock_advances_by_its_step() -> None:
    look = ticking(10, 5)
    assert [look(), look(), look()] == [10, 15, 20]


def test_the_lives_hold_every_kind_of_entry() -> None:
    journal = over(anonymous())
    life(journal)
    http_life(journal)
    kinds = {journal.store.kind(n) for n in range(1, journal.count + 1)}
    assert len(kinds) == 6
    assert [entry.n for entry in entries(journal)] == list(range(1, journal.count + 1))


def test_a_recorded_journal_needs_no_file() -> None:
    assert recorded().capture_path is None
