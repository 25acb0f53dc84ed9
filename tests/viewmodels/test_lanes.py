"""Time from left to right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.exchanges import Exchange, ExchangeState
from inspector.protocol.frames import Direction
from inspector.viewmodels.lanes import Window, around, bar, moment, role_of, ticks
from inspector.viewmodels.lines import plain

_S = 1_000_000_000


def _drawn(start: float, end: float) -> str:
    """In ten cells, a second each."""
    return plain(bar(round(start * _S), round(end * _S), Window(0, 10 * _S), 10, "text"))


def test_a_bar_takes_the_cells_of_its_time() -> None:
    assert _drawn(0, 10) == "━" * 10
    assert _drawn(2, 4.4) == "  ━━╸     "
    assert _drawn(2.5, 4.9) == "  ╺━━     "


def test_nothing_is_too_short_to_be_seen() -> None:
    assert _drawn(3, 3) == "   ╸      "
    assert _drawn(10, 10) == "         ╺"


def test_what_lies_outside_is_an_arrow() -> None:
    assert _drawn(-5, -1) == "‹         "
    assert _drawn(12, 13) == "         ›"
    assert _drawn(-5, 20) == "━" * 10


def test_a_moment_is_a_dot() -> None:
    assert plain(moment(5 * _S, Window(0, 10 * _S), 10)) == "     ·    "
    assert plain(moment(11 * _S, Window(0, 10 * _S), 10)) == "         ›"


_TIMES = st.integers(-(2**62), 2**62)


@given(_TIMES, _TIMES, _TIMES, st.integers(0, 2**62), st.integers(1, 200))
def test_whatever_the_times_are_the_cells_are_as_many(start: int, end: int, begin: int, lasts: int, width: int) -> None:
    window = Window(begin, begin + lasts)
    assert len(plain(bar(start, end, window, width, "text"))) == width
    assert len(plain(moment(start, window, width))) == width
    assert all(0 <= cell < width for cell, _, _ in ticks(window, width))


def test_the_axis_has_round_marks() -> None:
    assert [(cell, said) for cell, _, said in ticks(Window(0, 10 * _S), 60)] == [
        (0, "0"),
        (12, "2 s"),
        (24, "4 s"),
        (36, "6 s"),
        (48, "8 s"),
    ]
    assert [said for _, _, said in ticks(Window(1_230_000, 1_260_000), 60)] == ["1.23 ms", "1.24 ms", "1.25 ms"]


@pytest.mark.parametrize("lasts", [1, 999, 1000, 10**6, 10**9, 10**12, 10**15, 10**18])
def test_two_marks_of_an_axis_never_read_the_same(lasts: int) -> None:
    for begin in (0, -lasts // 2, 5 * lasts + 7, 10**15):
        said = [words for _, _, words in ticks(Window(begin, begin + lasts), 120)]
        assert len(set(said)) == len(said)


def test_the_window_around_what_is_in_sight_changes_rarely_while_it_grows() -> None:
    assert around([]) is None
    assert around([(5, 5)]) == Window(5, 1005)
    windows = {around([(0, ms * 1_000_000)]) for ms in range(1, 10_000)}
    assert len(windows) < 50
    for ms in range(1, 10_000, 7):
        window = around([(0, ms * 1_000_000)])
        assert window is not None
        assert ms * 1_000_000 <= window.end <= 1.5 * ms * 1_000_000 + 1000


def _exchange(state: ExchangeState, sender: Direction = Direction.TO_SERVER, **more: bool) -> Exchange:
    return Exchange(1, sender, 1, "x", "", 1, 0, state=state, **more)  # type: ignore[arg-type]


def test_a_bar_looks_like_what_became_of_its_exchange() -> None:
    assert role_of(_exchange(ExchangeState.ANSWERED)) == "to_server"
    assert role_of(_exchange(ExchangeState.ANSWERED, Direction.FROM_SERVER)) == "from_server"
    assert role_of(_exchange(ExchangeState.ANSWERED, tool_error=True)) == "error"
    assert role_of(_exchange(ExchangeState.LOST)) == "error"
    assert role_of(_exchange(ExchangeState.ERROR, probe=True)) == "muted"
    assert role_of(_exchange(ExchangeState.CANCELLED)) == "warning"
    assert role_of(_exchange(ExchangeState.PENDING)) == "pending"
