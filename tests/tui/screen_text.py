"""The content of the screen as text: the terminal's lines without colors."""

from typing import Any

from textual.app import App


def lines(app: App[Any]) -> list[str]:
    """Return the lines of the active screen, each as wide as the terminal."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def text(app: App[Any]) -> str:
    """Return the active screen as one text, without the spaces at its right edge."""
    return "\n".join(line.rstrip() for line in lines(app))
