"""Nothing is written to the terminal while nothing happens, whatever is visible."""

import time
from collections.abc import AsyncIterator
from unittest import mock

import pytest
from textual.pilot import Pilot

from inspector.tui.app import InspectApp
from inspector.tui.conversation import LiveConversation
from inspector.tui.process_usage import ProcessUsage
from tests.settling import painting
from tests.tui.test_app import SIZE, Sitting, connected
from tests.waiting import until

_SECONDS = 40
"""How long the rest lasts by the journal's clock: shorter than the lists of the demo are fresh."""


@pytest.fixture
async def pilot() -> AsyncIterator[Pilot[None]]:
    """The demo in the stateless era, whose lists say for how long they are fresh."""
    sitting = Sitting("--modern-only")
    async with (app := InspectApp(sitting.begin)).run_test(size=SIZE) as pilot:
        await connected(pilot)
        await until(lambda: sitting.lives[0].listing is None and app.checker is not None, "all is listed and checked")
        yield pilot
    sitting.lives[0].end().result(10)
    sitting.engine.stop()


async def _settled(pilot: Pilot[None], written: list[object]) -> None:
    """Wait until some looks in a row have written nothing."""
    quiet = 0

    async def looked() -> bool:
        nonlocal quiet
        before = len(written)
        await pilot.pause(0.04)  # threads that check and judge need time, too
        quiet = quiet + 1 if len(written) == before else 0
        return quiet >= 15

    for _ in range(2000):
        if await looked():
            return
    raise AssertionError("it is never at rest")


@pytest.mark.parametrize(
    "keys", [["1"], ["slash"], ["2"], ["2", "enter"], ["3"], ["4"], ["5"], ["6"], ["8"], ["9"], ["E"]]
)
async def test_time_alone_writes_nothing(pilot: Pilot[None], keys: list[str]) -> None:
    app = pilot.app
    assert isinstance(app, InspectApp)
    written: list[object] = []
    later_ns = 0

    def now(subject: LiveConversation) -> int:
        return time.monotonic_ns() + later_ns

    with (
        painting(),
        mock.patch.object(app, "_display", lambda screen, update: written.append(update)),  # to the driver
        mock.patch.object(LiveConversation, "now_ns", property(now)),
        mock.patch.object(ProcessUsage, "watch"),  # the processor time of the server is no rest
    ):
        for key in keys:
            await pilot.press(key)
        await _settled(pilot, written)
        assert written  # what is drawn is seen here
        del written[:]
        for _ in range(_SECONDS):
            later_ns += 1_000_000_000
            await app._tick()
            await pilot.pause()
    assert written == []
