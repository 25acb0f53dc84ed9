"""The keys of stories."""

from inspector.tui.actions import Where
from inspector.tui.keys import ACTIONS
from inspector.tui.panels.traffic import TrafficPanel
from inspector.tui.screens.story import StoryScreen
from inspector.tui.story_keys import TELLING


def test_they_are_part_of_the_table_and_somebody_does_what_they_ask_for() -> None:
    assert set(TELLING) <= set(ACTIONS)
    for action in TELLING:
        owner: type = StoryScreen if action.where is Where.STORY else TrafficPanel
        assert hasattr(owner, f"action_{action.action}"), action.id
