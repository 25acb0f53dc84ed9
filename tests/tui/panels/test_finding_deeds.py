"""What is done about findings is kept for their capture."""

from inspector.tui.panels.finding_deeds import FindingDeeds
from inspector.tui.panels.findings import FindingsPanel
from tests.tui.checked import checked
from tests.tui.screen_text import text
from tests.waiting import until


async def test_what_is_muted_stays_so_for_the_capture_until_it_is_heard_of_again() -> None:
    async with checked("shipyard", (80, 24), show="findings") as (app, pilot):
        await until(lambda: "entries checked" in text(app), "the list was there")
        await pilot.press("G", "m")
        await until(lambda: "muted, M shows them" in text(app), "a check was muted")
        assert "Hints" not in text(app)
    async with checked("shipyard", (80, 24), show="findings") as (app, pilot):
        await until(lambda: "entries checked" in text(app), "the list was there")
        assert "Hints" not in text(app)
        await pilot.press("M", "G")
        await until(lambda: "muted a tool" in text(app), "it was shown as muted")
        await pilot.press("m")
        await until(lambda: "M shows them" not in text(app) and "· 4 hints" in text(app), "it was heard of again")
        await pilot.press("g", "m")
        await until(lambda: "Choose a finding" in text(app), "a severity can't be muted")


def test_it_is_done_on_the_screen_of_findings() -> None:
    assert issubclass(FindingsPanel, FindingDeeds)
