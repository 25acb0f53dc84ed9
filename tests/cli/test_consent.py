"""A server of a project's file is started or connected to only if the user has agreed to exactly that."""

import json
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import click
import pytest

from inspector.cli.command_group import commands
from tests.architecture.sources import ROOT
from tests.cli.running import Ran, inspect

NAME = "gulls"
_FILES = (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json", ".roo/mcp.json")
_CAPTURE = str(ROOT / "tests" / "captures" / "evening.mcpcap")


def _all_commands(group: click.Group, context: click.Context, *above: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        yield (*above, name), found
        if isinstance(found, click.Group):
            yield from _all_commands(found, context, *above, name)


def _arguments(command: click.Command) -> list[click.Argument]:
    return [each for each in command.params if isinstance(each, click.Argument)]


def _takes_a_server(command: click.Command) -> bool:
    """Whether it has the options of servers, and an argument to name one."""
    return any(each.name == "set_" for each in command.params) and bool(_arguments(command))


COMMANDS = [
    (name, command) for name, command in _all_commands(commands, click.Context(commands)) if _takes_a_server(command)
]


def _lines(command: click.Command) -> Iterator[tuple[str, ...]]:
    """Yield arguments with the server's name in each place, and plausible words in the others."""
    places = _arguments(command)
    for at, place in enumerate(places):
        others = [_words_for(each) for each in places[:at]]
        before = [(), *([("text",), ("calls.mcp.yaml",), (_CAPTURE,)] if place.nargs == -1 else [])]
        after = [(), *([(NAME,), (_CAPTURE,)] if place.nargs == -1 else [])]
        for words in product(*others):
            yield from ((*words, *some, NAME, *rest) for some, rest in product(before, after))


def _words_for(argument: click.Argument) -> tuple[str, ...]:
    if isinstance(argument.type, click.Choice):
        return tuple(map(str, argument.type.choices))[:1]
    return ("text", "calls.mcp.yaml", _CAPTURE)


@pytest.fixture
def started(tmp_path: Path) -> Path:
    """The file that the server makes when it is started."""
    return tmp_path / "started"


@pytest.fixture
def project(tmp_path: Path, started: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, whose file defines a server."""
    there = tmp_path / "project"
    there.mkdir()
    monkeypatch.chdir(there)
    _define(there / ".mcp.json", _entry(started))
    (there / "calls.mcp.yaml").write_text(
        f"mcp-inspect-cases: 1\ntarget: {NAME}\ncases:\n- name: text\n  request: ping\n"
    )
    return there


def _entry(started: Path, *more: str) -> dict[str, Any]:
    code = f"import runpy, sys; open({str(started)!r}, 'a').close(); sys.argv = ['fields']; "
    code += "runpy.run_module('tests.servers.fields', run_name='__main__')"
    return {"command": sys.executable, "args": ["-c", code, *more], "env": {"PYTHONPATH": str(ROOT), "API_TOKEN": "t"}}


def _define(file: Path, entry: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"servers" if ".vscode" in str(file) else "mcpServers": {NAME: entry}}))


def _digest(ran: Ran) -> str:
    _, found, digest = ran.stderr.rpartition("--approve ")
    assert found, ran.stderr
    return digest.split()[0]


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[" ".join(name) for name, _ in COMMANDS])
def test_command_that_names_a_server_of_the_project_starts_nothing_without_consent(
    project: Path, started: Path, name: tuple[str, ...], command: click.Command
) -> None:
    ran = [inspect(*name, *words) for words in _lines(command)]
    assert not started.exists()
    refused = [each for each in ran if "you have not approved it" in each.stderr]
    assert refused, [each.stderr for each in ran]
    for each in refused:
        assert each.status == 2
        assert _digest(each)
        assert all(part in each.stderr for part in (sys.executable, "API_TOKEN", str(project / ".mcp.json")))


def test_commands_are_found_that_take_the_name_of_a_server() -> None:
    names = {" ".join(name) for name, _ in COMMANDS}
    assert {"info", "list", "call", "check", "doctor", "bench", "diff", "test", "tap http", "auth login"} <= names


@pytest.mark.parametrize("words", [("test", "calls.mcp.yaml"), ("run", "calls.mcp.yaml"), ("bench", "calls.mcp.yaml")])
def test_server_that_a_file_of_cases_names_is_not_started_without_consent(
    project: Path, started: Path, words: tuple[str, ...]
) -> None:
    ran = inspect(*words)
    assert (ran.status, started.exists()) == (2, False)
    assert "you have not approved it" in ran.stderr


@pytest.mark.parametrize("file", _FILES)
def test_approval_by_digest_is_remembered_until_the_entry_changes(project: Path, started: Path, file: str) -> None:
    (project / ".mcp.json").unlink()
    _define(project / file, _entry(started))
    digest = _digest(inspect("info", NAME))
    assert inspect("info", NAME, "--approve", "0" * len(digest)).status == 2
    assert not started.exists()
    assert inspect("info", NAME, "--approve", digest).status == 0
    assert inspect("info", NAME).status == 0
    for changed in (
        _entry(started, "--more"),
        _entry(started) | {"env": {"PYTHONPATH": str(ROOT), "NODE_OPTIONS": "--require ./x.js"}},
        _entry(started) | {"env": {"PYTHONPATH": str(ROOT), "API_TOKEN": "other"}},
        _entry(started) | {"cwd": str(ROOT)},
        {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Token": "a"}},
    ):
        started.unlink(missing_ok=True)
        _define(project / file, changed)
        ran = inspect("info", NAME)
        assert (ran.status, started.exists()) == (2, False)
        assert _digest(ran) != digest


def test_same_entry_in_another_file_needs_its_own_approval(project: Path, started: Path) -> None:
    assert inspect("info", NAME, "--approve", _digest(inspect("info", NAME))).status == 0
    (project / ".mcp.json").rename(project / "other.json")
    _define(project / ".cursor/mcp.json", _entry(started))
    assert inspect("info", NAME).status == 2


@pytest.mark.parametrize(("typed", "status"), [("y\n", 0), ("n\n", 2), ("\n", 2), ("", 2)])
def test_consent_on_a_terminal_starts_the_server_only_after_yes(
    project: Path, started: Path, typed: str, status: int
) -> None:
    ran = inspect("ping", "--count", "1", NAME, stdin=typed, terminal=True)
    assert "Run this command with your permissions? [y/N]" in ran.stderr
    assert (ran.status, started.exists()) == (status, status == 0), ran.stderr


def test_entry_of_the_home_directory_needs_no_approval(project: Path, started: Path, home: Path) -> None:
    (project / ".mcp.json").unlink()
    _define(home / ".cursor/mcp.json", _entry(started))
    assert inspect("info", NAME).status == 0


def test_file_of_the_user_needs_no_approval_in_the_home_directory(
    started: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    _define(home / ".cursor/mcp.json", _entry(started))
    assert inspect("info", NAME).status == 0
    _define(home / ".mcp.json", _entry(started, "--other"))
    assert inspect("info", f"Claude Code:{NAME}").status == 2


def test_hostile_entry_is_shown_without_control_characters(project: Path, started: Path) -> None:
    _define(project / ".mcp.json", {"command": "a\x1b[2J\u202e", "args": ["\r\nok"]})
    assert not set(inspect("info", NAME).exits(2).stderr) & set("\x1b\u202e\r")
