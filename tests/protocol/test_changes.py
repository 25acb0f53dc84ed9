"""Differences of JSON values, by their places."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.protocol.changes import ABSENT, MOST, JsonChange, ListChanges, differences, key_of, list_changes

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)


def told(before: Any, after: Any) -> list[tuple[str, Any, Any]]:
    return [(change.path, change.before, change.after) for change in differences(before, after)]


def test_changed_member_has_its_path() -> None:
    before = {"inputSchema": {"properties": {"q": {"type": "string"}}}}
    after = {"inputSchema": {"properties": {"q": {"type": "integer"}}}}
    assert told(before, after) == [("inputSchema.properties.q.type", "string", "integer")]


def test_members_come_and_go() -> None:
    assert told({"a": 1, "b": None}, {"b": None, "c": 2}) == [("a", 1, ABSENT), ("c", ABSENT, 2)]


def test_an_array_of_plain_values_is_one_value() -> None:
    assert told({"required": ["a"]}, {"required": ["a", "b"]}) == [("required", ["a"], ["a", "b"])]


def test_named_items_are_matched_by_name() -> None:
    before = [{"name": "x", "required": True}, {"name": "y"}]
    after = [{"name": "y"}, {"name": "x", "required": False}]
    assert told({"arguments": before}, {"arguments": after}) == [("arguments.x.required", True, False)]


def test_unnamed_items_are_matched_by_position() -> None:
    assert told([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 3}, 4]) == [("[1].a", 2, 3), ("[2]", ABSENT, 4)]


@pytest.mark.parametrize(("key", "path"), [("a.b", '["a.b"]'), ('q"', '["q\\""]'), ("$ref", "$ref"), ("", '[""]')])
def test_odd_names_are_quoted(key: str, path: str) -> None:
    assert told({key: 1}, {key: 2}) == [(path, 1, 2)]


def test_true_is_not_one_and_one_is_one_point_nought() -> None:
    assert told({"a": True, "b": 1}, {"a": 1, "b": 1.0}) == [("a", True, 1)]


def test_there_is_an_end_to_it() -> None:
    assert len(differences(dict.fromkeys(map(str, range(900)), 1), {})) == MOST + 1


def test_deep_values_are_compared_as_wholes() -> None:
    one: Any = 1
    other: Any = 2
    for _ in range(200):
        one, other = [{"a": one}], [{"a": other}]
    (change,) = differences(one, other)
    assert change.path.count("a") == 30


@given(JSON, JSON)
def test_equal_values_have_none_and_others_have_some(before: Any, after: Any) -> None:
    assert differences(before, before) == ()
    changes = differences(before, after)
    assert all(isinstance(change, JsonChange) for change in changes)
    if before != after and not (isinstance(before, list) and isinstance(after, list)):
        assert changes


def thing(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name} | more


def test_things_are_added_removed_and_changed() -> None:
    before = [thing("a"), thing("b", title="B"), thing("c")]
    after = [thing("b", title="Bee"), thing("c"), thing("d")]
    changes = list_changes("tools", before, after)
    assert changes.added == (thing("d"),)
    assert changes.removed == (thing("a"),)
    assert changes.changed == ((thing("b", title="B"), thing("b", title="Bee")),)
    assert changes.marks() == {"b": "changed", "d": "new"}
    assert changes.has_lost("a")
    assert not changes.has_lost("b")


def test_each_kind_has_its_own_key() -> None:
    assert key_of("resources", {"uri": "x://a", "name": "n"}) == "x://a"
    assert key_of("templates", {"uriTemplate": "x://{a}", "name": "n"}) == "x://{a}"
    assert key_of("prompts", {"name": "n"}) == "n"
    changes = list_changes("resources", [{"uri": "x://a", "name": "n"}], [{"uri": "x://b", "name": "n"}])
    assert (len(changes.added), len(changes.removed)) == (1, 1)


def test_things_of_one_name_are_compared_in_their_order() -> None:
    changes = list_changes("tools", [thing("a", n=1), thing("a", n=2)], [thing("a", n=1), thing("a", n=3), thing("a")])
    assert changes.changed == ((thing("a", n=2), thing("a", n=3)),)
    assert changes.added == (thing("a"),)


def test_items_that_are_nothing_are_compared_too() -> None:
    assert list_changes("tools", [7, None], [7, {}]).changed == ((None, {}),)


def test_a_list_that_is_not_whole_proves_nothing_about_the_rest() -> None:
    assert list_changes("tools", [thing("a"), thing("b")], [thing("a")], after_whole=False) == ListChanges("tools")
    assert list_changes("tools", [thing("a")], [thing("a"), thing("b")], before_whole=False) == ListChanges("tools")


def test_reordering_alone_is_a_change() -> None:
    changes = list_changes("tools", [thing("a"), thing("b")], [thing("b"), thing("a")])
    assert (changes.reordered, changes.any) == (True, True)
    assert not list_changes("tools", [thing("a")], [thing("a")]).any
