"""The keys of tabs and of the timeline."""

from inspector.tui.actions import Where
from inspector.tui.app import InspectApp
from inspector.tui.keys import ACTIONS
from inspector.tui.panels.timeline import TimelinePanel
from inspector.tui.screens.open import OpenScreen
from inspector.tui.tab_keys import TABBING, TIMELINE


def test_they_are_part_of_the_table() -> None:
    assert set(TABBING) | set(TIMELINE) <= set(ACTIONS)


def test_app_panel_and_screen_do_what_they_ask_for() -> None:
    owners = {Where.EVERYWHERE: InspectApp, Where.TIMELINE: TimelinePanel, Where.OPEN: OpenScreen}
    for action in (*TABBING, *TIMELINE):
        name = action.action.removeprefix("app.").partition("(")[0]
        assert hasattr(owners[action.where], f"action_{name}"), action.id
