"""The keys for HTTP exchanges."""

from inspector.tui.actions import Where
from inspector.tui.keys import ACTIONS, action
from inspector.tui.network_keys import NETWORK


def test_they_are_part_of_the_table_and_mean_what_they_mean_elsewhere() -> None:
    assert set(NETWORK) <= set(ACTIONS)
    assert {each.where for each in NETWORK} == {Where.NETWORK}
    assert action("network.reveal").keys == action("server.reveal").keys
    assert action("network.entry").keys == action("tasks.call").keys
