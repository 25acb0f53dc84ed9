"""The keys of tools, resources and prompts: what is done to all of them is done by the same key."""

import pytest

from inspector.tui.actions import Where
from inspector.tui.keys import ACTIONS
from inspector.tui.offered_keys import OFFERED


def test_they_are_part_of_the_table() -> None:
    assert set(OFFERED) <= set(ACTIONS)


@pytest.mark.parametrize("label", ["History", "Form/JSON", "About", "Repeat", "Save", "Filter", "Clear filter"])
def test_one_action_has_one_key_on_every_screen(label: str) -> None:
    keys = {action.keys for action in OFFERED if action.label == label}
    wheres = {action.where for action in OFFERED if action.label == label}
    assert len(keys) == 1
    assert wheres == {Where.TOOLS, Where.RESOURCES, Where.PROMPTS}


def test_a_control_key_means_the_same_wherever_it_means_anything() -> None:
    meanings: dict[str, set[str]] = {}
    for action in ACTIONS:
        for key in action.keys:
            if key.startswith("ctrl+") and action.where is not Where.EVERYWHERE:
                meanings.setdefault(key, set()).add(action.action if action.where is Where.MOVING else action.label)
    assert meanings["ctrl+@"] == {"Complete"}
    assert meanings["ctrl+g"] == {"Cancel", "Result"}  # a request of the server has no result to go to
    assert meanings["ctrl+o"] == {"Form/JSON"}
