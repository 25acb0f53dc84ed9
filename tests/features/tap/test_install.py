"""Installing the tap into client config files, and removing it without a trace."""

import json
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.config.servers import parse
from inspector.errors import UsageError
from inspector.features.tap.install import (
    carry_out,
    condition,
    for_one_run,
    plan_install,
    plan_uninstall,
    read_ledger,
    wrapped,
)
from inspector.features.tap.private_path import private_path

JSON = """{
  "theme": "dark",
  "mcpServers": {
    "git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"A": "1"}},
    "far": {"url": "https://example.com/mcp"}
  }
}
"""
JSONC = (
    '\ufeff// of mine\r\n{\r\n\t/* all { of [ them */\r\n\t"servers": {\r\n\t\t"git": { // "command": "no"\r\n'
    '\t\t\t"type": "stdio",\r\n\t\t\t"command" : "npx", // runs it\r\n\t\t\t"args": [ "-y", /* why */ "x//y", ],\r\n'
    '\t\t\t"envFile": "${workspaceFolder}/.env",\r\n\t\t},\r\n\t},\r\n}\r\n'
)
TOML = """# mine
model = "o"

[mcp_servers.other]
command = "a"

[mcp_servers.git] # the one
args = [
  "a]b", # why
  'c',
]
command = 'uvx'
startup_timeout_sec = 20

[mcp_servers.git.env]
A = "1"
"""
BARE = '{"mcpServers": {"git": {"command": "server-git"}}}'
TOML_BARE = '[mcp_servers."git"]\ncommand = "server-git"'
TOML_INLINE = '[mcp_servers]\ngit = { command = "uvx", args = ["x"] } # mine\nother = { command = "a" }\n'
TOML_DOTTED = 'mcp_servers.git.command = "uvx"\r\nmcp_servers.git.args = ["x"]\r\n\r\n[other]\r\nz = 1\r\n'
FILES = {
    "cursor": (".cursor/mcp.json", JSON, ["uvx", "mcp-server-git"]),
    "vscode": (".config/Code/User/mcp.json", JSONC, ["npx", "-y", "x//y"]),
    "codex": (".codex/config.toml", TOML, ["uvx", "a]b", "c"]),
    "gemini": (".gemini/settings.json", BARE, ["server-git"]),
    "codex ": (".codex/config.toml", TOML_BARE, ["server-git"]),
    " codex": (".codex/config.toml", TOML_INLINE, ["uvx", "x"]),
    " codex ": (".codex/config.toml", TOML_DOTTED, ["uvx", "x"]),
    "zed": (".config/zed/settings.json", JSONC.replace("servers", "context_servers"), ["npx", "-y", "x//y"]),
}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def write(home: Path, name: str, text: str) -> Path:
    """A file below the home directory."""
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def install(wanted: str, home: Path, state: Path, **more: Any) -> None:
    """Carry out all plans."""
    for plan in plan_install(wanted, {"HOME": str(home)}, home / "project", state, **more):
        carry_out(plan, state, installs=True)


def uninstall(wanted: str, state: Path) -> None:
    """The same for the way back."""
    for plan in plan_uninstall(wanted, state):
        carry_out(plan, state, installs=False)


def parsed(path: Path) -> Any:
    """What a client reads in a file."""
    text = path.read_bytes().decode()
    return tomllib.loads(text) if path.suffix == ".toml" else parse(text, "it")


def entry(value: Any) -> dict[str, Any]:
    """The server's entry, whatever its group is called."""
    group = next(value[key] for key in ("mcpServers", "servers", "context_servers", "mcp_servers") if key in value)
    found: dict[str, Any] = group["git"]
    return found


@pytest.mark.parametrize("host", FILES)
def test_only_the_command_changes_and_every_byte_returns(host: str, home: Path, state: Path) -> None:
    name, text, argv = FILES[host]
    path = write(home, name, text)
    path.chmod(0o640)
    before = parsed(path)
    install(f"{host.strip()}:git", home, state)
    tapped, command = parsed(path), entry(parsed(path))
    assert [command["command"], *command["args"]] == wrapped("git", argv)
    entry(before).update(command=command["command"], args=command["args"])
    assert tapped == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    kept = [line for line in text.splitlines() if "command" not in line and "args" not in line and '"a]b"' not in line]
    assert all(line in path.read_bytes().decode() for line in kept if "'c'" not in line)
    assert [condition(each) for each in read_ledger(state)] == ["installed"]
    uninstall(f"{host.strip()}:git", state)
    assert path.read_bytes() == text.encode()
    assert read_ledger(state) == []


def test_foreign_changes_survive_uninstall(home: Path, state: Path) -> None:
    path = write(home, ".cursor/mcp.json", JSON)
    install("cursor:git", home, state)
    path.write_text(path.read_text().replace('"dark"', '"light"'))
    uninstall("cursor:git", state)
    assert path.read_text() == JSON.replace('"dark"', '"light"')


def test_an_entry_that_was_changed_by_hand_is_not_touched(home: Path, state: Path) -> None:
    path = write(home, ".cursor/mcp.json", JSON)
    install("cursor:git", home, state)
    changed = path.read_text().replace("mcp-server-git", "another")
    path.write_text(changed)
    assert [condition(each) for each in read_ledger(state)] == ["changed since it was installed"]
    with pytest.raises(UsageError, match="was changed since"):
        uninstall("cursor:git", state)
    assert path.read_text() == changed


def test_a_client_that_writes_its_own_copy_back_is_noticed(home: Path, state: Path) -> None:
    path = write(home, ".cursor/mcp.json", JSON)
    install("cursor", home, state)
    path.write_text(JSON)
    (found,) = read_ledger(state)
    assert condition(found).startswith("no longer in the file")


def test_a_second_time_nothing_is_wrapped_again(home: Path, state: Path) -> None:
    path = write(home, ".cursor/mcp.json", JSON)
    install("cursor:git", home, state)
    once = path.read_text()
    with pytest.raises(UsageError, match="tapped already"):
        install("cursor:git", home, state)
    assert path.read_text() == once


def test_files_of_a_project_are_edited_only_on_request(home: Path, state: Path) -> None:
    path = write(home / "project", ".mcp.json", JSON)
    with pytest.raises(UsageError, match="only project files"):
        install("claude-code:git", home, state)
    assert path.read_text() == JSON
    install("claude-code:git", home, state, project=True)
    assert entry(parsed(path))["command"] == sys.executable


def test_the_project_of_a_user_file_is_found(home: Path, state: Path) -> None:
    project = str(home / "project")
    text = json.dumps({"projects": {project: {"mcpServers": {"git": {"command": "a b", "args": []}}}}})
    path = write(home, ".claude.json", text)
    install("claude-code:git", home, state)
    assert parsed(path)["projects"][project]["mcpServers"]["git"]["args"][-1] == "a b"
    uninstall("claude-code", state)
    assert path.read_text() == text


def test_a_link_is_followed_and_named(home: Path, state: Path) -> None:
    real = write(home, "dotfiles/mcp.json", JSON)
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").symlink_to(real)
    (plan,) = plan_install("cursor:git", {"HOME": str(home)}, home, state)
    assert (plan.path, any("is a link to" in note for note in plan.notes)) == (real.resolve(), True)
    carry_out(plan, state, installs=True)
    assert (home / ".cursor" / "mcp.json").is_symlink()


def test_the_diff_shows_what_will_change(home: Path, state: Path) -> None:
    write(home, ".cursor/mcp.json", JSON)
    (plan,) = plan_install("cursor:git", {"HOME": str(home)}, home, state)
    removed = [line for line in plan.diff if line.startswith("-") and not line.startswith("---")]
    assert removed == ['-    "git": {"command": "uvx", "args": ["mcp-server-git"], "env": {"A": "1"}},']


def test_a_file_that_changes_meanwhile_is_not_overwritten(home: Path, state: Path) -> None:
    path = write(home, ".cursor/mcp.json", JSON)
    (plan,) = plan_install("cursor:git", {"HOME": str(home)}, home, state)
    path.write_text("{}")
    with pytest.raises(UsageError, match="just been changed"):
        carry_out(plan, state, installs=True)
    assert path.read_text() == "{}"


def test_an_entry_that_the_client_wrote_back_leaves_the_ledger(home: Path, state: Path) -> None:
    path = write(home, ".cursor/mcp.json", JSON)
    install("cursor:git", home, state)
    text = JSON.replace('"A": "1"', '"A": "2"')
    path.write_text(text)
    uninstall("cursor:git", state)
    assert (path.read_text(), read_ledger(state)) == (text, [])


URL_FILES = {
    "cursor": (".cursor/mcp.json", JSON, "url"),
    "gemini": (".gemini/settings.json", '{"mcpServers": {"far": {"httpUrl": "https://example.com/mcp"}}}', "httpUrl"),
    "windsurf": (
        ".codeium/windsurf/mcp_config.json",
        '{"mcpServers": {"far": {"serverUrl": "https://example.com/mcp"}}}',
        "serverUrl",
    ),
    "codex": (".codex/config.toml", TOML + '[mcp_servers.far]\nurl = "https://example.com/mcp" # it\n', "url"),
}


@pytest.mark.parametrize("host", URL_FILES)
def test_the_url_of_a_remote_server_is_replaced_by_the_address_of_a_tap(host: str, home: Path, state: Path) -> None:
    name, text, member = URL_FILES[host]
    path = write(home, name, text)
    (plan,) = plan_install(f"{host}:far", {"HOME": str(home)}, home / "project", state, port=7001)
    assert "tap http https://example.com/mcp --listen 127.0.0.1:7001" in plan.notes[-1]
    carry_out(plan, state, installs=True)
    own = f"http://127.0.0.1:7001{private_path(state, 'https://example.com/other')}/mcp"
    assert path.read_bytes().decode() == text.replace("https://example.com/mcp", own)
    value = parsed(path)
    group = value.get("mcpServers") or value.get("mcp_servers")
    assert group["far"][member] == own
    with pytest.raises(UsageError, match="address of the tap already"):
        plan_install(f"{host}:far", {"HOME": str(home)}, home / "project", state, port=7001)
    uninstall(f"{host}:far", state)
    assert path.read_bytes() == text.encode()


def test_one_port_is_for_one_server(home: Path, state: Path) -> None:
    write(home, ".cursor/mcp.json", JSON)
    with pytest.raises(UsageError, match="one port is for one server"):
        plan_install("cursor", {"HOME": str(home)}, home, state, port=7001)


def test_backup_and_ledger_are_private(home: Path, state: Path) -> None:
    write(home, ".cursor/mcp.json", JSON)
    install("cursor:git", home, state)
    files = [path for path in state.iterdir() if path.is_file()]
    assert len(files) == 2
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_backup_is_removed_with_the_last_tap_that_needs_it(home: Path, state: Path) -> None:
    write(home, ".cursor/mcp.json", JSON)
    install("cursor:git", home, state)
    (state / "tap-backup-0123456789abcdef").write_text("of an earlier version")
    for plan in plan_uninstall("cursor", state):
        carry_out(plan, state, installs=False)
    assert [*state.glob("tap-backup-*")] == []


@pytest.mark.parametrize(
    ("prepare", "wanted", "said"),
    [
        (lambda home: None, "cursor", "no config file of cursor"),
        (lambda home: write(home, ".cursor/mcp.json", JSON), "cursor:far", "has a URL"),
        (lambda home: write(home, ".cursor/mcp.json", JSON), "cursor:none", "cursor has no server named 'none'"),
        (lambda home: write(home, ".cursor/mcp.json", "{,"), "cursor", "mcp.json:1"),
        (lambda home: write(home, ".codex/config.toml", "a="), "codex", "config.toml"),
    ],
)
def test_impossible_install_reports_why(
    prepare: Callable[[Path], object], wanted: str, said: str, home: Path, state: Path
) -> None:
    prepare(home)
    with pytest.raises(UsageError, match=said):
        install(wanted, home, state)


def test_uninstall_without_install_is_refused(state: Path) -> None:
    with pytest.raises(UsageError, match="tap is not installed for cursor"):
        plan_uninstall("cursor", state)


# One run


def test_claude_gets_all_its_servers_tapped_for_one_run(home: Path, tmp_path: Path) -> None:
    project = home / "project"
    write(project, ".mcp.json", JSON)
    before = write(home, ".claude.json", BARE.replace("git", "mine"))
    write(home, ".claude/settings.json", '{"enableAllProjectMcpServers": true}')
    argv, names, _ = for_one_run(["claude", "-p", "hi"], {"HOME": str(home)}, project, tmp_path / "run", project=True)
    assert (argv[0], argv[1], argv[3:]) == ("claude", "--mcp-config", ["--strict-mcp-config", "-p", "hi"])
    servers = json.loads(Path(argv[2]).read_bytes())["mcpServers"]
    assert sorted(names) == ["git", "mine"]
    assert servers["git"]["args"] == wrapped("git", ["uvx", "mcp-server-git"])[1:]
    assert servers["git"]["env"] == {"A": "1"}
    assert servers["far"] == {"url": "https://example.com/mcp"}
    assert before.read_text() == BARE.replace("git", "mine")
    assert stat.S_IMODE(Path(argv[2]).stat().st_mode) == 0o600


def test_codex_gets_them_as_options(home: Path, tmp_path: Path) -> None:
    write(home, ".codex/config.toml", TOML)
    argv, *_ = for_one_run(["codex", "exec"], {"HOME": str(home)}, home, tmp_path)
    values = tomllib.loads("\n".join(argv[at + 1] for at, word in enumerate(argv) if word == "-c"))
    found = values["mcp_servers"]["git"]
    assert [found["command"], *found["args"]] == wrapped("git", ["uvx", "a]b", "c"])
    assert argv[-1] == "exec"


PROJECT = json.dumps({"mcpServers": {name: {"command": f"run-{name}"} for name in ("one", "two", "three")}})
_TRUST = {"hasTrustDialogAccepted": True}


def _claude(home: Path, here: dict[str, Any], settings: dict[str, dict[str, Any]]) -> Path:
    """Write what Claude Code knows of a project with three servers, and of its user's server `mine`."""
    project = home / "project"
    write(project, ".mcp.json", PROJECT)
    own = {"mcpServers": {"mine": {"command": "mine"}}, "projects": {str(project): here}}
    write(home, ".claude.json", json.dumps(own))
    for name, value in settings.items():
        write(home, name, json.dumps(value))
    return project


@pytest.mark.parametrize(
    ("here", "settings", "tapped"),
    [
        ({}, {}, ["mine"]),
        (_TRUST, {}, ["mine"]),
        (_TRUST | {"enabledMcpjsonServers": ["one"]}, {}, ["mine", "one"]),
        ({"enabledMcpjsonServers": ["one"]}, {}, ["mine"]),
        (_TRUST, {"project/.claude/settings.local.json": {"enabledMcpjsonServers": ["one"]}}, ["mine", "one"]),
        ({}, {"project/.claude/settings.local.json": {"enabledMcpjsonServers": ["one"]}}, ["mine"]),
        ({}, {"project/.claude/settings.json": {"enableAllProjectMcpServers": True}}, ["mine"]),
        ({}, {".claude/settings.json": {"enabledMcpjsonServers": ["one", "two"]}}, ["mine", "one", "two"]),
        (
            {"disabledMcpjsonServers": ["two"]},
            {".claude/settings.json": {"enableAllProjectMcpServers": True}},
            ["mine", "one", "three"],
        ),
        (
            {"disabledMcpServers": ["mine", "one"]},
            {".claude/settings.json": {"enableAllProjectMcpServers": True, "disabledMcpjsonServers": ["three"]}},
            ["two"],
        ),
    ],
)
def test_claude_gets_of_a_project_only_what_its_user_has_approved(
    here: dict[str, Any], settings: dict[str, dict[str, Any]], tapped: list[str], home: Path, tmp_path: Path
) -> None:
    project = _claude(home, here, settings)
    ran = for_one_run(["claude"], {"HOME": str(home)}, project, tmp_path / "run", project=True)
    assert sorted(ran.tapped) == sorted(tapped)
    assert sorted(json.loads(Path(ran.argv[2]).read_bytes())["mcpServers"]) == sorted(tapped)
    assert {each.split()[0] for each in ran.left_out} == {"one", "two", "three", "mine"} - set(tapped)


def test_project_servers_are_left_out_by_default(home: Path, tmp_path: Path) -> None:
    project = _claude(home, {}, {".claude/settings.json": {"enabledMcpjsonServers": ["one"]}})
    ran = for_one_run(["claude"], {"HOME": str(home)}, project, tmp_path / "run")
    assert ran.tapped == ["mine"]
    assert "one (an entry of this project; --project includes it)" in ran.left_out
    assert "two (not approved in Claude Code)" in ran.left_out


@pytest.mark.parametrize(("level", "tapped"), [("trusted", {"git", "theirs"}), ("untrusted", {"git"}), (None, {"git"})])
def test_codex_gets_servers_of_a_project_that_it_trusts(
    level: str | None, tapped: set[str], home: Path, tmp_path: Path
) -> None:
    (home / "project/.git").mkdir(parents=True)
    trust = f'\n[projects."{home / "project"}"]\ntrust_level = "{level}"\n' if level else ""
    off = '\n[mcp_servers.off]\ncommand = "off"\nenabled = false\n'
    write(home, ".codex/config.toml", TOML_BARE + off + trust)
    write(home, "project/below/.codex/config.toml", TOML_BARE.replace("git", "theirs"))
    ran = for_one_run(["codex"], {"HOME": str(home)}, home / "project/below", tmp_path, project=True)
    assert set(ran.tapped) == tapped
    assert any(each.startswith("off (disabled in") for each in ran.left_out)


@pytest.mark.parametrize(("program", "said"), [("cursor", "takes no configuration"), ("claude", "no server")])
def test_other_clients_are_sent_to_install(program: str, said: str, home: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        for_one_run([program], {"HOME": str(home)}, home, tmp_path)
