"""A simulated user of the app: presses keys, reads the screen, and records a capture."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.events import Key, MouseDown, MouseMove, MouseUp, Paste
from textual.pilot import Pilot

from inspector.capture.journal import Journal, start_capture
from inspector.config.targets import Target
from inspector.session.engine import Engine, Live
from inspector.session.options import Settings
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from tests.settling import click, settled
from tests.stories.visits import Seen, seen
from tests.tui.screen_text import press, shows, text
from tests.waiting import PATIENCE_S, until

SIZE = (120, 40)


class Person:
    """Somebody at the keyboard."""

    def __init__(self, pilot: Pilot[Any], journal: Journal) -> None:
        self.pilot = pilot
        self.journal = journal

    @property
    def screen(self) -> str:
        return text(self.pilot.app)

    async def press(self, *keys: str, shows: str | tuple[str, ...] = ()) -> str:
        """Press keys, by their names, and wait until this is on the screen; return the screen, "" if not awaited."""
        return await press(self.pilot, *keys, shows=shows)

    async def press_quickly(self, *keys: str, shows: str | tuple[str, ...] = ()) -> str:
        """Press keys without looking in between, as when they reach the program in one read; then as in `press`."""
        signs = {name: sign for sign, name in _KEYS.items()}
        for key in keys:
            self.pilot.app.post_message(Key(key, signs.get(key)))
        await self.pilot.pause()
        return await self.sees(*((shows,) if isinstance(shows, str) else shows)) if shows else ""

    async def types(self, words: str, *keys: str, shows: str | tuple[str, ...] = ()) -> str:
        """Type a text, letter by letter, then press as in `press`."""
        return await self.press(*[_KEYS.get(letter, letter) for letter in words], *keys, shows=shows)

    async def pastes(self, words: str) -> None:
        """Paste a text: there is no pause in it, however slow the machine is."""
        self.pilot.app.post_message(Paste(words))
        await self.pilot.pause()

    async def sees(self, *words: str) -> str:
        """Wait until all of it is on the screen; return the screen."""
        return await shows(self.pilot.app, *words)

    async def click(self, place: tuple[int, int]) -> None:
        """Press and release the left mouse button at a column and line of the screen."""
        await click(self.pilot.app, place)

    async def drag(self, place: tuple[int, int], to: tuple[int, int]) -> None:
        """Press the left mouse button at a column and line of the screen, and release it at another place."""
        app = self.pilot.app
        for event, (x, y) in ((MouseDown, place), (MouseMove, to), (MouseUp, to)):
            app.post_message(event(None, x, y, 0, 0, 1, False, False, False, screen_x=x, screen_y=y))
            await settled(app)

    def line(self, word: str) -> str:
        """The first line that has the word, without the space around it."""
        return next(line for line in self.screen.splitlines() if word in line).strip()

    def wire(self) -> Seen:
        """What the journal holds now, without rows."""
        return seen(self.journal, with_rows=False)


_KEYS = {"_": "underscore", "-": "minus", ".": "full_stop", " ": "space", "/": "slash"}


@asynccontextmanager
async def at_the_screen(
    target: Target, capture: Path | None, size: tuple[int, int] = SIZE, watcher: Any = None, **settings: Any
) -> AsyncIterator[Person]:
    """A person before the app on a live server; every connection has ended after the block, the first is recorded."""
    engine, lives = Engine(), list[Live]()

    def begin(*, held: bool = False) -> Live:
        journal = start_capture(None if lives else capture)
        lives.append(Live(engine, target, journal, Settings(**settings), held=held))
        return lives[-1]

    try:
        async with InspectApp(begin, watch=lambda _: watcher).run_test(size=size, notifications=True) as pilot:
            yield Person(pilot, lives[0].journal)
    finally:
        for live in lives:
            live.end().result(PATIENCE_S)
        engine.stop()


@asynccontextmanager
async def at_a_replay(capture: Path, size: tuple[int, int] = SIZE) -> AsyncIterator[Person]:
    """A person before the app on a capture."""
    async with (app := InspectApp(replay=capture)).run_test(size=size, notifications=True) as pilot:
        await until(lambda: app.conversation.stage is ConversationStage.RECORDED, "the capture is read")
        yield Person(pilot, app.conversation.journal)
    await app.conversation.end()
