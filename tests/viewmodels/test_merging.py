"""Merging lists into one order of time: among lists the moment decides, within a list its own order."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from inspector.viewmodels.merging import FOREVER, Feed, Merge, code_of, entry_of, number_of


class Lists:
    """Lists of moments; entry n of a list is at position n - 1."""

    def __init__(self, *moments: Sequence[int]) -> None:
        self.moments = [list(each) for each in moments]
        self.merge = Merge([Feed(number, self._times(number)) for number in range(len(moments))])

    def _times(self, number: int):  # type: ignore[no-untyped-def]
        return lambda entries: [self.moments[number][n - 1] for n in entries]

    def step(self, limit: int = 1000, reached: Sequence[int] = ()) -> bool:
        rows = [range(1, len(each) + 1) for each in self.moments]
        return self.merge.step(rows, reached, limit)

    def merged(self) -> list[tuple[int, int]]:
        return [(number_of(code), entry_of(code)) for code in self.merge.codes]


def test_rows_stand_in_the_order_of_time() -> None:
    lists = Lists([10, 40], [20, 30, 50])
    assert lists.step()
    assert lists.merged() == [(0, 1), (1, 1), (1, 2), (0, 2), (1, 3)]
    assert not lists.step()


def test_what_comes_in_small_steps_moves_nothing() -> None:
    lists = Lists(range(0, 300, 3), range(1, 30))
    while lists.step(7):
        pass
    assert [*lists.merge.times] == sorted([*range(0, 300, 3), *range(1, 30)])
    assert lists.merge.moved == 0


def test_what_comes_late_takes_its_place_and_that_is_counted() -> None:
    lists = Lists([10, 20], [])
    lists.step()
    lists.moments[1].append(15)
    assert lists.step()
    assert lists.merged() == [(0, 1), (1, 1), (0, 2)]
    assert lists.merge.moved == 1


def test_nothing_is_taken_beyond_what_is_known_of_all_lists() -> None:
    lists = Lists([10, 20, 30], [])
    assert lists.step(reached=(FOREVER, 20))
    assert lists.merged() == [(0, 1), (0, 2)]


def test_a_clock_that_goes_back_leaves_the_order_of_its_list() -> None:
    lists = Lists([10, 100, 5, 6], [50, 120])
    lists.step()
    assert [n for number, n in lists.merged() if number == 0] == [1, 2, 3, 4]
    assert lists.merge.find(code_of(0, 3), 5) == lists.merged().index((0, 3))


def test_a_row_is_found_and_one_that_is_not_there_gives_the_one_before() -> None:
    lists = Lists([10, 20, 20, 20], [20, 30])
    lists.step()
    for place, (number, n) in enumerate(lists.merged()):
        assert lists.merge.find(code_of(number, n), lists.moments[number][n - 1]) == place
    assert lists.merge.find(code_of(1, 9), 25) == 4
    assert lists.merge.find(code_of(1, 9), 1) == -1


@given(st.lists(st.lists(st.integers(0, 50), max_size=30), min_size=1, max_size=4), st.integers(1, 9))
def test_any_lists_in_any_steps_give_every_entry_once_and_each_list_in_its_order(
    moments: list[list[int]], limit: int
) -> None:
    lists = Lists(*moments)
    while lists.step(limit):
        pass
    merged = lists.merged()
    for number, each in enumerate(moments):
        assert [n for owner, n in merged if owner == number] == [*range(1, len(each) + 1)]
    assert [*lists.merge.times] == sorted(lists.merge.times)
