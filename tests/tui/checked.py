"""An app on a recording whose checks have come to its end."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from inspector.tui.app import InspectApp
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.waiting import until

_BADGE = re.compile(r"8( Find| Findings)? ?[✗▲]")


def _is_worth_a_badge(app: InspectApp) -> bool:
    counts = app.conversation.checks.counts
    return bool(counts["error"] or counts["warning"])


@asynccontextmanager
async def checked(
    name: str, size: tuple[int, int], *, show: str = "traffic"
) -> AsyncIterator[tuple[InspectApp, Pilot[None]]]:
    """The sample of that name, once all of it was checked and the badge in the header says so."""
    app = InspectApp(replay=sample(name), show=show)
    app.CHECKS_AFTER_S = 0.01
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(lambda: app.checker is not None and app.conversation.checks.is_done, "all was checked")
        await until(lambda: _BADGE.search(text(app)) or not _is_worth_a_badge(app), "it was told")
        yield app, pilot
    await app.conversation.end()
