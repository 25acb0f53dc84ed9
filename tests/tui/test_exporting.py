"""Exporting from the app's screens: what the filter shows, an operation, a finding, a capture of the shelf."""

import shutil
from pathlib import Path

import pytest

from inspector.config.paths import places
from inspector.tui.exporting import Exporting
from inspector.tui.screens.export import ExportScreen
from inspector.tui.screens.lines import LinesScreen
from tests.captures.record import sample
from tests.tui.screen_text import text
from tests.tui.several import aboard
from tests.tui.test_replaying import opened
from tests.waiting import until


async def test_a_recording_is_exported_as_a_whole_and_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evening.mcpcap"
    shutil.copy(sample("evening"), path)
    shelf = places().captures
    shelf.mkdir(parents=True)
    shutil.copy(sample("wreck"), shelf / "wreck.mcpcap")
    async with opened(path) as (app, pilot):
        await pilot.press("/", *"kind:request", "enter")
        await until(lambda: app.panel.list.model.has_filter and not app.panel.list.model.is_filtering, "a filter")  # type: ignore[attr-defined]
        await pilot.press("g", "X", "right")
        await until(lambda: "what the filter shows" in text(app), "what the filter shows")
        await pilot.press("right")
        await until(lambda: "this operation" in text(app), "the operation under the cursor")
        await pilot.press("j", "j", "enter", "enter")
        await until(lambda: "Written to evening.jsonl" in text(app), "that it is written")
        assert (tmp_path / "evening.jsonl").stat().st_size
        await pilot.press("E")
        await until(lambda: "entries checked" in text(app), "the findings")
        await pilot.press("j", "X", "right")
        await until(lambda: "the finding's evidence" in text(app), "what it rests on")
        await pilot.press("escape", "7")
        await until(lambda: "wreck" in text(app), "the shelf")
        await pilot.press("X")
        await until(
            lambda: isinstance(app.screen, ExportScreen) and "everything in wreck.mcpcap" in text(app),
            "the chosen capture",
        )
        await pilot.press("enter", "enter")
        await until(lambda: (tmp_path / "wreck.har").exists(), "its file")


async def test_a_live_conversation_is_shared_by_whoever_has_opened_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with aboard("north", size=(100, 30)) as (app, pilot, fleet):
        await pilot.press("X", *"jjjjjj", "enter", "enter")
        await until(lambda: "nothing keeps this conversation" in text(app), "that nothing is recorded here")
        await pilot.press("escape")
        app.subject.journal.capture_path = tmp_path / "kept.mcpcap"
        await pilot.press("X", *"jjjjjj", "enter", "enter")
        await until(lambda: isinstance(app.screen, LinesScreen) and "3 values replaced" in text(app), "what was done")
        assert fleet.shared == [(tmp_path / "kept.mcpcap", tmp_path / "kept.shared.mcpcap", False, False)]
        await pilot.press("escape", "X", *"jjjjjjj", "enter", "enter")
        await until(lambda: "Written to kept.surface.json" in text(app), "the surface of what is live")
    assert isinstance(app, Exporting)
