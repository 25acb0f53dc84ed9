"""Restarting a server from the app: what is kept, what runs again, and the report of changes."""

import gc
import json
import os
import sys
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.capture.journal import Journal, start_capture
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget, Target
from inspector.features.watch.watcher import Watcher, read_glob
from inspector.present.spans import Line, plain
from inspector.protocol.changes import differences
from inspector.session.engine import Engine, Live, OpenedSession
from inspector.session.options import Settings
from inspector.tui.app import InspectApp
from inspector.tui.conversation import ConversationStage
from inspector.tui.panels import RerunCall
from inspector.tui.restart_model import (
    CallResult,
    RestartReport,
    compare_results,
    last_lines,
    result_line,
    saved_line,
    side_lines,
    status_line,
)
from inspector.tui.screens.items.tools import ToolsPanel
from tests.architecture.sources import ROOT
from tests.tui.screen_text import press, text
from tests.waiting import until

SIZE = (120, 40)
STATUS: Line = (("✓ OK", "ok"),)


def tool(name: str, description: str = "", **annotations: bool) -> dict[str, Any]:
    about = {"name": name, "description": description, "inputSchema": {"type": "object", "properties": {"a": {}}}}
    return about | ({"annotations": annotations} if annotations else {})


class Workshop:
    """A server whose source a test edits, and the conversations with it."""

    def __init__(self, place: Path) -> None:
        self.source = place / "offer.json"
        self.marks = place / "MARKS"
        self.engine = Engine()
        self.lives: list[Live] = []
        self.offer: dict[str, Any] = {"tools": [tool("add", "Adds.")], "results": {"add": "5"}}
        self.write()

    def write(self, **news: Any) -> None:
        self.offer |= news
        self.source.write_text(json.dumps(self.offer))

    def begin(self, *, held: bool = False) -> Live:
        server = ROOT / "tests" / "servers" / "rewritten.py"
        environment = build_environment(os.environ, inherit_all=False)
        target = StdioTarget((sys.executable, str(server), str(self.source)), environment, str(self.source.parent))
        self.lives.append(Live(self.engine, target, start_capture(None), Settings(), held=held))
        return self.lives[-1]

    def log(self, kind: str) -> list[str]:
        lines = self.marks.read_text().splitlines() if self.marks.exists() else []
        return [line.partition(" ")[2] for line in lines if line.startswith(kind)]


@pytest.fixture
async def workshop(tmp_path: Path) -> AsyncIterator[Workshop]:
    made = Workshop(tmp_path)
    yield made
    for live in made.lives:
        live.end().result(10)
    made.engine.stop()


async def called(app: InspectApp, pilot: Pilot[None], result: str) -> ToolsPanel:
    """Call the first tool."""
    await until(lambda: app.conversation.stage is ConversationStage.OPEN, "connected")
    await pilot.press("2")
    await until(lambda: isinstance(app.panel, ToolsPanel) and app.panel.form.item is not None, "the tool is chosen")
    panel = app.panel
    assert isinstance(panel, ToolsPanel)
    await panel.form.take({"a": 7})
    await press(pilot, "ctrl+j", shows=result)
    return panel


async def sees(app: InspectApp, *words: str) -> None:
    try:
        await until(lambda: all(word in text(app) for word in words), f"{words} are shown")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{text(app)}") from None


async def test_a_restart_keeps_the_screen_runs_the_call_again_and_shows_both_results(workshop: Workshop) -> None:
    async with (app := InspectApp(workshop.begin)).run_test(size=SIZE) as pilot:
        panel = await called(app, pilot, "5")
        workshop.write(tools=[tool("add", "Adds two numbers.")], results={"add": "6"})
        await pilot.press("ctrl+r")
        await sees(app, "Restarted in", "Definitions", "1 warning", "Before", '- content[0].text: "5"', '"6"')
        assert app.panel is panel
        assert panel.form.form.arguments == {"a": 7}
        assert workshop.log("call") == ["add", "add"]
        await until(lambda: panel.result.looked is not None, "the result is read back")
        assert panel.result.looked is not None
        assert "6" in str(panel.result.looked.finished.result)
        await pilot.press("v", "D")
        await sees(app, "Changes since the restart", "Result of add", "[ two numbers]")


async def test_repeated_restart_never_overlaps_processes(workshop: Workshop) -> None:
    async with (app := InspectApp(workshop.begin)).run_test(size=SIZE) as pilot:
        await called(app, pilot, "5")
        for _ in range(3):
            app.restarts.action_reconnect()
        await sees(app, "Restarted in", "Result       Unchanged")
        await until(lambda: workshop.log("end"), "the first one has ended")
    assert len(workshop.log("start")) == len(workshop.log("end")) + 1
    assert workshop.lives[-1].session is not None


async def test_destructive_tool_runs_again_on_request_only(workshop: Workshop) -> None:
    async with (app := InspectApp(workshop.begin)).run_test(size=SIZE) as pilot:
        await called(app, pilot, "5")
        workshop.write(tools=[tool("add", destructiveHint=True)])
        await pilot.press("ctrl+r")
        await sees(app, "marked as destructive", "[ Run again ]")
        assert workshop.log("call") == ["add"]
        await pilot.press("x", "A")
        await sees(app, "Result       Unchanged")
        assert workshop.log("call") == ["add", "add"]


async def test_a_tool_that_is_gone_is_not_called(workshop: Workshop) -> None:
    async with (app := InspectApp(workshop.begin)).run_test(size=SIZE) as pilot:
        await called(app, pilot, "5")
        workshop.write(tools=[tool("sum")])
        await pilot.press("ctrl+r")
        await sees(app, "1 breaking", "does not list it any more")
        assert workshop.log("call") == ["add"]


async def test_failed_restart_is_compared_with_the_last_success(workshop: Workshop) -> None:
    async with (app := InspectApp(workshop.begin)).run_test(size=SIZE) as pilot:
        await called(app, pilot, "5")
        workshop.source.write_text("{")
        await pilot.press("ctrl+r")
        await sees(app, "not connected: ", "JSONDecodeError", "[ Exit report ]")
        workshop.write(results={"add": "9"})
        await pilot.press("ctrl+r")
        await sees(app, "Restarted in", "Definitions  Unchanged", '"5"', '"9"')


async def test_a_server_that_the_call_ends_is_restarted_from_its_post_mortem(workshop: Workshop) -> None:
    async with (app := InspectApp(workshop.begin)).run_test(size=SIZE) as pilot:
        await called(app, pilot, "5")
        workshop.write(results={"add": "exit"})
        await pilot.press("ctrl+r")
        await until(lambda: app.conversation.stage is ConversationStage.CLOSED, "it has exited")
        await pilot.press("1")
        await sees(app, "Post-mortem")
        workshop.write(results={"add": "5"})
        await pilot.press("ctrl+r")
        await sees(app, "Restarted in", "2 changed", "exited with code 3")
        assert "Post-mortem" not in text(app)


async def test_a_call_that_ends_the_restarted_server_again_is_unchanged_and_its_end_is_named(
    workshop: Workshop,
) -> None:
    async with (app := InspectApp(workshop.begin)).run_test(size=SIZE) as pilot:
        await called(app, pilot, "5")
        workshop.write(results={"add": "exit"})
        for _ in range(2):
            await pilot.press("ctrl+r")
            await sees(app, "then: the server exited with code 3 after", "run again: not marked as destructive")
        await sees(app, "Result       Unchanged  add")
        assert "Restarted in" not in text(app)
        assert workshop.log("call") == ["add"] * 3


def test_how_long_a_server_ran_is_no_change_of_a_result() -> None:
    before, after = (
        CallResult("add", {"failure": f"the server exited with code 1 after {s} s"}, STATUS, has_failed=True)
        for s in ("7.0", "0.3")
    )
    assert compare_results(before, after).changes == ()
    other = CallResult("add", {"failure": "the server was ended by SIGKILL after 0.3 s"}, STATUS, has_failed=True)
    assert len(compare_results(before, other).changes) == 1


@pytest.mark.parametrize("restarts", [4, pytest.param(200, marks=pytest.mark.every_server)])
async def test_nothing_is_left_of_connections_that_are_over(workshop: Workshop, restarts: int) -> None:
    async with (app := InspectApp(workshop.begin)).run_test(size=SIZE) as pilot:
        await called(app, pilot, "5")
        old: list[weakref.ref[Journal]] = []
        files = descriptors()
        for _ in range(restarts):
            before = app.conversation
            old.append(weakref.ref(before.journal))
            calls = len(workshop.log("call"))
            await pilot.press("ctrl+r")
            await until(lambda calls=calls: len(workshop.log("call")) > calls, "the call is made again")  # type: ignore[misc]
            await sees(app, "Result       Unchanged")
        del before
        workshop.lives[:-1] = [live for live in workshop.lives[:-1] if not live.is_over]

        def left() -> int:
            gc.collect()
            return sum(each() is not None for each in old)

        await until(lambda: left() <= 1, "the journals of earlier connections are let go")
        assert len(workshop.log("start")) - len(workshop.log("end")) == 1
        assert descriptors() <= files + 2


def descriptors() -> int:
    """How many files are open; 0 where that can't be seen."""
    place = Path("/proc/self/fd")
    return len(os.listdir(place)) if place.is_dir() else 0


# The model


def result(value: Any, number: int = 1) -> CallResult:
    return CallResult("add", value, STATUS, number)


@pytest.mark.parametrize(("width", "shown"), [(120, 2), (80, 2)])
def test_a_changed_text_is_shown_on_both_sides_or_one_below_the_other(width: int, shown: int) -> None:
    found = compare_results(result({"t": "a"}), result({"t": "b"}))
    lines = [plain(line) for line in side_lines(found, width, 10)]
    assert len(lines) == shown
    assert '- t: "a"' in "".join(lines)
    assert '+ t: "b"' in "".join(lines)


def test_long_text_comparison_shows_differing_lines() -> None:
    before = "\n".join(f"line {n}" for n in range(100))
    found = compare_results(result({"t": before}), result({"t": before.replace("line 50\n", "line fifty\n")}))
    assert [plain(line) for line in side_lines(found, 80, 10)] == ["- line 50", "+ line fifty"]


def test_a_long_value_is_cut_where_it_begins_to_differ() -> None:
    before = "x" * 500 + "old" + "y" * 500
    found = compare_results(result({"t": before}), result({"t": before.replace("old", "new")}))
    lines = [plain(line) for line in side_lines(found, 80, 10)]
    assert ["old" in lines[0], "new" in lines[1]] == [True, True]


def test_no_more_lines_are_shown_than_there_is_room_for() -> None:
    found = compare_results(result(dict.fromkeys(map(str, range(50)), 1)), result({}))
    assert len(side_lines(found, 80, 6)) <= 6
    assert len(side_lines(found, 160, 6)) <= 6


def test_saved_calls_with_another_verdict_are_named_first() -> None:
    saved = (
        RerunCall("always wrong", False, False, "no"),
        RerunCall("list", True, True),
        RerunCall("broken now\x1b[2J", True, False, "the response is an error"),
        RerunCall("wipe", why="marked as destructive"),
    )
    line = plain(saved_line(RestartReport(saved=saved)))
    assert line.startswith("Saved calls  ✓ 1 passed  ✗ 2 failed  ▲ 1 not run  broken now")
    assert "(passed before): the response is an error" in line
    assert "wipe: marked as destructive" in line
    assert "\x1b" not in line


def test_foreign_text_in_results_is_made_visible() -> None:
    found = compare_results(result({"t": "\x1b[31mred"}), result({"t": "a\n\x1b]0;x\x07b"}))
    report = RestartReport(result=found, failed="\x1b[2J", last_words=(b"\x1b[31mx",))
    lines = [*side_lines(found, 160, 9), result_line(report), status_line(report), *last_lines(report, 3)]
    assert not any("\x1b" in plain(line) or "\x07" in plain(line) for line in lines)


def test_an_error_after_a_result_is_a_change() -> None:
    found = compare_results(result({"t": 1}), result({"error": {"code": -32602}}))
    assert found.changes == differences({"t": 1}, {"error": {"code": -32602}})
    assert "changed" in plain(result_line(RestartReport(result=found)))


# Watching


def watcher(workshop: Workshop, *warnings: str) -> Watcher:
    return Watcher([read_glob("*.json", workshop.source.parent)], warnings)


async def test_changed_file_restarts_the_server(workshop: Workshop) -> None:
    app = InspectApp(workshop.begin, watch=lambda _: watcher(workshop, "A warning."))
    async with app.run_test(size=SIZE) as pilot:
        await sees(app, "● Watching *.json", "▲ A warning.")
        await called(app, pilot, "5")
        workshop.write(results={"add": "6"})
        await sees(app, "offer.json changed ", "restarted in", "Definitions  Unchanged", '"5"', '"6"')
        workshop.source.write_text("{")
        await sees(app, "not connected: ", "JSONDecodeError", "● Watching *.json")
        workshop.write(results={"add": "7"})
        await sees(app, "restarted in", '"6"', '"7"')
        app.restarts.action_restart_report()
        await until(lambda: "Definitions" not in text(app), "the report is folded")
        await sees(app, "● Watching *.json")


async def test_without_a_call_only_the_definitions_are_compared(workshop: Workshop) -> None:
    async with (app := InspectApp(workshop.begin, watch=lambda _: watcher(workshop))).run_test(size=(80, 24)):
        await until(lambda: app.conversation.stage is ConversationStage.OPEN, "connected")
        await sees(app, "Watching")
        workshop.write(tools=[tool("add", "Adds."), tool("sum")])
        await sees(app, "1 info", "+ sum")
        assert "Result" not in text(app)


async def test_a_changed_file_restarts_the_servers_of_all_watched_tabs(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("one", "two")]
    for place in places:
        place.mkdir()
    first, second = (Workshop(place) for place in places)

    def watch(target: Target) -> Watcher:
        assert isinstance(target, StdioTarget)
        return Watcher([read_glob("*.json", Path(target.cwd))])

    try:
        app = InspectApp(first.begin, beside=[OpenedSession("second", second.begin, second.begin())], watch=watch)
        async with app.run_test(size=SIZE) as pilot:
            await until(lambda: len(app.tabs) == 2, "both tabs")
            await until(lambda: all(tab.conversation.stage is ConversationStage.OPEN for tab in app.tabs), "connected")
            await sees(app, "● Watching *.json")
            before = [tab.conversation for tab in app.tabs]
            second.write(tools=[tool("add", "Adds."), tool("sum")])
            await until(lambda: app.tabs[1].conversation is not before[1], "the hidden tab is restarted")
            assert app.tabs[0].conversation is before[0]
            await pilot.press("g tab")
            await sees(app, "offer.json changed ", "restarted in", "+ sum")
            await pilot.press("ctrl+w")
            await until(lambda: len(app.tabs) == 1, "the second tab is closed")
            first.write(tools=[tool("add", "Adds."), tool("product")])
            await sees(app, "offer.json changed ", "+ product")
    finally:
        for made in (first, second):
            for live in made.lives:
                live.end().result(10)
            made.engine.stop()
