"""The table of panels: one for each action that shows a screen."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import inspector.tui
from inspector.tui.actions import ActionScope
from inspector.tui.keys import TOGETHER
from inspector.tui.panels import Panel
from inspector.tui.screens import SCREENS


@pytest.mark.parametrize("name", SCREENS)
def test_each_panel_is_where_the_table_has_it_and_its_keys_are_compared_with_those_beside_it(name: str) -> None:
    module, _, panel = SCREENS[name].panel.partition(":")
    assert issubclass(getattr(import_module(f"inspector.tui.screens.{module}"), panel), Panel)
    assert any({ActionScope.EVERYWHERE, SCREENS[name].scopes[0]} <= {*places} for places in TOGETHER)


def test_each_action_that_shows_a_screen_has_a_panel() -> None:
    actions = Path(inspector.tui.__file__).with_name("actions.txt").read_text()
    assert set(re.findall(r"app\.show\('(\w+)'\)", actions)) == set(SCREENS)
