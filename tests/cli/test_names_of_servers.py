"""The name of a server of a client's file is a target in every command that talks to a server."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.config.known_targets import SavedTarget, SavedTargets
from inspector.config.paths import places
from inspector.config.servers import Approvals, found_servers
from tests.cli.running import inspect
from tests.servers.real import ROOT
from tests.waiting import PATIENCE_S

PROGRAM = (sys.executable, "-m", "inspector")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose file names one server, with a variable and a directory of its own."""
    there = tmp_path / "project"
    there.mkdir()
    monkeypatch.chdir(there)
    entry = {"command": sys.executable, "args": ["-m", "tests.servers.fields"], "env": {"PYTHONPATH": str(ROOT)}}
    (there / ".mcp.json").write_text(json.dumps({"mcpServers": {"gulls": entry}}))
    for server in found_servers(os.environ, there):
        Approvals(places().state).approve(server)
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


def test_options_override_the_configuration_file(project: Path) -> None:
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


def test_a_saved_target_is_named_like_a_configured_one(home: Path) -> None:
    targets = SavedTargets(places().config)
    words = shlex.join((sys.executable, "-m", "inspector.demo", "--legacy-only"))
    targets.save(SavedTarget("lighthouse", words, variables=[f"PYTHONPATH={ROOT}"], era="legacy"))
    ran = inspect("info", "lighthouse", "--json").exits(0)
    assert ran.data["era"] == "legacy"
    targets.save(SavedTarget("lighthouse", words, directory=str(home / "nowhere")), instead_of="lighthouse")
    assert "no such directory" in inspect("info", "lighthouse").stderr
    targets.save(SavedTarget("far", url="http://127.0.0.1:9/mcp", headers={"Authorization": "Bearer ${NOT_SET_HERE}"}))
    assert "$NOT_SET_HERE, which is not set" in inspect("info", "far").stderr
