"""The table of screens: a panel for each action that shows one, and the file of a screen alone makes it known."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from inspector.tui import keys
from inspector.tui.actions import ActionScope, read_table
from inspector.tui.panels import Panel

_COSTS = """
[screens]
costs  panel:CostsPanel  -  Everywhere  Costs  Lists  (Sums)

[Everywhere] 15
screen.costs  g y  Costs  app.show('costs')  -   Show what each tool costs.

[Costs] 65
costs.sort    v O  Sort   sort               FP  Sort by the next column.
"""


@pytest.mark.parametrize("name", keys.SCREENS)
def test_each_panel_is_where_the_table_has_it_and_its_keys_are_compared_with_those_beside_it(name: str) -> None:
    screen = keys.SCREENS[name]
    module, _, panel = screen.panel.partition(":")
    assert issubclass(getattr(import_module(f"inspector.tui.screens.{module}"), panel), Panel)
    assert any({ActionScope.EVERYWHERE, screen.own} <= {*places} for places in keys.TOGETHER)


def test_each_action_that_shows_a_screen_has_a_panel() -> None:
    shown = (re.fullmatch(r"app\.show\('(\w+)'\)", action.action) for action in keys.ACTIONS)
    assert [found[1] for found in shown if found] == list(keys.SCREENS)


def test_each_scope_of_the_tables_has_actions() -> None:
    known = {action.where for action in keys.ACTIONS}
    named = {scope for screen in keys.SCREENS.values() for scope in (*screen.places, *screen.hidden)}
    assert named | {scope for places in keys.TOGETHER for scope in places} | {*ActionScope} <= known


def test_screen_with_actions_needs_only_its_own_file(tmp_path: Path) -> None:
    for folder, text in (
        (tmp_path, "[Everywhere] 20\nquit  q  Quit  app.quit  F  Quit.\n"),
        (tmp_path / "screens" / "costs", _COSTS),
    ):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "actions.txt").write_text(text)
    table = read_table(tmp_path)
    assert [(each.id, each.keys, each.where, each.footer, each.priority) for each in table.actions] == [
        ("screen.costs", ("g y",), "Everywhere", False, False),
        ("quit", ("q",), "Everywhere", True, False),
        ("costs.sort", ("v O",), "Costs", True, True),
    ]
    screen = table.screens["costs"]
    assert (screen.panel, screen.own, screen.is_of_a_moment) == ("costs.panel:CostsPanel", "Costs", False)
    assert (table.screen_of()["Costs"], table.screen_of()["Sums"]) == ("costs", "costs")
    assert ("Everywhere", "Moving", "Lists", "Costs") in table.together


def test_bindings_of_an_unknown_scope_are_refused() -> None:
    with pytest.raises(KeyError, match="Trafic"):
        keys.bindings("Trafic")


@pytest.mark.parametrize(
    ("line", "why"),
    [("quit  q  Quit  app.quit  F", "sentence"), ("quit  q  Quit  app.quit  FZ  Quit.", "Z")],
    ids=["it lacks a column", "it has an unknown flag"],
)
def test_malformed_line_of_a_table_is_named(line: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "screens").mkdir()
    (tmp_path / "actions.txt").write_text(f"[Everywhere] 20\n{line}\n")
    with pytest.raises((TypeError, KeyError), match=why) as failed:
        read_table(tmp_path)
    assert failed.value.__notes__[0].endswith(f"actions.txt: {line}")
