"""The keys of filtering and finding."""

from inspector.tui.actions import Where
from inspector.tui.filter_keys import FILTERING
from inspector.tui.keys import ACTIONS
from inspector.tui.panels.traffic import TrafficPanel


def test_they_are_part_of_the_table() -> None:
    assert set(FILTERING) <= set(ACTIONS)


def test_the_panel_does_what_they_ask_for() -> None:
    wanted = {action.action.partition("(")[0] for action in FILTERING if action.where is Where.TRAFFIC}
    assert [name for name in wanted if not hasattr(TrafficPanel, f"action_{name}")] == []
