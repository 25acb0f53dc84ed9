"""Items are paired by what they are, and what has no partner keeps its place."""

from inspector.capture.compare.align import align


def test_equal_items_are_paired_wherever_they_stand_and_each_once() -> None:
    assert align("abca", "caab", str) == [(0, 1), (1, 3), (2, 0), (3, 2)]


def test_what_is_alone_stands_behind_its_own_neighbour() -> None:
    assert align("abc", "xacyb", str) == [(None, 0), (0, 1), (1, 4), (2, 2), (None, 3)]
    assert align("aoc", "anc", str) == [(0, 0), (1, None), (None, 1), (2, 2)]
    assert align("", "ab", str) == [(None, 0), (None, 1)]
    assert align("ab", "", str) == [(0, None), (1, None)]


def test_the_stricter_key_comes_first() -> None:
    first, second = ["a1", "a2"], ["a2", "a3"]
    assert align(first, second, str, lambda item: item[0]) == [(0, 1), (1, 0)]


def test_a_hundred_thousand_items_in_another_order_are_all_paired() -> None:
    many = [*range(100_000)]
    assert align(many, many[::-1], int) == [(at, 99_999 - at) for at in many]
