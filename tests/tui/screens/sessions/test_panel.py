"""The Captures screen: the list, notes, and deletion with confirmation."""

import os
import shutil
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Input

from inspector.capture.format.notes import NotesFile, new_mark
from inspector.config.paths import places
from inspector.tui.screens.sessions.panel import SessionsPanel
from inspector.tui.tabs import Tab
from inspector.tui.widgets.dialogs import ConfirmScreen
from inspector.tui.widgets.prompts import NameScreen
from tests.captures.record import sample
from tests.present.tape import Tape
from tests.tui.screen_text import press, shows, text
from tests.tui.staging import Staged
from tests.waiting import until


class One(App[None]):
    """The screen alone."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self.tabs = [Tab(1, Staged(tape))]
        self.panel = SessionsPanel(self.tabs[0].conversation)

    def compose(self) -> ComposeResult:
        yield self.panel

    def on_mount(self) -> None:
        self.panel.take_focus()
        self.set_interval(0.02, self.panel.sync)


@pytest.fixture
def shelf() -> Path:
    """Three captures: the newest is that of the evening, the oldest is none."""
    made = places().captures
    made.mkdir(parents=True)
    for age, name in enumerate(("evening", "wreck")):
        shutil.copy(sample(name), made)
        os.utime(made / f"{name}.mcpcap", ns=(10**18 - age, 10**18 - age))
    (made / "broken.mcpcap").write_bytes(b"nonsense")
    os.utime(made / "broken.mcpcap", ns=(1, 1))
    return made


async def test_they_are_listed_noted_and_removed_when_that_is_meant(tape: Tape, shelf: Path) -> None:
    NotesFile(shelf / "wreck.mcpcap", "").change(lambda notes: notes.marked(2, new_mark(2)))
    async with (app := One(tape)).run_test(size=(130, 20), notifications=True) as pilot:
        await until(lambda: all(said in text(app) for said in ("✓ Complete", "✗ Exited", "✗ Unreadable")), "all three")
        await shows(app, "★ 1", "3 captures")
        await pilot.press("j", "x n")
        await until(lambda: isinstance(app.screen, NameScreen), "what to note")
        app.screen.query_one(Input).value = "the ship that sank"
        await press(pilot, "enter", shows="the ship that sank")
        assert NotesFile(shelf / "wreck.mcpcap", "").read().remark == "the ship that sank"
        await pilot.press("x d")
        await until(
            lambda: isinstance(app.screen, ConfirmScreen) and "Delete this capture" in text(app), "the question"
        )
        await pilot.press("escape", "x d")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question again")
        assert (shelf / "wreck.mcpcap").exists()
        await press(pilot, "f5", shows="2 captures")
        assert sorted(os.listdir(shelf)) == ["broken.mcpcap", "evening.mcpcap"]
    kept = places().state / "sessions.json"
    await until(kept.exists, "what was found out, for the next time")


async def test_one_that_is_open_here_stays(tape: Tape, shelf: Path) -> None:
    tape.journal.capture_path = shelf / "evening.mcpcap"
    async with (app := One(tape)).run_test(size=(130, 20), notifications=True) as pilot:
        await until(lambda: " ● " in text(app), "that it is open")
        await press(pilot, "x d", shows="Close its tab first")
        assert (shelf / "evening.mcpcap").exists()


async def test_sessions_screen_without_captures_explains_itself(tape: Tape) -> None:
    async with (app := One(tape)).run_test(size=(80, 10)) as pilot:
        await until(lambda: "No captures yet." in text(app), "that there is none")
        await pilot.press("x d", "x n", "v d", "enter")
        assert not isinstance(app.screen, ConfirmScreen | NameScreen)
