"""A scan visits the newest entries first, prefers new ones to old ones, and can be cancelled."""

from typing import cast

from inspector.filters.engine.program import Program, Scan
from tests.filters.engine.test_program import program
from tests.present.tape import Tape
from tests.waiting import until


def filled(tape: Tape, count: int = 60) -> None:
    for number in range(count):
        tape.call(number, f"tool-{number % 2}")


def matches(scan: Scan) -> list[int]:
    """What was found so far, in the order in which it was."""
    found: list[int] = []
    while (taken := scan.take()) is not None:
        found += [taken[0] + at for at, mark in enumerate(taken[1]) if mark]
    return found


def test_the_newest_are_found_first(tape: Tape) -> None:
    filled(tape)
    scan = Scan(program(tape.journal, "tool == tool-1"), 60, most_bytes=2000)
    assert scan.work()
    first = matches(scan)
    assert min(first) > 40
    assert 0 < scan.scanned < 30
    while scan.work():
        pass
    assert sorted(first + matches(scan)) == list(range(2, 61, 2))
    assert scan.is_done
    assert scan.scanned == 60


def test_scan_takes_new_entries_first(tape: Tape) -> None:
    filled(tape)
    scan = Scan(program(tape.journal, "tool"), 60, most_bytes=2000)
    filled(tape, 2)
    scan.add(61, 62)
    scan.work()
    assert matches(scan) == [61, 62]


def test_only_what_is_within_is_looked_at(tape: Tape) -> None:
    filled(tape, 6)
    within = bytes((0, 1, 1, 0, 0, 1, 0))
    scan = Scan(program(tape.journal, "tool"), 6, within=within)
    while scan.work():
        pass
    assert matches(scan) == [1, 2, 5]


async def test_a_thread_does_the_work_and_goes(tape: Tape) -> None:
    filled(tape)
    scan = Scan(program(tape.journal, "tool == tool-1"), 60, threaded=True, most_bytes=2000)
    found: list[int] = []

    def has_found(count: int) -> bool:
        found.extend(matches(scan))
        return len(found) == count

    await until(lambda: has_found(30), "all that is old")
    assert sorted(found) == list(range(2, 61, 2))
    await until(lambda: scan.is_done, "the end of what is old")
    filled(tape, 2)
    scan.add(61, 62)
    await until(lambda: has_found(31), "what came since")
    assert found[-1] == 62
    await until(lambda: not scan._running, "the end of the thread")


def test_a_cancelled_scan_gives_nothing_more(tape: Tape) -> None:
    filled(tape)

    class Cancels:
        """A program that is given up while it is at work."""

        stretches = program(tape.journal, "tool").stretches

        def mark(self, first: int, last: int, need: bytes | None) -> bytes:
            scan.cancel()
            return b"\1" * (last - first + 1)

    scan = Scan(cast(Program, Cancels()), 60)
    scan.work()
    assert scan.take() is None
    assert not scan.work()
