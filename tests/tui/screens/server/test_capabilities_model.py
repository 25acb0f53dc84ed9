"""What is offered, as switches."""

from inspector.present.spans import plain
from inspector.protocol.capabilities import ALL, FORM, ROOTS, SAMPLING, SAMPLING_TOOLS
from inspector.protocol.revisions.table import NEWEST, ROWS
from inspector.tui.screens.server.capabilities_model import MEANINGS, declaration, switch_row, switches, toggled


def test_every_offer_has_a_switch_and_a_meaning() -> None:
    assert set(MEANINGS) == set(ALL)
    assert [each.name for each in switches(frozenset(), frozenset(), None)] == list(ALL)


def test_switch_row_shows_state_and_change() -> None:
    found = {each.name: each for each in switches({ROOTS}, {ROOTS, FORM}, NEWEST)}
    rows = {name: plain(switch_row(each, on="✓", off="○", width=76)) for name, each in found.items()}
    assert rows[ROOTS].startswith(" ✓ roots ")
    assert "changed" not in rows[ROOTS]
    assert rows[FORM].startswith(" ○ elicitation.form")
    assert "changed" in rows[FORM]


def test_switch_row_marks_missing_capabilities_of_a_revision() -> None:
    first = {each.name: each for each in switches(ALL, ALL, ROWS[0])}
    assert not first[FORM].exists
    assert "not in this protocol version" in plain(switch_row(first[FORM], on="✓", off="○", width=76))
    assert first[SAMPLING].exists


def test_tools_in_sampling_go_with_sampling() -> None:
    assert toggled(frozenset(), SAMPLING_TOOLS) == {SAMPLING, SAMPLING_TOOLS}
    assert toggled(frozenset({SAMPLING, SAMPLING_TOOLS}), SAMPLING) == frozenset()
    assert toggled(frozenset({SAMPLING, SAMPLING_TOOLS}), SAMPLING_TOOLS) == {SAMPLING}


def test_declaration_uses_the_words_of_the_revision() -> None:
    assert declaration({ROOTS}, ROWS[0]) == '{"roots": {"listChanged": true}}'
    assert declaration({ROOTS}, None) == ""
