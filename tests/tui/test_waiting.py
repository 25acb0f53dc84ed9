"""The app says who waits on whom while a server says nothing, and no longer once it has ended."""

import os
import sys

import pytest

from inspector.capture.journal import start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.session.engine import Engine, Live
from inspector.session.open import Settings
from inspector.tui.app import InspectApp
from inspector.tui.waiting import Waiting
from inspector.viewmodels import waits
from tests.tui.screen_text import text
from tests.waiting import until


async def test_a_server_that_says_nothing_is_waited_for_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "PATIENCE_NS", 10**8)
    engine = Engine()
    environment = build_environment(os.environ, inherit_all=False)
    silent = (sys.executable, "-c", "import sys; sys.stdin.readline(); sys.stdin.readline()")
    target = StdioTarget(silent, environment, os.getcwd())
    live = Live(engine, target, start_capture(None), Settings())
    app = InspectApp(first=live)
    async with app.run_test(size=(80, 24)):
        await until(lambda: "← the server" in text(app), "the wait was told")
        assert "⋯ connecting" in text(app)
        assert "has said nothing yet" in text(app)
        if sys.platform == "linux":
            await until(lambda: "alive (python" in text(app), "its process was seen")
        assert "^r reconnect" in text(app)
        await until(lambda: "Post-mortem" in text(app), "it had ended")
        await until(lambda: "← the server" not in text(app), "nothing was waited for any more")
    live.end().result(10)
    engine.stop()


def test_it_is_the_app_that_says_who_waits() -> None:
    assert issubclass(InspectApp, Waiting)
