"""The source of an app: read when asked for, shown as text, and every failure said."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.tui.screens.app_source import AppSourceScreen
from tests.architecture.sources import ROOT
from tests.cli.running import LEGACY, SERVERS
from tests.stories.persons import Person, at_a_replay, at_the_screen

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
    await person.press("2")
    await person.sees(tool)
    await person.press("/")
    await person.types(tool)
    await person.press("enter", "enter")
    await person.sees("Form / JSON")
    await person.press("escape")  # while a field has the focus, the text above the form is folded
    await person.sees("App: ui://", "o shows its source")
    await person.press("o")


async def test_a_tools_page_is_read_and_shown_as_text_and_again_in_the_recording(tmp_path: Path) -> None:
    capture = tmp_path / "demo.mcpcap"
    async with at_the_screen(_demo(), capture) as person:
        await person.sees("connected")
        await _open(person, "tide_chart")
        await person.sees("App ui://gull-rock/tide", "<!doctype html>", "never rendered", "https://tides.gull-rock")
        assert isinstance(person.pilot.app.screen, AppSourceScreen)
        assert person.wire().sent("resources/read")[0]["params"]["uri"] == "ui://gull-rock/tide"
        await person.press("escape")
        await person.sees("o shows its source")
    async with at_a_replay(capture) as person:
        await _open(person, "tide_chart")
        await person.sees("<!doctype html>")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"error": {"code": -32002, "message": "no such page"}}, "the server answered with error -32002: no such page"),
        ({"result": {"contents": []}}, "the answer has 0 contents, and none of this URI"),
        (
            {"result": {"contents": [{"uri": "ui://x/y", "mimeType": "text/plain", "text": "no \u001b[31mhtml"}]}},
            "its type is text/plain, not text/html;profile=mcp-app",
        ),
    ],
)
async def test_what_is_no_page_says_why(answer: Any, said: str) -> None:
    async with at_the_screen(_serving(answer), None) as person:
        await person.sees("connected")
        await _open(person, "chart")
        await person.sees(said)
        assert "\x1b" not in person.screen
