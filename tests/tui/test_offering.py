"""Other things are offered: at once where requests say it, else by a new connection; a recording offers nothing."""

import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol import offers
from inspector.protocol.revisions._shape import Era
from inspector.session.engine import Engine, Live
from inspector.session.open import Settings
from inspector.tui.app import InspectApp
from inspector.tui.offering import offer, show_offers
from inspector.tui.screens.offers import OffersScreen
from inspector.tui.subject import Stage
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.waiting import until

REPO = Path(__file__).parents[2]


class Sitting:
    """The demo behind an app, in one era."""

    def __init__(self, era: Era) -> None:
        self.engine = Engine()
        self.era = era
        self.lives: list[Live] = []

    def begin(self, offered: frozenset[str] | None = None) -> Live:
        environment = build_environment(os.environ, inherit_all=False, set_=[f"PYTHONPATH={REPO}"])
        target = StdioTarget((sys.executable, "-m", "inspector.demo"), environment, str(REPO))
        settings = Settings(era=self.era, offers=frozenset(offers.ALL) if offered is None else offered, has_person=True)
        self.lives.append(Live(self.engine, target, start_capture(None), settings))
        return self.lives[-1]


@pytest.fixture(params=[Era.LEGACY, Era.MODERN])
async def sitting(request: pytest.FixtureRequest) -> AsyncIterator[Sitting]:
    made = Sitting(request.param)
    yield made
    for live in made.lives:
        live.end().result(10)
    made.engine.stop()


async def switched(pilot: Pilot[Any], app: InspectApp) -> None:
    await until(lambda: app.subject.stage is Stage.OPEN, "connected")
    show_offers(app)
    await until(lambda: isinstance(app.screen, OffersScreen), "the switches are shown")
    await until(lambda: "declared as" in text(app) and '"roots"' in text(app), "what is declared is shown")
    await pilot.press("space")
    await until(lambda: '"roots"' not in text(app) and "changed" in text(app), "roots are switched off")


async def test_what_was_switched_off_is_declared_no_more(sitting: Sitting) -> None:
    app = InspectApp(sitting.begin)
    async with app.run_test(size=(100, 40)) as pilot:
        await switched(pilot, app)
        await pilot.press("ctrl+j")
        new = sitting.era is Era.LEGACY
        await until(lambda: len(sitting.lives) == 1 + new, "a new connection only after a handshake")
        await until(lambda: offers.ROOTS not in app.subject.offers and app.subject.stage is Stage.OPEN, "it is so")
        assert offers.SAMPLING in app.subject.offers
        await app.action_reconnect()
        assert offers.ROOTS not in app.subject.offers


async def test_escape_leaves_it_as_it_was(sitting: Sitting) -> None:
    app = InspectApp(sitting.begin)
    async with app.run_test(size=(100, 40)) as pilot:
        await switched(pilot, app)
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, OffersScreen), "it is closed")
        assert app.subject.offers == frozenset(offers.ALL)
        assert len(sitting.lives) == 1


async def test_before_it_is_open_a_new_connection_says_it(sitting: Sitting) -> None:
    app = InspectApp(sitting.begin)
    async with app.run_test(size=(100, 40)):
        await until(lambda: app.subject.stage is Stage.OPEN, "connected")
        await offer(app, frozenset({offers.FORM}))
        await until(lambda: app.subject.offers == {offers.FORM}, "it is so")


async def test_a_recording_offers_nothing(tmp_path: Path) -> None:
    app = InspectApp(None, replay=sample("handshake"))
    async with app.run_test(size=(100, 40)):
        show_offers(app)
        assert not isinstance(app.screen, OffersScreen)
