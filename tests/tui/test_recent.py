"""Captures of earlier sessions are opened beside what is shown, or compared."""

import shutil

from inspector.config.paths import places
from inspector.tui.app import InspectApp
from inspector.tui.panels.sessions import SessionsPanel
from inspector.tui.recent import Recent
from inspector.tui.subject import Stage
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.tui.several import aboard
from tests.waiting import until


async def test_one_is_opened_in_a_tab_and_its_tab_is_shown_the_second_time() -> None:
    shelf = places().captures
    shelf.mkdir(parents=True)
    for name in ("evening", "harbour"):
        shutil.copy(sample(name), shelf)
    async with aboard("pier") as (app, pilot, _):
        await pilot.press("7")
        await until(lambda: isinstance(app.panel, SessionsPanel) and "✓ closed" in text(app), "the sessions")
        await pilot.press("enter")
        await until(lambda: len(app.tabs) == 2 and app.tab.number == 2, "a tab for it")
        await until(lambda: app.subject.stage is Stage.RECORDED and "_ play" in text(app), "the capture")
        await pilot.press('"')
        await until(lambda: app.tab.number == 1, "the first tab")
        await until(lambda: "● " in text(app).splitlines()[5] + text(app).splitlines()[4], "the sign that it is open")
        await pilot.press("enter")
        await until(lambda: app.tab.number == 2 and len(app.tabs) == 2, "its tab, and no other")
        await pilot.press('"', "c", "j", "c")
        await until(lambda: "different" in text(app), "how they compare")
        assert all(f"{name}.mcpcap" in text(app) for name in ("evening", "harbour"))


def test_it_is_the_app_that_opens_earlier_captures() -> None:
    assert issubclass(InspectApp, Recent)
