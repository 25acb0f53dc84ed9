"""“Why here and not there?” on two tabs."""

import os
import sys

from inspector.capture.journal import start_capture
from inspector.config.environment import Environment
from inspector.config.targets import StdioTarget
from inspector.protocol import capabilities
from inspector.session.engine import Engine, Live, OpenedSession
from inspector.session.options import Settings
from inspector.tui.app import InspectApp
from inspector.tui.blaming import BlameScreen
from tests.features.blame.playing import PLANTED
from tests.tui.screen_text import press, shows, text
from tests.tui.several import Fleet
from tests.waiting import until


class PlantedFleet(Fleet):
    """Sessions with a server that loses its tools if the client declares sampling."""

    def planted(self, name: str, offers: frozenset[str]) -> OpenedSession:
        """A session of a client with these capabilities."""
        environment = Environment({"PATH": os.environ["PATH"]}, {})
        target = StdioTarget((sys.executable, "-S", str(PLANTED), "sampling"), environment, str(PLANTED.parent))
        engine = Engine()
        self.engines.append(engine)

        def begin(*_: object, held: bool = False) -> Live:
            settings = Settings(has_person=True, offers=offers)
            self.lives.append(Live(engine, target, start_capture(None), settings, held=held))
            return self.lives[-1]

        return OpenedSession(name, begin, begin(), close=lambda: self.closed.append(name))


async def test_why_here_starts_after_enter_and_shows_what_decides() -> None:
    fleet = PlantedFleet()
    try:
        here = fleet.planted("here", frozenset(capabilities.ALL))
        there = fleet.planted("there", frozenset())
        app = InspectApp(here.begin, first=here.first, name=here.name, beside=[there], opener=fleet)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await until(lambda: len(app.tabs) == 2, "both tabs")
            listings = [live.journal.conversation.catalogue.listings for live in fleet.lives]
            await until(lambda: all(each["tools"].asked for each in listings), "both lists", 20)
            await pilot.press("v y")
            await until(lambda: isinstance(app.screen, BlameScreen), "the question")
            await shows(app, "Fails here:   here", "Works there:  there", "Enter Start")
            await pilot.press("enter")
            await until(lambda: "The server works if" in text(app), "the result", 60)
            assert "`params.capabilities.sampling` of initialize is absent" in " ".join(
                text(app).replace("│", " ").split()
            )
            assert "fails  …" in text(app)
            await pilot.press("escape")
            await until(lambda: not isinstance(app.screen, BlameScreen), "the tab again")
    finally:
        fleet.end()


async def test_why_here_with_one_tab_names_what_is_missing() -> None:
    fleet = PlantedFleet()
    try:
        here = fleet.planted("here", frozenset())
        app = InspectApp(here.begin, first=here.first, name=here.name, opener=fleet)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await until(lambda: "tools/list" in text(app), "the traffic")
            await press(pilot, "v y", shows="This needs a second tab that works")
    finally:
        fleet.end()
