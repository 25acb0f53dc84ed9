"""How far a request is, for a person."""

from typing import Any

import pytest

from inspector.protocol.exchanges import Progress
from inspector.protocol.tracking.progress import progress_in
from inspector.viewmodels.lines import plain
from inspector.viewmodels.progress import bar, figures, fraction, left, pace, said

SECOND = 1_000_000_000


def told(*words: tuple[float, Any]) -> Progress:
    """What stands there after words of (seconds, params)."""
    progress = None
    for seconds, params in words:
        progress = progress_in(params, time_ns=round(seconds * SECOND), before=progress)
    assert progress is not None
    return progress


def of(value: Any, total: Any = None, **more: Any) -> dict[str, Any]:
    return {"progress": value} | ({} if total is None else {"total": total}) | more


def test_with_a_total_the_pace_tells_how_long_it_will_take() -> None:
    assert figures(told((0, of(0, 10)), (2.5, of(3, 10)))) == "3 of 10 · 30 % · 1.2/s · about 6 s left"


def test_nothing_is_left_of_what_runs_no_more() -> None:
    assert figures(told((0, of(0, 10)), (2.5, of(3, 10))), running=False) == "3 of 10 · 30 % · 1.2/s"


def test_without_a_total_there_is_an_amount_and_a_pace() -> None:
    progress = told((0, of(0)), (2, of(7)))
    assert figures(progress) == "7 · 3.5/s"
    assert bar(progress, 10) == []


def test_the_first_word_has_no_pace() -> None:
    assert figures(told((5, of(3, 10)))) == "3 of 10 · 30 %"


def test_what_is_done_takes_no_more_time() -> None:
    assert figures(told((0, of(0, 10)), (1, of(10, 10)))) == "10 of 10 · 100 % · 10/s"


def test_percent_is_not_said_twice() -> None:
    assert figures(told((0, of(40, 100)))) == "40 %"


@pytest.mark.parametrize(
    ("words", "wrong", "amount"),
    [
        ([of(3, 10), of(2, 10)], "goes backwards", "2 of 10"),
        ([of(3, 10), of(3, 10)], "does not grow", "3 of 10"),
        ([of(11, 10)], "beyond the total", "11 of 10 · 110 %"),
        ([of(-1, 10)], "negative", "-1 of 10"),
        ([of("half")], "no number", '"half"'),
        ([of(True)], "no number", "true"),
        ([{}], "no number", "(none)"),
        ([of(10**400)], "no number", "1000"),
        ([of(1, "ten")], "no usable total", "1"),
        ([of(1, -5)], "beyond the total, no usable total", "1 of -5"),
        ([of(3), of(2), of(5)], "goes backwards", "5"),
    ],
)
def test_values_that_can_not_be_true_are_shown_and_flagged(words: list[Any], wrong: str, amount: str) -> None:
    line = plain(said(told(*enumerate(words))))
    assert line.startswith(amount)
    assert line.endswith(f"▲ {wrong}")
    assert "/s" not in line


@pytest.mark.parametrize(("value", "full"), [(0, 0), (5, 5), (10, 10), (15, 10), (-5, 0)])
def test_a_bar_is_never_longer_than_its_width(value: float, full: int) -> None:
    cells = plain(bar(told((0, of(value, 10))), 10))
    assert (cells.count("━"), len(cells)) == (full, 10)
    assert fraction(told((0, of(value, 10)))) == value / 10


def test_the_servers_words_stand_at_the_end_and_act_on_nothing() -> None:
    assert plain(said(told((0, of(1, 4, message="a\x1b[2J"))))) == "1 of 4 · 25 %  a␛[2J"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "less than 1 s left"), (6, "about 6 s left"), (125, "about 2m 05s left"), (1e300, "about 27777h 46m left")],
)
def test_what_is_left_is_a_guess_and_said_as_one(seconds: float, words: str) -> None:
    assert left(seconds) == words


@pytest.mark.parametrize(("rate", "words"), [(1.234, "1.23/s"), (0.05, "3/min"), (-2.0, "-2/s")])
def test_a_slow_pace_is_told_by_the_minute(rate: float, words: str) -> None:
    assert pace(rate) == words
