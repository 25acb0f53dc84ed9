"""The keys of the findings are part of the table."""

from inspector.tui.actions import ActionScope, key_name
from inspector.tui.keys import ACTIONS
from inspector.tui.screens.findings.keys import FINDING_JUMPS, FINDINGS, FINDINGS_SCREEN


def test_they_stand_in_the_table() -> None:
    assert {*FINDINGS, *FINDING_JUMPS, FINDINGS_SCREEN} <= set(ACTIONS)
    assert key_name(FINDINGS_SCREEN.keys[0]) == "E"
    assert {action.where for action in FINDINGS} == {ActionScope.FINDINGS}
