"""The palette: any command by its name, run by Enter, even when name and Enter come in one burst."""

from collections.abc import Callable

import pytest
from textual.app import App

from inspector.tui.actions import Command
from inspector.tui.screens.help.palette import PaletteScreen
from tests.tui.screen_text import text
from tests.waiting import until


class Asked(App[None]):
    """An app with three commands and the palette over it."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[str] = []

    def on_mount(self) -> None:
        named = ("Freeze", "Let the list stand still."), ("Filter", "Show what matches."), ("Quit", "Leave.")
        commands = [Command(name, does, name[0], self._noting(name)) for name, does in named]
        self.push_screen(PaletteScreen(commands), lambda chosen: chosen and chosen.run())

    def _noting(self, name: str) -> Callable[[], object]:
        return lambda: self.ran.append(name)


async def test_commands_are_shown_with_what_they_do_and_their_keys() -> None:
    async with Asked().run_test(size=(110, 24)) as pilot:
        await until(lambda: "Let the list stand still." in text(pilot.app), "the commands")
        line = next(line for line in text(pilot.app).splitlines() if "Freeze" in line)
        assert line.rstrip("│ ▐").endswith("F")


@pytest.mark.parametrize(
    ("keys", "ran"),
    [
        (["enter"], ["Freeze"]),
        (["down", "enter"], ["Filter"]),
        (["q", "u", "enter"], ["Quit"]),
        (["m", "a", "t", "c", "h", "enter"], ["Filter"]),
        (["f", "t", "r", "enter"], ["Filter"]),
        (["z", "z", "enter", "escape"], []),
        (["escape"], []),
    ],
)
async def test_a_command_is_found_and_run(keys: list[str], ran: list[str]) -> None:
    async with (app := Asked()).run_test(size=(80, 24)) as pilot:
        await until(lambda: "Freeze" in text(app), "the commands")
        await pilot.press(*keys)
        await until(lambda: not isinstance(app.screen, PaletteScreen), "the palette closed")
    assert app.ran == ran


async def test_palette_runs_what_was_typed_in_one_burst() -> None:
    async with (app := Asked()).run_test(size=(80, 24)):
        await until(lambda: "Freeze" in text(app), "the commands")
        for key in ("q", "enter"):  # both before anything is processed
            app.simulate_key(key)
        await until(lambda: app.ran, "a command ran")
    assert app.ran == ["Quit"]
