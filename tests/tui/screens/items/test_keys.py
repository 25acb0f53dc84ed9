"""The keys of tools, resources and prompts: what is done to all of them is done by the same key."""

import pytest

from inspector.tui.actions import ActionScope
from inspector.tui.keys import ACTIONS
from inspector.tui.screens.items.keys import OFFERED


def test_they_are_part_of_the_table() -> None:
    assert set(OFFERED) <= set(ACTIONS)


@pytest.mark.parametrize("label", ["History", "Form/JSON", "About", "Repeat", "Save", "Filter", "Clear filter"])
def test_one_action_has_one_key_on_every_screen(label: str) -> None:
    keys = {action.keys for action in OFFERED if action.label == label}
    wheres = {action.where for action in OFFERED if action.label == label}
    assert len(keys) == 1
    assert wheres == {ActionScope.TOOLS, ActionScope.RESOURCES, ActionScope.PROMPTS}


_SENDS = {"Call", "Read", "Get", "Answer", "Send"}
"""What is sent differs by screen; that it is sent does not."""


def test_a_control_or_function_key_means_the_same_wherever_it_means_anything() -> None:
    meanings: dict[str, set[str]] = {}
    for action in ACTIONS:
        for key in action.keys:
            if key.startswith("ctrl+") or key in {f"f{number}" for number in range(1, 13)}:
                label = "Send" if action.label in _SENDS else action.label
                meanings.setdefault(key, set()).add(label)
    assert meanings["ctrl+x"] == {"Cancel"}
    assert meanings["ctrl+g"] == {"Result"}
    # A filter line has no values that could be null, and the next proposal is ctrl+n wherever lines are completed.
    assert meanings.pop("ctrl+n") == {"null", "Next proposal"}
    assert {key: labels for key, labels in meanings.items() if len(labels) > 1} == {}
