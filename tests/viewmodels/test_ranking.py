"""What a search finds, best first."""

from inspector.viewmodels.ranking import BITE, best_first


def test_rows_of_one_rank_stay_in_their_order_and_those_without_are_left_out() -> None:
    ranks = {"a": 2, "b": 0, "c": None, "d": 2, "e": 0}
    assert best_first(list(ranks), ranks.get) == ["b", "e", "a", "d"]


def test_a_search_that_is_called_off_looks_no_further() -> None:
    looked_at: list[int] = []
    best_first(range(10 * BITE), looked_at.append, lambda: len(looked_at) < 2 * BITE)
    assert len(looked_at) == 2 * BITE
