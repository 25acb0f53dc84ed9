"""The keys of the screen of sessions."""

from inspector.tui.keys import ACTIONS
from inspector.tui.panels.sessions import SessionsPanel
from inspector.tui.session_keys import SESSIONS, SHELF


def test_they_are_part_of_the_table_and_the_screen_does_what_they_ask_for() -> None:
    assert {*SESSIONS, *SHELF} <= set(ACTIONS)
    for action in SHELF:
        assert hasattr(SessionsPanel, f"action_{action.action}"), action.id
