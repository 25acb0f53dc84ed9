"""The keys for writing by hand and for skills."""

from inspector.tui.actions import ActionScope
from inspector.tui.keys import ACTIONS, action
from inspector.tui.screens.compose.keys import BY_HAND, SKILLS


def test_they_are_part_of_the_table() -> None:
    assert set(BY_HAND) | set(SKILLS) <= set(ACTIONS)
    assert {each.where for each in BY_HAND} == {ActionScope.RAW}
    assert {each.where for each in SKILLS} == {ActionScope.SKILLS}


def test_what_is_done_by_the_key_that_sends_elsewhere_sends_here_too() -> None:
    assert action("raw.send").keys == action("skills.read").keys == action("tools.send").keys


def test_nothing_that_is_typed_is_taken_from_a_field() -> None:
    assert [each.id for each in (*BY_HAND, *SKILLS) if each.priority] == ["raw.send"]
