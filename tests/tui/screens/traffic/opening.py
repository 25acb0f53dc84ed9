"""The traffic screen in an app of its own, looked at until everything is drawn."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from inspector.tui.screens.traffic.panel import TrafficPanel
from tests.tui.screen_text import shown
from tests.tui.staging import Staged
from tests.tui.widgets.showing import Showing

WIDE, NARROW = (160, 45), (80, 24)
LOOKS = 6
"""The detail follows a moving cursor at every fifth look."""


@asynccontextmanager
async def opened(
    conversation: Staged, size: tuple[int, int] = WIDE, *, notifications: bool = False
) -> AsyncIterator[tuple[Pilot[None], TrafficPanel]]:
    """Open the screen with a conversation; its list has the focus."""
    panel = TrafficPanel(conversation)
    async with Showing(panel).run_test(size=size, notifications=notifications) as pilot:
        panel.take_focus()
        await shown(pilot, panel, LOOKS)
        yield pilot, panel
