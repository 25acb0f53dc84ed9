"""What runs without any words: it lists, and starts nothing."""

from pathlib import Path

import pytest

from inspector.cli.commands import start
from inspector.config.paths import places
from tests.cli.running import inspect


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_servers_and_captures_are_listed(home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/mcp.json").write_text(
        '{"mcpServers": {"gulls": {"command": "npx", "args": ["-y", "gulls"], "env": {"KEY": "secret"}},}} // ours'
    )
    captures = places().captures
    captures.mkdir(parents=True)
    (captures / "a.mcpcap").write_text("x")
    ran = inspect()
    assert ran.status == 0
    assert "gulls" in ran.stdout
    assert "npx -y gulls" in ran.stdout
    assert "Cursor" in ran.stdout
    assert "secret" not in ran.stdout
    as_json = inspect("--json")
    assert as_json.data["captures"] == [str(captures / "a.mcpcap")]
    (found,) = as_json.data["servers"]
    assert (found["name"], found["argv"], found["env"]) == ("gulls", ["npx", "-y", "gulls"], ["KEY"])
    assert "secret" not in as_json.stdout


def test_nothing_found_is_said() -> None:
    ran = inspect()
    assert ran.status == 0
    assert "none in the files" in ran.stdout
    assert inspect("--json").data == {"servers": [], "captures": []}


def test_a_broken_file_is_one_line_with_its_place(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers":\n  nonsense}')
    assert ".mcp.json:2:3: " in inspect("--json").data["servers"][0]["problem"]


def test_names_move_no_cursor(home: Path) -> None:
    (home / ".claude.json").write_text('{"mcpServers": {"\\u001b[2J": {"command": "x"}}}')
    ran = inspect(env={"COLUMNS": "60"})
    assert "\x1b" not in ran.stdout
    assert "␛[2J" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 60
    assert start.command.hidden
