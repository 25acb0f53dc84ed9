"""`mcp-inspect demo`: the server that comes along, whatever directory one is in."""

from pathlib import Path

import pytest

from tests.cli.commands.opened import opened
from tests.cli.running import inspect


def test_the_interface_opens_on_the_demo_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opened() as lives:
        assert inspect("demo", "--no-capture", terminal=True, env={"TERM": "xterm"}).status == 0
    opening = lives[0].journal.conversation.opening
    assert opening is not None
    assert opening.server["name"] == "gull-rock-lighthouse"
    assert lives[0].target.label == "demo"
