"""`mcp-inspect completion`: candidates at the cursor, and the scripts in real shells."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from inspector.cli.command_group import commands
from tests.architecture.sources import ROOT
from tests.cli.running import demo, inspect

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """An environment with a session with the demo server behind it, a capture and a configured server."""
    place = tmp_path_factory.mktemp("home")
    env = {"MCP_INSPECT_HOME": str(place), "HOME": str(place), "XDG_CONFIG_HOME": str(place)}
    assert inspect("list", "all", *demo(), env=env).status == 0
    captures = place / "state" / "captures"
    captures.mkdir(parents=True, exist_ok=True)
    (captures / "one.mcpcap").touch()
    (place / ".cursor").mkdir()
    (place / ".cursor" / "mcp.json").write_text('{"mcpServers": {"harbour": {"command": "true"}}}')
    return env


def found(before: str, used: Mapping[str, str], line: str = "", breaks: str = "") -> dict[str, str]:
    """The candidates for a line with the cursor behind `before`: values with their kinds."""
    asked = {"MCP_INSPECT_COMPLETE": "bash", "MCP_INSPECT_TEXT": before, "MCP_INSPECT_LINE": line or before}
    ran = inspect(env={**used, **asked, "MCP_INSPECT_BREAKS": breaks})
    assert (ran.status, ran.stderr) == (0, "")
    parts = [each.split("\t") for each in ran.stdout.splitlines()]
    return {value: kind for kind, value, _ in parts}


def test_all_commands_and_their_options_are_completed(used: Mapping[str, str]) -> None:
    assert [*found("mcp-inspect ", used)] == [*commands.summaries]
    assert {*found("mcp-inspect tr", used)} == {"trace"}
    assert {*found("mcp-inspect auth ", used)} == {"login", "status", "refresh", "logout", "explain"}
    for name in commands.summaries:
        assert "--help" in found(f"mcp-inspect {name} -", used), name
    assert "--json" not in found("mcp-inspect info --json --", used), "an option is given once"
    assert "--version" in found("mcp-inspect --", used)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("list ", {"tools", "resources", "templates", "prompts", "all"}),
        ("check --fail-on ", {"error", "warning", "hint", "never"}),
        ("info --era m", {"modern"}),
        ("call --capability sam", {"sampling", "sampling.tools"}),
        ("compat --host cla", {"claude-code", "claude-desktop"}),
        ("call --raw", set()),
        ("nonsense ", set()),
        ("call 'unclosed", set()),
    ],
)
def test_values_are_completed(before: str, expected: set[str], used: Mapping[str, str]) -> None:
    assert {*found(f"mcp-inspect {before}", used)} == expected


def test_shell_completes_commands_directories_and_files(used: Mapping[str, str]) -> None:
    assert found("mcp-inspect info -- no", used) == {"no": "command"}
    assert found("mcp-inspect info -- node se", used) == {"se": "file"}
    assert found("mcp-inspect info --cwd x", used) == {"x": "directory"}
    assert found("mcp-inspect import a", used) == {"a": "file"}


def test_captures_and_configured_servers_are_completed(used: Mapping[str, str]) -> None:
    assert any(each.endswith("one.mcpcap") for each in found("mcp-inspect replay /", used))
    assert "harbour" in found("mcp-inspect info ", used)
    assert "harbour" in found("mcp-inspect --with har", used)


def test_names_come_from_the_last_session_with_the_server(used: Mapping[str, str]) -> None:
    line = f"mcp-inspect call ec -- {sys.executable} -m inspector.demo"
    assert {*found("mcp-inspect call ec", used, line)} == {"echo"}
    assert {*found("mcp-inspect call ec", used)} == {"echo"}, "without a target, the servers used last"
    assert found("mcp-inspect call ec", used, "mcp-inspect call ec -- another") == {}
    assert found("mcp-inspect read ", used, line)
    assert found("mcp-inspect prompt ", used, line)


def test_bash_replaces_only_what_follows_the_last_word_break(used: Mapping[str, str]) -> None:
    whole = found("mcp-inspect read li", used)
    scheme = next(iter(whole)).partition(":")[0]
    assert all(":" not in each[:2] for each in found(f"mcp-inspect read {scheme}:/", used, breaks=":"))
    assert all(each.startswith("//") for each in found(f"mcp-inspect read {scheme}:/", used, breaks=":"))


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_script_has_its_installation(shell: str) -> None:
    ran = inspect("completion", shell)
    assert (ran.status, ran.stderr) == (0, "")
    assert f"mcp-inspect completion {shell}" in ran.stdout


_IN_SHELL = {
    "bash": """
source "$1"
COMP_LINE="mcp-inspect call ec" COMP_POINT=19 COMP_WORDS=(mcp-inspect call ec) COMP_CWORD=2
_mcp_inspect mcp-inspect ec call
printf '%s\\n' "${COMPREPLY[@]}"
""",
    "zsh": """
compdef() { :; }
_describe() { print -l -- "${(@P)3}"; }
source "$1"
words=(mcp-inspect call ec) CURRENT=3 PREFIX=ec
_mcp_inspect
""",
    "fish": """
source $argv[1]
complete -C "mcp-inspect call ec"
""",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_completes_in_its_shell(shell: str, used: Mapping[str, str], tmp_path: Path) -> None:
    if (path := shutil.which(shell)) is None:
        pytest.skip(f"{shell} is not installed")
    script, command = tmp_path / "script", tmp_path / "bin" / "mcp-inspect"
    script.write_text(inspect("completion", shell).stdout)
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m inspector "$@"\n')
    command.chmod(0o755)
    inherited = {"PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    words = [path, "-c", _IN_SHELL[shell], *(["x"] if shell != "fish" else []), str(script)]
    done = subprocess.run(words, env={**used, **inherited}, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "echo", done.stderr
