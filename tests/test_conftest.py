"""What the shared fixtures promise: a home of one's own, and no way beyond this machine."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers.real import ROOT
from tests.waiting import PATIENCE_S


def test_the_test_has_a_home_and_a_state_directory_of_its_own(home: Path, tmp_path: Path) -> None:
    assert Path.home() == home
    assert Path(os.environ["MCP_INSPECT_HOME"]).is_relative_to(tmp_path)
    assert not [name for name in os.environ if name.startswith("XDG_")]


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        assert socket.getaddrinfo("localhost", 80)


_REACHES_OUT = """
import socket

def test_it_swallows_the_refusal():
    try:
        socket.create_connection(("192.0.2.1", 80))
    except OSError:
        pass
"""
_LEAVES_A_CHILD = """
import subprocess, sys

def test_it_leaves_a_child(capfd):
    global child
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
"""


@pytest.fixture
def outcome(tmp_path: Path) -> Callable[..., str]:
    """Run a test of its own under the project's conftest and return what pytest printed."""

    def run(text: str, **env: str) -> str:
        script = tmp_path / "test_inner.py"
        script.write_text(text)
        options = ["-p", "no:cacheprovider", "-p", "tests.conftest", "--rootdir", str(ROOT)]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *options, str(script)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "CI": "", **env},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return done.stdout

    return run


def test_reaching_beyond_this_machine_fails_even_if_the_refusal_is_swallowed(
    outcome: Callable[..., str],
) -> None:
    assert "reached beyond this machine: ['192.0.2.1']" in outcome(_REACHES_OUT)


def test_leaving_a_child_alive_fails(outcome: Callable[..., str]) -> None:
    assert "the test left processes alive" in outcome(_LEAVES_A_CHILD)
