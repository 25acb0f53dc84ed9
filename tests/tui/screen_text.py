"""The content of the screen as text: the terminal's lines without colors."""

from typing import Any, Protocol

from textual.app import App
from textual.pilot import Pilot

from tests.settling import settled
from tests.waiting import until


def lines(app: App[Any]) -> list[str]:
    """Return the lines of the active screen, each as wide as the terminal."""
    return [strip.text for strip in app.screen._compositor.render_strips()]


def text(app: App[Any]) -> str:
    """Return the active screen as one text, without the spaces at its right edge."""
    return "\n".join(line.rstrip() for line in lines(app))


async def shows(app: App[Any], *words: str) -> str:
    """Wait until all of these texts are on the screen; return the screen."""
    return await _until_shown(app, words)


async def press(pilot: Pilot[Any], *keys: str, shows: str | tuple[str, ...] = ()) -> str:
    """Press keys, by their names, and wait until this is on the screen; return the screen, "" if it is not awaited."""
    await pilot.press(*keys)
    return await _until_shown(pilot.app, (shows,) if isinstance(shows, str) else shows) if shows else ""


async def _until_shown(app: App[Any], words: tuple[str, ...]) -> str:
    screen = ""

    def has_all() -> bool:
        nonlocal screen
        screen = text(app)
        return all(word in screen for word in words)

    await settled(app)
    try:
        await until(has_all, f"{words} are on the screen")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{screen}") from None
    return screen


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
