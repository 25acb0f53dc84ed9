"""The app says who waits on whom while a server says nothing, and no longer once it has ended."""

import os
import signal
import sys
from collections.abc import Iterator

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.protocol.facts import ProcessEvent, ProcessFact
from inspector.session.engine import Engine, Live
from inspector.session.open import Settings
from inspector.tui.app import InspectApp
from inspector.tui.screens.name import NameScreen
from inspector.tui.waiting import Waiting
from inspector.viewmodels import waits
from tests.tui.screen_text import text
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    """A server that reads and says nothing until it is killed; no probe and no wait takes long."""
    monkeypatch.setattr(waits, "PATIENCE_NS", 10**8)
    engine = Engine()
    environment = build_environment(os.environ, inherit_all=False)
    command = (sys.executable, "-c", "import sys\nfor line in sys.stdin: pass")
    settings = Settings(probe_silence_s=0.05)
    live = Live(engine, StdioTarget(command, environment, os.getcwd()), start_capture(None), settings)
    yield live
    live.end().result(PATIENCE_S)
    engine.stop()


def _started(live: Live) -> list[int]:
    """The pids of all processes that were started for a conversation, oldest first."""
    facts = [entry.what for entry in live.journal.processes]
    return [fact.pid for fact in facts if isinstance(fact, ProcessFact) and fact.event is ProcessEvent.SPAWN]


async def test_a_server_that_says_nothing_is_waited_for_in_words(silent: Live) -> None:
    app = InspectApp(first=silent)
    async with app.run_test(size=(80, 24)):
        await until(lambda: "← initialize" in text(app) and "← the server" in text(app), "the wait is shown")
        assert "⋯ connecting" in text(app)
        assert "has said nothing yet" in text(app)
        if sys.platform == "linux":
            await until(lambda: "alive (python" in text(app), "its process was seen")
        assert "^r reconnect" in text(app)
        os.kill(_started(silent)[0], signal.SIGTERM)
        await until(lambda: "was started again with initialize" in text(app), "the restart is shown")
        await until(lambda: f"pid {_started(silent)[1]})" in text(app), "the second process is waited for")
        os.kill(_started(silent)[1], signal.SIGTERM)
        await until(lambda: "Post-mortem" in text(app), "the end is shown")
        await until(lambda: "← the server" not in text(app), "no wait is shown any more")


async def test_a_dialog_that_is_open_at_the_first_look_does_not_take_it_in(silent: Live) -> None:
    app = InspectApp(first=silent)
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(NameScreen("How it is called"))
        await until(lambda: app._waiting_bar is not None and app._waiting_bar.is_attached, "the bar was made")
        assert "← the server" not in text(app)
        await pilot.press("escape")
        await until(lambda: "← the server" in text(app), "the wait is shown below the dialog")


def test_it_is_the_app_that_says_who_waits() -> None:
    assert issubclass(InspectApp, Waiting)
