"""Times as the reader wants them told."""

import pytest

from inspector.viewmodels.lines import plain
from inspector.viewmodels.log import LogModel
from inspector.viewmodels.log_look import PLAIN, Look, TimeMode, seconds, since
from tests.viewmodels.tape import Tape


def _times(tape: Tape, look: Look, width: int = 80) -> list[str]:
    model = LogModel(tape.journal, tape.clock, tree=False)
    model.look = look
    model.refresh()
    return [plain(model.row(index, width).spans)[:8].strip() for index in range(model.count)]


def _three(tape: Tape) -> None:
    for _ in range(3):
        tape.wait(1500).stderr(b"x")
    tape.wait(-500).stderr(b"the clock jumped")


def test_seconds_since_the_start(tape: Tape) -> None:
    _three(tape)
    look = Look(mode=TimeMode.START, started_ns=tape.journal.started_ns)
    assert _times(tape, look) == ["1.500", "3.000", "4.500", "4.000"]


def test_since_the_line_above(tape: Tape) -> None:
    _three(tape)
    assert _times(tape, Look(mode=TimeMode.ABOVE)) == ["", "+1.50s", "+1.50s", "-500ms"]


def test_since_the_line_that_was_set(tape: Tape) -> None:
    _three(tape)
    look = PLAIN.with_reference(2, tape.journal.store.time_ns(2))
    assert _times(tape, look) == ["-1.500", "◆ 0.000", "1.500", "1.000"]
    assert "of #2" in plain(look.titles(80))
    assert "since #2" in plain(look.titles(120))


def test_the_ways_to_tell_times_follow_one_another() -> None:
    look, seen = PLAIN, []
    for _ in range(4):
        seen.append(look.mode)
        look = look.next_mode()
    assert seen == [TimeMode.CLOCK, TimeMode.START, TimeMode.ABOVE, TimeMode.CLOCK]
    look = PLAIN.with_reference(7, 1)
    assert look.mode is TimeMode.REFERENCE
    assert look.next_mode().mode is TimeMode.CLOCK
    assert look.with_reference(0, 0).mode is TimeMode.CLOCK


def test_the_gap_is_told_once() -> None:
    assert "since" in [column.name for column in PLAIN.columns(160)]
    assert "since" not in [column.name for column in Look(mode=TimeMode.ABOVE).columns(160)]


@pytest.mark.parametrize(
    ("nanoseconds", "said"),
    [
        (0, "0.000"),
        (12_345_678_901, "12.346"),
        (-1, "0.000"),
        (-1_000_000, "-0.001"),
        (3_599_999_000_000, "3599.999"),
        (3_723_456_000_000, "1:02:03.456"),
        (-3_600_000_000_000, "-1:00:00.000"),
    ],
)
def test_seconds_have_three_places(nanoseconds: int, said: str) -> None:
    assert seconds(nanoseconds) == said


def test_a_gap_has_its_sign() -> None:
    assert [since(n) for n in (31_000_000, -2_000_000_000, 0)] == ["+31ms", "-2.00s", "+0µs"]
