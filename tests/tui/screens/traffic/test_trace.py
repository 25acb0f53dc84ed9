"""The trace on the screen: it grows, can be saved, and leads to its lines."""

from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.tui.screens.traffic.dialogs import TraceScreen
from inspector.tui.widgets.save import SaveScreen
from tests.present.tape import Tape
from tests.tui.screen_text import press, text
from tests.tui.screens.traffic.test_detail import One
from tests.tui.staging import Staged, handshake
from tests.waiting import until


@pytest.mark.parametrize("height", [24, 40])
async def test_trace_screen_updates_saves_and_jumps(tape: Tape, tmp_path: Path, height: int) -> None:
    handshake(tape).call(3, "buy", {"what": "rope"})
    async with (app := One(Staged(tape))).run_test(size=(110, height), notifications=True) as pilot:
        await until(lambda: "tools/call buy" in text(app), "the rows")
        await press(pilot, "g g", "G", "g t", shows=("Trace of tools/call buy", "⋯ Pending"))
        assert ('"what": "rope"' in text(app)) == (height == 40), "the message where there is room"
        tape.stderr(b"no rope left")
        last = tape.error(3, -1, "sold out")
        await until(lambda: "✗ Error -1" in text(app) and "no rope left" in text(app), "what came")
        await pilot.press("s")
        await until(lambda: isinstance(app.screen, SaveScreen), "where to")
        app.screen.query_one(Input).value = str(tmp_path / "story.md")
        await pilot.press("enter")
        await until(lambda: (tmp_path / "story.md").exists(), "the file")
        await until(lambda: isinstance(app.screen, TraceScreen), "the trace again")
        assert "sold out" in (tmp_path / "story.md").read_text()
        await pilot.press("G", "enter")
        await until(lambda: not isinstance(app.screen, TraceScreen), "the list")
        await until(lambda: app.panel.list.model.find(last) == app.panel.list.rows.view.cursor, "its line")


async def test_entry_without_request_has_no_trace(tape: Tape) -> None:
    tape.stderr(b"hello")
    async with (app := One(Staged(tape))).run_test(size=(100, 24), notifications=True) as pilot:
        await until(lambda: "hello" in text(app), "the row")
        await press(pilot, "g t", shows="belongs to no request")
