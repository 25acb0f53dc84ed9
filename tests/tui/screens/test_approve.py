"""Asking about each server that a host's file describes, before any of them starts."""

from pathlib import Path

from inspector.config.servers import FoundServer
from inspector.tui.screens.approve import ApproveApp
from tests.tui.screen_text import text
from tests.waiting import until

GULLS = FoundServer("gulls", "Cursor", Path("/x/mcp.json"), argv=("npx", "-y", "gulls", "--all of them"))
WHALES = FoundServer("whales", "Zed", Path("/x/mcp.json"), url="https://example.com/mcp")


async def test_each_is_shown_in_full_and_answered_for_itself() -> None:
    app = ApproveApp([GULLS, WHALES])
    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: "Start this program" in text(app), "the first")
        for part in ("npx", "-y", "gulls", "--all of them", "/x/mcp.json", "Cursor"):
            assert part in text(app)
        await pilot.press("enter")
        await until(lambda: "Connect to this server?" in text(app), "the second")
        assert "https://example.com/mcp" in text(app)
        await pilot.press("escape")
        await until(lambda: app.return_value is not None, "the answers")
    assert app.return_value == [True, False]
