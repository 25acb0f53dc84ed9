"""Which line stands in which row."""

from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.folds import Folds


def shown(folds: Folds) -> list[tuple[int, int]]:
    return [folds.locate(row) for row in range(folds.rows)]


def test_without_folds_rows_are_lines() -> None:
    folds = Folds(3)
    assert shown(folds) == [(0, 0), (1, 0), (2, 0)]
    assert folds.row_of(2) == 2


def test_a_fold_hides_what_is_behind_its_first_line() -> None:
    folds = Folds(6)
    folds.fold(1, 3)
    assert [line for line, _ in shown(folds)] == [0, 1, 4, 5]
    assert [folds.row_of(line) for line in range(6)] == [0, 1, 1, 1, 2, 3]
    assert folds.folded(1)
    folds.unfold(1)
    assert folds.rows == 6


def test_a_fold_inside_a_fold_is_still_there_when_the_outer_is_opened() -> None:
    folds = Folds(10)
    folds.fold(3, 5)
    folds.fold(1, 8)
    assert [line for line, _ in shown(folds)] == [0, 1, 9]
    folds.unfold(1)
    assert [line for line, _ in shown(folds)] == [0, 1, 2, 3, 6, 7, 8, 9]


def test_an_opened_line_takes_more_rows() -> None:
    folds = Folds(3)
    folds.open(1, 3)
    assert shown(folds) == [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0)]
    assert [folds.row_of(line) for line in range(3)] == [0, 1, 4]
    assert folds.opened(1)
    folds.close(1)
    assert folds.rows == 3
    folds.open(0, 2)
    folds.close()
    assert folds.rows == 3


def test_one_line_is_neither_folded_nor_opened() -> None:
    folds = Folds(3)
    folds.fold(1, 1)
    folds.open(2, 1)
    assert folds.rows == 3


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12), st.booleans()), max_size=12))
def test_every_row_has_its_line_and_every_line_its_row(steps: list[tuple[int, int, bool]]) -> None:
    folds = Folds(40)
    for line, size, fold in steps:
        nested = all(not (start < line <= start + hidden < line + size) for start, hidden in folds._hidden.items())
        crossing = any(line < start <= line + size < start + hidden for start, hidden in folds._hidden.items())
        if not fold:
            folds.open(line, size)
        elif nested and not crossing:  # the folds of JSON never cross
            folds.fold(line, min(line + size, 39))
    rows = shown(folds)
    assert rows == sorted(set(rows))
    for line in range(40):
        first, part = folds.locate(folds.row_of(line))
        assert part == 0
        assert first <= line
        assert first == line or line <= first + folds._hidden[first]
