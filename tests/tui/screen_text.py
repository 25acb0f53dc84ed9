"""The content of the screen as text: the terminal's lines without colors."""

from typing import Any, Protocol

from textual.app import App
from textual.pilot import Pilot

from tests.waiting import until


def lines(app: App[Any]) -> list[str]:
    """Return the lines of the active screen, each as wide as the terminal."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def text(app: App[Any]) -> str:
    """Return the active screen as one text, without the spaces at its right edge."""
    return "\n".join(line.rstrip() for line in lines(app))


async def shows(app: App[Any], *words: str) -> None:
    """Wait until each of these texts is on the screen."""
    for word in words:
        await until(lambda word=word: word in text(app), f"{word!r} is on the screen:\n{text(app)}")  # type: ignore[misc]


async def drawn(pilot: Pilot[Any]) -> str:
    """Return the active screen as text once it is drawn."""
    await pilot.pause()
    await pilot.pause()
    return text(pilot.app)


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
