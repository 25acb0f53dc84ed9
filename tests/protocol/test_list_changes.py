"""What has changed in a list, by the keys of its things."""

from typing import Any

from inspector.protocol.list_changes import ListChanges, key_of, list_changes


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


def test_another_order_alone_is_told() -> None:
    changes = list_changes("tools", [thing("a"), thing("b")], [thing("b"), thing("a")])
    assert (changes.reordered, changes.any) == (True, True)
    assert not list_changes("tools", [thing("a")], [thing("a")]).any
