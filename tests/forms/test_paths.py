"""New values that differ in one place."""

from inspector.forms.fields import UNSET
from inspector.forms.paths import get_at, move_at, pointer, remove_at, set_at


def test_reading_where_nothing_is_gives_unset_and_null_gives_null() -> None:
    value = {"a": [{"b": None}]}
    assert get_at(value, ("a", 0, "b")) is None
    assert get_at(value, ()) is value
    for nowhere in [("x",), ("a", 1), ("a", -1), ("a", "0"), ("a", 0, "b", "c"), (0,)]:
        assert get_at(value, nowhere) is UNSET


def test_writing_leaves_the_old_value_alone() -> None:
    old = {"a": [1, {"b": 2}], "c": 3}
    new = set_at(old, ("a", 1, "b"), 9)
    assert new == {"a": [1, {"b": 9}], "c": 3}
    assert old == {"a": [1, {"b": 2}], "c": 3}


def test_writing_builds_the_way_and_keeps_the_place_of_what_is_unset() -> None:
    assert set_at(UNSET, ("a", 1, "b"), 1) == {"a": [UNSET, {"b": 1}]}
    assert set_at({"a": 1}, ("a",), UNSET) == {"a": UNSET}
    assert set_at(5, ("a",), 1) == {"a": 1}
    assert set_at(5, (), 6) == 6
    assert set_at([1], (-3,), 2) == [2]


def test_removing_takes_the_member_or_item_away() -> None:
    assert remove_at({"a": [1, 2, 3]}, ("a", 1)) == {"a": [1, 3]}
    assert remove_at({"a": 1, "b": UNSET}, ("b",)) == {"a": 1}
    assert remove_at({"a": 1}, ()) is UNSET
    for nowhere in [("x",), ("a", 0), ("a", "b", "c")]:
        assert remove_at({"a": 1}, nowhere) == {"a": 1}


def test_an_item_moves_to_another_index() -> None:
    assert move_at({"a": [1, 2, 3]}, ("a", 2), 0) == {"a": [3, 1, 2]}
    assert move_at([1, 2], (0,), 9) == [2, 1]
    assert move_at([1, 2], (5,), 0) == [1, 2]
    assert move_at({"a": 1}, ("a",), 0) == {"a": 1}


def test_paths_are_written_as_pointers() -> None:
    assert pointer(()) == ""
    assert pointer(("a/b", 0, "t~")) == "/a~1b/0/t~0"
