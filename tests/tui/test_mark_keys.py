"""The keys of marks."""

from inspector.tui.actions import Where
from inspector.tui.app import InspectApp
from inspector.tui.keys import ACTIONS
from inspector.tui.mark_keys import MARKING
from inspector.tui.panels.traffic import TrafficPanel
from inspector.tui.screens.marks import MarksScreen


def test_they_are_part_of_the_table_and_somebody_does_what_they_ask_for() -> None:
    assert set(MARKING) <= set(ACTIONS)
    for action in MARKING:
        owner: type = MarksScreen if action.where is Where.MARKS else TrafficPanel
        if action.action.startswith("app."):
            owner = InspectApp
        assert hasattr(owner, f"action_{action.action.removeprefix('app.')}"), action.id
