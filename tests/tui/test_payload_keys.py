"""The keys of payloads, where they stand in the table of all keys."""

from inspector.tui import keys
from inspector.tui.actions import Where
from inspector.tui.payload_keys import PAYLOADS


def test_they_are_in_the_table_of_all_keys() -> None:
    assert all(keys.action(action.id) is action for action in PAYLOADS)


def test_function_keys_stand_second_because_many_terminals_do_not_send_them() -> None:
    assert keys.action("payload.pager").keys == ("|", "f3")
    assert keys.action("payload.editor").keys == ("ctrl+e", "f4")


def test_they_belong_to_payloads_alone() -> None:
    assert {action.where for action in PAYLOADS} == {Where.JSON, Where.PAYLOAD, Where.TEXT, Where.FINDING_HERE}
