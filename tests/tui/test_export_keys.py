"""The keys of exporting."""

from inspector.tui.actions import Where
from inspector.tui.app import InspectApp
from inspector.tui.export_keys import EXPORTING
from inspector.tui.keys import ACTIONS
from inspector.tui.screens.export import ExportScreen


def test_they_are_part_of_the_table_and_somebody_does_what_they_ask_for() -> None:
    assert set(EXPORTING) <= set(ACTIONS)
    for action in EXPORTING:
        owner: type = ExportScreen if action.where is Where.EXPORT else InspectApp
        name = action.action.removeprefix("app.").partition("(")[0]
        assert hasattr(owner, f"action_{name}"), action.id
