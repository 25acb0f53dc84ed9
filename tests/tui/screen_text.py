"""The content of the screen as text: the terminal's lines without colors."""

from typing import Any, Protocol

from textual.app import App
from textual.pilot import Pilot


def lines(app: App[Any]) -> list[str]:
    """Return the lines of the active screen, each as wide as the terminal."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def text(app: App[Any]) -> str:
    """Return the active screen as one text, without the spaces at its right edge."""
    return "\n".join(line.rstrip() for line in lines(app))


class Syncs(Protocol):
    """A widget that looks again at what it shows."""

    def sync(self) -> None:
        """Look again."""


async def shown(pilot: Pilot[None], widget: Syncs, looks: int = 4) -> str:
    """The text of the screen once the widget has looked again and everything is drawn."""
    for _ in range(looks):
        widget.sync()
        await pilot.pause()
    return text(pilot.app)
