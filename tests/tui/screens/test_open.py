"""Another server is chosen from the list or typed; what comes from a host's file takes a second key."""

from pathlib import Path
from typing import Any

from textual.app import App
from textual.widgets import Input

from inspector.tui.screens.open import OpenScreen
from inspector.tui.screens.start import ConfirmScreen, StartList
from inspector.viewmodels.start import OpenCapture, OpenDemo, OpenServer
from inspector.viewmodels.wanted import OpenTyped, wanted
from tests.tui.screen_text import text
from tests.tui.several import GULLS
from tests.waiting import until


class Harness(App[None]):
    """Shows the screen and keeps its answer."""

    answers: list[Any]

    def on_mount(self) -> None:
        """Show it."""
        self.answers = []
        self.push_screen(OpenScreen([GULLS], []), self.answers.append)


async def test_a_server_of_a_host_is_shown_in_full_first() -> None:
    app = Harness()
    async with app.run_test(size=(90, 24)) as pilot:
        await until(lambda: "gulls" in text(app), "the list")
        assert "From the command line" not in text(app)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question")
        assert "Start this program, with your rights?" in text(app)
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, OpenScreen), "the list again")
        assert app.answers == []
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ConfirmScreen), "the question")
        await pilot.press("enter")
        await until(lambda: app.answers == [OpenServer(GULLS)], "the answer")


async def test_what_is_typed_needs_no_second_key_and_nonsense_is_told() -> None:
    app = Harness()
    async with app.run_test(size=(90, 24)) as pilot:
        await until(lambda: "gulls" in text(app), "the list")
        await until(lambda: isinstance(app.screen.focused, Input), "the line to type into")
        await pilot.press(*"gals")
        await pilot.press("enter")
        await until(lambda: "Did you mean 'gulls'?" in text(app), "what is wrong")
        await pilot.press("s")
        await until(lambda: "Did you mean" not in text(app), "no more of that")
        await pilot.press("down")
        await until(lambda: isinstance(app.screen.focused, StartList), "the list")
        app.screen.query_one(Input).value = "https://example.com/mcp"
        await pilot.press("slash", "enter")
        await until(lambda: app.answers == [OpenTyped(url="https://example.com/mcp")], "the answer")


async def test_the_demo_and_nothing_can_be_chosen() -> None:
    for keys, answer in ((("down", "d"), OpenDemo()), (("escape",), None)):
        app = Harness()
        async with app.run_test(size=(90, 24)) as pilot:
            await until(lambda app=app: "gulls" in text(app), "the list")  # type: ignore[misc]
            await pilot.press(*keys)
            await until(lambda app=app, answer=answer: app.answers == [answer], "the answer")  # type: ignore[misc]


async def test_every_character_is_kept_from_the_first_on() -> None:
    app = Harness()
    async with app.run_test(size=(90, 24)) as pilot:
        await until(lambda: "gulls" in text(app), "the list")
        await pilot.press("slash", *"d?gj")
        assert app.screen.query_one(Input).value == "/d?gj"


async def test_an_executable_is_a_command(tmp_path: Path) -> None:
    program, capture = tmp_path / "server", tmp_path / "traffic.har"
    for each in (program, capture):
        each.write_text("#!/bin/sh\n")
        each.chmod(0o755)
    assert wanted(str(program), ()) == OpenTyped(argv=(str(program),))
    assert wanted("sh", ()) == OpenTyped(argv=("sh",))
    assert wanted(str(capture), ()) == OpenCapture(capture)


async def test_what_could_not_be_opened_stands_there_to_be_corrected() -> None:
    answers: list[Any] = []
    app = Harness()
    async with app.run_test(size=(90, 24)) as pilot:
        app.push_screen(OpenScreen([GULLS], [], typed="nod server.js", problem="nod: no such program"), answers.append)
        await until(lambda: "no such program" in text(app), "what is wrong is said")
        await pilot.press("home", "right", "right", "right", "e", "enter")
        await until(lambda: answers == [OpenTyped(argv=("node", "server.js"))], "the corrected command is taken")
