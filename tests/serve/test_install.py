"""`mcp-inspect serve install` and `uninstall`: an entry in an agent's file, and its bytes as they were."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import inspect

_FILES = {
    "claude-code": (".claude.json", '{"numStartups": 3, // a comment\n "mcpServers": {"a": {"command": "a"}}}'),
    "codex": (".codex/config.toml", 'model = "m"  # a comment\n\n[mcp_servers.a]\ncommand = "a"'),
    "gemini-cli": (".gemini/settings.json", '{"theme": "dark"}\n'),
    "cursor": (".cursor/mcp.json", '{"mcpServers": {}}'),
    "vscode": (".config/Code/User/mcp.json", None),
}


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory with the file of each client that has one."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    for name, text in _FILES.values():
        if text is not None:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    return tmp_path


def _entries(path: Path) -> Any:
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text())["mcp_servers"]
    text = path.read_text().replace("// a comment", "")
    return json.loads(text)["servers" if "Code/User" in str(path) else "mcpServers"]


@pytest.mark.parametrize("client", _FILES)
def test_uninstall_restores_the_bytes_that_install_changed(client: str, own: Path) -> None:
    name, before = _FILES[client]
    inspect("serve", "install", client, "--yes", "--", "node", "server.js").exits(0)
    entries = _entries(own / name)
    assert entries["mcp-inspect"]["args"][-3:] == ["--", "node", "server.js"]
    assert set(entries) - {"mcp-inspect", "a"} == set()
    assert "already" in inspect("serve", "install", client, "--yes", "--", "node", "server.js").stderr
    assert inspect("serve", "uninstall", client, "--yes").status == 0
    assert (own / name).exists() is (before is not None)
    if before is not None:
        assert (own / name).read_text() == before


def test_install_without_a_command_allows_the_servers_that_the_client_has(own: Path) -> None:
    assert inspect("serve", "install", "codex", "--yes").status == 0
    assert _entries(own / ".codex/config.toml")["mcp-inspect"]["args"][-2:] == ["--allow-config", "a"]
    assert "--allow-commands" in inspect("serve", "install", "cursor", "--yes").stderr
    assert "tap is not installed" in inspect("tap", "uninstall", "codex", "--yes").stderr


def test_a_dry_run_changes_nothing(own: Path) -> None:
    inspect("serve", "install", "gemini-cli", "--allow-commands", "--dry-run").prints('+    "mcp-inspect"')
    assert (own / ".gemini/settings.json").read_text() == _FILES["gemini-cli"][1]
