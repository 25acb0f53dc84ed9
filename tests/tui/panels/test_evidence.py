"""What a finding rests on is shown in the traffic, also where list and detail take turns."""

from inspector.tui.panels.evidence import Evidence
from inspector.tui.panels.traffic import TrafficPanel
from tests.tui.checked import checked
from tests.tui.screen_text import text
from tests.waiting import until


async def test_where_the_detail_is_out_of_sight_it_points_once_it_is_opened() -> None:
    async with checked("lighthouse", (80, 24)) as (app, pilot):
        await until(lambda: "✗→ " in text(app), "marks were there")
        await pilot.press("g", "slash", *"expert.id == K07", "enter")
        await until(lambda: "1 of 65" in text(app), "one line was left")
        await pilot.press("backslash", "g")
        for _ in range(4):
            await pilot.press("J")
            await pilot.pause()
        assert "structuredContent.hectopascal" not in text(app)
        await pilot.press("enter")
        await until(lambda: "structuredContent.hectopascal" in text(app), "the value was chosen")


def test_it_is_the_traffic_that_shows_evidence() -> None:
    assert issubclass(TrafficPanel, Evidence)
