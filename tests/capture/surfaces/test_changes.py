"""Two surfaces: what came, what is gone, what has changed, and what could not be compared."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.capture.surfaces.changes import compare_surfaces
from inspector.capture.surfaces.lock_file import written
from inspector.capture.surfaces.ratings import Act, Rating
from inspector.capture.surfaces.surface import Surface
from tests.capture.surfaces.offered import SHOP, shop

_TURNED = {Act.ADDED: Act.REMOVED, Act.REMOVED: Act.ADDED, Act.CHANGED: Act.CHANGED}


def test_a_surface_and_itself_differ_in_nothing() -> None:
    diff = compare_surfaces(shop(), shop())
    assert (diff.changes, diff.notes, diff.compared, diff.worst) == ((), (), 5, None)


def test_what_is_gone_breaks_but_for_resources_and_what_came_does_not() -> None:
    nothing: dict[str, Any] = {kind: [] for kind in SHOP}
    gone = {each.rule: each.rating for each in compare_surfaces(shop(), shop(**nothing)).changes}
    assert gone == {
        "tool-removed": Rating.BREAKING,
        "prompt-removed": Rating.BREAKING,
        "template-removed": Rating.BREAKING,
        "resource-removed": Rating.WARNING,
    }
    came = compare_surfaces(shop(**nothing), shop())
    assert (came.count(Rating.INFO), came.worst) == (5, Rating.INFO)


def test_a_list_that_one_side_does_not_know_or_has_in_part_is_not_held_against_the_other() -> None:
    diff = compare_surfaces(shop(tools=None), shop(prompts=[], partial=("prompts",)))
    assert diff.changes == ()
    assert any("tools" in note for note in diff.notes)
    assert any("prompts" in note and "to the end" in note for note in diff.notes)
    assert compare_surfaces(Surface(), shop()).changes == ()


def test_two_servers_that_have_next_to_nothing_in_common_are_told_of() -> None:
    other = {"name": "harbour", "version": "1"}
    tools = [{"name": f"t{n}"} for n in range(10)]
    (note,) = compare_surfaces(shop(), shop(server=other, tools=tools, resources=[], templates=[], prompts=[])).notes
    assert "'shop' and 'harbour' have no thing in common" in note
    assert compare_surfaces(shop(), shop(server=other)).notes == (), "it has got another name, and is the same"
    assert compare_surfaces(shop(), shop(tools=tools)).notes == (), "it says of itself that it is the same"


def test_of_several_things_with_one_name_the_first_is_compared_with_the_first() -> None:
    twice = [{"name": "a", "title": "1"}, {"name": "a", "title": "2"}]
    assert compare_surfaces(shop(tools=twice), shop(tools=twice)).changes == ()
    (change,) = compare_surfaces(shop(tools=twice), shop(tools=twice[:1])).changes
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
    assert compare_surfaces(here, here).changes == ()
    forth, back = compare_surfaces(here, there).changes, compare_surfaces(there, here).changes
    assert sorted((_TURNED[each.act], each.kind, each.name, each.path) for each in forth) == sorted(
        (each.act, each.kind, each.name, each.path) for each in back
    )
    assert bool(forth) is (written(here) != written(there)), "what is written in another way differs somewhere"
