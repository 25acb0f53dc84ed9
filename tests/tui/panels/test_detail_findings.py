"""Findings in the detail of a message: at its top, in a tab of their own, and where they are meant."""

from inspector.tui.app import InspectApp
from inspector.tui.panels.detail import DetailPanel
from inspector.tui.panels.detail_findings import DetailFindings
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.waiting import until


async def test_one_goes_from_finding_to_finding_and_sees_what_is_meant() -> None:
    app = InspectApp(replay=sample("lighthouse"))
    app.CHECKS_AFTER_S = 0.01
    async with app.run_test(size=(160, 45)) as pilot:
        await until(lambda: app.checker and app.subject.checks.is_done and "⚑" in text(app), "all was checked")
        await pilot.press("g")
        await until(lambda: "stdio opened" in text(app) and "Findings   " not in text(app), "the top was there")
        assert "] Findings" not in text(app)
        for _ in range(4):
            before = app.panel.list.chosen  # type: ignore[attr-defined]
            await pilot.press("J")
            await until(lambda: app.panel.list.chosen != before, "the next one was chosen")  # type: ignore[attr-defined] # noqa: B023
        value = "structuredContent.hectopascal"
        await until(lambda: value in text(app), "the value was chosen")
        assert "✗ K07 broken_barometer" in text(app)
        await pilot.press("left_square_bracket")
        await until(lambda: "structured content that the tool's own schema refuses" in text(app), "the tab told it")
        await pilot.press("K")
        await until(lambda: "▲ L-19" in text(app), "the one before was shown")
        await pilot.press("slash", *"expert.id == K07", "enter")
        await until(lambda: "✓ 1 of 65" in text(app), "the filter knew the check")
        await pilot.press("J", "J")
    await app.subject.end()


def test_the_detail_of_messages_tells_of_findings() -> None:
    assert issubclass(DetailPanel, DetailFindings)
