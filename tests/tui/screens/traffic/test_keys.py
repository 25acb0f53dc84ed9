"""The keys of filtering and finding."""

import pytest

from inspector.tui import keys
from inspector.tui.actions import ActionScope, key_name
from inspector.tui.keys import ACTIONS, action
from inspector.tui.navigation import Navigation
from inspector.tui.screens.notes.dialogs import MarksScreen
from inspector.tui.screens.traffic.dialogs import StoryScreen
from inspector.tui.screens.traffic.keys import FILTERING, MARKING, NETWORK, PAYLOADS, TELLING, TRAFFIC
from inspector.tui.screens.traffic.panel import TrafficPanel
from tests.present.tape import Tape
from tests.tui.staging import Staged


def test_they_are_part_of_the_table() -> None:
    assert set(FILTERING) <= set(ACTIONS)


@pytest.fixture
def panel(tape: Tape) -> TrafficPanel:
    return TrafficPanel(Staged(tape))


def test_the_panel_does_what_they_ask_for(panel: TrafficPanel) -> None:
    wanted = {action.action.partition("(")[0] for action in FILTERING if action.where is ActionScope.TRAFFIC}
    assert [name for name in wanted if not hasattr(panel, f"action_{name}")] == []


def test_they_are_part_of_the_table_and_somebody_does_what_they_ask_for(panel: TrafficPanel) -> None:
    assert set(MARKING) <= set(ACTIONS)
    for each in MARKING:
        owner: object = MarksScreen if each.where is ActionScope.MARKS else panel
        if each.action.startswith("app."):
            owner = Navigation
        assert hasattr(owner, f"action_{each.action.removeprefix('app.')}"), each.id


def test_they_are_part_of_the_table_and_mean_what_they_mean_elsewhere() -> None:
    assert set(NETWORK) <= set(ACTIONS)
    assert {each.where for each in NETWORK} == {ActionScope.NETWORK}
    assert action("network.reveal").keys == action("server.reveal").keys
    assert action("network.entry").keys == action("tasks.call").keys


def test_they_are_in_the_table_of_all_keys() -> None:
    assert all(keys.action(action.id) is action for action in PAYLOADS)


def test_function_keys_stand_second_because_many_terminals_do_not_send_them() -> None:
    assert keys.action("payload.pager").keys == ("|", "f3")
    assert keys.action("payload.editor").keys == ("ctrl+e", "f4")


def test_they_belong_to_payloads_alone() -> None:
    assert {action.where for action in PAYLOADS} == {
        ActionScope.JSON,
        ActionScope.PAYLOAD,
        ActionScope.TEXT,
        ActionScope.FINDING_HERE,
    }


def test_story_keys_they_are_part_of_the_table_and_somebody_does_what_they_ask_for(panel: TrafficPanel) -> None:
    assert set(TELLING) <= set(ACTIONS)
    for each in TELLING:
        owner: object = StoryScreen if each.where is ActionScope.STORY else panel
        assert hasattr(owner, f"action_{each.action}"), each.id


def test_traffic_keys_they_are_part_of_the_table() -> None:
    assert set(TRAFFIC) <= set(ACTIONS)
    assert {action.where for action in TRAFFIC} == {ActionScope.TRAFFIC, ActionScope.WATERFALL}


def test_in_the_waterfall_no_key_means_two_things() -> None:
    places = (ActionScope.MOVING, ActionScope.LIST, ActionScope.WATERFALL)
    used = [key for action in ACTIONS if action.where in places for key in action.keys]
    assert len(used) == len(set(used))


def test_keys_that_are_signs_are_written_as_they_are() -> None:
    assert [key_name(key) for key in ("@", "#", "(", "ctrl+@")] == ["@", "#", "(", "^Space"]
