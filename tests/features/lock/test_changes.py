"""Two surfaces: what was added, removed or changed, and what could not be compared."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.features.lock.changes import account_changes, compare_definitions, item_changes
from inspector.features.lock.lock_file import ServerDefinitions, written
from inspector.features.lock.schemas import Act, Rating
from tests.features.lock.offered import SHOP, shop

_TURNED = {Act.ADDED: Act.REMOVED, Act.REMOVED: Act.ADDED, Act.CHANGED: Act.CHANGED}


def test_a_surface_and_itself_differ_in_nothing() -> None:
    diff = compare_definitions(shop(), shop())
    assert (diff.changes, diff.notes, diff.compared, diff.worst) == ((), (), 5, None)


def test_removal_breaks_and_addition_does_not() -> None:
    nothing: dict[str, Any] = {kind: [] for kind in SHOP}
    gone = {each.rule: each.rating for each in compare_definitions(shop(), shop(**nothing)).changes}
    assert gone == {
        "tool-removed": Rating.BREAKING,
        "prompt-removed": Rating.BREAKING,
        "template-removed": Rating.BREAKING,
        "resource-removed": Rating.WARNING,
    }
    came = compare_definitions(shop(**nothing), shop())
    assert (came.count(Rating.INFO), came.worst) == (5, Rating.INFO)


def test_a_list_that_one_side_does_not_know_or_has_in_part_is_not_held_against_the_other() -> None:
    diff = compare_definitions(shop(tools=None), shop(prompts=[], partial=("prompts",)))
    assert diff.changes == ()
    assert any("tools" in note for note in diff.notes)
    assert any("prompts" in note and "to the end" in note for note in diff.notes)
    assert compare_definitions(ServerDefinitions(), shop()).changes == ()


def test_servers_with_little_in_common_get_a_note() -> None:
    other = {"name": "harbour", "version": "1"}
    tools = [{"name": f"t{n}"} for n in range(10)]
    (note,) = compare_definitions(shop(), shop(server=other, tools=tools, resources=[], templates=[], prompts=[])).notes
    assert "'shop' and 'harbour' have no item in common" in note
    assert compare_definitions(shop(), shop(server=other)).notes == (), "it has got another name, and is the same"
    assert compare_definitions(shop(), shop(tools=tools)).notes == (), "it says of itself that it is the same"


def test_items_with_equal_names_are_compared_in_order() -> None:
    twice = [{"name": "a", "title": "1"}, {"name": "a", "title": "2"}]
    assert compare_definitions(shop(tools=twice), shop(tools=twice)).changes == ()
    (change,) = compare_definitions(shop(tools=twice), shop(tools=twice[:1])).changes
    assert (change.name, change.act) == ("a", Act.REMOVED)


_TOOL = st.fixed_dictionaries(
    {"name": st.sampled_from("abc")},
    optional={
        "description": st.sampled_from(["x", "y", "x y"]),
        "inputSchema": st.sampled_from([{}, {"type": "object"}, {"required": ["q"]}, True, 7]),
        "outputSchema": st.sampled_from([{}, {"type": "object"}]),
        "annotations": st.sampled_from([None, {}, {"readOnlyHint": True}]),
        "odd": st.sampled_from([1, True, "1"]),
    },
)
_TOOLS = st.lists(_TOOL | st.sampled_from(["text", None, 7]), max_size=4)


@given(_TOOLS, _TOOLS)
def test_the_same_is_empty_and_the_way_back_is_the_same_turned_round(one: list[Any], other: list[Any]) -> None:
    here, there = shop(tools=one), shop(tools=other)
    assert compare_definitions(here, here).changes == ()
    forth, back = compare_definitions(here, there).changes, compare_definitions(there, here).changes
    assert sorted((_TURNED[each.act], each.kind, each.name, each.path) for each in forth) == sorted(
        (each.act, each.kind, each.name, each.path) for each in back
    )
    assert bool(forth) is (written(here) != written(there)), "what is written in another way differs somewhere"


_B, _W, _I = Rating.BREAKING, Rating.WARNING, Rating.INFO


def _thing(kind: str, before: Any, after: Any) -> list[tuple[str, str, Rating]]:
    base = {"name": "t"}
    return [(each.path, each.rule, each.rating) for each in item_changes(kind, "t", base | before, base | after)]


@pytest.mark.parametrize(
    ("kind", "before", "after", "path", "rule", "rating"),
    [
        ("tools", {"description": "a b"}, {"description": "a c"}, "description", "description", _W),
        ("tools", {"description": "a b"}, {"description": "a  b"}, "description", "blanks", _I),
        ("tools", {}, {"title": "T"}, "title", "other", _I),
        ("tools", {}, {"annotations": {"readOnlyHint": True}}, "annotations", "annotation", _W),
        ("tools", {"annotations": {"title": "a"}}, {"annotations": {"title": "b"}}, "annotations.title", "other", _I),
        ("tools", {}, {"outputSchema": {}}, "outputSchema", "output-added", _I),
        ("tools", {"outputSchema": {}}, {}, "outputSchema", "output-removed", _B),
        ("tools", {"inputSchema": {}}, {}, "inputSchema", "rewritten", _I),
        ("tools", {"inputSchema": {}}, {"inputSchema": {"type": "object"}}, "inputSchema.type", "type-narrower", _B),
        ("tools", {}, {"execution": {"taskSupport": "required"}}, "execution", "task-support", _B),
        ("tools", {}, {"execution": {"taskSupport": "forbidden"}}, "execution", "other", _I),
        (
            *("tools", {"execution": {"taskSupport": "optional"}}, {"execution": {"taskSupport": "forbidden"}}),
            *("execution.taskSupport", "task-support", _W),
        ),
        ("resources", {"mimeType": "a/b"}, {"mimeType": "a/c"}, "mimeType", "mime-type", _W),
        ("prompts", {}, {"arguments": [{"name": "q"}]}, "arguments.q", "argument-added", _I),
        (
            *("prompts", {"arguments": []}, {"arguments": [{"name": "q", "required": True}]}),
            *("arguments.q", "required-argument-added", _B),
        ),
        ("prompts", {"arguments": [{"name": "q"}]}, {"arguments": []}, "arguments.q", "argument-removed", _W),
        (
            *("prompts", {"arguments": [{"name": "q"}]}, {"arguments": [{"name": "q", "required": True}]}),
            *("arguments.q.required", "required-added", _B),
        ),
        (
            *("prompts", {"arguments": [{"name": "q", "required": True}]}, {"arguments": [{"name": "q"}]}),
            *("arguments.q.required", "required-removed", _I),
        ),
        (
            *("prompts", {"arguments": [{"name": "a"}, {"name": "b"}]}, {"arguments": [{"name": "b"}, {"name": "a"}]}),
            *("arguments", "rewritten", _I),
        ),
        ("prompts", {"arguments": 7}, {"arguments": 8}, "arguments", "other", _I),
    ],
)
def test_the_rules(kind: str, before: Any, after: Any, path: str, rule: str, rating: Rating) -> None:
    assert _thing(kind, before, after) == [(path, rule, rating)]


def test_non_object_item_is_breaking() -> None:
    (found,) = item_changes("tools", "", "text", {"name": "t"})
    assert (found.rule, found.rating) == ("no-object", _B)


@pytest.mark.parametrize(
    ("changed", "rule", "rating"),
    [
        ({"server": {"name": "shop", "version": "2"}}, "server", _I),
        ({"server": {"name": "other", "version": "1"}}, "server-name", _W),
        ({"revision": "r2"}, "revision", _W),
        ({"instructions": "Be rude."}, "description", _W),
        ({"capabilities": {"tools": {"listChanged": True}}}, "capability-removed", _B),
        ({"capabilities": {"tools": {}, "prompts": {}}}, "capability-removed", _W),
        ({"capabilities": {"tools": {"listChanged": False}, "prompts": {}}}, "capability-changed", _W),
        ({"capabilities": {"tools": {"listChanged": True}, "prompts": {}, "logging": {}}}, "capability-added", _I),
    ],
)
def test_account_change_has_its_rule_and_rating(changed: dict[str, Any], rule: str, rating: Rating) -> None:
    assert [(each.rule, each.rating) for each in account_changes(shop(), shop(**changed))] == [(rule, rating)]
