"""An app with several servers: the demo as often as it is asked for, each on an engine of its own, and an opener."""

import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.servers import FoundServer
from inspector.config.targets import Capture, OpenCapture, OpenServer, StartChoice, StdioTarget
from inspector.errors import UsageError
from inspector.protocol import capabilities as offered
from inspector.session.engine import Engine, Live, OpenedSession
from inspector.session.options import Settings
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from tests.architecture.sources import ROOT
from tests.tui.screen_text import text
from tests.waiting import until

REPO = ROOT
GULLS = FoundServer("gulls", "Cursor", Path("/x/mcp.json"), argv=("npx", "gulls"))
SIZE = (120, 36)


class Fleet:
    """Servers that tests start, and the opener of their app."""

    def __init__(self) -> None:
        self.engines: list[Engine] = []
        self.lives: list[Live] = []
        self.wanted: list[StartChoice] = []
        self.closed: list[str] = []
        self.shared: list[tuple[Path, Path, bool, bool]] = []

    def demo(self, name: str) -> OpenedSession:
        """The demo, begun."""
        environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={REPO}"])
        target = StdioTarget((sys.executable, "-m", "inspector.demo"), environment, str(REPO))
        engine = Engine()
        self.engines.append(engine)

        def begin(offers: frozenset[str] | None = None, *, held: bool = False) -> Live:
            settings = Settings(has_person=True, offers=frozenset(offered.ALL))
            self.lives.append(Live(engine, target, start_capture(None), settings, held=held))
            return self.lives[-1]

        return OpenedSession(name, begin, begin(), close=lambda: self.closed.append(name))

    def found(self) -> tuple[Sequence[FoundServer], Sequence[Capture]]:
        """One server of some host."""
        return [GULLS], []

    def open(self, wanted: StartChoice) -> OpenedSession:
        """The demo, whatever was wanted; a capture as it is; what is named "broken" can't be opened."""
        self.wanted.append(wanted)
        if isinstance(wanted, OpenCapture):
            return OpenedSession(wanted.path.stem, capture=wanted.path)
        if isinstance(wanted, OpenServer):
            return self.demo(wanted.server.name)
        if "broken" in str(wanted):
            raise UsageError("it is broken", hint="Mend it.")
        return self.demo("typed")

    def share(self, capture: Path, out: Path, *, notes: bool, overwrite: bool) -> list[str]:
        """Write down that it was asked for."""
        self.shared.append((capture, out, notes, overwrite))
        return ["3 values replaced", "  2  token"]

    def end(self) -> None:
        for live in self.lives:
            live.end().result(10)
        for engine in self.engines:
            engine.stop()


@asynccontextmanager
async def aboard(*names: str, size: tuple[int, int] = SIZE) -> AsyncIterator[tuple[InspectApp, Pilot[None], Fleet]]:
    """An app with a tab for each name, all connected and at rest."""
    fleet = Fleet()
    try:
        first, *others = [fleet.demo(name) for name in names]
        app = InspectApp(first.begin, first=first.first, name=first.name, beside=others, opener=fleet)
        async with app.run_test(size=size, notifications=True) as pilot:
            await until(lambda: len(app.tabs) == len(names), "all tabs are there")
            await until(lambda: all(at_rest(live) for live in fleet.lives), "all have listed what they offer", 20)
            await until(lambda: "tools/list" in text(app), "the traffic")
            await until(lambda: len(names) == 1 or f"● {names[-1]}" in text(app), "the line of tabs")
            await until(lambda: not any(f"⋯ {name}" in text(app) for name in names), "no tab connects any more")
            yield app, pilot, fleet
    finally:
        fleet.end()


def at_rest(live: Live) -> bool:
    """Whether it has connected and listed everything."""
    listings = live.journal.conversation.catalogue.listings
    return live.listing is None and listings["prompts"].asked and not live.journal.conversation.pairs.pending[1:]


def stages(app: InspectApp) -> list[ConversationStage]:
    """How the tabs stand."""
    return [tab.conversation.stage for tab in app.tabs]
