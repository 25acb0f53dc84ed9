"""The name of a server of a client's file is a target in every command that talks to a server."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.real import ROOT
from tests.waiting import PATIENCE_S

PROGRAM = (sys.executable, "-m", "inspector")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose file names one server, with a variable and a directory of its own."""
    there = tmp_path / "project"
    there.mkdir()
    entry = {
        "command": sys.executable,
        "args": ["-m", "tests.servers.fields"],
        "env": {"PYTHONPATH": str(ROOT)},
    }
    (there / ".mcp.json").write_text(json.dumps({"mcpServers": {"gulls": entry}}))
    return there


def run(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        (*PROGRAM, *words), cwd=project, env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.mark.parametrize(
    ("words", "shows"),
    [
        (("info", "gulls"), "fields"),
        (("list", "tools", "gulls"), "picker"),
        (("call", "text", "gulls", "--args", '{"value": "fog"}'), "fog"),
        (("ping", "gulls"), ""),
        (("read", "port://oslo", "gulls"), "got port://oslo"),
        (("prompt", "greet", "gulls"), "got"),
        (("request", "tools/list", "gulls"), "picker"),
        (("check", "gulls", "--fail-on", "never"), ""),
        (("lock", "gulls"), "picker"),
        (("diff", "gulls", "gulls"), ""),
    ],
)
def test_a_name_is_a_target(project: Path, words: tuple[str, ...], shows: str) -> None:
    done = run(project, *words)
    assert done.returncode == 0, done.stderr
    assert shows in done.stdout


def test_options_add_to_what_the_file_says(project: Path) -> None:
    done = run(project, "info", "--cwd", str(project / "nowhere"), "gulls")
    assert done.returncode == 2
    assert "no such directory" in done.stderr


def test_a_name_that_nothing_has_is_an_error_of_usage(project: Path) -> None:
    done = run(project, "info", "gals")
    assert done.returncode == 2
    assert "gals" in done.stderr


def test_a_name_in_a_file_that_can_not_be_read_leads_to_the_file(project: Path) -> None:
    (project / ".mcp.json").write_text('{"mcpServers": {"gulls": {"command": "x", "timeout": ' + "1" * 5000 + "}}}")
    done = run(project, "info", "gulls")
    assert done.returncode == 2
    assert "'gulls' is not a URL, and no client's file that could be read names it" in done.stderr
    assert ".mcp.json: an integer has too many digits" in done.stderr
