"""Two captures side by side: from difference to difference, exactly or not, and one place whole."""

from pathlib import Path

import pytest
from textual.app import App

from inspector.tui.screens.sessions.compare import CompareScreen, of_files
from inspector.tui.widgets.lines import BeforeAfterScreen
from tests.captures.record import sample
from tests.tui.screen_text import press, shows, text
from tests.waiting import until


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """The lighthouse, where two tools say something else, one of them only in a time."""
    said = sample("lighthouse").read_text().replace("Tide at Teal", "Tide in Teal").replace("the lamp", "THE lamp")
    (tmp_path / "changed.mcpcap").write_text(said)
    return tmp_path / "changed.mcpcap"


@pytest.mark.parametrize("width", [80, 160])
async def test_a_person_jumps_from_difference_to_difference_and_sees_both_sides(changed: Path, width: int) -> None:
    app: App[None] = App()
    async with app.run_test(size=(width, 24), notifications=True) as pilot:
        screen = of_files(sample("lighthouse"), changed)
        await app.push_screen(screen)
        await shows(app, "2 changed", "lighthouse.mcpcap", "changed.mcpcap", "≠ tools/call image_result")
        await pilot.press("G", "N")
        await until(lambda: "tools/call image_result" in _foot(app) or "different" in _foot(app), "the last difference")
        await pilot.press("j")
        await until(lambda: "result." in _foot(app), "the place in words")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, BeforeAfterScreen), "both values")
        await until(lambda: "[" in text(app), "the words that differ")
        await press(pilot, "escape", "g g", "N", shows="No previous difference.")
        await press(pilot, "=", shows="exactly")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, CompareScreen), "back")


async def test_unreadable_capture_cannot_be_compared(tmp_path: Path) -> None:
    bad = tmp_path / "bad.mcpcap"
    bad.write_text("nonsense")
    app: App[None] = App()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.push_screen(of_files(bad, sample("handshake")))
        await until(lambda: "not a capture" in text(app), "why not")
        await pilot.press("n", "=", "escape")
        await until(lambda: not isinstance(app.screen, CompareScreen), "back")


def _foot(app: App[None]) -> str:
    return text(app).rstrip("\n").splitlines()[-2]
