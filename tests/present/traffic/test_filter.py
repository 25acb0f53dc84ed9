"""A filter follows a list: old entries, new ones, and those about which something has changed."""

import pytest

from inspector.filters.language.parser import parse
from inspector.present.traffic.filter import RowFilter, implies
from tests.present.tape import Tape
from tests.waiting import until


def followed(tape: Tape, text: str, *, threaded: bool = False) -> RowFilter:
    """A filter on all that the tape holds."""
    made = RowFilter(tape.journal, tape.clock, threaded=threaded)
    made.take(1, tape.journal.count)
    made.set(parse(text), tape.journal.count)
    return made


def hits(made: RowFilter) -> list[int]:
    while made.is_filtering:
        list(made.step())
    return [n for n, hit in enumerate(made.hits) if hit]


def take(made: RowFilter, tape: Tape) -> None:
    """Take in what is new, and what it changes."""
    first, last = len(made.hits), tape.journal.count
    made.take(first, last)
    numbers = {tape.journal.store.exchange(n) for n in range(first, last + 1)} - {0}
    made.again([*numbers, *made.ended()])


def test_old_entries_are_looked_through_and_counted(tape: Tape) -> None:
    tape.call(1, "a")
    tape.call(2, "b")
    made = followed(tape, "tool == b")
    assert made.is_filtering
    assert (hits(made), made.matches, made.looked_through) == ([2], 1, 1.0)


def test_an_answer_decides_about_its_request(tape: Tape) -> None:
    tape.call(1, "a")
    made = followed(tape, "dur > 5ms")
    assert hits(made) == []
    tape.wait(9).answer(1, {})
    take(made, tape)
    assert (hits(made), made.matches) == ([1, 2], 2)


def test_filter_drops_rows_that_no_longer_match(tape: Tape) -> None:
    tape.call(1, "a")
    made = followed(tape, "pending")
    assert hits(made) == [1]
    tape.answer(1, {})
    take(made, tape)
    assert (hits(made), made.matches) == ([], 0)


def test_a_connection_that_ends_decides_about_what_was_open(tape: Tape) -> None:
    made = followed(tape, "status == lost")
    tape.call(1, "a")
    take(made, tape)
    assert hits(made) == []
    tape.died()
    take(made, tape)
    assert hits(made) == [1]


def test_time_decides_about_what_waits(tape: Tape) -> None:
    tape.call(1, "a")
    made = followed(tape, "age > 5s")
    assert hits(made) == []
    tape.wait(6000)
    made.age()
    assert hits(made) == [1]


def test_partners_are_tried_again_with_all_that_belongs_to_them(tape: Tape) -> None:
    tape.call(1, "a")
    tape.notify("notifications/progress", {"progressToken": 1, "progress": 1})
    made = followed(tape, "any.status == ok")
    assert hits(made) == []
    tape.answer(1, {})
    take(made, tape)
    assert hits(made) == [1, 2, 3]


async def test_a_thread_finds_the_same_also_in_what_comes(tape: Tape) -> None:
    for number in range(1, 300):
        tape.call(number, "needle" if number % 7 == 0 else "hay")
    made = followed(tape, "text contains needle", threaded=True)

    def has_all() -> bool:
        list(made.step())
        return not made.is_filtering

    await until(has_all, "the end of the scan")
    assert made.matches == 42
    tape.call(300, "needle")
    take(made, tape)
    await until(lambda: bool(list(made.step())) or made.hits[300] == 1, "the new one")
    assert made.matches == 43
    made.cancel()


def test_without_a_filter_nothing_is_done(tape: Tape) -> None:
    tape.call(1, "a")
    made = RowFilter(tape.journal, tape.clock)
    assert made.take(1, 1) == []
    assert (list(made.step()), made.again([1]), made.age(), made.ended()) == ([], [], [], [])
    assert not made.is_filtering
    assert made.looked_through == 1.0


@pytest.mark.parametrize(
    ("new", "old", "narrows"),
    [
        ("tool", "to", True),
        ('"ape"', '"APE"', True),
        ('"ape" and pending', '"ap"', True),
        ("dur > 1s and n > 3", "n > 3", True),
        ("a b c", "a c", True),
        ("a", "a b", False),
        ("not ape", "ap", False),
        ("a or b", "a", False),
        ("n > 4", "n > 3", False),
    ],
)
def test_a_narrower_filter_looks_only_through_what_was_found(new: str, old: str, narrows: bool) -> None:
    if new == "tool":
        new, old = '"tool"', '"to"'
    before = parse(old)
    assert before is not None
    assert implies(parse(new), before) is narrows
    assert not implies(None, before)
