"""A restart by key and by changed files; the screen shows what has changed."""

import os
from pathlib import Path

import pytest

from inspector.config.environment import build_environment
from inspector.config.targets import StdioTarget
from inspector.features.watch.watcher import Watcher, read_glob
from inspector.tui.app import InspectApp
from inspector.tui.screens.items.tools import ToolsPanel
from tests.servers.real import argv
from tests.stories.persons import Person, at_the_screen
from tests.stories.real_targets import named, running
from tests.waiting import until

pytestmark = pytest.mark.real

SERVER = """\
from fastmcp import FastMCP

mcp = FastMCP("small")


@mcp.tool
def add(a: int = 2, b: int = 3) -> str:
    \"\"\"Adds.\"\"\"
    return f"The result is {a + b}."


mcp.run(show_banner=False)
"""


async def call(person: Person, name: str, said: str) -> None:
    """Call the first tool with the arguments that its form begins with."""
    await person.press("2", shows=name)
    app = person.pilot.app
    assert isinstance(app, InspectApp)
    panel = app.panel
    assert isinstance(panel, ToolsPanel)
    await until(lambda: panel.form.tool is not None, "a tool is chosen")
    await person.press("ctrl+j", shows=said)


@pytest.mark.slow
async def test_a_small_server_is_edited_while_it_is_watched(tmp_path: Path) -> None:
    place = tmp_path / "project"
    place.mkdir()
    source = place / "server.py"
    source.write_text(SERVER)
    python = Path(argv("fastmcp")[0]).with_name("python")
    environment = build_environment(os.environ, inherit_all=False, set_=["FASTMCP_CHECK_FOR_UPDATES=off"])
    target = StdioTarget((str(python), "server.py"), environment, str(place))
    watcher = Watcher([read_glob("**/*.py", place)])
    async with at_the_screen(target, None, (140, 45), watcher) as person:
        await person.sees("● Connected", "● Watching **/*.py")
        await call(person, "add", "The result is 5.")
        described = SERVER.replace("Adds.", "Adds two whole numbers.")
        source.write_text(described)
        await person.sees("server.py changed", "restarted in", "1 warning", "Result       Unchanged")
        source.write_text(described.replace("a + b", "a * b"))
        await person.sees("Definitions  Unchanged", "changed  add", "The result is 5.", "The result is 6.")
        source.write_text(described + "oh no\n")
        await person.sees("not connected: ", "SyntaxError", "● Watching **/*.py")
        source.write_text(described)
        await person.sees("restarted in", "● Connected", "The result is 6.", "The result is 5.")


async def test_a_real_server_is_restarted_by_a_key_and_the_last_call_runs_again(tmp_path: Path) -> None:
    async with running(named("everything-stdio"), tmp_path) as target, at_the_screen(target, None, (140, 45)) as person:
        await person.sees("● Connected", "prompts/list")
        await person.press("2", "/", *"echo", "enter", "enter", shows="message")
        await person.types("ahoy", "ctrl+j", shows="Echo: ahoy")
        await person.press("ctrl+r", shows=("Restarted in", "Definitions  Unchanged", "Result       Unchanged", "ahoy"))
        await person.sees("History 2")
