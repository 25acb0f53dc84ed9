"""`check` holds a server against what is remembered of it, or a lock file, and remembers only when it is told to."""

import os
from pathlib import Path
from typing import Any

from inspector.cli.options import choose
from inspector.cli.remembering import target_key
from inspector.cli.world import World
from tests.cli.running import inspect, scripted

_TOOL: dict[str, Any] = {"name": "buy", "description": "Buys.", "inputSchema": {"type": "object"}}
_CHANGED = {**_TOOL, "description": "Buys and tells."}


def _told(*words: str) -> list[str]:
    found = inspect("check", "--json", *words).data["findings"]
    return [each["sentence"] for each in found if each["id"] == "S-24"]


def _server(script: Path, tool: dict[str, Any]) -> tuple[str, ...]:
    """The same command, whatever the server behind it says."""
    words = scripted({"tools/list": {"result": {"tools": [tool]}}}, capabilities={"tools": {}})
    script.write_text(f"import os, sys\nos.execv({words[1]!r}, {words[1:]!r})\n")
    return ("--", words[1], str(script))


def test_what_has_changed_since_it_was_remembered_is_a_warning(tmp_path: Path) -> None:
    script = tmp_path / "server.py"
    assert _told("--remember", *_server(script, _TOOL)) == []
    assert _told(*_server(script, _TOOL)) == []
    for _ in range(2):
        (said,) = _told(*_server(script, _CHANGED))
        assert said.startswith("the tool buy has changed since 20")
    assert len(_told("--remember", *_server(script, _CHANGED))) == 1, "it is told, and then approved"
    assert _told(*_server(script, _CHANGED)) == []


def test_without_being_told_to_nothing_is_remembered_and_a_lock_file_goes_before(tmp_path: Path) -> None:
    script, lock = tmp_path / "server.py", str(tmp_path / "a.json")
    assert inspect("surface", "-o", lock, *_server(script, _TOOL)).status == 0
    assert _told(*_server(script, _TOOL)) == []
    assert not (Path(os.environ["MCP_INSPECT_HOME"]) / "state" / "seen").exists()
    inspect("check", "--remember", *_server(script, _CHANGED))
    assert _told("--lock", lock, *_server(script, _CHANGED)) == [
        "the tool buy has changed since it was locked: description"
    ]
    assert inspect("check", "--lock", __file__, *_server(script, _TOOL)).status == 2


def test_the_key_is_that_of_the_target(tmp_path: Path) -> None:
    from inspector.cli.commands.check import command

    for argv, url in ((("node", "server.js"), None), (None, "http://127.0.0.1:9/mcp#x")):
        world = World(theirs=argv)
        options = command.make_context("check", ["--cwd", str(tmp_path)] if argv else [], obj=world).params
        assert target_key(world, url, options) == choose(world, url, options).target.key
    assert target_key(World(), None, {}) == ""


def test_a_capture_is_not_remembered() -> None:
    ran = inspect("check", "--remember", __file__)
    assert (ran.status, "--remember" in ran.stderr) == (2, True)
