"""The theme of an app: the one that was used last, and the switch to the other, which holds for the next start, too."""

from typing import Any

from textual.app import App

from inspector.config.looks import KeptTheme
from inspector.config.paths import places
from inspector.tui.safety import ThemeFilter
from inspector.tui.styles import DARK_NAME, LIGHT_NAME, THEMES


def dress(app: App[Any]) -> None:
    """Choose the theme before anything has a style, and report no change: else everything is styled twice."""
    for theme in THEMES:
        app.register_theme(theme)
    kept = KeptTheme(places().state).last()
    app.set_reactive(App.theme, LIGHT_NAME if kept == LIGHT_NAME else DARK_NAME)
    app.stylesheet.set_variables(app.get_css_variables())


def turn_theme(app: App[Any]) -> None:
    """Switch between dark and light, everything in sight and out of it, and remember the choice."""
    name = LIGHT_NAME if app.theme == DARK_NAME else DARK_NAME
    for each in app._filters:  # noqa: SLF001 - Textual has no public way to its filters
        if isinstance(each, ThemeFilter):
            each.turn(dark=name == DARK_NAME)
    app.theme = name
    KeptTheme(places().state).keep(name)
