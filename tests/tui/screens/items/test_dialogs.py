"""Dialogs of items: the source of an app, confirmations and changes."""

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from inspector.checks.compat.matrix import CheckedDefinitions
from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.present.changes.lists import ListNews
from inspector.present.compatibility import compatibility_matrix
from inspector.present.spans import Line
from inspector.protocol.tracking.catalogue import Items, Listing, Was
from inspector.tui.conversation import Recording
from inspector.tui.screens.items.dialogs import AppSourceScreen, ChangesScreen, HostsScreen, MatrixLines, show_hosts
from inspector.tui.widgets.lines import BeforeAfterScreen, Wrapped
from tests.architecture.sources import ROOT
from tests.captures.record import sample
from tests.cli.running import LEGACY, SERVERS
from tests.stories.persons import Person, at_a_replay, at_the_screen
from tests.tui.screen_text import press, shows, text
from tests.tui.widgets.showing import Showing
from tests.waiting import until

_ENVIRONMENT = build_environment({"PYTHONPATH": str(ROOT)}, inherit_all=True)


def _demo() -> StdioTarget:
    return StdioTarget((sys.executable, "-m", "inspector.demo"), _ENVIRONMENT, str(ROOT))


def _serving(answer: Any) -> StdioTarget:
    """A server with one tool that names a page, and what it answers when that is read."""
    tool = {"name": "chart", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://x/y"}}}
    hello = {"protocolVersion": LEGACY, "serverInfo": {"name": "apps"}, "capabilities": {"tools": {}}}
    script = {"initialize": {"result": hello}, "tools/list": {"result": {"tools": [tool]}}, "resources/read": answer}
    argv = (sys.executable, str(SERVERS / "scripted.py"), json.dumps(script))
    return StdioTarget(argv, _ENVIRONMENT, str(ROOT))


async def _open(person: Person, tool: str) -> None:
    await person.press("2", shows=tool)
    await person.press("/")
    await person.types(tool, "enter", "enter", shows="[Form] JSON")
    await person.press("escape")  # while a field has the focus, the text above the form is folded
    await person.sees("App: ui://", "v A shows its source")
    await person.press("v A")


async def test_a_tools_page_is_read_and_shown_as_text_and_again_in_the_recording(tmp_path: Path) -> None:
    capture = tmp_path / "demo.mcpcap"
    async with at_the_screen(_demo(), capture) as person:
        await person.sees("Connected")
        await _open(person, "image_result")
        await person.sees("App ui://gull-rock/tide", "<!doctype html>", "not rendered", "https://tides.gull-rock")
        assert isinstance(person.pilot.app.screen, AppSourceScreen)
        assert person.wire().sent("resources/read")[0]["params"]["uri"] == "ui://gull-rock/tide"
        await person.press("escape", shows="v A shows its source")
    async with at_a_replay(capture) as person:
        await _open(person, "image_result")
        await person.sees("<!doctype html>")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": {"code": -32002, "message": "no such page"}}, "the server returned error -32002: no such page"),
        ({"result": {"contents": []}}, "the result has 0 contents, none with this URI"),
        (
            {"result": {"contents": [{"uri": "ui://x/y", "mimeType": "text/plain", "text": "no \u001b[31mhtml"}]}},
            "its type is text/plain, not text/html;profile=mcp-app",
        ),
    ],
)
async def test_non_page_is_reported_with_a_reason(answer: Any, said: str) -> None:
    async with at_the_screen(_serving(answer), None) as person:
        await person.sees("Connected")
        await _open(person, "chart")
        await person.sees(said)
        assert "\x1b" not in person.screen


async def test_compare_screen_shows_progress_until_done() -> None:
    gate = threading.Event()

    def compare() -> list[Line]:
        gate.wait(10)
        return [(("+ new", "added"),)]

    app: App[None] = Showing()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(BeforeAfterScreen("a:b", compare))
        await shows(app, "comparing", "a:b")
        gate.set()
        await until(lambda: "+ new" in text(app), "the lines are there")
        await pilot.press("escape")
        await until(lambda: not isinstance(app.screen, BeforeAfterScreen), "it is gone")


def news(before: list[Any], after: list[Any]) -> ListNews:
    was = Was(Items().and_page(before, 1), True, 0)
    listing = Listing(items=Items().and_page(after, 2), pages=1, asked=True, was=was)
    return ListNews("prompts", listing, listing.changes("prompts"))


async def test_all_of_it_is_shown_and_copied() -> None:
    app = Showing()
    screen = ChangesScreen([news([{"name": "old"}], [{"name": "new", "title": "N\x1b[31m"}])], 5_000_000_000)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.push_screen(screen)
        await shows(app, "− old", "Changed 5 s ago:", "1 prompt added")
        assert "\x1b" not in text(app)
        await pilot.press("y")
        assert "1 prompt added\n    + new" in app.clipboard
        await pilot.press("escape")
        await until(lambda: app.screen is not screen, "the same key closes it")


def test_long_lines_go_on_below_themselves() -> None:
    lines = Wrapped([(("  a" + " word" * 20, "text"),), ()])
    assert lines.count(40) == 4
    assert all(len("".join(part for part, _ in lines.line(index, 40))) <= 40 for index in range(3))
    assert "".join(part for part, _ in lines.line(1, 40)).startswith("    word")


_TOOL: dict[str, Any] = {"name": "bad", "description": "d", "inputSchema": {"anyOf": []}}


async def test_the_tools_of_a_capture_are_shown_all_of_them_at_a_key_and_copied() -> None:
    app, subject = Showing(), Recording(sample("evening"))
    subject.load()
    async with app.run_test(size=(80, 24)) as pilot:
        show_hosts(app, subject)
        await until(lambda: "24 tools without known problems" in text(app), "the matrix is there")
        screen = app.screen
        assert isinstance(screen, HostsScreen)
        assert "ClC ClD VSC" in text(app)
        assert "complex_form" not in text(app)
        await press(pilot, "v a", shows="complex_form")
        await pilot.press("y")
        assert "Codex does not support sampling" in app.clipboard
        await pilot.press("escape")
        await until(lambda: app.screen is not screen, "the same key closes it")
    await subject.end()


def test_the_matrix_is_made_for_its_width_and_no_row_is_wider() -> None:
    lines = MatrixLines(compatibility_matrix(CheckedDefinitions((_TOOL,), "s")), every=False)
    for width in (60, 140):
        rows = ["".join(part for part, _ in lines.line(at, width)) for at in range(lines.count(width))]
        assert all(len(row) <= width for row in rows)
        assert any(row.startswith("bad") for row in rows)
