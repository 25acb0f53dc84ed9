"""The table of panels: one for each action that shows a screen."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import inspector.tui
from inspector.tui.panels import Panel
from inspector.tui.screens import SCREENS


@pytest.mark.parametrize("name", SCREENS)
def test_each_panel_is_where_the_table_has_it(name: str) -> None:
    module, _, panel = SCREENS[name].panel.partition(":")
    assert issubclass(getattr(import_module(f"inspector.tui.screens.{module}"), panel), Panel)


def test_each_action_that_shows_a_screen_has_a_panel() -> None:
    actions = Path(inspector.tui.__file__).with_name("actions.txt").read_text()
    assert set(re.findall(r"app\.show\('(\w+)'\)", actions)) == set(SCREENS)
