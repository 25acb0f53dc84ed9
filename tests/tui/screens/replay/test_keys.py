"""The keys for recordings."""

from inspector.tui.actions import ActionScope
from inspector.tui.keys import ACTIONS
from inspector.tui.screens.replay.controls import Replay
from inspector.tui.screens.replay.keys import REPLAYING
from inspector.tui.screens.traffic.panel import TrafficPanel


def test_they_are_part_of_the_table_and_the_app_does_what_they_ask_for() -> None:
    assert set(REPLAYING) <= set(ACTIONS)
    for action in REPLAYING:
        owner = Replay if action.where is ActionScope.REPLAY else TrafficPanel
        assert hasattr(owner, f"action_{action.action.removeprefix('app.').partition('(')[0]}"), action.id


def test_none_of_them_takes_a_key_that_works_everywhere() -> None:
    everywhere = {key for action in ACTIONS if action.where is ActionScope.EVERYWHERE for key in action.keys}
    assert not everywhere & {key for action in REPLAYING for key in action.keys}
