"""What the shared fixtures promise: a home of one's own, and no way beyond this machine."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

from tests.directories import Directories
from tests.servers.real import ROOT
from tests.waiting import PATIENCE_S


def test_the_test_has_a_home_and_a_state_directory_of_its_own(home: Path, tmp_path: Path) -> None:
    assert Path.home() == home
    assert Path(os.environ["MCP_INSPECT_HOME"]).is_relative_to(tmp_path)
    assert not [name for name in os.environ if name.startswith("XDG_")]


def test_loopback_is_reachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        assert socket.getaddrinfo("localhost", 80)


_FAILING = """
import socket, subprocess, sys

def test_it_swallows_the_refusal():
    try:
        socket.create_connection(("192.0.2.1", 80))
    except OSError:
        pass

def test_it_leaves_a_child(capfd):
    global child
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)

def test_it_writes_and_fails(tmp_path):
    (tmp_path / "file").write_text("kept")
    raise OSError(str(tmp_path))
"""


def test_faults_that_a_test_does_not_see_fail_it_and_its_directory_stays(tmp_path: Path) -> None:
    script = tmp_path / "test_inner.py"
    script.write_text(_FAILING)
    options = ["-p", "no:cacheprovider", "-p", "tests.conftest", "--rootdir", str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *options, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "CI": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert "reached beyond this machine: ['192.0.2.1']" in done.stdout
    assert "the test left processes alive" in done.stdout
    place = Path(re.findall(r"OSError: (\S+)", done.stdout)[0])
    assert (place / "file").read_text() == "kept"


def test_an_empty_directory_is_used_again_under_a_new_name(tmp_path: Path) -> None:
    directories = Directories(tmp_path)
    first = directories.make("test_one[a/b]")
    assert first.name == "test_one_a_b_-1"
    assert os.listdir(first) == ["home"]
    directories.take_back(first)
    second = directories.make("test_two")
    assert (first.exists(), second.exists()) == (False, True)
    (second / "home" / "file").touch()
    directories.take_back(second)
    third = directories.make("test_three")
    assert os.listdir(tmp_path) == ["home", third.name] or os.listdir(tmp_path) == [third.name, "home"]
    assert os.listdir(third / "home") == []


def test_a_directory_with_another_mode_is_removed(tmp_path: Path) -> None:
    directories = Directories(tmp_path)
    place = directories.make("test_one")
    place.chmod(0o500)
    directories.take_back(place)
    assert directories.make("test_two").stat().st_mode & 0o777 == 0o700
    assert not place.exists()
