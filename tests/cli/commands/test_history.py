"""`mcp-inspect history`: what `call` and `read` have stored."""

from pathlib import Path

import pytest

from inspector.cli.exit_status import ExitStatus
from tests.cli.running import demo, inspect


def test_calls_are_stored_searched_and_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_INSPECT_HOME", str(tmp_path))
    assert inspect("call", "echo", "-a", "text=one", *demo()).status == ExitStatus.OK
    assert inspect("call", "echo", "-a", "password=hidden1", *demo()).status == ExitStatus.TOOL_ERROR
    monkeypatch.setenv("MCP_INSPECT_HISTORY", "off")
    assert inspect("call", "echo", "-a", "text=three", *demo()).status == ExitStatus.OK
    monkeypatch.delenv("MCP_INSPECT_HISTORY")
    told = inspect("history").exits(ExitStatus.OK)
    first, second = told.stdout.splitlines()
    assert "tool error" in first
    assert "tools/call echo" in second
    assert '{"text":"one"}' in second
    assert "hidden1" not in told.stdout
    found = inspect("history", "--search", "echo ONE", "--json").data["calls"]
    assert [(each["method"], each["params"]["arguments"], each["status"]) for each in found] == [
        ("tools/call", {"text": "one"}, "ok")
    ]
    assert len(inspect("history", "--json", "-n", "1").data["calls"]) == 1
    assert inspect("history", "clear").stdout == "Cleared 2 calls.\n"
    assert inspect("history", "--json").data == {"calls": []}
    assert "no calls are stored" in inspect("history").stderr
