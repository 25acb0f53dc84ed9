"""The keys of a comparison."""

from inspector.tui.actions import Where
from inspector.tui.compare_keys import COMPARING
from inspector.tui.keys import ACTIONS
from inspector.tui.screens.compare import CompareScreen


def test_they_are_part_of_the_table_and_no_key_means_two_things() -> None:
    assert set(COMPARING) <= set(ACTIONS)
    for action in COMPARING:
        assert hasattr(CompareScreen, f"action_{action.action.partition('(')[0]}"), action.id
    places = (Where.MOVING, Where.LIST, Where.COMPARE)
    used = [key for action in ACTIONS if action.where in places for key in action.keys]
    assert len(used) == len(set(used))
