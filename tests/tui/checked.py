"""An app on a recording whose checks have come to its end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from inspector.tui.app import InspectApp
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.waiting import until


@asynccontextmanager
async def checked(
    name: str, size: tuple[int, int], *, show: str = "traffic"
) -> AsyncIterator[tuple[InspectApp, Pilot[None]]]:
    """The sample of that name, once everything in it was checked and the badge in the header says so."""
    app = InspectApp(replay=sample(name), show=show)
    app.CHECKS_AFTER_S = 0.01
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(lambda: app.checker is not None and app.subject.checks.is_done, "all was checked")
        await until(lambda: "E Findings" in text(app) or not any(app.subject.checks.counts.values()), "it was told")
        yield app, pilot
    await app.subject.end()
