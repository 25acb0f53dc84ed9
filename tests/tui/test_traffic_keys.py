"""The keys of the traffic's list and of its waterfall are part of the table."""

from inspector.tui.actions import Where
from inspector.tui.keys import ACTIONS, key_name
from inspector.tui.traffic_keys import TRAFFIC


def test_they_are_part_of_the_table() -> None:
    assert set(TRAFFIC) <= set(ACTIONS)
    assert {action.where for action in TRAFFIC} == {Where.TRAFFIC, Where.WATERFALL}


def test_in_the_waterfall_no_key_means_two_things() -> None:
    places = (Where.MOVING, Where.LIST, Where.WATERFALL)
    used = [key for action in ACTIONS if action.where in places for key in action.keys]
    assert len(used) == len(set(used))


def test_keys_that_are_signs_are_written_as_they_are() -> None:
    assert [key_name(key) for key in ("@", "#", "(", "ctrl+@")] == ["@", "#", "(", "^Space"]
